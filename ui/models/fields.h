// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>
#include <QString>
#include <QWidget>

class QCheckBox;
class QLabel;

// Small parts that the panels of settings are made of.
namespace straightedge::ui {

QLabel* section(const QString& text, QWidget* buddy);
QLabel* caption(const QString& text, QWidget* buddy);
QCheckBox* checkBox(const QString& text, const QString& tip);
QSpinBox* numberBox(int low, int high, int step, int value, const QString& name);

template <typename Layout>
QWidget* asWidget(Layout* layout) {
    auto* widget = new QWidget;
    layout->setContentsMargins(0, 0, 0, 0);
    widget->setLayout(layout);
    return widget;
}

}  // namespace straightedge::ui
