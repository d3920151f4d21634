// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "model_list.h"
#include "study/settings.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSettings;
class QSpinBox;
class QToolButton;

namespace straightedge::ui {

class CardList;
class CostHint;
class ExtrasPanel;
class FileField;
class Theme;

// What to measure on what: models, text, size of the sample, blocks, and which swaps to try.
class MeasurePanel : public QWidget {
    Q_OBJECT

  public:
    struct Request {
        study::StudySettings settings;
        QString modelName;
    };

    MeasurePanel(const Theme& theme, ModelList::Inspect inspect, QWidget* parent = nullptr);

    ModelList& models() { return *m_models; }
    CardList* modelView() const { return m_modelView; }
    void setCorpus(const QString& path);
    QString corpus() const;
    QLineEdit* blocksEdit() const { return m_blocks; }
    QSpinBox* tokensBox() const { return m_tokens; }
    QSpinBox* windowBox() const { return m_window; }
    QCheckBox* perplexityBox() const { return m_perplexity; }
    QSpinBox* batchesBox() const { return m_batches; }
    QCheckBox* balancedBox() const { return m_balanced; }
    QCheckBox* switchedBox() const { return m_switched; }
    ExtrasPanel& extras() const { return *m_extras; }
    QPushButton* measureButton() const { return m_measure; }
    QPushButton* cancelButton() const { return m_cancel; }

    void chooseFolder();
    void chooseFiles();
    void fetchFromHub();
    void chooseCorpus();
    void setBusy(bool busy);                             // something to cancel
    void setStore(const std::filesystem::path& folder);  // where runs will be kept
    QString hint() const;                                // what is missing, else what a run will take
    // One request for each chosen model on each text, with the settings as they stand; empty while something
    // is missing.
    std::vector<Request> requests() const;
    // The settings as they stand, for another model and text. Throws Error for blocks that are not
    // understood.
    study::StudySettings settingsFor(const std::filesystem::path& model,
                                     const std::filesystem::path& corpus) const;

    void save(QSettings& settings) const;
    void restore(const QSettings& settings);

  Q_SIGNALS:
    void measureWanted();
    void cancelWanted();

  private:
    QWidget* makeModels(const Theme& theme);
    QWidget* makeText();
    QWidget* makeSample();
    QWidget* makeSwaps();
    QWidget* makeButtons();
    void setIcons();
    QString whatIsMissing() const;  // empty: ready
    std::vector<Request> requestsAsTheyStand() const;
    void askCost();
    void showHint(const QString& text, bool isError);
    void showState();

    const Theme& m_theme;
    ModelList* m_models;
    CardList* m_modelView = nullptr;
    FileField* m_corpus = nullptr;
    FileField* m_evaluation = nullptr;
    QSpinBox* m_tokens = nullptr;
    QSpinBox* m_window = nullptr;
    QLineEdit* m_blocks = nullptr;
    QCheckBox* m_perplexity = nullptr;
    QSpinBox* m_batches = nullptr;
    QCheckBox* m_balanced = nullptr;
    QCheckBox* m_switched = nullptr;
    ExtrasPanel* m_extras = nullptr;
    CostHint* m_cost = nullptr;
    bool m_busy = false;
    QLabel* m_hint = nullptr;
    QPushButton* m_measure = nullptr;
    QPushButton* m_cancel = nullptr;
    std::vector<std::pair<QToolButton*, QString>> m_iconButtons;
};

}  // namespace straightedge::ui
