// SPDX-License-Identifier: GPL-3.0-or-later
#include "error_bars.h"

#include <algorithm>

namespace straightedge::ui {

void ErrorBars::set(RunId run, std::vector<ErrorBar> bars, const QColor& colour) {
    m_bars[run] = {std::move(bars), colour};
}

const std::vector<ErrorBar>& ErrorBars::bars(RunId run) const {
    static const std::vector<ErrorBar> none;
    const auto found = m_bars.find(run);
    return found == m_bars.end() ? none : found->second.bars;
}

bool ErrorBars::isEmpty() const {
    return std::ranges::all_of(m_bars, [](const auto& pair) { return pair.second.bars.empty(); });
}

void ErrorBars::draw(QCPPainter* painter) {
    const QCPAxis &x = *mParentPlot->xAxis, &y = *mParentPlot->yAxis;
    const QRectF area = mParentPlot->axisRect()->rect();
    const double spacing = std::abs(x.coordToPixel(1) - x.coordToPixel(0));
    const double cap = std::clamp(0.18 * spacing, 1.5, 4.0);
    painter->setBrush(Qt::NoBrush);
    for (const auto& [run, ofRun] : m_bars) {
        painter->setPen(QPen(ofRun.colour, 1.2));
        for (const ErrorBar& bar : ofRun.bars) {
            const double at = x.coordToPixel(bar.key);
            if (at < area.left() || at > area.right())
                continue;
            const double low = y.coordToPixel(bar.low), high = y.coordToPixel(bar.high);
            const double top = std::clamp(std::min(low, high), area.top(), area.bottom()),
                         bottom = std::clamp(std::max(low, high), area.top(), area.bottom());
            if (top < bottom)
                painter->drawLine(QPointF(at, top), QPointF(at, bottom));
            for (const double end : {low, high, y.coordToPixel(bar.mean)})
                if (area.contains(QPointF(at - cap, end)) && area.contains(QPointF(at + cap, end)))
                    painter->drawLine(QPointF(at - cap, end), QPointF(at + cap, end));
        }
    }
}

}  // namespace straightedge::ui
