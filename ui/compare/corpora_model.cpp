// SPDX-License-Identifier: GPL-3.0-or-later
#include "corpora_model.h"

#include "style/format.h"

namespace straightedge::ui {

namespace {

using study::CorporaPair;

struct ColumnInfo {
    const char* title;
    const char* tip;
    bool number = true;
};

// In the order of Column.
const ColumnInfo columns[] = {
    {"model", "", false},
    {"text", "", false},
    {"other text", "", false},
    {"blocks", "That both runs have this score of."},
    {"Pearson r", "Of the two profiles over their blocks: 1 where one is the other, stretched and shifted."},
    {"95 % interval", "Of Pearson's r, by Fisher's z transformation.", false},
    {"Spearman", "Pearson's r of the ranks: whether the same blocks are the more linear ones."},
    {"mean |Δ|", "Mean of the absolute difference over blocks."},
    {"largest |Δ|", "Largest absolute difference over blocks."},
    {"at block", "Where the largest difference is. Choosing the row chooses it in both runs."},
    {"remark", "What keeps the two from being compared like with like.", false},
};
static_assert(std::size(columns) == CorporaModel::ColumnCount);

const ColumnInfo& at(int column) {
    return columns[static_cast<std::size_t>(column)];
}

}  // namespace

bool CorporaModel::isNumber(int column) {
    return at(column).number;
}

void CorporaModel::compare(study::Metric metric) {
    beginResetModel();
    m_metric = metric;
    m_ids.clear();
    std::vector<const study::Run*> runs;
    for (int row = 0; row < m_runs.size(); ++row)
        if (const RunEntry& entry = m_runs.at(row); entry.visible && !entry.run.blocks.empty()) {
            m_ids.push_back(entry.id);
            runs.push_back(&entry.run);
        }
    m_pairs = study::compareCorpora(runs, metric);
    endResetModel();
}

std::vector<const study::Run*> CorporaModel::runsCompared() const {
    static const study::Run gone;
    std::vector<const study::Run*> runs;
    for (const RunId id : m_ids) {
        const RunEntry* entry = m_runs.find(id);
        runs.push_back(entry ? &entry->run : &gone);
    }
    return runs;
}

int CorporaModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_pairs.size());
}

std::vector<PointId> CorporaModel::pointsOf(int row) const {
    const CorporaPair& pair = m_pairs[static_cast<std::size_t>(row)];
    if (pair.largestBlock < 0)
        return {};
    return {{m_ids[pair.first], pair.largestBlock}, {m_ids[pair.second], pair.largestBlock}};
}

std::optional<double> CorporaModel::number(const CorporaPair& pair, int column) const {
    switch (column) {
        case BlocksColumn:
            return pair.blocks;
        case PearsonColumn:
            return pair.pearson.r;
        case SpearmanColumn:
            return pair.spearman;
        case MeanColumn:
            return pair.meanDifference;
        case LargestColumn:
            return pair.largestDifference;
        case AtBlockColumn:
            return pair.largestBlock < 0 ? std::nullopt : std::optional<double>(pair.largestBlock);
        default:
            return std::nullopt;
    }
}

QString CorporaModel::text(const CorporaPair& pair, int column) const {
    const RunEntry* first = m_runs.find(m_ids[pair.first]);
    const RunEntry* second = m_runs.find(m_ids[pair.second]);
    switch (column) {
        case ModelColumn:
            return first ? toQString(first->run.header.model) : QString();
        case TextColumn:
            return first ? m_runs.textOf(*first) : QString();
        case OtherColumn:
            return second ? m_runs.textOf(*second) : QString();
        case IntervalColumn:
            return pair.pearson.low && pair.pearson.high
                       ? tr("%1 to %2").arg(decimal(*pair.pearson.low, 2), decimal(*pair.pearson.high, 2))
                       : QString();
        case RemarkColumn: {
            QStringList remarks;
            for (const std::string& remark : pair.remarks)
                remarks += toQString(remark);
            return remarks.join(QStringLiteral("; "));
        }
        default:
            break;
    }
    const auto value = number(pair, column);
    return !value                                              ? QString()
           : column == BlocksColumn || column == AtBlockColumn ? count(*value)
                                                               : decimal(*value, 3);
}

QVariant CorporaModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const CorporaPair& pair = m_pairs[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return text(pair, column);
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ToolTipRole:
            if (const auto value = number(pair, column))
                return QStringLiteral("<b>%1</b> = %2<br>%3")
                    .arg(QString::fromUtf8(at(column).title), roundTrip(*value),
                         QString::fromUtf8(at(column).tip));
            return text(pair, column);
        case ValueRole:
            if (!isNumber(column))
                return text(pair, column);
            if (const auto value = number(pair, column))
                return *value;
            return {};
        default:
            return {};
    }
}

QVariant CorporaModel::headerData(int section, Qt::Orientation orientation, int role) const {
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

QString CorporaModel::toCsv() const {
    return toQString(study::toCorporaCsv(runsCompared(), m_pairs, m_metric));
}

QString CorporaModel::toTsv() const {
    QStringList lines, cells;
    for (const ColumnInfo& column : columns)
        cells += QString::fromUtf8(column.title);
    lines += cells.join(QLatin1Char('\t'));
    for (const CorporaPair& pair : m_pairs) {
        cells.clear();
        for (int column = 0; column < ColumnCount; ++column) {
            const auto value = number(pair, column);
            cells += value              ? roundTrip(*value)
                     : isNumber(column) ? QString()
                                        : text(pair, column).simplified();
        }
        lines += cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace straightedge::ui
