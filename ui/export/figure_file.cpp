// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure_file.h"

#include <QBuffer>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "error.h"
#include "plot/profile_plot.h"
#include "study/export/export.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

constexpr double mmPerInch = 25.4, layoutDpi = 96;

int inPixels(double mm, double dpi) {
    return static_cast<int>(std::lround(mm / mmPerInch * dpi));
}

Origin originOf(const study::Run& run) {
    // Only what was measured knows the program that did it, and its file.
    return run.header.modelPath.empty() && run.header.programVersion.empty() ? Origin::Published
                                                                             : Origin::Measured;
}

CurvePoints pointsOf(const LiveCurve& curve) {
    CurvePoints points;
    for (const study::CurvePoint& point : curve.points)
        points.push_back({curve.block, curve.what, curve.healing, point});
    return points;
}

}  // namespace

QSize FigureSize::pixels() const {
    return {inPixels(widthMm, dpi), inPixels(heightMm, dpi)};
}

QSize FigureSize::layoutPixels() const {
    return {inPixels(widthMm, layoutDpi), inPixels(heightMm, layoutDpi)};
}

FigureFormat figureFormatOf(const std::filesystem::path& file) {
    const QString ending = pathText(file.extension()).toLower();
    if (ending == QLatin1String(".png"))
        return FigureFormat::Png;
    if (ending == QLatin1String(".svg"))
        return FigureFormat::Svg;
    if (ending == QLatin1String(".pdf"))
        return FigureFormat::Pdf;
    throw Error({.what = "format of the plot is not known",
                 .where = file.string(),
                 .expected = "a name that ends in .png, .svg or .pdf",
                 .found = ending.isEmpty() ? "no ending" : ending.toStdString(),
                 .advice = "choose one of these endings"});
}

Figure::Figure(const RunPlot& plot, const RunList& runs)
    : m_plot(plot.sameFor(m_runs, m_selection, PlotStyle::printed())) {
    PointSelection::Points chosen;  // what a plot shows may depend on it
    for (int row = 0; row < runs.size(); ++row) {
        const RunEntry& entry = runs.at(row);
        if (!entry.visible || (entry.run.blocks.empty() && entry.live.empty()))
            continue;
        const RunId id = m_runs.add(entry.run, entry.origin, Activity::Done, entry.colour);
        m_runs.rename(id, entry.name);
        for (const LiveCurve& curve : entry.live)
            m_runs.addTraining(id, pointsOf(curve));
        for (const PointId& point : plot.selection().points())
            if (point.run == entry.id)
                chosen.insert({id, point.block});
    }
    m_selection.set(std::move(chosen));
    m_plot->showRange(plot.xAxis->range(), plot.yAxis->range());
}

Figure::Figure(std::span<const study::Run> runs)
    : m_plot(std::make_unique<ProfilePlot>(m_runs, m_selection, PlotStyle::printed())) {
    for (const study::Run& run : runs)
        m_runs.add(run, originOf(run));
}

QPicture Figure::record(const FigureSize& size) {
    QPicture picture;
    QCPPainter painter;
    painter.begin(&picture);
    painter.setModes(QCPPainter::pmNoCaching | QCPPainter::pmVectorized);
    m_plot->paint(painter, size.layoutPixels());
    painter.end();
    return picture;
}

QImage drawImage(QPicture picture, const FigureSize& size) {
    const QSize pixels = size.pixels(), layout = size.layoutPixels();
    QImage image(pixels, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.scale(static_cast<double>(pixels.width()) / layout.width(),
                  static_cast<double>(pixels.height()) / layout.height());
    painter.drawPicture(0, 0, picture);
    painter.end();
    // Afterwards, or the painter would scale fonts by it.
    const int perMetre = static_cast<int>(std::lround(size.dpi / mmPerInch * 1000));
    image.setDotsPerMeterX(perMetre);
    image.setDotsPerMeterY(perMetre);
    return image;
}

QByteArray Figure::svg(const FigureSize& size) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(static_cast<int>(layoutDpi));
    generator.setSize(size.layoutPixels());
    generator.setViewBox(QRect(QPoint(0, 0), size.layoutPixels()));
    generator.setTitle(QStringLiteral("Straightedge"));
    QCPPainter painter;
    painter.begin(&generator);
    painter.setModes(QCPPainter::pmNoCaching | QCPPainter::pmVectorized);
    m_plot->paint(painter, size.layoutPixels());
    painter.end();
    return bytes;
}

QByteArray Figure::pdf(const FigureSize& size) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Straightedge " STRAIGHTEDGE_VERSION));
    writer.setTitle(QStringLiteral("Straightedge"));
    writer.setPageSize(
        QPageSize(QSizeF(size.widthMm, size.heightMm), QPageSize::Millimeter, {}, QPageSize::ExactMatch));
    writer.setPageMargins({});
    writer.setResolution(1200);
    QCPPainter painter;
    painter.begin(&writer);
    painter.scale(1200 / layoutDpi, 1200 / layoutDpi);
    painter.setModes(QCPPainter::pmNoCaching | QCPPainter::pmVectorized);
    m_plot->paint(painter, size.layoutPixels());
    painter.end();
    return bytes;
}

QByteArray encodePng(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!image.save(&buffer, "PNG"))
        throw Error({.what = "the image could not be made", .advice = "choose a smaller size"});
    return bytes;
}

void writeBytes(const std::filesystem::path& file, const QByteArray& bytes) {
    study::writeFile(file, bytes.toStdString());
}

}  // namespace straightedge::ui
