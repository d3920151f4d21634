// SPDX-License-Identifier: GPL-3.0-or-later
#include "colours.h"

namespace straightedge::ui {

const Colours& lightColours() {
    static const Colours colours = {
        .dark = false,
        .window = 0xf4f5f6,
        .base = 0xffffff,
        .stripe = 0xf8f9fa,
        .text = 0x1f2328,
        .muted = 0x626a73,
        .line = 0xd4d8dc,
        .grid = 0xeceef0,
        .accent = 0x0b6e86,
        .onAccent = 0xffffff,
        .error = 0xb3261e,
        .series = {QColor(0x0072b2), QColor(0xd55e00), QColor(0x009e73), QColor(0xcc5fa0), QColor(0xe09600),
                   QColor(0x4aa8dd)},
    };
    return colours;
}

const Colours& darkColours() {
    static const Colours colours = {
        .dark = true,
        .window = 0x202327,
        .base = 0x181a1d,
        .stripe = 0x1c1f22,
        .text = 0xe2e5e8,
        .muted = 0x99a0a8,
        .line = 0x393e44,
        .grid = 0x282c31,
        .accent = 0x4db6cc,
        .onAccent = 0x0d1417,
        .error = 0xff8a80,
        .series = {QColor(0x56b4e9), QColor(0xf0803c), QColor(0x2fc498), QColor(0xdf86bb), QColor(0xe9b13a),
                   QColor(0x8fa8ff)},
    };
    return colours;
}

const Colours& printColours() {
    static const Colours colours = [] {
        Colours print = lightColours();
        print.window = Qt::white;
        print.text = QColor(0x111111);
        print.muted = QColor(0x4a4f55);
        return print;
    }();
    return colours;
}

QColor blend(const QColor& top, const QColor& bottom, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(a * share + b * (1 - share) + 0.5); };
    return {mix(top.red(), bottom.red()), mix(top.green(), bottom.green()), mix(top.blue(), bottom.blue())};
}

QPalette paletteOf(const Colours& c) {
    QPalette palette;
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.base);
    palette.setColor(QPalette::AlternateBase, c.stripe);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::PlaceholderText, c.muted);
    palette.setColor(QPalette::Button,
                     c.dark ? blend(Qt::white, c.window, 0.07) : blend(Qt::white, c.window, 0.5));
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::BrightText, c.error);
    palette.setColor(QPalette::Highlight, c.accent);
    palette.setColor(QPalette::HighlightedText, c.onAccent);
    palette.setColor(QPalette::Link, c.accent);
    palette.setColor(QPalette::LinkVisited, c.accent);
    palette.setColor(QPalette::ToolTipBase, c.base);
    palette.setColor(QPalette::ToolTipText, c.text);
    // Fusion draws its bevels with these.
    palette.setColor(QPalette::Light, blend(Qt::white, c.window, c.dark ? 0.08 : 0.8));
    palette.setColor(QPalette::Midlight, blend(Qt::white, c.window, c.dark ? 0.05 : 0.4));
    palette.setColor(QPalette::Mid, c.line);
    palette.setColor(QPalette::Dark, blend(Qt::black, c.line, 0.2));
    palette.setColor(QPalette::Shadow, blend(Qt::black, c.line, 0.5));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, blend(c.text, c.window, 0.4));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, c.line);
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, c.text);
    return palette;
}

}  // namespace straightedge::ui
