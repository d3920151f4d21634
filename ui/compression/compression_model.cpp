// SPDX-License-Identifier: GPL-3.0-or-later
#include "compression_model.h"

#include <QFont>
#include <algorithm>

#include "blocks/swap_text.h"
#include "style/format.h"
#include "style/theme.h"

namespace straightedge::ui {

namespace {

using study::Metric;

struct ColumnInfo {
    const char* name;   // in files
    const char* title;  // on screen
    const char* tip;
    bool number = true;
};

// In the order of Column.
const ColumnInfo columns[] = {
    {"block", "block", "Blocks are numbered from 0."},
    {"model", "model", "", false},
    {"text", "text", "", false},
    {"replacement", "replacement", "What stands in the FFN's place.", false},
    {"dppl", "ΔPPL",
     "Perplexity with this swap minus perplexity without, on the same windows of the evaluation text, with "
     "its standard error. This is what a swap costs; no R² tells it."},
    {"kept", "kept",
     "Of the published and the balanced maps the one kept for the block, chosen by perplexity on the capture "
     "text's tail.",
     false},
    {"dppl_healed", "ΔPPL healed",
     "ΔPPL after the replacement alone was trained on the capture text. It tells something only against the "
     "next "
     "column: the same training given to the block's own FFN."},
    {"dppl_healed_original", "own FFN healed",
     "The baseline of a healed figure: ΔPPL of the block's own FFN after the same training. A replacement is "
     "as good "
     "as the block only where it comes down to this."},
    {"r2", "R²",
     "Of this replacement on the held-out rows, around one scalar mean. A few massive rows can make it high "
     "while the swap is ruinous."},
    {"r2_centred", "R² centred", "Of this replacement, around each feature's own mean."},
    {"r2_typical", "R² typical", "Of the block, fitted and scored without massive rows."},
    {"cosine", "cosine", "Mean cosine between the block's output and the replacement's."},
    {"rmse", "RMSE", "Root of the mean squared error over all held-out entries."},
    {"parameters", "parameters", "Weights and biases of the replacement."},
    {"compression", "compression", "The FFN's parameters over the replacement's."},
    {"saved_share", "model saved", "Share of the whole model's parameters that this swap saves."},
    {"remark", "remark", "", false},
};
static_assert(std::size(columns) == CompressionModel::ColumnCount);

const ColumnInfo& at(int column) {
    return columns[static_cast<std::size_t>(column)];
}

}  // namespace

CompressionModel::CompressionModel(const RunList& runs, const Theme& theme, QObject* parent)
    : QAbstractTableModel(parent), m_runs(runs), m_theme(theme) {
    for (int row = 0; row < runs.size(); ++row)
        insertRun(runs.at(row).id);
    connect(&runs, &RunList::added, this, &CompressionModel::insertRun);
    connect(&runs, &RunList::removed, this, &CompressionModel::removeRun);
    connect(&runs, &RunList::blockAdded, this, &CompressionModel::refreshBlock);
    connect(&runs, &RunList::blockChanged, this, &CompressionModel::refreshBlock);
    for (const auto signal : {&RunList::blocksReset, &RunList::visibilityChanged})
        connect(&runs, signal, this, [this](RunId run) {
            removeRun(run);
            insertRun(run);
        });
    connect(&theme, &Theme::changed, this, [this] {
        if (!m_rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    });
}

int CompressionModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QString CompressionModel::nameOf(int column) {
    return QString::fromUtf8(at(column).name);
}

// Healing is rarely asked for: its columns come and go with it.
std::vector<bool> CompressionModel::filledColumns() const {
    std::vector<bool> filled(ColumnCount, true);
    for (const int column : {HealedColumn, OwnHealedColumn})
        filled[static_cast<std::size_t>(column)] =
            std::ranges::any_of(m_rows, [&](const Row& row) { return number(row, column).has_value(); });
    return filled;
}

bool CompressionModel::isNumber(int column) {
    return at(column).number;
}

// Runs come with ever larger ids: the rows are sorted by run.
std::pair<int, int> CompressionModel::placeOf(RunId run) const {
    const auto range =
        std::ranges::equal_range(m_rows, run, {}, [](const Row& row) { return row.point.run; });
    return {static_cast<int>(range.begin() - m_rows.begin()), static_cast<int>(range.end() - m_rows.begin())};
}

std::vector<CompressionModel::Row> CompressionModel::rowsFor(const RunEntry& entry) const {
    std::vector<Row> rows;
    for (study::CompressionRow& values : study::compressionRows(entry.run)) {
        const QString costly = toQString(study::costlyReason(values));
        rows.push_back({{entry.id, values.block}, std::move(values), costly});
    }
    return rows;
}

void CompressionModel::insertRun(RunId run) {
    const RunEntry* entry = m_runs.find(run);
    std::vector<Row> rows = entry && entry->visible ? rowsFor(*entry) : std::vector<Row>();
    if (rows.empty())
        return;
    const int first = placeOf(run).first;
    beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
    m_rows.insert(m_rows.begin() + first, std::make_move_iterator(rows.begin()),
                  std::make_move_iterator(rows.end()));
    endInsertRows();
}

void CompressionModel::removeRun(RunId run) {
    const auto [first, last] = placeOf(run);
    if (first == last)
        return;
    beginRemoveRows({}, first, last - 1);
    m_rows.erase(m_rows.begin() + first, m_rows.begin() + last);
    endRemoveRows();
}

void CompressionModel::refreshBlock(RunId run, int position) {
    const RunEntry* entry = m_runs.find(run);
    if (!entry->visible)
        return;
    const study::BlockResult& block = entry->run.blocks[static_cast<std::size_t>(position)];
    std::vector<Row> fresh;
    for (study::CompressionRow& values : rowsOf(*entry, block)) {
        const QString costly = toQString(study::costlyReason(values));
        fresh.push_back({{run, block.block}, std::move(values), costly});
    }
    const auto range = std::ranges::equal_range(m_rows, PointId{run, block.block}, {},
                                                [](const Row& row) { return row.point; });
    const int first = static_cast<int>(range.begin() - m_rows.begin());
    const int old = static_cast<int>(range.size()), now = static_cast<int>(fresh.size());
    if (old == now) {
        std::ranges::move(fresh, range.begin());
        if (now > 0)
            Q_EMIT dataChanged(index(first, 0), index(first + now - 1, ColumnCount - 1));
        return;
    }
    if (old > 0) {
        beginRemoveRows({}, first, first + old - 1);
        m_rows.erase(range.begin(), range.end());
        endRemoveRows();
    }
    if (now > 0) {
        beginInsertRows({}, first, first + now - 1);
        m_rows.insert(m_rows.begin() + first, std::make_move_iterator(fresh.begin()),
                      std::make_move_iterator(fresh.end()));
        endInsertRows();
    }
}

std::optional<double> CompressionModel::number(const Row& row, int column) {
    const study::ReplacementResult& swap = row.values.replacement;
    // The block's own FFN is what the others are measured by: nothing is swapped, nothing saved.
    if (swap.kind == study::ReplacementKind::Original && column != BlockColumn &&
        column != ParametersColumn && column != OwnHealedColumn)
        return std::nullopt;
    switch (column) {
        case BlockColumn:
            return row.point.block;
        case HealedColumn:
            return swap.dpplHealed;
        case OwnHealedColumn:
            return swap.kind == study::ReplacementKind::Original ? swap.dpplHealed
                   : swap.dpplHealed ? row.values.values[Metric::DpplHealedOriginal]
                                     : std::nullopt;
        case CostColumn:
            return swap.dppl;
        case R2Column:
            return swap.r2;
        case R2CentredColumn:
            return swap.r2Centred;
        case R2TypicalColumn:
            return row.values.values[Metric::R2Typical];
        case CosineColumn:
            return swap.cosine;
        case RmseColumn:
            return swap.rmse;
        case ParametersColumn:
            return swap.parameters > 0 ? std::optional(static_cast<double>(swap.parameters)) : std::nullopt;
        case CompressionColumn:
            return row.values.compression;
        case SavedColumn:
            return row.values.savedShare;
        default:
            return std::nullopt;
    }
}

QString CompressionModel::text(const Row& row, int column) const {
    const study::ReplacementResult& swap = row.values.replacement;
    const auto value = number(row, column);
    switch (column) {
        case BlockColumn:
            return QString::number(row.point.block);
        case ModelColumn:
        case CorpusColumn: {
            const RunEntry* entry = m_runs.find(row.point.run);
            return !entry ? QString() : column == ModelColumn ? entry->title() : m_runs.textOf(*entry);
        }
        case ReplacementColumn:
            return toQString(study::info(swap.kind).title);
        case CostColumn:
            return swap.kind == study::ReplacementKind::Original ? tr("baseline")
                   : value                                       ? costText(value, swap.dpplSe)
                                                                 : tr("not measured");
        case HealedColumn:
            return costText(value, swap.dpplHealedSe);
        case OwnHealedColumn:
            return costText(value,
                            swap.kind == study::ReplacementKind::Original ? swap.dpplHealedSe : std::nullopt);
        case KeptColumn:
            return swap.kept ? tr("kept") : QString();
        case RemarkColumn:
            return row.costly;
        case RmseColumn:
            return value ? decimal(*value, 4) : QString();
        case ParametersColumn:
            return value ? count(*value) : QString();
        case CompressionColumn:
            return value ? QStringLiteral("×") + decimal(*value, 1) : QString();
        case SavedColumn:
            return value ? decimal(100 * *value, 2) + QStringLiteral(" %") : QString();
        default:
            return value ? decimal(*value, 3) : QString();
    }
}

QString CompressionModel::toolTip(const Row& row, int column) const {
    const study::ReplacementResult& swap = row.values.replacement;
    if (column == RemarkColumn || (column == CostColumn && !row.costly.isEmpty()))
        return row.costly;
    if (column == ReplacementColumn)
        return toQString(study::info(swap.kind).explanation);
    if (!isNumber(column) || column == BlockColumn) {
        const RunEntry* entry = m_runs.find(row.point.run);
        return entry ? entry->oneLine() : QString();
    }
    const auto value = number(row, column);
    QString tip = QStringLiteral("<b>%1</b> = %2<br>%3")
                      .arg(QString::fromUtf8(at(column).title),
                           value ? roundTrip(*value) : QStringLiteral("undefined or not measured"),
                           QString::fromUtf8(at(column).tip));
    if (column == R2Column || column == R2CentredColumn || column == R2TypicalColumn)
        tip += QStringLiteral("<br><br>ΔPPL: ") +
               (swap.dppl ? costText(swap.dppl, swap.dpplSe) : tr("perplexity not measured"));
    return row.costly.isEmpty() ? tip : tip + QStringLiteral("<br><br>") + row.costly;
}

QVariant CompressionModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = rowAt(index.row());
    const int column = index.column();
    const Colours& colours = m_theme.colours();
    const bool warns = !row.costly.isEmpty() && (column == CostColumn || column == R2Column);
    switch (role) {
        case Qt::DisplayRole:
            return (warns && column == R2Column ? QStringLiteral("† ") : QString()) + text(row, column);
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ToolTipRole:
            return toolTip(row, column);
        case Qt::DecorationRole:
            if (const RunEntry* entry = column == ModelColumn ? m_runs.find(row.point.run) : nullptr)
                return swatch(colours.curve(entry->colour));
            return {};
        case Qt::ForegroundRole:
            if (warns)
                return colours.error;
            if (column == CorpusColumn || row.values.replacement.kind == study::ReplacementKind::Original ||
                column == RemarkColumn || (column == CostColumn && !row.values.replacement.dppl))
                return colours.muted;
            return {};
        case Qt::FontRole:
            if (warns && column == CostColumn) {
                QFont font;
                font.setBold(true);
                return font;
            }
            return {};
        case ValueRole:
            if (!isNumber(column)) {
                const QString words = text(row, column);
                return words.isEmpty() ? QVariant() : QVariant(words);
            }
            if (const auto value = number(row, column))
                return *value;
            return {};
        default:
            return {};
    }
}

QVariant CompressionModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    switch (role) {
        case Qt::DisplayRole:
            return QString::fromUtf8(at(section).title);
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter | (isNumber(section) ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ToolTipRole:
            return QString::fromUtf8(at(section).tip);
        default:
            return {};
    }
}

QString CompressionModel::toTsv(const std::vector<int>& rows, const std::vector<int>& shown) const {
    QStringList lines, cells;
    for (const int column : shown) {
        cells += nameOf(column);
        if (column == CostColumn)
            cells += QStringLiteral("dppl_se");
        if (column == HealedColumn)
            cells += QStringLiteral("dppl_healed_se");
    }
    lines += cells.join(QLatin1Char('\t'));
    const auto numberText = [](std::optional<double> value) { return value ? roundTrip(*value) : QString(); };
    for (const int index : rows) {
        const Row& row = rowAt(index);
        cells.clear();
        for (const int column : shown) {
            cells += isNumber(column) ? numberText(number(row, column)) : text(row, column).simplified();
            if (column == CostColumn)
                cells += numberText(row.values.replacement.dpplSe);
            if (column == HealedColumn)
                cells += numberText(row.values.replacement.dpplHealedSe);
        }
        lines += cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace straightedge::ui
