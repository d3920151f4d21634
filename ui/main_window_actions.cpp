// SPDX-License-Identifier: GPL-3.0-or-later
// Menus, tool bar and what they do.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSplitter>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>

#include "blocks/block_table_view.h"
#include "compare/corpora_view.h"
#include "compression/cost_page.h"
#include "compression/replacement_dialog.h"
#include "export/export_dialog.h"
#include "export/exporter.h"
#include "help/help_window.h"
#include "main_window.h"
#include "models/measure_panel.h"
#include "residual/residual_page.h"
#include "study/sample.h"
#include "style/data_table.h"
#include "style/format.h"
#include "style/theme.h"

namespace straightedge::ui {

QAction* MainWindow::action(const QString& text, const QKeySequence& keys, const QString& icon,
                            std::function<void()> run) {
    auto* made = new QAction(text, this);
    made->setShortcut(keys);
    if (!icon.isEmpty())
        m_icons.emplace_back(made, icon);
    if (run)
        connect(made, &QAction::triggered, this, [run = std::move(run)] { run(); });
    return made;
}

void MainWindow::makeScoreActions() {
    m_scores = new QActionGroup(this);
    const std::pair<QString, QString> names[] = {
        {tr("&Published"),
         tr("R² as published: around one scalar mean. A constant output and massive rows inflate it.")},
        {tr("&Centred"), tr("R² around each feature's own mean: a constant output explains nothing.")},
        {tr("&Typical"),
         tr("R² fitted and scored without massive rows: how linear the block is on ordinary tokens.")},
    };
    int number = 0;
    for (const auto& [name, tip] : names) {
        QAction* made =
            action(name, QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + number)), {}, {});
        made->setCheckable(true);
        made->setToolTip(QStringLiteral("%1 (Ctrl+%2)").arg(tip).arg(number + 1));
        m_scores->addAction(made);
        connect(made, &QAction::triggered, m_plot, [this, score = static_cast<Score>(number)] {
            m_plot->setScore(score);
            m_cost->plot().setScore(score);
        });
        ++number;
    }
    m_log = action(tr("&Log 1 − R²"), Qt::CTRL | Qt::Key_L, QStringLiteral("log"),
                   [this] { m_plot->setLog(m_log->isChecked()); });
    m_log->setCheckable(true);
    m_log->setToolTip(tr("1 − R² on a logarithmic axis, linear blocks on top (Ctrl+L)"));
    m_folds = action(tr("Fold &bars"), Qt::CTRL | Qt::Key_B, {},
                     [this] { m_plot->setShowsFolds(m_folds->isChecked()); });
    m_folds->setToolTip(tr("Mean and deviation of R² centred over folds, where they were measured (Ctrl+B)"));
    m_stacked = action(tr("Stac&ked"), Qt::CTRL | Qt::Key_K, {},
                       [this] { m_plot->setStacked(m_stacked->isChecked()); });
    m_stacked->setToolTip(
        tr("One run's blocks as bars: the line, what ceilings of degree 2 and 3 add, and what is "
           "left (Ctrl+K)"));
    for (QAction* made : {m_folds, m_stacked})
        made->setCheckable(true);
    m_fit = action(tr("&Fit"), Qt::CTRL | Qt::Key_0, QStringLiteral("fit"), [this] { shownPlot().fit(); });
    m_fit->setToolTip(tr("Show everything (Ctrl+0, or double click)"));
    m_views = new QActionGroup(this);
    for (int index = 0; index < m_tabs->count(); ++index) {
        QAction* made =
            action(m_tabs->tabText(index), QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + index)),
                   {}, [this, index] { showTab(index); });
        made->setCheckable(true);
        m_views->addAction(made);
    }
}

void MainWindow::makeThemeActions() {
    m_themes = new QActionGroup(this);
    for (const auto& [name, mode] : {std::pair(tr("As the &system"), Theme::Mode::System),
                                     {tr("&Light"), Theme::Mode::Light},
                                     {tr("&Dark"), Theme::Mode::Dark}}) {
        QAction* made = action(name, {}, {}, [this, mode = mode] { m_theme.setMode(mode); });
        made->setCheckable(true);
        made->setData(Theme::nameOf(mode));
        m_themes->addAction(made);
    }
    const auto follow = [this] {
        for (QAction* made : m_themes->actions())
            made->setChecked(made->data().toString() == Theme::nameOf(m_theme.mode()));
    };
    follow();
    connect(&m_theme, &Theme::changed, m_themes, follow);
}

