// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <QtGlobal>

namespace straightedge {

// The window under test speaks plainly and finds neither the user's sample nor the user's runs.
inline void enterCleanPlace() {
    QLocale::setDefault(QLocale::c());
    qputenv("STRAIGHTEDGE_SAMPLE", "/nowhere");
    qputenv("STRAIGHTEDGE_STORE", "/nowhere");
}

}  // namespace straightedge
