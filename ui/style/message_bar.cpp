// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <utility>

namespace straightedge::ui {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), m_text(new QLabel), m_button(new QPushButton) {
    setProperty("role", QStringLiteral("notice"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_button->hide();
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(tr("Close this message"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 5, 6, 5);
    row->addWidget(m_text, 1);
    row->addWidget(m_button);
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_button, &QPushButton::clicked, this, [this] {
        const auto act = std::exchange(m_act, {});
        hide();
        if (act)
            act();
    });
    hide();
}

void MessageBar::say(const QString& text) {
    show(text, {});
}

void MessageBar::complain(const QString& text) {
    show(text, QStringLiteral("error"));
}

void MessageBar::offer(const QString& label, std::function<void()> act) {
    m_button->setText(label);
    m_button->show();
    m_act = std::move(act);
}

QString MessageBar::text() const {
    return m_text->text();
}

void MessageBar::show(const QString& text, const QString& role) {
    m_text->setText(text);
    m_text->setProperty("role", role);
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    m_button->hide();
    m_act = {};
    setVisible(true);
}

}  // namespace straightedge::ui
