// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace straightedge::ui {

// How to work with the window, and what every number means.
class HelpWindow : public QDialog {
    Q_OBJECT

  public:
    explicit HelpWindow(QWidget* parent = nullptr);
};

}  // namespace straightedge::ui
