// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "blocks/block_table_view.h"
#include "error.h"
#include "export/exporter.h"
#include "models/measure_panel.h"
#include "runs/run_list_model.h"
#include "runs/runs_panel.h"
#include "study/published.h"
#include "study/sample.h"
#include "style/format.h"
#include "style/message_bar.h"
#include "style/theme.h"

namespace straightedge::ui {

namespace {

bool looksLikeModel(const QFileInfo& file) {
    static const QStringList endings = {QStringLiteral("gguf"), QStringLiteral("safetensors"),
                                        QStringLiteral("json")};
    return file.isDir() || endings.contains(file.suffix().toLower());
}

}  // namespace

MainWindow::MainWindow(QSettings& settings, Theme& theme, JobQueue::Measure measure,
                       ModelList::Inspect inspect, QWidget* parent)
    : QMainWindow(parent),
      m_settings(settings),
      m_theme(theme),
      m_session(std::move(measure)),
      m_measure(new MeasurePanel(theme, std::move(inspect))) {
    setWindowTitle(QStringLiteral("Straightedge"));
    setAcceptDrops(true);
    resize(1280, 800);
    for (study::Run& run : study::publishedRuns())
        m_session.runs().add(std::move(run), Origin::Published);

    m_columns = new QSplitter(Qt::Horizontal);
    m_columns->setHandleWidth(1);
    m_columns->setChildrenCollapsible(false);
    m_columns->addWidget(makeSidePanel());
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->setTabBarAutoHide(true);  // until there is a second view
    m_tabs->addTab(makeProfileTab(), tr("Profile"));
    m_columns->addWidget(m_tabs);
    m_columns->setStretchFactor(1, 1);
    m_columns->setSizes({330, 950});
    setCentralWidget(m_columns);

    m_progress = new QLabel;
    m_counts = new QLabel;
    statusBar()->addWidget(m_progress, 1);
    statusBar()->addPermanentWidget(m_counts);
    statusBar()->setSizeGripEnabled(false);

    m_exporter = new Exporter(*m_plot, m_session.runs(), this);
    makeActions();
    connectParts();
    restoreSettings();
    greet();
    showState();
    m_plot->setFocus();
}

MainWindow::~MainWindow() {
    // Nothing may reach the views once they are being taken down.
    m_session.jobs().shutDown();
}

QWidget* MainWindow::makeSidePanel() {
    m_runsPanel = new RunsPanel(m_session, m_theme);
    m_side = new QSplitter(Qt::Vertical);
    m_side->setHandleWidth(1);
    m_side->setChildrenCollapsible(false);
    m_side->setMinimumWidth(270);
    m_side->addWidget(m_measure);
    m_side->addWidget(m_runsPanel);
    m_side->setSizes({400, 320});
    return m_side;
}

QWidget* MainWindow::makeProfileTab() {
    m_message = new MessageBar;
    m_plot = new ProfilePlot(m_session.runs(), m_session.selection(), PlotStyle::onScreen(m_theme.colours()));
    m_plot->setMinimumSize(320, 220);
    m_tableModel = new BlockTableModel(m_session.runs(), m_theme, this);
    m_table = new BlockTableView(*m_tableModel, m_session.selection());
    m_profile = new QSplitter(Qt::Vertical);
    m_profile->setHandleWidth(1);
    m_profile->setChildrenCollapsible(false);
    m_profile->addWidget(m_plot);
    m_profile->addWidget(m_table);
    m_profile->setStretchFactor(0, 2);
    m_profile->setStretchFactor(1, 1);
    m_profile->setSizes({460, 240});
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_message);
    column->addWidget(m_profile, 1);
    return page;
}

