// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_list_model.h"

#include <QDateTime>
#include <QLocale>

#include "plot/marker.h"
#include "style/card_delegate.h"
#include "style/format.h"
#include "style/theme.h"

namespace straightedge::ui {

namespace {

QString statusOf(const RunEntry& entry) {
    const int done = static_cast<int>(entry.run.blocks.size());
    switch (entry.activity) {
        case Activity::Waiting:
            return QObject::tr("waiting");
        case Activity::Running:
            return QObject::tr("%1 %").arg(qRound(100 * entry.progress.fraction));
        case Activity::Stopping:
            return QObject::tr("stopping …");
        case Activity::Done:
            break;
    }
    const auto brokenOff = [done](const QString& word) {
        return done > 0 ? QObject::tr("%1 at %2").arg(word).arg(done) : word;
    };
    switch (entry.run.state) {
        case study::RunState::Running:
            return entry.kept.id.empty() ? QString() : QObject::tr("runs elsewhere");
        case study::RunState::Failed:
            return QObject::tr("failed");
        case study::RunState::Cancelled:
            return brokenOff(QObject::tr("cancelled"));
        case study::RunState::Interrupted:
            return brokenOff(QObject::tr("interrupted"));
        case study::RunState::Finished:
            break;
    }
    return plural(done, QObject::tr("block"), QObject::tr("blocks"));
}

QString joined(const std::vector<std::string>& lines) {
    QStringList list;
    for (const std::string& line : lines)
        list += toQString(line);
    return list.join(QLatin1Char('\n'));
}

QString problemOf(const RunEntry& entry) {
    QStringList problems;
    if (!entry.run.failure.empty())
        problems += toQString(entry.run.failure);
    for (const study::BlockResult& block : entry.run.blocks)
        if (!block.failure.empty())
            problems += QObject::tr("block %1: %2").arg(block.block).arg(toQString(block.failure));
    return problems.join(QLatin1Char('\n'));
}

QString noteOf(const RunEntry& entry) {
    if (entry.origin == Origin::Published)
        return {};
    QString note = joined(entry.run.notes);
    if (entry.run.header.tooFewRows && note.isEmpty())
        note = QObject::tr("Too few rows for this width: the fit is overfitted.");
    return note;
}

QString startedText(const study::RunHeader& header) {
    const QDateTime started = QDateTime::fromString(toQString(header.started), Qt::ISODate);
    return started.isValid() ? QLocale().toString(started.toLocalTime(), QLocale::ShortFormat) : QString();
}

QString detailsOf(const RunEntry& entry) {
    const study::RunHeader& header = entry.run.header;
    QStringList lines;
    const auto line = [&](const QString& name, const QString& value) {
        if (!value.isEmpty() && value != QLatin1String("0"))
            lines += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
                         .arg(name, value.toHtmlEscaped());
    };
    line(QObject::tr("file"), toQString(header.modelPath));
    line(QObject::tr("family"), toQString(header.family));
    line(QObject::tr("activation"), toQString(header.activation));
    line(QObject::tr("site"), toQString(header.site));
    line(QObject::tr("blocks, width"),
         header.width > 0 ? QStringLiteral("%1, %2").arg(header.modelBlocks).arg(header.width) : QString());
    line(QObject::tr("text"), toQString(header.corpus));
    line(QObject::tr("rows"), count(static_cast<double>(header.rows)));
    line(QObject::tr("tokens asked for"), count(static_cast<double>(header.settings.tokens)));
    line(QObject::tr("tokenizer"), toQString(header.tokenizer));
    if (entry.run.basePpl)
        line(
            QObject::tr("base perplexity"),
            decimal(*entry.run.basePpl, 2) +
                (entry.run.basePplSe ? QStringLiteral(" ± ") + decimal(*entry.run.basePplSe, 2) : QString()) +
                QObject::tr(" on %1 windows").arg(count(static_cast<double>(header.evaluationWindows))));
    line(QObject::tr("started"), startedText(header));
    line(QObject::tr("run"), toQString(entry.kept.id).left(8));
    line(QObject::tr("time"), entry.run.seconds > 0 ? durationText(entry.run.seconds) : QString());
    line(QObject::tr("notes"), joined(entry.run.notes));
    return QStringLiteral("<b>%1</b><table cellspacing='0'>%2</table>")
        .arg(entry.oneLine().toHtmlEscaped(), lines.join(QString()));
}

}  // namespace

RunListModel::RunListModel(Session& session, const Theme& theme, QObject* parent)
    : QAbstractListModel(parent), m_session(session), m_runs(session.runs()), m_theme(theme) {
    const RunList& runs = m_runs;
    connect(&runs, &RunList::aboutToAdd, this, [this](int row) { beginInsertRows({}, row, row); });
    connect(&runs, &RunList::added, this, [this] { endInsertRows(); });
    connect(&runs, &RunList::aboutToRemove, this, [this](int row) { beginRemoveRows({}, row, row); });
    connect(&runs, &RunList::removed, this, [this] { endRemoveRows(); });
    for (const auto signal : {&RunList::changed, &RunList::visibilityChanged, &RunList::blocksReset})
        connect(&runs, signal, this, &RunListModel::rowChanged);
    connect(&runs, &RunList::blockAdded, this, &RunListModel::rowChanged);
    connect(&runs, &RunList::blockChanged, this, &RunListModel::rowChanged);
}

void RunListModel::rowChanged(RunId id) {
    const QModelIndex changed = index(m_runs.rowOf(id));
    Q_EMIT dataChanged(changed, changed);
}

int RunListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_runs.size();
}

