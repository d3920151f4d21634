// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_list.h"

#include <algorithm>

#include "study/models/model_folders.h"
#include "style/card_delegate.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

namespace fs = std::filesystem;

constexpr int addedFirst = 1;  // priority in the pool: what a user waits for

QString nameOf(const fs::path& path) {
    return pathText(path.has_filename() ? path.filename() : path.parent_path().filename());
}

}  // namespace

ModelList::ModelList(Inspect inspect, QObject* parent)
    : QAbstractListModel(parent), m_inspect(std::move(inspect)) {
    m_pool.setMaxThreadCount(1);
}

ModelList::~ModelList() {
    m_pool.clear();
    m_pool.waitForDone();
}

bool ModelList::isKnown(const fs::path& path) const {
    return std::ranges::any_of(m_entries, [&](const Entry& entry) { return entry.path == path; });
}

void ModelList::add(const fs::path& path, bool checked) {
    fs::path clean = path.lexically_normal();
    if (!clean.has_filename())
        clean = clean.parent_path();  // without a slash at the end
    if (clean.empty())
        return;
    if (const auto known = std::ranges::find(m_entries, clean, &Entry::path); known != m_entries.end()) {
        known->found = false;
        setData(index(static_cast<int>(known - m_entries.begin())), checked ? Qt::Checked : Qt::Unchecked,
                Qt::CheckStateRole);
        return;
    }
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_entries.push_back({++m_lastKey, clean, checked});
    endInsertRows();
    Q_EMIT changed();
    m_pool.start(
        [this, clean, key = m_lastKey, inspect = m_inspect] {
            // The list waits for its pool before it goes, so `this` is alive.
            auto findings = inspectUnder(clean, inspect);
            QMetaObject::invokeMethod(
                this, [this, key, found = std::move(findings)]() mutable { take(key, std::move(found)); },
                Qt::QueuedConnection);
        },
        addedFirst);
}

void ModelList::addForGood(const fs::path& path) {
    m_hidden.removeAll(pathText(path.lexically_normal()));
    add(path);
    remember(path, study::addModelFolder);
}

void ModelList::remember(const fs::path& path, void (*how)(const fs::path&)) {
    m_pool.start(
        [this, path, how] {
            try {
                how(path);
            } catch (const std::exception& error) {
                QMetaObject::invokeMethod(
                    this, [this, why = QString::fromUtf8(error.what())] { Q_EMIT failed(why); },
                    Qt::QueuedConnection);
            }
        },
        addedFirst);
}

void ModelList::look(const QStringList& checked, const QStringList& hidden, Find find) {
    m_wanted = checked;
    m_hidden = hidden;
    m_pool.start([this, find = std::move(find)] {
        QMetaObject::invokeMethod(
            this, [this, found = find()] { takeFound(found); }, Qt::QueuedConnection);
    });
}

// Each is shown when it has been inspected, and only if it can be measured.
void ModelList::takeFound(const study::FoundModels& found) {
    for (const study::FoundModel& model : found.models) {
        if (isKnown(model.path) || m_hidden.contains(pathText(model.path)))
            continue;
        m_pool.start([this, path = model.path, inspect = m_inspect] {
            std::vector<Finding> findings = inspectUnder(path, inspect);
            if (findings.size() == 1 && findings[0].summary && findings[0].summary->supported())
                QMetaObject::invokeMethod(
                    this, [this, finding = std::move(findings[0])] { show(finding); }, Qt::QueuedConnection);
        });
    }
}

void ModelList::show(Finding finding) {
    if (isKnown(finding.path) || m_hidden.contains(pathText(finding.path)))
        return;
    const bool wanted = m_wanted.contains(pathText(finding.path));
    beginInsertRows({}, rowCount(), rowCount());
    m_entries.push_back({++m_lastKey, finding.path, wanted, false, std::move(finding.summary), {}, true});
    endInsertRows();
    Q_EMIT changed();
}

std::vector<ModelList::Finding> ModelList::inspectUnder(const fs::path& path, const Inspect& inspect) {
    std::vector<Finding> findings;
    const auto add = [&](const fs::path& checkpoint) {
        try {
            findings.push_back({checkpoint, inspect(checkpoint)});
        } catch (const std::exception& error) {
            findings.push_back({checkpoint, {}, QString::fromUtf8(error.what())});
        }
    };
    for (const study::FoundModel& model : study::modelsUnder(path).models)
        add(model.path);
    if (findings.empty())
        add(path);  // which says what is wrong with it
    return findings;
}

