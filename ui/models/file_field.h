// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace straightedge::ui {

// A field for a file's path: typed, chosen in a dialog, or taken from those used lately.
class FileField : public QWidget {
    Q_OBJECT

  public:
    FileField(const QString& name, const QString& placeholder, QWidget* parent = nullptr);

    QString path() const;
    // Of a field that takes several, separated by ";".
    QStringList paths() const;
    void setSeveral(const QString& tip);
    void setPath(const QString& path);
    QStringList recent() const;
    void setRecent(const QStringList& paths);
    void remember();  // what stands in the field now
    void browse();

  Q_SIGNALS:
    void changed();

  private:
    QString m_name;
    QComboBox* m_box;
    QString m_tip;
    bool m_several = false;
};

}  // namespace straightedge::ui