void MainWindow::connectParts() {
    connect(&m_theme, &Theme::changed, this, [this] {
        m_plot->setStyle(PlotStyle::onScreen(m_theme.colours()));
        setIcons();
    });
    connect(m_measure, &MeasurePanel::measureWanted, this, &MainWindow::measure);
    connect(m_measure, &MeasurePanel::cancelWanted, &m_session.jobs(), &JobQueue::cancelAll);
    connect(m_plot, &ProfilePlot::viewChanged, this, &MainWindow::followPlot);
    connect(m_exporter, &Exporter::saved, this,
            [this](const QString& file) { statusBar()->showMessage(tr("Saved %1").arg(file), 6'000); });
    connect(m_exporter, &Exporter::failed, this, [this](const QString& message) {
        m_greeting = false;
        m_message->complain(message);
    });
    connect(m_message, &MessageBar::accepted, this, &MainWindow::measureSample);
    for (const auto signal :
         {&RunList::added, &RunList::removed, &RunList::changed, &RunList::visibilityChanged})
        connect(&m_session.runs(), signal, this, &MainWindow::showState);
    connect(&m_session.jobs(), &JobQueue::idle, this, &MainWindow::showState);
}

void MainWindow::greet() {
    m_greeting = true;
    m_message->say(
        tr("Dashed: the published profiles of three models. To measure one of your own, add a model and a "
           "text on the "
           "left, or drop them here, then press Measure."));
    if (study::findSample())
        m_message->offer(tr("Measure the sample"));
}

void MainWindow::measure() {
    for (const MeasurePanel::Request& request : m_measure->requests())
        m_session.measure(request.settings, request.modelName);
}

void MainWindow::measureSample() {
    const auto sample = study::findSample();
    if (!sample) {
        m_greeting = false;
        m_message->complain(tr("The sample is not there.\n  expected: %1\n  what to do: run the set-up "
                               "script again with a network")
                                .arg(pathText(study::sampleFolder())));
        return;
    }
    try {
        m_session.measure(m_measure->settingsFor(sample->model, sample->corpus),
                          pathText(sample->model.stem()));
    } catch (const Error& error) {
        m_greeting = false;
        m_message->complain(QString::fromUtf8(error.what()));
    }
}

// What stands in the status bar, and which actions make sense.
void MainWindow::showState() {
    const RunList& runs = m_session.runs();
    QString progress;
    int visible = 0, waiting = 0;
    for (int row = 0; row < runs.size(); ++row) {
        const RunEntry& entry = runs.at(row);
        visible += entry.visible;
        waiting += entry.activity == Activity::Waiting;
        if (entry.activity == Activity::Running || entry.activity == Activity::Stopping)
            progress =
                QStringLiteral("%1: %2").arg(entry.title(), RunListModel::progressText(entry.progress));
    }
    if (waiting > 0 && !progress.isEmpty())
        progress += tr(" · %1 waiting").arg(waiting);
    m_progress->setText(progress.isEmpty() ? tr("Ready") : progress);
    m_counts->setText(tr("%1 of %2 shown").arg(visible).arg(plural(runs.size(), tr("run"), tr("runs"))));
    const bool busy = !m_session.jobs().isIdle();
    m_measure->setBusy(busy);
    m_cancel->setEnabled(busy);
    if (m_greeting && runs.hasMeasured()) {
        m_greeting = false;
        m_message->hide();
    }
}

void MainWindow::open(const QStringList& paths) {
    for (const QString& path : paths)
        if (const QFileInfo file(path); looksLikeModel(file))
            m_measure->models().add(toPath(file.absoluteFilePath()));
        else
            m_measure->setCorpus(file.absoluteFilePath());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            paths += url.toLocalFile();
    open(paths);
    event->acceptProposedAction();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveSettings();
    // The window goes at once; the process follows when the run has come to its next stopping place.
    m_session.jobs().shutDown();
    QMainWindow::closeEvent(event);
}

void MainWindow::saveSettings() {
    m_settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_settings.setValue(QStringLiteral("window/columns"), m_columns->saveState());
    m_settings.setValue(QStringLiteral("window/side"), m_side->saveState());
    m_settings.setValue(QStringLiteral("window/profile"), m_profile->saveState());
    m_settings.setValue(QStringLiteral("window/theme"), Theme::nameOf(m_theme.mode()));
    m_settings.setValue(QStringLiteral("figure/width"), m_figureSize.widthMm);
    m_settings.setValue(QStringLiteral("figure/height"), m_figureSize.heightMm);
    m_settings.setValue(QStringLiteral("figure/dpi"), m_figureSize.dpi);
    m_measure->save(m_settings);
    m_table->save(m_settings);
}

void MainWindow::restoreSettings() {
    restoreGeometry(m_settings.value(QStringLiteral("window/geometry")).toByteArray());
    m_columns->restoreState(m_settings.value(QStringLiteral("window/columns")).toByteArray());
    m_side->restoreState(m_settings.value(QStringLiteral("window/side")).toByteArray());
    m_profile->restoreState(m_settings.value(QStringLiteral("window/profile")).toByteArray());
    m_theme.setMode(Theme::modeNamed(m_settings.value(QStringLiteral("window/theme")).toString()));
    m_figureSize.widthMm = m_settings.value(QStringLiteral("figure/width"), m_figureSize.widthMm).toDouble();
    m_figureSize.heightMm =
        m_settings.value(QStringLiteral("figure/height"), m_figureSize.heightMm).toDouble();
    m_figureSize.dpi = m_settings.value(QStringLiteral("figure/dpi"), m_figureSize.dpi).toInt();
    m_measure->restore(m_settings);
    m_table->restore(m_settings);
}

}  // namespace straightedge::ui