void ModelList::take(quint64 key, std::vector<Finding> findings) {
    const auto place = std::ranges::find(m_entries, key, &Entry::key);
    if (place == m_entries.end() || findings.empty())
        return;  // removed meanwhile
    const int row = static_cast<int>(place - m_entries.begin());
    const bool checked = place->checked;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        Finding& finding = findings[i];
        Entry entry{i == 0 ? key : ++m_lastKey, finding.path, checked, false, std::move(finding.summary),
                    std::move(finding.problem)};
        if (entry.summary && !entry.summary->supported())
            entry.problem = toQString(entry.summary->problem);
        if (i == 0) {
            m_entries[static_cast<std::size_t>(row)] = std::move(entry);
            Q_EMIT dataChanged(index(row), index(row));
        } else if (!isKnown(entry.path)) {
            beginInsertRows({}, rowCount(), rowCount());
            m_entries.push_back(std::move(entry));
            endInsertRows();
        }
    }
    Q_EMIT changed();
}

void ModelList::remove(int row) {
    if (row < 0 || row >= rowCount())
        return;
    const Entry& gone = m_entries[static_cast<std::size_t>(row)];
    m_hidden += pathText(gone.path);
    if (!gone.found)
        remember(gone.path, study::removeModelFolder);
    beginRemoveRows({}, row, row);
    m_entries.erase(m_entries.begin() + row);
    endRemoveRows();
    Q_EMIT changed();
}

std::vector<ModelList::Choice> ModelList::chosen() const {
    std::vector<Choice> choices;
    for (const Entry& entry : m_entries)
        if (entry.checked && entry.summary && entry.problem.isEmpty())
            choices.push_back({entry.path, toQString(entry.summary->name)});
    return choices;
}

bool ModelList::isReading() const {
    return std::ranges::any_of(m_entries, &Entry::reading);
}

QStringList ModelList::paths() const {
    QStringList list;
    for (const Entry& entry : m_entries)
        if (!entry.found)
            list += pathText(entry.path);
    return list;
}

QStringList ModelList::checkedPaths() const {
    QStringList list;
    for (const Entry& entry : m_entries)
        if (entry.checked)
            list += pathText(entry.path);
    return list;
}

int ModelList::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

QString ModelList::details(const Entry& entry) {
    QString text = QStringLiteral("<b>%1</b><br>%2")
                       .arg(nameOf(entry.path).toHtmlEscaped(), pathText(entry.path).toHtmlEscaped());
    if (!entry.summary)
        return text;
    const study::ModelSummary& model = *entry.summary;
    QString rows;
    const auto line = [&](const QString& name, const QString& value) {
        if (!value.isEmpty() && value != QLatin1String("0"))
            rows += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
                        .arg(name, value.toHtmlEscaped());
    };
    const auto number = [](auto value) { return count(static_cast<double>(value)); };
    line(tr("format"), toQString(model.format));
    line(tr("family"), toQString(model.family));
    line(tr("activation"), toQString(model.activation));
    line(tr("site"), toQString(model.site));
    line(tr("blocks"), number(model.blocks));
    line(tr("width"), number(model.width));
    line(tr("FFN width"), number(model.ffnWidth));
    line(tr("heads"),
         model.kvHeads == model.heads
             ? number(model.heads)
             : tr("%1 (%2 for keys and values)").arg(number(model.heads), number(model.kvHeads)));
    line(tr("vocabulary"), number(model.vocabulary));
    line(tr("parameters"), number(model.parameters));
    line(tr("of one FFN"), number(model.ffnParameters));
    line(tr("tokenizer"), toQString(model.tokenizer));
    line(tr("tensors"), number(model.tensors.size()));
    for (const std::string& note : model.notes)
        line(tr("note"), toQString(note));
    return text + QStringLiteral("<table cellspacing='0'>%1</table>").arg(rows);
}

QVariant ModelList::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Entry& entry = m_entries[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return entry.summary ? toQString(entry.summary->name) : nameOf(entry.path);
        case Qt::CheckStateRole:
            return entry.checked ? Qt::Checked : Qt::Unchecked;
        case Qt::ToolTipRole:
            return details(entry);
        case CardDelegate::StatusRole:
            return entry.reading   ? tr("reading …")
                   : entry.summary ? bytesText(static_cast<double>(entry.summary->bytes))
                                   : QString();
        case CardDelegate::SubtitleRole:
            if (!entry.summary)
                return pathText(entry.path);
            return entry.summary->blocks > 0
                       ? tr("%1 · %2 blocks × %3 · %4")
                             .arg(toQString(entry.summary->family), count(entry.summary->blocks),
                                  count(static_cast<double>(entry.summary->width)),
                                  toQString(entry.summary->activation))
                       : toQString(entry.summary->format);
        case CardDelegate::ProblemRole:
            return entry.problem;
        default:
            return {};
    }
}

bool ModelList::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole)
        return false;
    m_entries[static_cast<std::size_t>(index.row())].checked = value.toInt() == Qt::Checked;
    Q_EMIT dataChanged(index, index, {role});
    Q_EMIT changed();
    return true;
}

Qt::ItemFlags ModelList::flags(const QModelIndex& index) const {
    return QAbstractListModel::flags(index) | Qt::ItemIsUserCheckable;
}

}  // namespace straightedge::ui
