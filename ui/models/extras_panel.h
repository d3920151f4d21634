// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "study/settings.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QSettings;
class QSpinBox;
class QToolButton;

namespace straightedge::ui {

// What can be asked beyond the line: folds, rank, probes, ceilings, healing. Folded away at first; a line
// says what is asked for all the same.
class ExtrasPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ExtrasPanel(QWidget* parent = nullptr);

    // Fills in its part. Throws Error for blocks that are not understood.
    void apply(study::StudySettings& settings) const;
    bool isUnfolded() const;
    void setUnfolded(bool unfolded);
    void setPerplexity(bool measured);  // without, there is nothing to heal
    void setBlocks(const QString& blocks);
    QString summary() const;

    QToolButton* foldButton() const { return m_fold; }
    QCheckBox* foldsBox() const { return m_folds; }
    QSpinBox* foldCountBox() const { return m_foldCount; }
    QCheckBox* rankBox() const { return m_rank; }
    QCheckBox* probeBox(study::Probe probe) const;
    QCheckBox* ceilingBox(int degree) const;
    QCheckBox* healBox() const { return m_heal; }
    QSpinBox* healStepsBox() const { return m_healSteps; }
    QLineEdit* blocksEdit() const { return m_blocks; }
    QToolButton* chosenButton() const { return m_chosen; }
    QSpinBox* seedBox() const { return m_seed; }

    void save(QSettings& settings) const;
    void restore(const QSettings& settings);

  Q_SIGNALS:
    void changed();
    void chosenBlocksWanted();  // those of the plot, into the field

  private:
    QWidget* makeBody();
    void showState();

    QToolButton* m_fold = nullptr;
    QLabel* m_summary = nullptr;
    QWidget* m_body = nullptr;
    QCheckBox* m_folds = nullptr;
    QSpinBox* m_foldCount = nullptr;
    QCheckBox* m_rank = nullptr;
    std::vector<std::pair<study::Probe, QCheckBox*>> m_probes;
    std::vector<std::pair<int, QCheckBox*>> m_ceilings;
    QCheckBox* m_heal = nullptr;
    QSpinBox* m_healSteps = nullptr;
    QLineEdit* m_blocks = nullptr;
    QToolButton* m_chosen = nullptr;
    QSpinBox* m_seed = nullptr;
};

}  // namespace straightedge::ui
