// SPDX-License-Identifier: GPL-3.0-or-later
// The window under load, offscreen: frames while hundreds of runs are panned and zoomed, and how soon a
// window with a store of runs is up. By hand, on a machine that does nothing else:
//     QT_QPA_PLATFORM=offscreen bench_window [--runs 200] [--blocks 96]
#include <CLI/CLI.hpp>
#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "main_window.h"
#include "plot/cost_plot.h"
#include "study/store/store.h"
#include "style/colours.h"
#include "style/theme.h"
#include "ui/example_runs.h"

using namespace straightedge;
using namespace straightedge::ui;

namespace {

// A jagged profile with what its swaps cost.
study::Run jaggedRunWithCosts(int number, int blocks) {
    study::Run run = jaggedRun(number, blocks);
    const study::Run costly = costlyRun("costs");
    run.header.ffnParameters = costly.header.ffnParameters;
    run.header.modelParameters = costly.header.modelParameters;
    run.header.width = costly.header.width;
    run.basePpl = costly.basePpl;
    for (study::BlockResult& block : run.blocks) {
        block.replacements = costly.blocks[1].replacements;
        for (study::ReplacementResult& swap : block.replacements)
            *swap.dppl *= 1 + std::sin(13.0 * block.block + number);
    }
    return run;
}

void report(const char* what, std::vector<double> milliseconds) {
    std::ranges::sort(milliseconds);
    std::printf("%-44s median %6.1f ms, slowest %6.1f ms\n", what, milliseconds[milliseconds.size() / 2],
                milliseconds.back());
}

// The time from an event to the finished picture.
template <typename Act>
std::vector<double> frames(QCustomPlot& plot, int count, Act act) {
    std::vector<double> milliseconds;
    for (int i = 0; i < count; ++i) {
        QElapsedTimer timer;
        timer.start();
        act(i);
        plot.replot(QCustomPlot::rpImmediateRefresh);
        QCoreApplication::processEvents();
        milliseconds.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }
    return milliseconds;
}

void panAndZoom(const char* name, RunPlot& plot) {
    plot.resize(1100, 620);
    plot.show();
    plot.flush();
    plot.replot(QCustomPlot::rpImmediateRefresh);
    const auto send = [&](QEvent::Type type, const QPointF& at, Qt::MouseButton button) {
        QMouseEvent event(type, at, plot.mapToGlobal(at), button, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&plot, &event);
    };
    const QPointF middle = plot.axisRect()->rect().center();
    send(QEvent::MouseButtonPress, middle, Qt::LeftButton);
    report((std::string(name) + ", panned").c_str(), frames(plot, 60, [&](int i) {
               send(QEvent::MouseMove, middle + QPointF(5 * (i % 30 + 1), 3 * (i % 20)), Qt::NoButton);
           }));
    send(QEvent::MouseButtonRelease, middle, Qt::LeftButton);
    report((std::string(name) + ", zoomed").c_str(), frames(plot, 20, [&](int i) {
               QWheelEvent event(middle, plot.mapToGlobal(middle), {}, QPoint(0, i % 4 < 2 ? 120 : -120),
                                 Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
               QCoreApplication::sendEvent(&plot, &event);
           }));
}

// Says "up" when the window is painted and holds the store's runs.
int windowUp(int argc, char** argv, const std::string& store) {
    QApplication application(argc, argv);
    const QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    Theme theme(application);
    MainWindow window(settings, theme, store);
    window.show();
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, [&] {
        if (window.session().runs().size() < 20)
            return;
        window.grab();
        std::puts("up");
        std::fflush(stdout);
        QApplication::quit();
    });
    look.start(1);
    return QApplication::exec();
}

void timeWindowUp(const char* program) {
    const QTemporaryDir folder;
    const std::string store = folder.filePath(QStringLiteral("store")).toStdString();
    {
        study::Store filled(store);
        for (int number = 0; number < 20; ++number) {
            const study::Run run = jaggedRunWithCosts(number, 30);
            const std::string id = filled.begin(run.header);
            for (const study::BlockResult& block : run.blocks)
                filled.saveBlock(id, block);
            filled.finish(id, run);
        }
    }
    std::vector<double> milliseconds;
    for (int i = 0; i < 5; ++i) {
        QElapsedTimer timer;
        timer.start();
        QProcess process;
        process.start(QString::fromLocal8Bit(program),
                      {QStringLiteral("--up"), QString::fromStdString(store)});
        if (!process.waitForReadyRead(20'000))
            std::puts("the window did not come up");
        milliseconds.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
        process.waitForFinished();
    }
    report("process start to window up, 20 stored runs", milliseconds);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App options("The window under load, offscreen");
    int runs = 200, blocks = 96;
    std::string up;
    options.add_option("--runs", runs)->capture_default_str();
    options.add_option("--blocks", blocks)->capture_default_str();
    options.add_option("--up", up, "Only open a window with this store, and say when it is up");
    CLI11_PARSE(options, argc, argv);
    if (!up.empty())
        return windowUp(argc, argv, up);

    timeWindowUp(argv[0]);
    QApplication application(argc, argv);
    RunList list;
    PointSelection selection;
    for (int number = 0; number < runs; ++number)
        list.add(jaggedRunWithCosts(number, blocks), Origin::Measured);
    std::printf("%d runs of %d blocks\n", runs, blocks);
    ProfilePlot profile(list, selection, PlotStyle::onScreen(lightColours()));
    panAndZoom("profile", profile);
    profile.setLog(true);
    panAndZoom("profile, logarithmic", profile);
    profile.hide();
    CostPlot cost(list, selection, PlotStyle::onScreen(lightColours()));
    panAndZoom("swap cost", cost);
    return 0;
}