void MainWindow::makeActions() {
    makeScoreActions();
    makeThemeActions();

    m_exportMenu = new QMenu(tr("&Export"), this);
    m_exportMenu->addAction(action(tr("Plot as P&NG …"), Qt::CTRL | Qt::Key_E, {},
                                   [this] { askAndSavePlot(FigureFormat::Png); }));
    m_exportMenu->addAction(
        action(tr("Plot as &SVG …"), {}, {}, [this] { askAndSavePlot(FigureFormat::Svg); }));
    m_exportMenu->addAction(
        action(tr("Plot as &PDF …"), {}, {}, [this] { askAndSavePlot(FigureFormat::Pdf); }));
    m_exportMenu->addSeparator();
    const auto visible = [this] { return m_session.runs().visibleRuns(); };
    m_exportMenu->addAction(action(tr("Runs as &CSV …"), Qt::CTRL | Qt::Key_S, {},
                                   [this, visible] { askAndSaveData(QStringLiteral("csv"), visible); }));
    m_exportMenu->addAction(action(tr("Runs as &JSON …"), {}, {},
                                   [this, visible] { askAndSaveData(QStringLiteral("json"), visible); }));
    m_exportMenu->addSeparator();
    const std::pair<QString, QString> tables[] = {
        {tr("Compression &table as CSV …"), QStringLiteral("csv")},
        {tr("Compression table as JSON …"), QStringLiteral("json")},
        {tr("Compression table as &Markdown …"), QStringLiteral("md")},
        {tr("Compression table as &LaTeX …"), QStringLiteral("tex")}};
    for (const auto& [name, ending] : tables)
        m_exportMenu->addAction(action(name, {}, {}, [this, ending = ending] {
            askAndSaveTable(ending, [this] { return m_cost->table().shownRuns(); });
        }));

    m_exportMenu->addSeparator();
    m_points = action(tr("Points of this &residual plot as CSV …"), {}, {}, [this] {
        askForFile(tr("Save points"), QStringLiteral("csv"), [this](const QString& file) {
            m_exporter->saveText(toPath(file), m_residual->text(QLatin1Char(',')));
        });
    });
    m_exportMenu->addAction(m_points);
    m_pairs = action(tr("Texts compared as CS&V …"), {}, {}, [this] {
        askForFile(tr("Save comparison of texts"), QStringLiteral("csv"), [this](const QString& file) {
            m_exporter->saveText(toPath(file), m_corpora->pairs().toCsv());
        });
    });
    m_exportMenu->addAction(m_pairs);
    followView();

    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(action(tr("Add model &folder …"), Qt::CTRL | Qt::SHIFT | Qt::Key_O,
                           QStringLiteral("folder-add"), [this] { m_measure->chooseFolder(); }));
    file->addAction(action(tr("Add &model files …"), Qt::CTRL | Qt::Key_O, QStringLiteral("file-add"),
                           [this] { m_measure->chooseFiles(); }));
    file->addAction(action(tr("Add from &hub …"), Qt::CTRL | Qt::SHIFT | Qt::Key_H, QStringLiteral("fetch"),
                           [this] { m_measure->fetchFromHub(); }));
    file->addAction(action(tr("&Look for models again"), {}, {},
                           [this] { m_measure->models().look(m_measure->models().checkedPaths()); }));
    file->addAction(action(tr("Choose &text …"), Qt::CTRL | Qt::Key_T, QStringLiteral("text"),
                           [this] { m_measure->chooseCorpus(); }));
    file->addSeparator();
    file->addMenu(m_exportMenu);
    QAction* reload = action(tr("&Reload runs"), QKeySequence::Refresh, {}, [this] { m_session.load(); });
    reload->setToolTip(tr("Runs that other programs have added to the store"));
    reload->setEnabled(m_session.store());
    file->addAction(reload);
    file->addSeparator();
    file->addAction(action(tr("&Quit"), QKeySequence::Quit, {}, [this] { close(); }));

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    edit->addAction(action(tr("&Copy"), QKeySequence::Copy, QStringLiteral("copy"), [this] { copy(); }));
    edit->addAction(action(tr("Copy &plot"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, {},
                           [this] { m_exporter->copyPlot(shownPlot(), m_session.runs(), m_figureSize); }));
    edit->addAction(action(tr("Copy &table"), Qt::CTRL | Qt::ALT | Qt::Key_C, {}, [this] { copyTable(); }));

    QMenu* view = menuBar()->addMenu(tr("&View"));
    view->addActions(m_views->actions());
    view->addSeparator();
    view->addActions(m_scores->actions());
    view->addSeparator();
    view->addActions({m_log, m_folds, m_stacked});
    view->addAction(m_fit);
    view->addSeparator();
    m_panel = action(tr("&Side panel"), Qt::Key_F9, QStringLiteral("panel"),
                     [this] { m_side->setVisible(m_panel->isChecked()); });
    m_panel->setCheckable(true);
    m_panel->setChecked(true);
    view->addAction(m_panel);
    QMenu* theme = view->addMenu(tr("C&olours"));
    theme->addActions(m_themes->actions());

    QMenu* measuring = menuBar()->addMenu(tr("&Measure"));
    m_run = action(tr("&Measure"), Qt::CTRL | Qt::Key_Return, QStringLiteral("measure"),
                   [this] { m_measure->measureButton()->click(); });
    m_sample = action(tr("Measure the &sample"), {}, {}, [this] { measureSample(); });
    m_sample->setEnabled(study::findSample().has_value());
    m_cancel = action(tr("&Cancel"), Qt::CTRL | Qt::Key_Period, QStringLiteral("stop"),
                      [this] { m_session.jobs().cancelAll(); });
    measuring->addActions({m_run, m_sample, m_cancel});

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(action(tr("&Help"), QKeySequence::HelpContents, QStringLiteral("help"),
                           [this] { (new HelpWindow(this))->show(); }));
    help->addAction(action(tr("&About"), {}, {}, [this] {
        QMessageBox::about(
            this, tr("About Straightedge"),
            tr("<b>Straightedge %1</b><p>Measures how linear the feed-forward blocks of transformer language "
               "models "
               "are.</p><p>Free software under the GNU General Public License, version 3 or later.</p>")
                .arg(QStringLiteral(STRAIGHTEDGE_VERSION)));
    }));
    makeToolBar();
    setIcons();
}

void MainWindow::makeToolBar() {
    QToolBar* bar = addToolBar(tr("View"));
    bar->setObjectName(QStringLiteral("view"));
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setIconSize({16, 16});
    bar->addAction(m_panel);
    static_cast<QToolButton*>(bar->widgetForAction(m_panel))->setToolButtonStyle(Qt::ToolButtonIconOnly);
    bar->addSeparator();
    bar->addActions(m_scores->actions());
    bar->addSeparator();
    bar->addActions({m_log, m_folds, m_stacked});
    bar->addAction(m_fit);
    auto* gap = new QWidget;
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(gap);
    auto* exporting = new QToolButton;
    exporting->setText(tr("Export"));
    exporting->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    exporting->setPopupMode(QToolButton::InstantPopup);
    exporting->setMenu(m_exportMenu);
    exporting->setFocusPolicy(Qt::TabFocus);
    m_icons.emplace_back(m_exportMenu->menuAction(), QStringLiteral("export"));
    connect(m_exportMenu->menuAction(), &QAction::changed, exporting,
            [this, exporting] { exporting->setIcon(m_exportMenu->menuAction()->icon()); });
    bar->addWidget(exporting);
    for (QToolButton* button : bar->findChildren<QToolButton*>())
        button->setFocusPolicy(Qt::TabFocus);
}

void MainWindow::setIcons() {
    for (const auto& [made, name] : m_icons)
        made->setIcon(m_theme.icon(name));
}

void MainWindow::showTab(int index) {
    m_tabs->setCurrentIndex(index);
}

RunPlot& MainWindow::shownPlot() {
    if (m_tabs->currentWidget() == m_residual)
        return m_residual->plotInUse();
    return m_tabs->currentWidget() == m_cost ? static_cast<RunPlot&>(m_cost->plot()) : *m_plot;
}

void MainWindow::followView() {
    m_scores->actions().at(static_cast<int>(m_plot->score()))->setChecked(true);
    m_log->setChecked(m_plot->isLog());
    const QWidget* shown = m_tabs->currentWidget();
    const bool profile = shown == m_profile;
    m_folds->setChecked(m_plot->showsFolds());
    m_stacked->setChecked(m_plot->isStacked());
    m_stacked->setEnabled(profile);
    m_folds->setEnabled(profile && !m_plot->isStacked());
    m_log->setEnabled(profile && !m_plot->isStacked());
    m_points->setEnabled(shown == m_residual);
    m_pairs->setEnabled(!m_corpora->isEmpty());
    m_scores->setEnabled(shown != m_residual);  // which is about the published score
    m_views->actions().at(m_tabs->currentIndex())->setChecked(true);
}

void MainWindow::askAndSavePlot(FigureFormat format) {
    auto* size = new ExportDialog(format, m_figureSize, this);
    size->setAttribute(Qt::WA_DeleteOnClose);
    connect(size, &QDialog::accepted, this, [this, size, format] {
        m_figureSize = size->size();
        const QString ending = format == FigureFormat::Png   ? QStringLiteral("png")
                               : format == FigureFormat::Svg ? QStringLiteral("svg")
                                                             : QStringLiteral("pdf");
        askForFile(tr("Save plot"), ending, [this](const QString& file) {
            m_exporter->savePlot(shownPlot(), m_session.runs(), toPath(file), m_figureSize);
        });
    });
    size->open();
}

void MainWindow::askForFile(const QString& title, const QString& ending,
                            std::function<void(const QString&)> save) {
    auto* dialog = new QFileDialog(this, title, {}, QStringLiteral("*.%1").arg(ending));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(ending);
    connect(dialog, &QFileDialog::fileSelected, this, save);
    dialog->open();
}

void MainWindow::askAndSaveData(const QString& ending, std::function<std::vector<study::Run>()> runs) {
    askForFile(tr("Save runs"), ending,
               [this, runs](const QString& file) { m_exporter->saveData(toPath(file), runs()); });
}

void MainWindow::askAndSaveTable(const QString& ending, std::function<std::vector<study::Run>()> runs) {
    askForFile(tr("Save compression table"), ending,
               [this, runs](const QString& file) { m_exporter->saveTable(toPath(file), runs()); });
}

std::function<std::vector<study::Run>()> MainWindow::onlyRun(RunId id) const {
    return [this, id] {
        const RunEntry* entry = m_session.runs().find(id);
        return entry ? std::vector{entry->run} : std::vector<study::Run>();
    };
}

void MainWindow::askAndExportReplacement(RunId id) {
    const RunEntry* entry = m_session.runs().find(id);
    if (!entry || !m_session.store())
        return;
    std::vector<int> chosen;
    for (const PointId& point : m_session.selection().points())
        if (point.run == id)
            chosen.push_back(point.block);
    auto* which = new ReplacementDialog(*entry, chosen, this);
    which->setAttribute(Qt::WA_DeleteOnClose);
    connect(which, &QDialog::accepted, this, [this, which, id] {
        auto* dialog = new QFileDialog(this, tr("Folder for the replacement"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::Directory);
        connect(dialog, &QFileDialog::fileSelected, this,
                [this, id, blocks = which->blocks(), kind = which->kind()](const QString& folder) {
                    if (const RunEntry* still = m_session.runs().find(id))
                        m_exporter->saveReplacements(m_session.store()->runFolder(still->kept.id), still->run,
                                                     blocks, kind, toPath(folder));
                });
        dialog->open();
    });
    which->open();
}

void MainWindow::copyTable() {
    if (m_tabs->currentWidget() == m_residual)
        copyTsv(m_residual->text(QLatin1Char('\t')));
    else if (m_tabs->currentWidget() == m_cost)
        m_cost->table().copy();
    else
        m_tables->currentWidget() == m_corpora ? m_corpora->copy() : m_table->copy();
}

// What has the focus: a field its selection, the plot itself, else the table.
void MainWindow::copy() {
    if (auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget()))
        field->copy();
    else if (shownPlot().hasFocus())
        m_exporter->copyPlot(shownPlot(), m_session.runs(), m_figureSize);
    else
        copyTable();
    statusBar()->showMessage(tr("Copied"), 2'000);
}

}  // namespace straightedge::ui
