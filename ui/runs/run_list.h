// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <vector>

#include "study/measure.h"
#include "study/run.h"
#include "study/store/store.h"

namespace straightedge::ui {

// Names a run for as long as the program lives; never given twice, so late news of an old run cannot reach a
// new one.
using RunId = quint64;

// One point of a curve, one row of the table.
struct PointId {
    RunId run = 0;
    int block = -1;
    auto operator<=>(const PointId&) const = default;
};

enum class Origin { Published, Measured };
enum class Activity { Waiting, Running, Stopping, Done };

// Where a run is kept.
struct Kept {
    std::string id;          // in the store; empty: nowhere
    bool resumable = false;  // broken off, with the state to go on from
    bool operator==(const Kept&) const = default;
};

using CurvePoints = std::vector<study::TrainingPoint>;

// A curve that grows while a layer is trained; the block's result brings it whole once it is there.
struct LiveCurve {
    int block = -1;
    std::string_view what;  // as of TrainingPoint
    bool healing = false;
    std::vector<study::CurvePoint> points;
};

struct RunEntry {
    RunId id = 0;
    Origin origin = Origin::Measured;
    Activity activity = Activity::Done;
    study::Run run;
    study::Progress progress;
    std::vector<LiveCurve> live;  // of the block under way
    bool visible = true;
    int colour = 0;  // a slot of Colours::series
    Kept kept;
    QString name;  // the reader's, may be empty

    bool isActive() const { return activity != Activity::Done; }
    QString title() const;     // the reader's name, else the model
    QString subtitle() const;  // the text, and where the numbers are from
    QString oneLine() const;   // "gpt2 · wikitext-2, published"
    const study::BlockResult* block(int number) const;
    const LiveCurve* liveCurve(int block, std::string_view what, bool healing) const;
};

// The runs in memory, in the order in which they came: published ones and measured ones. Lives on the
// window's thread.
class RunList : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    // Without a `colour`, the list gives one.
    RunId add(study::Run run, Origin origin, Activity activity = Activity::Done, int colour = -1);
    RunId add(study::StoredRun stored, bool visible = true);
    void remove(RunId id);
    void setVisible(RunId id, bool visible);
    void rename(RunId id, const QString& name);
    void setKept(RunId id, const Kept& kept);
    // Of a run that was broken off: it waits to go on.
    void restart(RunId id);

    // What a measurement reports. A run that is no longer there is passed over.
    void start(RunId id);
    void setHeader(RunId id, const study::RunHeader& header);
    void setProgress(RunId id, const study::Progress& progress);
    void addBlock(RunId id, study::BlockResult block);  // or what more is known of it
    void addTraining(RunId id, const CurvePoints& points);
    void addNote(RunId id, const std::string& note);
    void markStopping(RunId id);
    void finish(RunId id, study::Run run);
    void fail(RunId id, const std::string& message);
    void cancelWaiting(RunId id);

    int size() const { return static_cast<int>(m_entries.size()); }
    const RunEntry& at(int row) const { return *m_entries[static_cast<std::size_t>(row)]; }
    const RunEntry* find(RunId id) const;
    const RunEntry* findKept(const std::string& storedId) const;
    int rowOf(RunId id) const;  // -1: none
    bool hasMeasured() const;
    // The subtitle, and when it was started or its number where another run here has the same names.
    QString textOf(const RunEntry& entry) const;
    std::vector<study::Run> visibleRuns() const;  // those with something to show, copied

  Q_SIGNALS:
    void aboutToAdd(int row);
    void added(RunId id);
    void aboutToRemove(int row);
    void removed(RunId id);
    void blockAdded(RunId id, int position);    // into run.blocks
    void blockChanged(RunId id, int position);  // more is known of it
    void curvesGrown(RunId id);                 // of the block under way
    void blocksReset(RunId id);                 // other blocks than were announced
    void changed(RunId id);                     // header, state, progress or notes
    void visibilityChanged(RunId id);

  private:
    RunId insert(std::unique_ptr<RunEntry> entry);
    RunEntry* entry(RunId id);
    int colourFor(const study::Run& run, Origin origin) const;

    std::vector<std::unique_ptr<RunEntry>> m_entries;
    RunId m_last = 0;
};

}  // namespace straightedge::ui
