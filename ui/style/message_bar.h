// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace straightedge::ui {

// A line across the window that says something and goes when it is closed or replaced. Errors are shown
// whole, and can be selected and copied.
class MessageBar : public QFrame {
    Q_OBJECT

  public:
    explicit MessageBar(QWidget* parent = nullptr);

    void say(const QString& text);
    void complain(const QString& text);
    // A button beside the text; empty: none.
    void offer(const QString& label);
    QString text() const;

  Q_SIGNALS:
    void accepted();  // the button

  private:
    void show(const QString& text, const QString& role);

    QLabel* m_text;
    QPushButton* m_button;
};

}  // namespace straightedge::ui
