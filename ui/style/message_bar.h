// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <functional>

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
    // A button beside the text that closes the message and does this.
    void offer(const QString& label, std::function<void()> act);
    QPushButton* button() const { return m_button; }
    QString text() const;

  private:
    void show(const QString& text, const QString& role);

    QLabel* m_text;
    QPushButton* m_button;
    std::function<void()> m_act;
};

}  // namespace straightedge::ui
