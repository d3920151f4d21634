// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QString;
class QTableView;

namespace straightedge::ui {

// The look and the manners that all tables of numbers share: dense striped rows that are chosen whole,
// columns that can be sorted, moved and, through the header's menu (the caller's), hidden.
void setUpDataTable(QTableView& table);

// Onto the clipboard: as text, and as what spreadsheets ask for.
void copyTsv(const QString& text);

}  // namespace straightedge::ui
