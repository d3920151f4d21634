// SPDX-License-Identifier: GPL-3.0-or-later
#include "block_table_model.h"

#include <algorithm>

#include "style/format.h"
#include "style/theme.h"
#include "swap_text.h"

namespace straightedge::ui {

namespace {

const study::MetricInfo* metricOf(int column) {
    const auto all = study::metrics();
    const int index = column - BlockTableModel::FirstMetricColumn;
    return index >= 0 && index < static_cast<int>(all.size()) ? &all[static_cast<std::size_t>(index)]
                                                              : nullptr;
}

// Scores of the whole map, which a reader may take for a promise.
bool isR2(study::Metric metric) {
    using study::Metric;
    return metric == Metric::R2Lin || metric == Metric::R2LinCentred || metric == Metric::R2Typical ||
           metric == Metric::R2TypicalCentred;
}

}  // namespace

BlockTableModel::BlockTableModel(const RunList& runs, const Theme& theme, QObject* parent)
    : QAbstractTableModel(parent), m_runs(runs), m_theme(theme) {
    for (int row = 0; row < runs.size(); ++row)
        if (runs.at(row).visible)
            insertRun(runs.at(row));
    connect(&runs, &RunList::added, this, [this](RunId id) { insertRun(*m_runs.find(id)); });
    connect(&runs, &RunList::removed, this, &BlockTableModel::removeRun);
    connect(&runs, &RunList::blockAdded, this, [this](RunId id, int position) {
        const RunEntry* entry = m_runs.find(id);
        if (entry->visible)
            insertPoint({id, entry->run.blocks[static_cast<std::size_t>(position)].block});
    });
    connect(&runs, &RunList::blockChanged, this, [this](RunId id, int position) {
        const PointId point{id, m_runs.find(id)->run.blocks[static_cast<std::size_t>(position)].block};
        const int row = rowOf(point);
        if (row < 0)
            return;
        Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
        if (m_sortColumn >= FirstMetricColumn)
            sort(m_sortColumn, m_sortOrder);
    });
    const auto again = [this](RunId id) {
        removeRun(id);
        if (const RunEntry* entry = m_runs.find(id); entry && entry->visible)
            insertRun(*entry);
    };
    connect(&runs, &RunList::blocksReset, this, again);
    connect(&runs, &RunList::visibilityChanged, this, again);
    connect(&theme, &Theme::changed, this, [this] {
        if (!m_rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

int BlockTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int BlockTableModel::remarkColumn() {
    return FirstMetricColumn + static_cast<int>(study::metrics().size());
}

int BlockTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : remarkColumn() + 1;
}

int BlockTableModel::columnOf(study::Metric metric) {
    const auto all = study::metrics();
    return FirstMetricColumn +
           static_cast<int>(std::ranges::find(all, metric, &study::MetricInfo::metric) - all.begin());
}

std::vector<bool> BlockTableModel::filledColumns() const {
    std::vector<bool> filled(static_cast<std::size_t>(columnCount()), false);
    for (const int column : {static_cast<int>(BlockColumn), static_cast<int>(ModelColumn),
                             static_cast<int>(CorpusColumn), columnOf(study::Metric::R2Lin), remarkColumn()})
        filled[static_cast<std::size_t>(column)] = true;
    for (const PointId& point : m_rows) {
        const RunEntry* entry = m_runs.find(point.run);
        const study::BlockResult* block = entry ? entry->block(point.block) : nullptr;
        std::size_t column = FirstMetricColumn;
        for (const study::MetricInfo& metric : study::metrics()) {
            if (block && block->values[metric.metric])
                filled[column] = true;
            ++column;
        }
    }
    return filled;
}

int BlockTableModel::rowOf(PointId point) const {
    const auto found = std::ranges::find(m_rows, point);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

QString BlockTableModel::cellText(const RunEntry& entry, const study::BlockResult& block, int column,
                                  bool forFile) const {
    if (const study::MetricInfo* metric = metricOf(column)) {
        const auto value = block.values[metric->metric];
        return !forFile ? metricText(*metric, value) : value ? roundTrip(*value) : QString();
    }
    switch (column) {
        case BlockColumn:
            return QString::number(block.block);
        case ModelColumn:
            return entry.title();
        case CorpusColumn:
            return m_runs.textOf(entry);
        default:
            break;
    }
    return toQString(block.failure.empty() ? study::massiveReason(block.values) : block.failure);
}

QVariant BlockTableModel::toolTip(const RunEntry& entry, const study::BlockResult& block, int column) const {
    if (!block.failure.empty())
        return toQString(block.failure);
    const study::MetricInfo* metric = metricOf(column);
    if (!metric)
        return column == BlockColumn ? entry.oneLine() : cellText(entry, block, column, false);
    const auto value = block.values[metric->metric];
    QString text = QStringLiteral("<b>%1</b> = %2<br>%3")
                       .arg(toQString(metric->title),
                            value ? roundTrip(*value) : QStringLiteral("undefined or not measured"),
                            toQString(metric->explanation));
    const QString reason = toQString(study::massiveReason(block.values));
    if (metric->metric == study::Metric::R2Lin && !reason.isEmpty())
        text += QStringLiteral("<br><br>") + reason;
    if (isR2(metric->metric))
        text += QStringLiteral("<br><br>ΔPPL: ") + swapCost(block);
    return text;
}

QVariant BlockTableModel::data(const QModelIndex& index, int role) const {
    const RunEntry* entry = index.isValid() ? m_runs.find(pointAt(index.row()).run) : nullptr;
    const study::BlockResult* block = entry ? entry->block(pointAt(index.row()).block) : nullptr;
    if (!block)
        return {};
    const int column = index.column();
    const study::MetricInfo* metric = metricOf(column);
    switch (role) {
        case Qt::DisplayRole: {
            const bool marked =
                metric && metric->metric == study::Metric::R2Lin && study::peakIsMassive(block->values);
            return (marked ? QStringLiteral("◎ ") : QString()) + cellText(*entry, *block, column, false);
        }
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter |
                            (metric || column == BlockColumn ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ToolTipRole:
            return toolTip(*entry, *block, column);
        case Qt::DecorationRole:
            return column == ModelColumn ? QVariant(swatch(m_theme.colours().curve(entry->colour)))
                                         : QVariant();
        case Qt::ForegroundRole:
            if (column == remarkColumn())
                return block->failure.empty() ? m_theme.colours().muted : m_theme.colours().error;
            return column == CorpusColumn ? QVariant(m_theme.colours().muted) : QVariant();
        case ValueRole:
            if (metric && block->values[metric->metric])
                return *block->values[metric->metric];
            return column == BlockColumn ? QVariant(block->block) : QVariant();
        default:
            return {};
    }
}

QVariant BlockTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const study::MetricInfo* metric = metricOf(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter |
                        (metric || section == BlockColumn ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::ToolTipRole && metric)
        return QStringLiteral("<b>%1</b> (%2)<br>%3")
            .arg(toQString(metric->title), toQString(metric->name), toQString(metric->explanation));
    if (role != Qt::DisplayRole)
        return {};
    if (metric)
        return toQString(metric->title);
    switch (section) {
        case BlockColumn:
            return QStringLiteral("block");
        case ModelColumn:
            return QStringLiteral("model");
        case CorpusColumn:
            return QStringLiteral("text");
        default:
            return QStringLiteral("remark");
    }
}

BlockTableModel::Key BlockTableModel::keyOf(PointId point) const {
    const RunEntry* entry = m_runs.find(point.run);
    const study::BlockResult* block = entry ? entry->block(point.block) : nullptr;
    if (!block || m_sortColumn < 0)
        return {};
    if (const study::MetricInfo* metric = metricOf(m_sortColumn))
        return {block->values[metric->metric], {}};
    if (m_sortColumn == BlockColumn)
        return {block->block, {}};
    return {{}, cellText(*entry, *block, m_sortColumn, false)};
}

bool BlockTableModel::comesBefore(PointId a, const Key& keyA, PointId b, const Key& keyB) const {
    if (m_sortColumn >= 0) {
        const bool isNumber = metricOf(m_sortColumn) || m_sortColumn == BlockColumn;
        const bool hasA = isNumber ? keyA.number.has_value() : !keyA.text.isEmpty();
        const bool hasB = isNumber ? keyB.number.has_value() : !keyB.text.isEmpty();
        if (hasA != hasB)
            return hasA;
        const bool ascending = m_sortOrder == Qt::AscendingOrder;
        if (isNumber && keyA.number != keyB.number)
            return ascending ? *keyA.number < *keyB.number : *keyA.number > *keyB.number;
        if (const int order = isNumber ? 0 : keyA.text.compare(keyB.text, Qt::CaseInsensitive); order != 0)
            return ascending ? order < 0 : order > 0;
    }
    return a < b;
}

void BlockTableModel::sort(int column, Qt::SortOrder order) {
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    m_sortColumn = column;
    m_sortOrder = order;
    std::vector<std::pair<PointId, Key>> keyed;
    keyed.reserve(m_rows.size());
    for (const PointId point : m_rows)
        keyed.emplace_back(point, keyOf(point));
    std::ranges::sort(keyed, [this](const auto& a, const auto& b) {
        return comesBefore(a.first, a.second, b.first, b.second);
    });

    const QModelIndexList before = persistentIndexList();
    std::vector<PointId> points;
    for (const QModelIndex& index : before)
        points.push_back(pointAt(index.row()));
    std::ranges::transform(keyed, m_rows.begin(), [](const auto& pair) { return pair.first; });
    std::map<PointId, int> rows;
    for (int row = 0; row < rowCount() && !before.empty(); ++row)
        rows.emplace(pointAt(row), row);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after.push_back(index(rows.at(points[static_cast<std::size_t>(i)]), before[i].column()));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

void BlockTableModel::insertPoint(PointId point) {
    const Key key = keyOf(point);
    const auto place = std::ranges::partition_point(
        m_rows, [&](PointId other) { return comesBefore(other, keyOf(other), point, key); });
    const int row = static_cast<int>(place - m_rows.begin());
    beginInsertRows({}, row, row);
    m_rows.insert(place, point);
    endInsertRows();
}

void BlockTableModel::insertRun(const RunEntry& entry) {
    if (entry.run.blocks.empty())
        return;
    // Many rows at once: append them, then let one sort place them (in the order of arrival, they are in
    // place).
    const bool inPlace = m_sortColumn < 0 && (m_rows.empty() || m_rows.back().run < entry.id);
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(entry.run.blocks.size()) - 1);
    for (const study::BlockResult& block : entry.run.blocks)
        m_rows.push_back({entry.id, block.block});
    endInsertRows();
    if (!inPlace)
        sort(m_sortColumn, m_sortOrder);
}

void BlockTableModel::removeRun(RunId run) {
    // From behind, a stretch of neighbours at a time: sorted by value, a run's rows lie scattered.
    for (int last = rowCount() - 1; last >= 0; --last) {
        if (pointAt(last).run != run)
            continue;
        int first = last;
        while (first > 0 && pointAt(first - 1).run == run)
            --first;
        beginRemoveRows({}, first, last);
        m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
        endRemoveRows();
        last = first;
    }
}

QString BlockTableModel::toTsv(const std::vector<int>& rows, const std::vector<int>& columns) const {
    const auto clean = [](QString cell) {
        return cell.replace(QLatin1Char('\t'), QLatin1Char(' ')).simplified();
    };
    QStringList lines, cells;
    for (const int column : columns) {
        const study::MetricInfo* metric = metricOf(column);
        cells += metric ? toQString(metric->name) : headerData(column, Qt::Horizontal).toString();
    }
    lines += cells.join(QLatin1Char('\t'));
    for (const int row : rows) {
        cells.clear();
        const RunEntry* entry = m_runs.find(pointAt(row).run);
        const study::BlockResult* block = entry ? entry->block(pointAt(row).block) : nullptr;
        for (const int column : columns)
            cells += block ? clean(cellText(*entry, *block, column, true)) : QString();
        lines += cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace straightedge::ui
