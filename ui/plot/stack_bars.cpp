// SPDX-License-Identifier: GPL-3.0-or-later
#include "stack_bars.h"

#include <algorithm>

#include "style/colours.h"

namespace straightedge::ui {

double Stack::top() const {
    return std::max({line, degree2.value_or(line), degree3.value_or(line)});
}

void StackBars::setColours(const QColor& run, const QColor& background) {
    const double strengths[] = {1, 0.6, 0.32, 0.08};
    for (std::size_t i = 0; i < m_colours.size(); ++i)
        m_colours[i] = blend(run, background, strengths[i]);
}

void StackBars::draw(QCPPainter* painter) {
    const QCPAxis &x = *mParentPlot->xAxis, &y = *mParentPlot->yAxis;
    const QRectF area = mParentPlot->axisRect()->rect();
    const double width = std::abs(x.coordToPixel(0.72) - x.coordToPixel(0));
    painter->setPen(Qt::NoPen);
    for (const Stack& stack : m_stacks) {
        const double left = x.coordToPixel(stack.block) - width / 2;
        const auto bar = [&](double from, double to, Layer layer) {
            const double a = y.coordToPixel(from), b = y.coordToPixel(to);
            // Cut off by hand: SVG files know no clipping.
            const QRectF cut =
                QRectF(QPointF(left, std::min(a, b)), QPointF(left + width, std::max(a, b))) & area;
            if (cut.isEmpty())
                return;
            painter->setBrush(m_colours[layer]);
            painter->drawRect(cut);
        };
        bar(0, stack.line, Line);
        double reached = std::max(stack.line, 0.0);
        const auto add = [&](std::optional<double> score, Layer layer) {
            if (score && *score > reached) {
                bar(reached, *score, layer);
                reached = *score;
            }
        };
        add(stack.degree2, Degree2);
        add(stack.degree3, Degree3);
        if (stack.hasCeiling())
            bar(reached, std::max(1.0, reached), Left);
    }
}

}  // namespace straightedge::ui
