// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QImage>
#include <QMimeData>
#include <QPainter>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "error.h"
#include "example_runs.h"
#include "export/exporter.h"
#include "plot/cost_plot.h"
#include "plot/profile_plot.h"
#include "plot_file.h"
#include "style/format.h"

using namespace straightedge;
using namespace straightedge::ui;

namespace {

QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// How many pixels of an area are neither white nor grey: curves.
int colouredPixels(const QImage& image, const QRect& area) {
    int found = 0;
    for (int y = area.top(); y <= area.bottom(); ++y)
        for (int x = area.left(); x <= area.right(); ++x) {
            const QColor colour = image.pixelColor(x, y);
            found += colour.hsvSaturation() > 90;
        }
    return found;
}

}  // namespace

class TestFigureFile : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void pngHasSizeResolutionAndACurve() {
        const std::vector runs{runWith("a", {0.2, 0.4, 0.9})};
        const QString path = m_folder.filePath(QStringLiteral("plot.png"));
        renderProfilePlot(runs, toPath(path));
        const QImage image(path);
        QCOMPARE(image.size(), QSize(2161, 1122));  // 183 x 95 mm at 300 dpi
        QVERIFY(std::abs(image.dotsPerMeterX() - 11811) <= 1);
        QCOMPARE(image.pixelColor(2, 2), QColor(Qt::white));
        QVERIFY(colouredPixels(image, QRect(0, 0, image.width() * 7 / 10, image.height())) > 2'000);
    }

