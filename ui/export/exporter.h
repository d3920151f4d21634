// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>

#include "figure_file.h"

namespace straightedge::ui {

// Takes figures and tables out of the window. Drawing and copying data happen at once; encoding and writing
// on a thread of its own, after which one of the signals tells how it went.
class Exporter : public QObject {
    Q_OBJECT

  public:
    Exporter(const ProfilePlot& plot, const RunList& runs, QObject* parent = nullptr);
    ~Exporter() override;  // waits until what was begun is written

    // PNG, SVG or PDF, by the ending.
    void savePlot(const std::filesystem::path& file, const FigureSize& size);
    // All visible runs: JSON or, with any other ending, CSV.
    void saveData(const std::filesystem::path& file);
    // The figure as image and as SVG.
    void copyPlot(const FigureSize& size);

  Q_SIGNALS:
    void saved(const QString& file);
    void failed(const QString& message);

  private:
    void inBackground(const std::filesystem::path& file, std::function<void()> work);

    const ProfilePlot& m_plot;
    const RunList& m_runs;
    QThreadPool m_pool;
};

}  // namespace straightedge::ui
