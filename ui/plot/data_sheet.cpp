// SPDX-License-Identifier: GPL-3.0-or-later
#include "data_sheet.h"

#include <cmath>
#include <optional>

namespace straightedge::ui {

namespace {

constexpr double slack = 16;  // pixels that a line or a marker may reach over the edge of a part

// By how many whole pixels of the screen both corners have moved; none where the scale is another.
std::optional<QPoint> wholeShift(const QPointF& first, const QPointF& last, double ratio) {
    constexpr double exact = 0.02;
    const QPointF shift = first * ratio;
    const QPoint whole = shift.toPoint();
    for (const QPointF& corner : {shift, last * ratio})
        if (!(std::abs(corner.x() - whole.x()) < exact && std::abs(corner.y() - whole.y()) < exact))
            return std::nullopt;
    return whole;
}

}  // namespace

QPointF DataSheet::pixel(double key, double value) const {
    return {mParentPlot->xAxis->coordToPixel(key), mParentPlot->yAxis->coordToPixel(value)};
}

QRectF DataSheet::coordinates(const QRectF& part) const {
    const QCPAxis &x = *mParentPlot->xAxis, &y = *mParentPlot->yAxis;
    return QRectF(QPointF(x.pixelToCoord(part.left()), y.pixelToCoord(part.top())),
                  QPointF(x.pixelToCoord(part.right()), y.pixelToCoord(part.bottom())))
        .normalized();
}

void DataSheet::draw(QCPPainter* painter) {
    const QRect area = mParentPlot->axisRect()->rect();
    if (area.isEmpty())
        return;
    if (painter->modes().testFlag(QCPPainter::pmNoCaching)) {
        drawPart(*painter, area);
    } else {
        update(area, mParentPlot->bufferDevicePixelRatio());
        painter->drawImage(area.topLeft(), m_picture);
    }
    drawOver(*painter);
}

void DataSheet::update(const QRect& area, double ratio) {
    const QSize size = (QSizeF(area.size()) * ratio).toSize();
    const QPoint extent(area.width(), area.height());
    std::optional<QPoint> shift;
    if (m_picture.size() == size && m_picture.devicePixelRatio() == ratio)
        shift = wholeShift(pixel(m_first.x(), m_first.y()) - area.topLeft(),
                           pixel(m_last.x(), m_last.y()) - area.topLeft() - extent, ratio);
    if (shift && *shift == m_shift)
        return;
    // Moved by what is not a whole number of the plot's pixels, the parts would not meet.
    const QPoint step = shift ? *shift - m_shift : QPoint();
    const QPoint moved = (QPointF(step) / ratio).toPoint();
    const QRect kept = QPointF(moved) * ratio == QPointF(step) ? area.translated(moved) & area : QRect();
    QImage before = std::exchange(m_picture, QImage(size, QImage::Format_ARGB32_Premultiplied));
    m_picture.fill(Qt::transparent);
    if (!shift || kept.isEmpty()) {
        m_picture.setDevicePixelRatio(ratio);
        drawInto(area, area);
        const auto corner = [this](const QPoint& at) {
            return QPointF(mParentPlot->xAxis->pixelToCoord(at.x()),
                           mParentPlot->yAxis->pixelToCoord(at.y()));
        };
        m_first = corner(area.topLeft());
        m_last = corner(area.topLeft() + extent);
        m_shift = {};
        return;
    }
    before.setDevicePixelRatio(1);
    QPainter(&m_picture).drawImage(step, before);
    m_picture.setDevicePixelRatio(ratio);
    m_shift = *shift;
    // Beside what is kept over the whole height, above and below it over its width.
    for (const QRect& part :
         {QRect(area.topLeft(), QPoint(kept.left() - 1, area.bottom())),
          QRect(QPoint(kept.right() + 1, area.top()), area.bottomRight()),
          QRect(QPoint(kept.left(), area.top()), QPoint(kept.right(), kept.top() - 1)),
          QRect(QPoint(kept.left(), kept.bottom() + 1), QPoint(kept.right(), area.bottom()))})
        if (!part.isEmpty())
            drawInto(part, area);
}

void DataSheet::drawInto(const QRect& part, const QRect& area) {
    QCPPainter painter(&m_picture);
    painter.translate(-area.topLeft());
    painter.setClipRect(part);
    applyDefaultAntialiasingHint(&painter);
    drawPart(painter, QRectF(part).adjusted(-slack, -slack, slack, slack));
}

}  // namespace straightedge::ui
