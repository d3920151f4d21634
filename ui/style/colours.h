// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>
#include <array>

namespace straightedge::ui {

// Every colour of the window and of its figures, for one mode.
struct Colours {
    bool dark = false;
    QColor window;  // behind everything
    QColor base;    // lists, fields, the plot
    QColor stripe;  // every second row of a table
    QColor text;
    QColor muted;   // second lines, units
    QColor line;    // frames and separators
    QColor grid;    // inside the plot
    QColor accent;  // the one colour that means "act here" or "chosen"
    QColor onAccent;
    QColor error;
    // Curves: Okabe and Ito's colours, safe for the colour-blind, without those too pale for the background.
    std::array<QColor, 6> series;

    QColor curve(int slot) const { return series[static_cast<std::size_t>(slot) % series.size()]; }
};

const Colours& lightColours();
const Colours& darkColours();
// What is printed: light, on white.
const Colours& printColours();

QPalette paletteOf(const Colours& colours);
// `share` of `top` over `bottom`.
QColor blend(const QColor& top, const QColor& bottom, double share);

}  // namespace straightedge::ui
