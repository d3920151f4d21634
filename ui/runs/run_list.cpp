// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_list.h"

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
        return x.block == y.block && x.values == y.values && x.failure == y.failure;
    });
}

}  // namespace

QString RunEntry::title() const {
    return toQString(run.header.model);
}

QString RunEntry::subtitle() const {
    const QString corpus = toQString(run.header.corpus);
    return origin == Origin::Published ? corpus + QStringLiteral(", published") : corpus;
}

QString RunEntry::oneLine() const {
    return title() + QStringLiteral(" · ") + subtitle();
}

const study::BlockResult* RunEntry::block(int number) const {
    const auto found = std::ranges::lower_bound(run.blocks, number, {}, &study::BlockResult::block);
    return found != run.blocks.end() && found->block == number ? &*found : nullptr;
}

RunId RunList::add(study::Run run, Origin origin, Activity activity, int colour) {
    auto entry = std::make_unique<RunEntry>();
    entry->id = ++m_last;
    entry->origin = origin;
    entry->activity = activity;
    entry->colour = colour >= 0 ? colour : colourFor(run, origin);
    entry->run = std::move(run);
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
    auto& blocks = found->run.blocks;
    const auto place = std::ranges::upper_bound(blocks, block.block, {}, &study::BlockResult::block);
    const auto inserted = blocks.insert(place, std::move(block));
    Q_EMIT blockAdded(id, static_cast<int>(inserted - blocks.begin()));
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
    if (!asAnnounced)
        Q_EMIT blocksReset(id);
    Q_EMIT changed(id);
}

void RunList::fail(RunId id, const std::string& message) {
    if (RunEntry* found = entry(id)) {
        found->run.state = study::RunState::Failed;
        found->run.failure = message;
        found->activity = Activity::Done;
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
