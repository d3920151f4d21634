// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QPoint>

#include "qcp.h"

namespace straightedge::ui {

// What a plot draws of its data inside the axes. On screen it is kept as a picture: while the reader drags,
// the picture is moved and only what comes into view is drawn, so that hundreds of curves pan as one does. On
// paper it is drawn as it is, with nothing outside the axes, because SVG files know no clipping.
class DataSheet : public QCPLayerable {
    Q_OBJECT

  public:
    // What is drawn is no longer what the picture shows, ranges aside.
    void changed() { m_picture = {}; }

  protected:
    explicit DataSheet(QCustomPlot& plot) : QCPLayerable(&plot, QStringLiteral("main")) {}

    // Draws all that touches the part, and nothing outside of it, in pixels of the plot. A part that is drawn
    // by itself must look as it does in the whole.
    virtual void drawPart(QCPPainter& painter, const QRectF& part) = 0;
    // What depends on all that is in view, drawn anew each time.
    virtual void drawOver(QCPPainter& /*painter*/) {}
    QPointF pixel(double key, double value) const;
    // A part in coordinates of the axes, ascending: to leave out early what does not touch it.
    QRectF coordinates(const QRectF& part) const;

    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) final;

  private:
    void update(const QRect& area, double ratio);
    void drawInto(const QRect& part, const QRect& area);

    QImage m_picture;
    QPointF m_first, m_last;  // coordinates of the axes at its corners when it was drawn as a whole
    QPoint m_shift;           // that it was moved since, in pixels of the screen
};

}  // namespace straightedge::ui
