// SPDX-License-Identifier: GPL-3.0-or-later
#include "fields.h"

#include <QCheckBox>
#include <QLabel>

namespace straightedge::ui {

QLabel* section(const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text);
    label->setProperty("role", QStringLiteral("section"));
    label->setBuddy(buddy);
    return label;
}

QLabel* caption(const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text);
    label->setBuddy(buddy);
    return label;
}

QCheckBox* checkBox(const QString& text, const QString& tip) {
    auto* box = new QCheckBox(text);
    box->setToolTip(tip);
    return box;
}

QSpinBox* numberBox(int low, int high, int step, int value, const QString& name) {
    auto* box = new QSpinBox;
    box->setRange(low, high);
    box->setSingleStep(step);
    box->setValue(value);
    box->setGroupSeparatorShown(true);
    box->setAlignment(Qt::AlignRight);
    box->setAccessibleName(name);
    return box;
}

}  // namespace straightedge::ui
