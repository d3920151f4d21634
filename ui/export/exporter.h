// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>
#include <vector>

#include "figure_file.h"

namespace straightedge::ui {

// Takes figures and tables out of the window. Drawing and copying data happen at once; encoding and writing
// on a thread of its own, after which one of the signals tells how it went.
class Exporter : public QObject {
    Q_OBJECT

  public:
    explicit Exporter(QObject* parent = nullptr);
    ~Exporter() override;  // waits until what was begun is written

    // PNG, SVG or PDF, by the ending.
    void savePlot(const RunPlot& plot, const RunList& runs, const std::filesystem::path& file,
                  const FigureSize& size);
    // The blocks' numbers: JSON or, with any other ending, CSV.
    void saveData(const std::filesystem::path& file, std::vector<study::Run> runs);
    void saveText(const std::filesystem::path& file, const QString& text);
    // The compression table: CSV, JSON, Markdown or LaTeX, by the ending.
    void saveTable(const std::filesystem::path& file, std::vector<study::Run> runs);
    // The fitted maps of some blocks, into a folder.
    void saveReplacements(const std::filesystem::path& runFolder, const study::Run& run,
                          std::vector<int> blocks, study::ReplacementKind kind,
                          const std::filesystem::path& folder);
    // The figure as image and as SVG.
    void copyPlot(const RunPlot& plot, const RunList& runs, const FigureSize& size);

  Q_SIGNALS:
    void saved(const QString& file);
    void failed(const QString& message);

  private:
    void inBackground(const std::filesystem::path& file, std::function<void()> work);

    QThreadPool m_pool;
};

}  // namespace straightedge::ui
