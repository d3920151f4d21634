// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run_list.h"

namespace straightedge::ui {

// What keeps the visible measured runs from being compared number by number: other texts, other tokenizers.
struct ComparisonNote {
    QString brief;    // one line; empty: nothing
    QString details;  // which ones
};
ComparisonNote comparisonNote(const RunList& runs);

}  // namespace straightedge::ui
