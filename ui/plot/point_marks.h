// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "qcp.h"

namespace straightedge::ui {

// Halos around the chosen points and the one under the cursor, on a layer of their own: moving the mouse
// repaints only it.
class PointMarks : public QCPLayerable {
    Q_OBJECT

  public:
    struct Mark {
        double key = 0, value = 0;
        bool hovered = false;
    };

    PointMarks(QCustomPlot& plot, const QString& layer) : QCPLayerable(&plot, layer) {}

    void setMarks(std::vector<Mark> marks) { m_marks = std::move(marks); }
    void setColour(const QColor& colour) { m_colour = colour; }

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override {
        const QCPAxis &x = *mParentPlot->xAxis, &y = *mParentPlot->yAxis;
        painter->setBrush(Qt::NoBrush);
        for (const Mark& mark : m_marks) {
            const QPointF point(x.coordToPixel(mark.key), y.coordToPixel(mark.value));
            if (!QRectF(x.axisRect()->rect()).contains(point))
                continue;
            painter->setPen(QPen(m_colour, mark.hovered ? 1.4 : 2.4));
            painter->drawEllipse(point, 8.5, 8.5);
        }
    }

  private:
    std::vector<Mark> m_marks;
    QColor m_colour;
};

}  // namespace straightedge::ui
