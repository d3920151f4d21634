// SPDX-License-Identifier: GPL-3.0-or-later
// How the reader works with a plot of runs: hover, choose, hide, zoom, drag, keys.
#include <QKeyEvent>
#include <QLabel>
#include <algorithm>
#include <cmath>

#include "point_marks.h"
#include "run_plot.h"

namespace straightedge::ui {

namespace {

constexpr double reach = 14;  // pixels around a point in which the cursor finds it
constexpr int clickSlack = 3;

}  // namespace

QPointF RunPlot::toPixel(const Spot& spot) const {
    return {xAxis->coordToPixel(spot.key), yAxis->coordToPixel(spot.value)};
}

std::optional<RunPlot::Spot> RunPlot::spotNear(const QPointF& position) const {
    if (!m_axes->rect().contains(position.toPoint()))
        return std::nullopt;
    std::optional<Spot> nearest;
    double best = reach * reach;
    for (const auto& [run, spots] : m_spots)
        for (const Spot& spot : spots) {
            const QPointF away = toPixel(spot) - position;
            if (const double distance = QPointF::dotProduct(away, away); distance < best) {
                best = distance;
                nearest = spot;
            }
        }
    return nearest;
}

std::optional<PointId> RunPlot::pointNear(const QPointF& position) const {
    const auto spot = spotNear(position);
    return spot ? std::optional(spot->point) : std::nullopt;
}

std::optional<QPointF> RunPlot::pixelOf(PointId point, int part) const {
    for (const Spot& spot : spotsOf(point.run))
        if (spot.point == point && (part < 0 || spot.part == part))
            return toPixel(spot);
    return std::nullopt;
}

void RunPlot::hover(const std::optional<Spot>& spot) {
    const bool same =
        spot ? m_hovered && m_hovered->point == spot->point && m_hovered->part == spot->part : !m_hovered;
    m_hovered = spot;
    if (same)
        return;
    m_card->setVisible(spot.has_value());
    if (spot) {
        m_card->setText(hoverText(spot->point, spot->part));
        placeCard(toPixel(*spot));
    }
    updateMarks();
}

// Beside the point, on the side where there is room.
void RunPlot::placeCard(const QPointF& point) {
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

void RunPlot::updateMarks() {
    std::vector<PointMarks::Mark> marks;
    for (const PointId& point : m_selection.points())
        for (const Spot& spot : spotsOf(point.run))
            if (spot.point == point && marksChosen())
                marks.push_back({spot.key, spot.value, false});
    if (m_hovered && !(marksChosen() && m_selection.contains(m_hovered->point)))
        marks.push_back({m_hovered->key, m_hovered->value, true});
    m_marks->setMarks(std::move(marks));
    layer(QStringLiteral("marks"))->replot();
}

void RunPlot::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->pos();
    QCustomPlot::mousePressEvent(event);
}

void RunPlot::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) {
        hover(std::nullopt);
        if ((event->pos() - m_pressed).manhattanLength() > clickSlack)
            m_autoFit = false;
    } else {
        hover(spotNear(event->position()));
        setCursor(m_hovered || m_legend->runAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }
    QCustomPlot::mouseMoveEvent(event);
}

void RunPlot::mouseReleaseEvent(QMouseEvent* event) {
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

void RunPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!m_legend->runAt(event->position()))
        fit();
    QCustomPlot::mouseDoubleClickEvent(event);
}

void RunPlot::wheelEvent(QWheelEvent* event) {
    m_autoFit = false;
    hover(std::nullopt);
    QCustomPlot::wheelEvent(event);
}

void RunPlot::leaveEvent(QEvent* event) {
    hover(std::nullopt);
    QCustomPlot::leaveEvent(event);
}

void RunPlot::resizeEvent(QResizeEvent* event) {
    placeLegend(event->size().width());
    QCustomPlot::resizeEvent(event);
}

void RunPlot::keyPressEvent(QKeyEvent* event) {
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

// With the arrow keys: from block to block of a run, and from one visible run to the next.
void RunPlot::stepSelection(int blocks, int runs) {
    std::vector<RunId> shown;
    for (const auto& [run, spots] : m_spots)
        if (!spots.empty())
            shown.push_back(run);
    if (shown.empty())
        return;
    const bool fresh = m_selection.points().empty();
    const PointId from = fresh ? PointId{shown.front(), 0} : *m_selection.points().begin();
    const auto place = std::ranges::find(shown, from.run);
    const auto count = static_cast<int>(shown.size());
    const int index = place == shown.end() ? 0 : static_cast<int>(place - shown.begin());
    const RunId run = shown[static_cast<std::size_t>((index + runs + count) % count)];
    // The nearest block with a point in that direction, else the nearest at all.
    const int wanted = fresh ? 0 : from.block + blocks;
    const Spot* best = nullptr;
    for (const Spot& spot : spotsOf(run)) {
        const int block = spot.point.block;
        if (blocks != 0 && !fresh && (block - from.block) * blocks <= 0)
            continue;
        if (!best || std::abs(block - wanted) < std::abs(best->point.block - wanted))
            best = &spot;
    }
    if (!best)
        return;
    const Spot chosen = *best;
    m_selection.set({chosen.point});
    hover(chosen);
}

}  // namespace straightedge::ui
