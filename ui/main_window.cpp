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
#include "compare/corpora_view.h"
#include "compression/cost_page.h"
#include "error.h"
#include "export/exporter.h"
#include "models/extras_panel.h"
#include "models/measure_panel.h"
#include "residual/residual_page.h"
#include "runs/comparison_note.h"
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

MainWindow::MainWindow(QSettings& settings, Theme& theme, const std::filesystem::path& store,
                       JobQueue::Measure measure, ModelList::Inspect inspect, QWidget* parent)
    : QMainWindow(parent),
      m_settings(settings),
      m_theme(theme),
      m_session(store, std::move(measure)),
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
    m_tabs->addTab(makeProfileTab(), tr("Profile"));
    m_cost = new CostPage(m_session, m_theme);
    m_tabs->addTab(m_cost, tr("Swap cost"));
    m_residual = new ResidualPage(m_session, m_theme);
    m_tabs->addTab(m_residual, tr("Residual"));
    m_message = new MessageBar;
    auto* views = new QWidget;
    auto* column = new QVBoxLayout(views);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_message);
    column->addWidget(m_tabs, 1);
    m_columns->addWidget(views);
    m_columns->setStretchFactor(1, 1);
    m_columns->setSizes({330, 950});
    setCentralWidget(m_columns);

    m_progress = new QLabel;
    m_counts = new QLabel;
    m_different = new QLabel;
    statusBar()->addWidget(m_progress, 1);
    statusBar()->addPermanentWidget(m_different);
    statusBar()->addPermanentWidget(m_counts);
    statusBar()->setSizeGripEnabled(false);

    m_exporter = new Exporter(this);
    makeActions();
    connectParts();
    if (m_session.store())
        m_measure->setStore(m_session.store()->folder());
    restoreSettings();
    if (m_session.store())
        m_session.load(m_settings.value(QStringLiteral("runs/faint")).toStringList());
    else
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
    m_plot = new ProfilePlot(m_session.runs(), m_session.selection(), PlotStyle::onScreen(m_theme.colours()));
    m_plot->setMinimumSize(320, 220);
    m_tableModel = new BlockTableModel(m_session.runs(), m_theme, this);
    m_table = new BlockTableView(*m_tableModel, m_session.selection());
    m_corpora = new CorporaView(m_session.runs(), m_session.selection(), this);
    m_tables = new QTabWidget;
    m_tables->setObjectName(QStringLiteral("tables"));
    m_tables->setDocumentMode(true);
    m_tables->setTabBarAutoHide(true);
    m_tables->addTab(m_table, tr("Blocks"));
    showCorpora(!m_corpora->isEmpty());
    m_profile = new QSplitter(Qt::Vertical);
    m_profile->setHandleWidth(1);
    m_profile->setChildrenCollapsible(false);
    m_profile->addWidget(m_plot);
    m_profile->addWidget(m_tables);
    m_profile->setStretchFactor(0, 2);
    m_profile->setStretchFactor(1, 1);
    m_profile->setSizes({460, 240});
    return m_profile;
}

// The tab of compared texts comes with the second run of a model on another text, and goes with it.
void MainWindow::showCorpora(bool any) {
    const int index = m_tables->indexOf(m_corpora);
    if (any && index < 0) {
        m_tables->addTab(m_corpora, tr("Texts compared"));
    } else if (!any && index >= 0) {
        m_tables->removeTab(index);
        m_corpora->setParent(this);
    }
    m_corpora->setVisible(any && m_tables->currentWidget() == m_corpora);
}

