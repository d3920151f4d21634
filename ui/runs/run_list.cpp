// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_list.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>

#include "style/colours.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

bool sameModel(const study::Run& a, const study::Run& b) {
    return toQString(a.header.model).compare(toQString(b.header.model), Qt::CaseInsensitive) == 0;
}

bool sameNumbers(const std::vector<study::BlockResult>& a, const std::vector<study::BlockResult>& b) {
    return std::ranges::equal(a, b, [](const study::BlockResult& x, const study::BlockResult& y) {
        return x.block == y.block && x.values == y.values && x.replacements == y.replacements &&
               x.folds == y.folds && x.rankCurve == y.rankCurve && x.probes == y.probes &&
               x.ceilings == y.ceilings && x.remarks == y.remarks && x.failure == y.failure;
    });
}

// Whether the block's result has this curve, so that the one that grew can go.
bool isStored(const LiveCurve& curve, const study::BlockResult& block) {
    if (curve.block != block.block)
        return false;
    if (curve.healing)
        return std::ranges::any_of(block.replacements, [&](const study::ReplacementResult& swap) {
            return study::info(swap.kind).name == curve.what && !swap.healing.empty();
        });
    return std::ranges::any_of(block.probes, [&](const study::ProbeOutcome& outcome) {
        return study::info(outcome.probe).name == curve.what;
    });
}

QString startedText(const RunEntry& entry) {
    const QDateTime started = QDateTime::fromString(toQString(entry.run.header.started), Qt::ISODate);
    return started.isValid() ? QLocale().toString(started.toLocalTime(), QLocale::ShortFormat) : QString();
}

}  // namespace

QString RunEntry::title() const {
    return name.isEmpty() ? toQString(run.header.model) : name;
}

QString RunEntry::subtitle() const {
    QString corpus = toQString(run.header.corpus);
    if (!name.isEmpty())
        corpus = toQString(run.header.model) + QStringLiteral(" · ") + corpus;
    return origin == Origin::Published ? corpus + QStringLiteral(", published") : corpus;
}

QString RunEntry::oneLine() const {
    return title() + QStringLiteral(" · ") + subtitle();
}

const study::BlockResult* RunEntry::block(int number) const {
    const auto found = std::ranges::lower_bound(run.blocks, number, {}, &study::BlockResult::block);
    return found != run.blocks.end() && found->block == number ? &*found : nullptr;
}

const LiveCurve* RunEntry::liveCurve(int block, std::string_view what, bool healing) const {
    const auto found = std::ranges::find_if(live, [&](const LiveCurve& curve) {
        return curve.block == block && curve.what == what && curve.healing == healing;
    });
    return found == live.end() ? nullptr : &*found;
}

RunId RunList::add(study::Run run, Origin origin, Activity activity, int colour) {
    auto entry = std::make_unique<RunEntry>();
    entry->origin = origin;
    entry->activity = activity;
    entry->colour = colour >= 0 ? colour : colourFor(run, origin);
    entry->run = std::move(run);
    return insert(std::move(entry));
}

RunId RunList::add(study::StoredRun stored, bool visible) {
    auto entry = std::make_unique<RunEntry>();
    entry->colour = colourFor(stored.run, Origin::Measured);
    entry->visible = visible;
    entry->kept = {std::move(stored.id), stored.resumable};
    entry->name = toQString(stored.name);
    entry->run = std::move(stored.run);
    return insert(std::move(entry));
}

RunId RunList::insert(std::unique_ptr<RunEntry> entry) {
    entry->id = ++m_last;
    Q_EMIT aboutToAdd(size());
    m_entries.push_back(std::move(entry));
    Q_EMIT added(m_last);
    return m_last;
}

// The least used colour, the first of those; but the first run of a published model takes the published one's
// colour, so that the solid curve is seen against its own dashed one.
int RunList::colourFor(const study::Run& run, Origin origin) const {
    constexpr std::size_t slots = std::tuple_size_v<decltype(Colours::series)>;
    std::array<int, slots> uses{};
    const RunEntry* published = nullptr;
    bool measuredBefore = false;
    for (const auto& entry : m_entries) {
        ++uses[static_cast<std::size_t>(entry->colour)];
        if (origin == Origin::Measured && sameModel(entry->run, run)) {
            if (entry->origin == Origin::Published)
                published = entry.get();
            else
                measuredBefore = true;
        }
    }
    if (published && !measuredBefore)
        return published->colour;
    return static_cast<int>(std::ranges::min_element(uses) - uses.begin());
}

void RunList::remove(RunId id) {
    const int row = rowOf(id);
    if (row < 0)
        return;
    Q_EMIT aboutToRemove(row);
    m_entries.erase(m_entries.begin() + row);
    Q_EMIT removed(id);
}

void RunList::setVisible(RunId id, bool visible) {
    if (RunEntry* found = entry(id); found && found->visible != visible) {
        found->visible = visible;
        Q_EMIT visibilityChanged(id);
    }
}

void RunList::rename(RunId id, const QString& name) {
    if (RunEntry* found = entry(id)) {
        found->name = name;
        Q_EMIT changed(id);
    }
}

void RunList::setKept(RunId id, const Kept& kept) {
    if (RunEntry* found = entry(id); found && found->kept != kept) {
        found->kept = kept;
        Q_EMIT changed(id);
    }
}

void RunList::restart(RunId id) {
    if (RunEntry* found = entry(id)) {
        found->activity = Activity::Waiting;
        found->run.state = study::RunState::Running;
        found->run.failure.clear();
        found->run.notes.clear();
        found->progress = {};
        found->live.clear();
        Q_EMIT changed(id);
    }
}

