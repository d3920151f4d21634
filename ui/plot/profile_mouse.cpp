// SPDX-License-Identifier: GPL-3.0-or-later
// How the reader works with the profile: hover, choose, hide, zoom, drag, keys.
#include <QKeyEvent>
#include <QLabel>
#include <algorithm>
#include <cmath>

#include "hover_text.h"
#include "point_marks.h"
#include "profile_plot.h"
#include "run_legend.h"

namespace straightedge::ui {

namespace {

constexpr double reach = 14;  // pixels around a point in which the cursor finds it
constexpr int clickSlack = 3;

}  // namespace

std::optional<PointId> ProfilePlot::pointNear(const QPointF& position) const {
    if (!m_axes->rect().contains(position.toPoint()))
        return std::nullopt;
    std::optional<PointId> nearest;
    double best = reach * reach;
    const double key = xAxis->pixelToCoord(position.x());
    const double span = std::abs(xAxis->pixelToCoord(position.x() + reach) - key);
    for (const auto& [id, curve] : m_curves) {
        if (!curve->visible())
            continue;
        const auto end = curve->data()->findEnd(key + span, false);
        for (auto at = curve->data()->findBegin(key - span, false); at != end; ++at) {
            if (std::isnan(at->value))
                continue;
            const QPointF away = curve->coordsToPixels(at->key, at->value) - position;
            if (const double distance = QPointF::dotProduct(away, away); distance < best) {
                best = distance;
                nearest = PointId{id, static_cast<int>(at->key)};
            }
        }
    }
    return nearest;
}

std::optional<QPointF> ProfilePlot::pixelOf(PointId point) const {
    const ProfileCurve* found = curve(point.run);
    if (!found || !found->visible())
        return std::nullopt;
    const auto at = found->data()->findBegin(point.block, false);
    if (at == found->data()->constEnd() || at->key != point.block || std::isnan(at->value))
        return std::nullopt;
    return found->coordsToPixels(at->key, at->value);
}

QString ProfilePlot::hoverText(PointId point) const {
    const RunEntry* entry = m_runs.find(point.run);
    const study::BlockResult* block = entry ? entry->block(point.block) : nullptr;
    return block ? ui::hoverText(*entry, *block, metricOf(m_score), m_style.colours) : QString();
}

void ProfilePlot::hover(std::optional<PointId> point) {
    if (std::exchange(m_hovered, point) == point)
        return;
    const auto pixel = point ? pixelOf(*point) : std::nullopt;
    m_card->setVisible(pixel.has_value());
    if (pixel) {
        m_card->setText(hoverText(*point));
        placeCard(*pixel);
    }
    updateMarks();
}

// Beside the point, on the side where there is room.
void ProfilePlot::placeCard(const QPointF& point) {
    m_card->adjustSize();
    const QSize size = m_card->size();
    const int gap = 16;
    const int x = point.x() + gap + size.width() < width() ? static_cast<int>(point.x()) + gap
                                                           : static_cast<int>(point.x()) - gap - size.width();
    const int y = std::clamp(static_cast<int>(point.y()) - size.height() / 2, 4,
                             std::max(4, height() - size.height() - 4));
    m_card->move(std::max(4, x), y);
    m_card->raise();
}

void ProfilePlot::updateMarks() {
    std::vector<PointMarks::Mark> marks;
    const auto add = [&](PointId point, bool hovered) {
        if (const ProfileCurve* found = curve(point.run); found && pixelOf(point)) {
            const auto at = found->data()->findBegin(point.block, false);
            marks.push_back({at->key, at->value, hovered});
        }
    };
    for (const PointId& point : m_selection.points())
        add(point, false);
    if (m_hovered && !m_selection.contains(*m_hovered))
        add(*m_hovered, true);
    m_marks->setMarks(std::move(marks));
    layer(QStringLiteral("marks"))->replot();
}

void ProfilePlot::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->pos();
    QCustomPlot::mousePressEvent(event);
}

void ProfilePlot::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) {
        hover(std::nullopt);
        if ((event->pos() - m_pressed).manhattanLength() > clickSlack)
            m_autoFit = false;
    } else {
        hover(pointNear(event->position()));
        setCursor(m_hovered || m_legend->runAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }
    QCustomPlot::mouseMoveEvent(event);
}

void ProfilePlot::mouseReleaseEvent(QMouseEvent* event) {
    QCustomPlot::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || (event->pos() - m_pressed).manhattanLength() > clickSlack)
        return;
    if (const auto run = m_legend->runAt(event->position())) {
        m_runs.setVisible(*run, !m_runs.find(*run)->visible);
        return;
    }
    const auto point = pointNear(event->position());
    if (point && (event->modifiers() & Qt::ControlModifier))
        m_selection.toggle(*point);
    else if (point)
        m_selection.set({*point});
    else if (m_axes->rect().contains(event->pos()))
        m_selection.set({});
}

void ProfilePlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!m_legend->runAt(event->position()))
        fit();
    QCustomPlot::mouseDoubleClickEvent(event);
}

void ProfilePlot::wheelEvent(QWheelEvent* event) {
    m_autoFit = false;
    hover(std::nullopt);
    QCustomPlot::wheelEvent(event);
}

void ProfilePlot::leaveEvent(QEvent* event) {
    hover(std::nullopt);
    QCustomPlot::leaveEvent(event);
}

void ProfilePlot::resizeEvent(QResizeEvent* event) {
    placeLegend(event->size().width());
    QCustomPlot::resizeEvent(event);
}

void ProfilePlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            return stepSelection(-1, 0);
        case Qt::Key_Right:
            return stepSelection(1, 0);
        case Qt::Key_Up:
            return stepSelection(0, -1);
        case Qt::Key_Down:
            return stepSelection(0, 1);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoom(0.8);
        case Qt::Key_Minus:
            return zoom(1.25);
        case Qt::Key_Home:
            return fit();
        case Qt::Key_Escape:
            m_selection.set({});
            return hover(std::nullopt);
        default:
            QCustomPlot::keyPressEvent(event);
    }
}

// With the arrow keys: along a curve, and from one visible curve to the next.
void ProfilePlot::stepSelection(int blocks, int runs) {
    std::vector<RunId> shown;
    for (const auto& [id, curve] : m_curves)
        if (curve->visible() && !curve->stretches().empty())
            shown.push_back(id);
    if (shown.empty())
        return;
    const bool fresh = m_selection.points().empty();
    const PointId from = fresh ? PointId{shown.front(), 0} : *m_selection.points().begin();
    const auto place = std::ranges::find(shown, from.run);
    const auto count = static_cast<int>(shown.size());
    const int index = place == shown.end() ? 0 : static_cast<int>(place - shown.begin());
    const RunId run = shown[static_cast<std::size_t>((index + runs + count) % count)];
    const auto data = curve(run)->data();
    // The nearest defined block in that direction, else the nearest at all.
    const int wanted = fresh ? 0 : from.block + blocks;
    std::optional<int> best;
    for (const QCPGraphData& point : *data) {
        const int block = static_cast<int>(point.key);
        if (std::isnan(point.value) || (blocks != 0 && !fresh && (block - from.block) * blocks <= 0))
            continue;
        if (!best || std::abs(block - wanted) < std::abs(*best - wanted))
            best = block;
    }
    if (!best)
        return;
    m_selection.set({{run, *best}});
    hover(PointId{run, *best});
}

}  // namespace straightedge::ui
