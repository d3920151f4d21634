// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace straightedge::ui {

// The look and the manners that all tables of numbers share: dense striped rows that are chosen whole,
// columns that can be sorted, moved and, through the header's menu (the caller's), hidden.
void setUpDataTable(QTableView& table);

}  // namespace straightedge::ui