void RunList::start(RunId id) {
    if (RunEntry* found = entry(id)) {
        if (found->activity == Activity::Waiting)
            found->activity = Activity::Running;
        Q_EMIT changed(id);
    }
}

void RunList::setHeader(RunId id, const study::RunHeader& header) {
    if (RunEntry* found = entry(id)) {
        found->run.header = header;
        Q_EMIT changed(id);
    }
}

void RunList::setProgress(RunId id, const study::Progress& progress) {
    if (RunEntry* found = entry(id)) {
        found->progress = progress;
        Q_EMIT changed(id);
    }
}

void RunList::addBlock(RunId id, study::BlockResult block) {
    RunEntry* found = entry(id);
    if (!found)
        return;
    if (!found->run.basePpl)
        found->run.basePpl = block.values[study::Metric::BasePpl];
    std::erase_if(found->live, [&](const LiveCurve& curve) { return isStored(curve, block); });
    auto& blocks = found->run.blocks;
    const auto place = std::ranges::lower_bound(blocks, block.block, {}, &study::BlockResult::block);
    const int position = static_cast<int>(place - blocks.begin());
    if (place != blocks.end() && place->block == block.block) {
        *place = std::move(block);
        Q_EMIT blockChanged(id, position);
        return;
    }
    blocks.insert(place, std::move(block));
    Q_EMIT blockAdded(id, position);
}

void RunList::addTraining(RunId id, const CurvePoints& points) {
    RunEntry* found = entry(id);
    if (!found)
        return;
    for (const study::TrainingPoint& point : points) {
        // Curves grow one after the other: nearly always it is the last.
        const auto curve = std::find_if(found->live.rbegin(), found->live.rend(), [&](const LiveCurve& live) {
            return live.block == point.block && live.what == point.what && live.healing == point.healing;
        });
        if (curve == found->live.rend())
            found->live.push_back({point.block, point.what, point.healing, {point.point}});
        else
            curve->points.push_back(point.point);
    }
    Q_EMIT curvesGrown(id);
}

void RunList::addNote(RunId id, const std::string& note) {
    if (RunEntry* found = entry(id)) {
        found->run.notes.push_back(note);
        Q_EMIT changed(id);
    }
}

void RunList::markStopping(RunId id) {
    if (RunEntry* found = entry(id); found && found->activity == Activity::Running) {
        found->activity = Activity::Stopping;
        Q_EMIT changed(id);
    }
}

void RunList::finish(RunId id, study::Run run) {
    RunEntry* found = entry(id);
    if (!found)
        return;
    const bool asAnnounced = sameNumbers(found->run.blocks, run.blocks);
    found->run = std::move(run);
    found->activity = Activity::Done;
    found->live.clear();
    if (!asAnnounced)
        Q_EMIT blocksReset(id);
    Q_EMIT changed(id);
}

void RunList::fail(RunId id, const std::string& message) {
    if (RunEntry* found = entry(id)) {
        found->run.state = study::RunState::Failed;
        found->run.failure = message;
        found->activity = Activity::Done;
        found->live.clear();
        Q_EMIT changed(id);
    }
}

void RunList::cancelWaiting(RunId id) {
    if (RunEntry* found = entry(id)) {
        found->run.state = study::RunState::Cancelled;
        found->activity = Activity::Done;
        Q_EMIT changed(id);
    }
}

const RunEntry* RunList::find(RunId id) const {
    const int row = rowOf(id);
    return row < 0 ? nullptr : &at(row);
}

const RunEntry* RunList::findKept(const std::string& storedId) const {
    const auto found =
        std::ranges::find(m_entries, storedId, [](const auto& entry) { return entry->kept.id; });
    return storedId.empty() || found == m_entries.end() ? nullptr : found->get();
}

RunEntry* RunList::entry(RunId id) {
    const int row = rowOf(id);
    return row < 0 ? nullptr : m_entries[static_cast<std::size_t>(row)].get();
}

// Ids only grow, so the entries are sorted by them.
int RunList::rowOf(RunId id) const {
    const auto found =
        std::ranges::lower_bound(m_entries, id, {}, [](const auto& entry) { return entry->id; });
    return found != m_entries.end() && (*found)->id == id ? static_cast<int>(found - m_entries.begin()) : -1;
}

QString RunList::textOf(const RunEntry& entry) const {
    int same = 0, number = 0;
    bool sameTime = false;
    for (const auto& other : m_entries) {
        if (other->origin != entry.origin || other->name != entry.name ||
            other->run.header.model != entry.run.header.model ||
            other->run.header.corpus != entry.run.header.corpus)
            continue;
        ++same;
        number = other.get() == &entry ? same : number;
        sameTime = sameTime || (other.get() != &entry && startedText(*other) == startedText(entry));
    }
    if (same < 2)
        return entry.subtitle();
    const QString started = startedText(entry);
    return entry.subtitle() + QStringLiteral(" · ") +
           (started.isEmpty() || sameTime ? QStringLiteral("#%1").arg(number) : started);
}

bool RunList::hasMeasured() const {
    return std::ranges::any_of(m_entries,
                               [](const auto& entry) { return entry->origin == Origin::Measured; });
}

std::vector<study::Run> RunList::visibleRuns() const {
    std::vector<study::Run> runs;
    for (const auto& entry : m_entries)
        if (entry->visible && !entry->run.blocks.empty())
            runs.push_back(entry->run);
    return runs;
}

}  // namespace straightedge::ui
