// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <vector>

#include "runs/run_list.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace straightedge::ui {

// Asks which replacement of which blocks is to be exported. Every block stands there with what its swap
// costs; none is offered for its R² alone, so that none is checked at first unless the reader chose it in a
// view.
class ReplacementDialog : public QDialog {
    Q_OBJECT

  public:
    ReplacementDialog(const RunEntry& entry, const std::vector<int>& chosen, QWidget* parent = nullptr);

    std::vector<int> blocks() const;
    study::ReplacementKind kind() const;
    QTreeWidget* list() const { return m_list; }
    QComboBox* kindBox() const { return m_kind; }

  private:
    void fill();
    void showState();

    study::Run m_run;
    std::vector<int> m_chosen;
    QComboBox* m_kind;
    QTreeWidget* m_list;
    QPushButton* m_ok;
};

}  // namespace straightedge::ui
