// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporter.h"

#include <QApplication>
#include <QClipboard>
#include <QMimeData>

#include "study/export/compression.h"
#include "study/export/export.h"
#include "study/export/export_replacement.h"
#include "style/format.h"

namespace straightedge::ui {

Exporter::Exporter(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(1);  // in the order asked for
}

Exporter::~Exporter() {
    m_pool.waitForDone();
}

void Exporter::inBackground(const std::filesystem::path& file, std::function<void()> work) {
    m_pool.start([this, file, work = std::move(work)] {
        QString problem;
        try {
            work();
        } catch (const std::exception& error) {
            problem = QString::fromUtf8(error.what());
        }
        QMetaObject::invokeMethod(
            this,
            [this, file, problem] {
                problem.isEmpty() ? Q_EMIT saved(pathText(file)) : Q_EMIT failed(problem);
            },
            Qt::QueuedConnection);
    });
}

void Exporter::savePlot(const RunPlot& plot, const RunList& runs, const std::filesystem::path& file,
                        const FigureSize& size) {
    try {
        const FigureFormat format = figureFormatOf(file);
        Figure figure(plot, runs);
        if (format == FigureFormat::Png)
            inBackground(file, [file, size, picture = figure.record(size)] {
                writeBytes(file, encodePng(drawImage(picture, size)));
            });
        else
            inBackground(file,
                         [file, bytes = format == FigureFormat::Svg ? figure.svg(size) : figure.pdf(size)] {
                             writeBytes(file, bytes);
                         });
    } catch (const std::exception& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

void Exporter::saveData(const std::filesystem::path& file, std::vector<study::Run> runs) {
    const bool json = pathText(file.extension()).compare(QLatin1String(".json"), Qt::CaseInsensitive) == 0;
    inBackground(file, [file, json, runs = std::move(runs)] {
        study::writeFile(file, json ? study::toJson(runs) : study::toCsv(runs));
    });
}

void Exporter::saveText(const std::filesystem::path& file, const QString& text) {
    inBackground(file, [file, bytes = text.toStdString()] { study::writeFile(file, bytes); });
}

void Exporter::saveTable(const std::filesystem::path& file, std::vector<study::Run> runs) {
    inBackground(file, [file, runs = std::move(runs)] { study::writeCompression(runs, file); });
}

void Exporter::saveReplacements(const std::filesystem::path& runFolder, const study::Run& run,
                                std::vector<int> blocks, study::ReplacementKind kind,
                                const std::filesystem::path& folder) {
    inBackground(folder, [runFolder, run, blocks = std::move(blocks), kind, folder] {
        study::exportReplacements(runFolder, run, blocks, kind, folder);
    });
}

void Exporter::copyPlot(const RunPlot& plot, const RunList& runs, const FigureSize& size) {
    Figure figure(plot, runs);
    auto* mime = new QMimeData;
    mime->setImageData(drawImage(figure.record(size), size));
    mime->setData(QStringLiteral("image/svg+xml"), figure.svg(size));
    QApplication::clipboard()->setMimeData(mime);
}

}  // namespace straightedge::ui
