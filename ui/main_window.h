// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include "export/figure_file.h"
#include "jobs/session.h"
#include "models/model_list.h"
#include "plot/profile_plot.h"

class QActionGroup;
class QLabel;
class QSettings;
class QSplitter;
class QTabWidget;

namespace straightedge::ui {

class BlockTableModel;
class BlockTableView;
class CorporaView;
class CostPage;
class Exporter;
class MeasurePanel;
class MessageBar;
class ResidualPage;
class RunsPanel;
class Theme;

// Puts the parts together: what to measure and the runs on the left, the views of the runs as tabs in the
// middle.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    // `store` and `measure` as Session takes them.
    MainWindow(QSettings& settings, Theme& theme, const std::filesystem::path& store = {},
               JobQueue::Measure measure = {}, ModelList::Inspect inspect = study::inspect,
               QWidget* parent = nullptr);
    ~MainWindow() override;

    // Models are added to the list, another file becomes the text.
    void open(const QStringList& paths);

    Session& session() { return m_session; }
    MeasurePanel& measurePanel() { return *m_measure; }
    ProfilePlot& plot() { return *m_plot; }
    BlockTableView& table() { return *m_table; }
    CorporaView& corpora() { return *m_corpora; }
    CostPage& costPage() { return *m_cost; }
    ResidualPage& residualPage() { return *m_residual; }
    RunsPanel& runsPanel() { return *m_runsPanel; }
    void showTab(int index);  // 0: profile, 1: swap cost, 2: residual
    Exporter& exporter() { return *m_exporter; }
    MessageBar& message() { return *m_message; }

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    // main_window.cpp
    QWidget* makeSidePanel();
    QWidget* makeProfileTab();
    void connectParts();
    void measure();
    void measureSample();
    void takeChosenBlocks();
    void greet();
    void greetOrResume();
    void complain(const QString& message);
    void showState();
    void saveSettings();
    void restoreSettings();
    // main_window_actions.cpp
    void makeActions();
    QAction* action(const QString& text, const QKeySequence& keys, const QString& icon,
                    std::function<void()> run);
    void makeScoreActions();
    void makeThemeActions();
    void makeToolBar();
    void setIcons();
    void askAndSavePlot(FigureFormat format);
    void askAndSaveData(const QString& ending, std::function<std::vector<study::Run>()> runs);
    void askAndSaveTable(const QString& ending, std::function<std::vector<study::Run>()> runs);
    void askForFile(const QString& title, const QString& ending, std::function<void(const QString&)> save);
    void askAndExportReplacement(RunId id);
    std::function<std::vector<study::Run>()> onlyRun(RunId id) const;
    RunPlot& shownPlot();
    void copy();
    void copyTable();
    void showCorpora(bool any);
    void followView();

    QSettings& m_settings;
    Theme& m_theme;
    Session m_session;
    MeasurePanel* m_measure = nullptr;
    RunsPanel* m_runsPanel = nullptr;
    MessageBar* m_message = nullptr;
    ProfilePlot* m_plot = nullptr;
    BlockTableModel* m_tableModel = nullptr;
    BlockTableView* m_table = nullptr;
    CorporaView* m_corpora = nullptr;
    QTabWidget* m_tables = nullptr;  // blocks and, where there is something to compare, texts
    CostPage* m_cost = nullptr;
    ResidualPage* m_residual = nullptr;
    Exporter* m_exporter = nullptr;
    QTabWidget* m_tabs = nullptr;
    QSplitter* m_columns = nullptr;  // side panel | views
    QSplitter* m_side = nullptr;     // measure | runs
    QSplitter* m_profile = nullptr;  // plot | table
    QLabel* m_progress = nullptr;
    QLabel* m_counts = nullptr;
    QLabel* m_different = nullptr;  // what keeps the runs shown from being compared
    bool m_greeting = false;        // the message is the greeting
    FigureSize m_figureSize;

    std::vector<std::pair<QAction*, QString>> m_icons;
    QActionGroup* m_scores = nullptr;
    QActionGroup* m_themes = nullptr;
    QAction *m_folds = nullptr, *m_stacked = nullptr;
    QAction *m_log = nullptr, *m_fit = nullptr, *m_panel = nullptr;
    QAction *m_points = nullptr, *m_pairs = nullptr;
    QAction *m_run = nullptr, *m_cancel = nullptr, *m_sample = nullptr;
    QMenu* m_exportMenu = nullptr;
    QActionGroup* m_views = nullptr;
};

}  // namespace straightedge::ui
