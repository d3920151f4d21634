// SPDX-License-Identifier: GPL-3.0-or-later
#include "replacement_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <algorithm>

#include "blocks/swap_text.h"
#include "style/format.h"

namespace straightedge::ui {

ReplacementDialog::ReplacementDialog(const RunEntry& entry, const std::vector<int>& chosen, QWidget* parent)
    : QDialog(parent), m_run(entry.run), m_chosen(chosen), m_kind(new QComboBox), m_list(new QTreeWidget) {
    setWindowTitle(tr("Export replacement"));
    for (const study::ReplacementInfo& info : study::replacements()) {
        if (info.kind == study::ReplacementKind::Original)  // a baseline, no replacement
            continue;
        const bool any = std::ranges::any_of(m_run.blocks, [&](const study::BlockResult& block) {
            return std::ranges::find(block.replacements, info.kind, &study::ReplacementResult::kind) !=
                   block.replacements.end();
        });
        if (any)
            m_kind->addItem(toQString(info.title), static_cast<int>(info.kind));
    }
    m_list->setHeaderLabels({tr("block"), tr("ΔPPL"), tr("R²"), tr("compression")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->header()->setStretchLastSection(false);
    for (const int column : {1, 2, 3})
        m_list->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    m_list->setAccessibleName(tr("Blocks"));
    auto* about =
        new QLabel(tr("Of %1: W and b of each block as safetensors, with a README and a Python module "
                      "that puts them into the Hugging Face model.")
                       .arg(entry.oneLine()));
    about->setWordWrap(true);
    about->setProperty("role", QStringLiteral("muted"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    m_ok = buttons->button(QDialogButtonBox::Ok);
    m_ok->setText(tr("Choose folder …"));
    auto* form = new QFormLayout(this);
    form->addRow(about);
    form->addRow(tr("&Replacement"), m_kind);
    form->addRow(m_list);
    form->addRow(buttons);
    resize(440, 480);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &ReplacementDialog::fill);
    connect(m_list, &QTreeWidget::itemChanged, this, &ReplacementDialog::showState);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fill();
}

void ReplacementDialog::fill() {
    if (m_list->topLevelItemCount() > 0)
        m_chosen = blocks();
    m_list->clear();
    for (const study::CompressionRow& row : study::compressionRows(m_run)) {
        const study::ReplacementResult& swap = row.replacement;
        if (swap.kind != kind())
            continue;
        const QString costly = toQString(study::costlyReason(row));
        auto* item = new QTreeWidgetItem(
            m_list, {QString::number(row.block),
                     swap.dppl ? costText(swap.dppl, swap.dpplSe) : tr("perplexity not measured"),
                     (costly.isEmpty() ? QString() : QStringLiteral("† ")) +
                         (swap.r2 ? decimal(*swap.r2, 3) : QString()),
                     row.compression ? QStringLiteral("×") + decimal(*row.compression, 1) : QString()});
        const bool checked = std::ranges::find(m_chosen, row.block) != m_chosen.end();
        item->setCheckState(0, checked ? Qt::Checked : Qt::Unchecked);
        item->setData(0, Qt::UserRole, row.block);
        for (const int column : {1, 2, 3}) {
            item->setTextAlignment(column, Qt::AlignRight);
            item->setToolTip(column, costly);
        }
    }
    for (const int column : {0, 1, 2, 3})
        m_list->resizeColumnToContents(column);
    showState();
}

std::vector<int> ReplacementDialog::blocks() const {
    std::vector<int> blocks;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row)
        if (const QTreeWidgetItem* item = m_list->topLevelItem(row); item->checkState(0) == Qt::Checked)
            blocks.push_back(item->data(0, Qt::UserRole).toInt());
    return blocks;
}

study::ReplacementKind ReplacementDialog::kind() const {
    return static_cast<study::ReplacementKind>(m_kind->currentData().toInt());
}

void ReplacementDialog::showState() {
    m_ok->setEnabled(!blocks().empty());
}

}  // namespace straightedge::ui
