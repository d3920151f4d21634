// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace straightedge::study {

class SqliteFile;

// Makes the store's tables, or brings those of an older program up to date. Throws Error for a newer one.
void bringUpToDate(const SqliteFile& file);

}  // namespace straightedge::study