QString RunListModel::progressText(const study::Progress& progress) {
    QStringList parts{toQString(progress.stage)};
    if (progress.secondsLeft >= 0)
        parts += QObject::tr("%1 left").arg(durationText(progress.secondsLeft));
    if (progress.rowsPerSecond > 0)
        parts += QObject::tr("%1 rows/s").arg(count(progress.rowsPerSecond));
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

QString RunListModel::resumeText(const Session& session, const RunEntry& entry) {
    if (!session.canResume(entry))
        return {};
    return entry.kept.resumable ? tr("Resume") : tr("Start again");
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_runs.size())
        return {};
    const RunEntry& entry = m_runs.at(index.row());
    const bool running = entry.activity == Activity::Running || entry.activity == Activity::Stopping;
    switch (role) {
        case Qt::DisplayRole:
            return entry.title();
        case Qt::CheckStateRole:
            return entry.visible ? Qt::Checked : Qt::Unchecked;
        case Qt::ToolTipRole:
            return detailsOf(entry);
        case Qt::AccessibleTextRole:
            return entry.oneLine() + QStringLiteral(", ") + statusOf(entry);
        case CardDelegate::SubtitleRole:
            return running && !entry.progress.stage.empty() ? progressText(entry.progress)
                                                            : m_runs.textOf(entry);
        case CardDelegate::StatusRole:
            return statusOf(entry);
        case CardDelegate::ActionRole:
            return resumeText(m_session, entry);
        case CardDelegate::NoteRole:
            return noteOf(entry);
        case CardDelegate::ProblemRole:
            return problemOf(entry);
        case CardDelegate::ProgressRole:
            return running ? QVariant(entry.progress.fraction) : QVariant();
        case CardDelegate::LookRole:
            return QVariant::fromValue(CurveLook{.colour = m_theme.colours().curve(entry.colour),
                                                 .background = m_theme.colours().base,
                                                 .marker = markerFor(entry.run.header.activation),
                                                 .published = entry.origin == Origin::Published});
        default:
            return {};
    }
}

bool RunListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (index.isValid() && role == CardDelegate::ActionRole) {
        m_session.resume(m_runs.at(index.row()).id);
        return true;
    }
    if (!index.isValid() || role != Qt::CheckStateRole)
        return false;
    m_runs.setVisible(m_runs.at(index.row()).id, value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags RunListModel::flags(const QModelIndex& index) const {
    return QAbstractListModel::flags(index) | Qt::ItemIsUserCheckable;
}

}  // namespace straightedge::ui
