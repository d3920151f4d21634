// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QObject>
#include <QPixmap>

#include "colours.h"

class QApplication;

namespace straightedge::ui {

// A disc of a run's colour, for tables.
QPixmap swatch(const QColor& colour);

// The look of the application: Fusion with colours of our own, light or dark. One object, owned by
// runWindow() and handed to those who paint for themselves. `changed` is emitted after the application has
// its new colours.
class Theme : public QObject {
    Q_OBJECT

  public:
    enum class Mode { System, Light, Dark };

    explicit Theme(QApplication& application);

    Mode mode() const { return m_mode; }
    void setMode(Mode mode);
    const Colours& colours() const { return m_dark ? darkColours() : lightColours(); }
    // One of resources/icons, drawn in the colour of text.
    QIcon icon(const QString& name) const;

    static QString nameOf(Mode mode);
    static Mode modeNamed(const QString& name);

  Q_SIGNALS:
    void changed();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void apply();
    bool systemIsDark();

    QApplication& m_application;
    Mode m_mode = Mode::System;
    bool m_dark = false;
    bool m_applying = false;
};

}  // namespace straightedge::ui