void MainWindow::connectParts() {
    connect(m_corpora, &CorporaView::filled, this, [this](bool any) {
        showCorpora(any);
        followView();
    });
    connect(m_plot, &RunPlot::viewChanged, m_corpora,
            [this] { m_corpora->setMetric(metricOf(m_plot->score())); });
    connect(&m_theme, &Theme::changed, this, [this] {
        m_plot->setStyle(PlotStyle::onScreen(m_theme.colours()));
        setIcons();
    });
    connect(m_measure, &MeasurePanel::measureWanted, this, &MainWindow::measure);
    connect(&m_measure->extras(), &ExtrasPanel::chosenBlocksWanted, this, &MainWindow::takeChosenBlocks);
    connect(m_measure, &MeasurePanel::cancelWanted, &m_session.jobs(), &JobQueue::cancelAll);
    connect(m_plot, &RunPlot::viewChanged, this, &MainWindow::followView);
    connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::followView);
    connect(m_exporter, &Exporter::saved, this,
            [this](const QString& file) { statusBar()->showMessage(tr("Saved %1").arg(file), 6'000); });
    connect(m_exporter, &Exporter::failed, this, &MainWindow::complain);
    connect(&m_session, &Session::loaded, this, &MainWindow::greetOrResume);
    connect(&m_measure->models(), &ModelList::failed, this, &MainWindow::complain);
    connect(&m_session, &Session::storeFailed, this, &MainWindow::complain);
    connect(&m_session, &Session::storeUnavailable, this, [this](const QString& why) {
        complain(why + tr("\nRuns are kept in memory until the window is closed."));
    });
    connect(m_runsPanel, &RunsPanel::exportWanted, this,
            [this](RunId id, const QString& ending) { askAndSaveData(ending, onlyRun(id)); });
    connect(m_runsPanel, &RunsPanel::exportTableWanted, this,
            [this](RunId id, const QString& ending) { askAndSaveTable(ending, onlyRun(id)); });
    connect(m_runsPanel, &RunsPanel::exportReplacementWanted, this, &MainWindow::askAndExportReplacement);
    for (const auto signal :
         {&RunList::added, &RunList::removed, &RunList::changed, &RunList::visibilityChanged})
        connect(&m_session.runs(), signal, this, &MainWindow::showState);
    connect(&m_session.jobs(), &JobQueue::idle, this, &MainWindow::showState);
}

void MainWindow::complain(const QString& message) {
    m_greeting = false;
    m_message->complain(message);
}

void MainWindow::greet() {
    m_greeting = true;
    m_message->say(
        tr("Dashed: the published profiles of three models. To measure one of your own, add a model and a "
           "text on the "
           "left, or drop them here, then press Measure."));
    if (study::findSample())
        m_message->offer(tr("Measure the sample"), [this] { measureSample(); });
}

// The runs of last time are there: was one of them interrupted?
void MainWindow::greetOrResume() {
    std::vector<RunId> interrupted;
    for (int row = 0; row < m_session.runs().size(); ++row)
        if (const RunEntry& entry = m_session.runs().at(row);
            entry.run.state == study::RunState::Interrupted && m_session.canResume(entry))
            interrupted.push_back(entry.id);
    if (interrupted.empty()) {
        if (!m_session.runs().hasMeasured())
            greet();
        return;
    }
    const RunEntry& first = *m_session.runs().find(interrupted.front());
    const auto blocks = static_cast<qint64>(first.run.blocks.size());
    const QString done = first.run.header.modelBlocks > 0
                             ? tr(" after %1 of its %2 blocks").arg(blocks).arg(first.run.header.modelBlocks)
                             : QString();
    m_greeting = false;
    m_message->say(interrupted.size() == 1 ? tr("%1 was interrupted%2.").arg(first.oneLine(), done)
                                           : tr("%1 runs were interrupted.").arg(interrupted.size()));
    m_message->offer(interrupted.size() == 1 ? tr("Resume") : tr("Resume all"), [this, interrupted] {
        for (const RunId id : interrupted)
            m_session.resume(id);
    });
}

// The blocks chosen in a plot or table get the expensive studies.
void MainWindow::takeChosenBlocks() {
    std::set<int> blocks;
    for (const PointId& point : m_session.selection().points())
        blocks.insert(point.block);
    QStringList names;
    for (const int block : blocks)
        names += QString::number(block);
    if (names.isEmpty())
        statusBar()->showMessage(tr("No block is chosen: click a point of the profile, Ctrl adds"), 6'000);
    else
        m_measure->extras().setBlocks(names.join(QLatin1Char(',')));
}

void MainWindow::measure() {
    for (const MeasurePanel::Request& request : m_measure->requests())
        m_session.measure(request.settings, request.modelName);
}

void MainWindow::measureSample() {
    const auto sample = study::findSample();
    if (!sample) {
        complain(tr("The sample is not there.\n  expected: %1\n  what to do: run the set-up "
                    "script again with a network")
                     .arg(pathText(study::sampleFolder())));
        return;
    }
    try {
        m_session.measure(m_measure->settingsFor(sample->model, sample->corpus),
                          pathText(sample->model.stem()));
    } catch (const Error& error) {
        complain(QString::fromUtf8(error.what()));
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
    const ComparisonNote different = comparisonNote(runs);
    m_different->setText(different.brief);
    m_different->setToolTip(different.details);
    m_different->setVisible(!different.brief.isEmpty());
    const bool busy = !m_session.jobs().isIdle();
    m_measure->setBusy(busy);
    m_cancel->setEnabled(busy);
    if (m_greeting && runs.hasMeasured()) {
        m_greeting = false;
        m_message->hide();
    }
}

void MainWindow::open(const QStringList& paths) {
    QStringList texts;
    for (const QString& path : paths)
        if (const QFileInfo file(path); looksLikeModel(file))
            m_measure->models().addForGood(toPath(file.absoluteFilePath()));
        else
            texts += file.absoluteFilePath();
    if (!texts.isEmpty())
        m_measure->setCorpus(texts.join(QStringLiteral("; ")));
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
    m_settings.setValue(QStringLiteral("profile/folds"), m_plot->showsFolds());
    m_settings.setValue(QStringLiteral("profile/stacked"), m_plot->isStacked());
    m_settings.setValue(QStringLiteral("window/theme"), Theme::nameOf(m_theme.mode()));
    m_settings.setValue(QStringLiteral("figure/width"), m_figureSize.widthMm);
    m_settings.setValue(QStringLiteral("figure/height"), m_figureSize.heightMm);
    m_settings.setValue(QStringLiteral("figure/dpi"), m_figureSize.dpi);
    QStringList faint;
    for (int row = 0; row < m_session.runs().size(); ++row)
        if (const RunEntry& entry = m_session.runs().at(row); !entry.visible && !entry.kept.id.empty())
            faint += toQString(entry.kept.id);
    m_settings.setValue(QStringLiteral("runs/faint"), faint);
    m_cost->save(m_settings);
    m_residual->save(m_settings);
    m_measure->save(m_settings);
    m_table->save(m_settings);
}

void MainWindow::restoreSettings() {
    restoreGeometry(m_settings.value(QStringLiteral("window/geometry")).toByteArray());
    m_columns->restoreState(m_settings.value(QStringLiteral("window/columns")).toByteArray());
    m_side->restoreState(m_settings.value(QStringLiteral("window/side")).toByteArray());
    m_profile->restoreState(m_settings.value(QStringLiteral("window/profile")).toByteArray());
    m_plot->setShowsFolds(m_settings.value(QStringLiteral("profile/folds")).toBool());
    m_plot->setStacked(m_settings.value(QStringLiteral("profile/stacked")).toBool());
    m_theme.setMode(Theme::modeNamed(m_settings.value(QStringLiteral("window/theme")).toString()));
    m_figureSize.widthMm = m_settings.value(QStringLiteral("figure/width"), m_figureSize.widthMm).toDouble();
    m_figureSize.heightMm =
        m_settings.value(QStringLiteral("figure/height"), m_figureSize.heightMm).toDouble();
    m_figureSize.dpi = m_settings.value(QStringLiteral("figure/dpi"), m_figureSize.dpi).toInt();
    m_cost->restore(m_settings);
    m_residual->restore(m_settings);
    m_measure->restore(m_settings);
    m_table->restore(m_settings);
}

}  // namespace straightedge::ui
