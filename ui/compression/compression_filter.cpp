// SPDX-License-Identifier: GPL-3.0-or-later
#include "compression_filter.h"

#include <QLocale>
#include <QRegularExpression>
#include <algorithm>

#include "style/format.h"

namespace straightedge::ui {

namespace {

// "saved" stands for saved_share: a beginning is enough where only one column begins so.
std::optional<int> columnNamed(const QString& name) {
    std::optional<int> found;
    for (int column = 0; column < CompressionModel::ColumnCount; ++column) {
        if (!CompressionModel::isNumber(column))
            continue;
        const QString whole = CompressionModel::nameOf(column);
        if (whole == name)
            return column;
        if (whole.startsWith(name)) {
            if (found)
                return std::nullopt;
            found = column;
        }
    }
    return found;
}

std::optional<double> numberIn(QString text) {
    text.replace(QChar(0x2212), QLatin1Char('-'));
    bool ok = false;
    double value = QLocale::c().toDouble(text, &ok);
    if (!ok)
        value = QLocale().toDouble(text, &ok);
    return ok ? std::optional(value) : std::nullopt;
}

bool holds(double value, const QString& comparison, double bound) {
    if (comparison == QLatin1String("<"))
        return value < bound;
    if (comparison == QLatin1String("<="))
        return value <= bound;
    if (comparison == QLatin1String(">"))
        return value > bound;
    if (comparison == QLatin1String(">="))
        return value >= bound;
    return value == bound;
}

}  // namespace

FilterText FilterText::parse(const QString& text) {
    static const QRegularExpression form(QStringLiteral("([a-z0-9_]+)\\s*(<=|>=|≤|≥|<|>|=)\\s*([^\\s<>=]+)"));
    FilterText filter;
    QString rest = text.toLower();
    rest.replace(QStringLiteral("δppl"), QStringLiteral("dppl"))
        .replace(QStringLiteral("r²"), QStringLiteral("r2"));
    for (auto found = form.match(rest); found.hasMatch(); found = form.match(rest)) {
        QString comparison = found.captured(2);
        comparison.replace(QStringLiteral("≤"), QStringLiteral("<="))
            .replace(QStringLiteral("≥"), QStringLiteral(">="));
        const auto column = columnNamed(found.captured(1));
        const auto bound = numberIn(found.captured(3));
        if (column && bound)
            filter.conditions.push_back({*column, comparison, *bound});
        else
            filter.words +=
                found.captured(0).simplified();  // finds nothing, which says that it is not understood
        rest.remove(found.capturedStart(), found.capturedLength());
    }
    filter.words += rest.split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts);
    return filter;
}

bool FilterText::accepts(const CompressionModel& model, int row) const {
    for (const Condition& condition : conditions) {
        auto value = CompressionModel::number(model.rowAt(row), condition.column);
        if (value && condition.column == CompressionModel::SavedColumn)
            value = 100 * *value;
        if (!value || !holds(*value, condition.comparison, condition.bound))
            return false;
    }
    const auto contains = [&](const QString& word) {
        for (const int column : {CompressionModel::ModelColumn, CompressionModel::CorpusColumn,
                                 CompressionModel::ReplacementColumn, CompressionModel::KeptColumn,
                                 CompressionModel::RemarkColumn})
            if (model.index(row, column).data().toString().contains(word, Qt::CaseInsensitive))
                return true;
        return false;
    };
    return std::ranges::all_of(words, contains);
}

CompressionFilter::CompressionFilter(CompressionModel& model, QObject* parent)
    : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(&model);
}

void CompressionFilter::setRun(std::optional<RunId> run) {
    m_run = run;
    invalidateFilter();
}

void CompressionFilter::setWhich(int which) {
    m_which = which;
    invalidateFilter();
}

void CompressionFilter::setText(const QString& text) {
    m_text = FilterText::parse(text);
    invalidateFilter();
}

bool CompressionFilter::filterAcceptsRow(int row, const QModelIndex&) const {
    const CompressionModel::Row& values = m_model.rowAt(row);
    const study::ReplacementResult& swap = values.values.replacement;
    if (m_run && values.point.run != *m_run)
        return false;
    if (m_which == Kept     ? !swap.kept
        : m_which == Costly ? values.costly.isEmpty()
                            : m_which >= FirstKind && static_cast<int>(swap.kind) != m_which - FirstKind)
        return false;
    return m_text.accepts(m_model, row);
}

bool CompressionFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(CompressionModel::ValueRole), b = right.data(CompressionModel::ValueRole);
    if (a.isValid() != b.isValid())
        return (sortOrder() == Qt::AscendingOrder ? a : b).isValid();
    if (!a.isValid())
        return false;
    return CompressionModel::isNumber(left.column())
               ? a.toDouble() < b.toDouble()
               : a.toString().compare(b.toString(), Qt::CaseInsensitive) < 0;
}

}  // namespace straightedge::ui