    void svgIsReadBack() {
        const std::vector runs{runWith("a name", {0.2, 0.4, 0.9})};
        const QString path = m_folder.filePath(QStringLiteral("plot.svg"));
        renderProfilePlot(runs, toPath(path));
        QSvgRenderer renderer(path);
        QVERIFY(renderer.isValid());
        QVERIFY(std::abs(renderer.viewBoxF().width() - 183 / 25.4 * 96) < 1);
        QVERIFY(read(path).contains("a name"));  // letters, not outlines
        QImage image(692, 359, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        renderer.render(&painter);
        painter.end();
        QVERIFY(colouredPixels(image, QRect(0, 0, 480, 359)) > 200);
    }

    void pdfIsVectorsOnAPageOfThatSize() {
        const std::vector runs{runWith("a", {0.2, 0.4, 0.9})};
        const QString path = m_folder.filePath(QStringLiteral("plot.PDF"));
        renderProfilePlot(runs, toPath(path));
        const QByteArray bytes = read(path);
        QVERIFY(bytes.startsWith("%PDF-"));
        const auto box = QRegularExpression(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]"))
                             .match(QString::fromLatin1(bytes));
        QVERIFY(box.hasMatch());
        QVERIFY(std::abs(box.captured(1).toDouble() - 183 / 25.4 * 72) < 1);
        QVERIFY(std::abs(box.captured(2).toDouble() - 95 / 25.4 * 72) < 1);
        QVERIFY(!bytes.contains("/Subtype /Image"));
    }

    void otherEndingsAndPlacesAreRefused() {
        const std::vector runs{runWith("a", {0.2})};
        QVERIFY_EXCEPTION_THROWN(
            renderProfilePlot(runs, toPath(m_folder.filePath(QStringLiteral("plot.gif")))), Error);
        QVERIFY_EXCEPTION_THROWN(
            renderProfilePlot(runs, toPath(m_folder.filePath(QStringLiteral("none/plot.png")))), Error);
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("plot.gif"))));
    }

    void aZoomedFigureIsCutAtItsAxes() {
        RunList runs;
        PointSelection selection;
        ProfilePlot plot(runs, selection, PlotStyle::onScreen(darkColours()));
        runs.add(runWith("a", {0.1, 0.9, 0.1, 0.9, 0.1}), Origin::Measured);
        plot.flush();
        plot.showRange(QCPRange(0.5, 3.5), QCPRange(0.4, 0.6));
        Figure figure(plot, runs);
        QSvgRenderer renderer(figure.svg({183, 95, 96}));
        QImage image(692, 359, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        renderer.render(&painter);
        painter.end();
        QVERIFY(colouredPixels(image, QRect(60, 20, 400, 280)) > 100);
        QCOMPARE(colouredPixels(image, QRect(0, 0, 520, 6)), 0);     // above the axes
        QCOMPARE(colouredPixels(image, QRect(0, 325, 520, 34)), 0);  // below
        QCOMPARE(colouredPixels(image, QRect(0, 0, 45, 359)), 0);    // left
    }

    void theExporterWritesPlotsAndData() {
        RunList runs;
        PointSelection selection;
        ProfilePlot plot(runs, selection, PlotStyle::onScreen(lightColours()));
        runs.add(runWith("a", {1.0 / 3.0, std::nullopt}), Origin::Measured);
        const RunId hidden = runs.add(runWith("b", {0.5}), Origin::Measured);
        runs.setVisible(hidden, false);
        plot.flush();
        Exporter exporter;
        QSignalSpy saved(&exporter, &Exporter::saved), failed(&exporter, &Exporter::failed);

        const QString png = m_folder.filePath(QStringLiteral("small.png"));
        exporter.savePlot(plot, runs, toPath(png), {50.8, 25.4, 200});
        const QString csv = m_folder.filePath(QStringLiteral("runs.csv")),
                      json = m_folder.filePath(QStringLiteral("runs.json"));
        exporter.saveData(toPath(csv), runs.visibleRuns());
        exporter.saveData(toPath(json), runs.visibleRuns());
        QTRY_COMPARE(saved.count(), 3);
        QCOMPARE(QImage(png).size(), QSize(400, 200));
        const QList<QByteArray> lines = read(csv).trimmed().split('\n');
        QCOMPARE(lines.size(), 3);  // the header and the blocks of the visible run
        QVERIFY(lines[0].startsWith("model,corpus,block,activation,rows,"));
        QVERIFY(lines[1].startsWith("a,text.txt,0,gelu,"));
        QVERIFY(lines[1].contains(",0.3333333333333333,"));
        QVERIFY(read(json).contains("\"r2_lin\": 0.3333333333333333"));

        exporter.saveData(toPath(m_folder.filePath(QStringLiteral("none/runs.csv"))), runs.visibleRuns());
        QTRY_COMPARE(failed.count(), 1);
        exporter.copyPlot(plot, runs, {50.8, 25.4, 200});
        const QMimeData* mime = QApplication::clipboard()->mimeData();
        QCOMPARE(qvariant_cast<QImage>(mime->imageData()).size(), QSize(400, 200));
        QVERIFY(QSvgRenderer(mime->data(QStringLiteral("image/svg+xml"))).isValid());
    }

    void theCostPlotAndTheCompressionTableLeaveTheWindowToo() {
        RunList runs;
        PointSelection selection;
        CostPlot plot(runs, selection, PlotStyle::onScreen(darkColours()));
        runs.rename(runs.add(costlyRun("smol"), Origin::Measured), QStringLiteral("my run"));
        plot.flush();
        plot.fit();
        plot.flush();
        const QByteArray svg = Figure(plot, runs).svg({183, 95, 96});
        for (const char* words : {"my run", "switched", "R² published", "PPL, swapped"})
            QVERIFY2(svg.contains(words), words);
        QVERIFY(QSvgRenderer(svg).isValid());
        QVERIFY(Figure(plot, runs).pdf({183, 95, 96}).startsWith("%PDF-"));

        Exporter exporter;
        QSignalSpy saved(&exporter, &Exporter::saved), failed(&exporter, &Exporter::failed);
        const std::pair<QString, const char*> expected[] = {
            {QStringLiteral("csv"), "smol,text.txt,11,switched,333504,"},
            {QStringLiteral("json"), "\"replacement\": \"balanced-0.5\""},
            {QStringLiteral("md"), "| 11 | switched |"},
            {QStringLiteral("tex"), "\\toprule"}};
        for (const auto& [ending, text] : expected)
            exporter.saveTable(toPath(m_folder.filePath(QStringLiteral("t.") + ending)), runs.visibleRuns());
        QTRY_COMPARE(saved.count(), 4);
        for (const auto& [ending, text] : expected) {
            const QByteArray bytes = read(m_folder.filePath(QStringLiteral("t.") + ending));
            QVERIFY2(bytes.contains(text), bytes.left(400).constData());
        }
        exporter.saveTable(toPath(m_folder.filePath(QStringLiteral("t.xls"))), runs.visibleRuns());
        QTRY_COMPARE(failed.count(), 1);
    }

  private:
    QTemporaryDir m_folder;
};

QTEST_MAIN(TestFigureFile)
#include "tst_figure_file.moc"
