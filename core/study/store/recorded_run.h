// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <string>

#include "store.h"
#include "study/measure.h"

namespace straightedge::study {

// measure(), with its header, every block and its end written to the store as they come, a failure too.
// `store` belongs to the calling thread. `id`, when given, is the run's before anything is measured; it is
// empty where the store could not take the run. A store that fails costs a note, not the run.
Run measureRecorded(const StudySettings& settings, Store& store, std::stop_token stop, Observer& observer,
                    std::string* id = nullptr, const linearity::Ranks* ranks = nullptr);

// Goes on with a run of the store that was broken off, from where it stopped; from the beginning where the
// state is gone or the model, the text or the program has changed. Throws Error while it runs elsewhere.
Run resumeRecorded(const std::string& id, Store& store, std::stop_token stop, Observer& observer);

}  // namespace straightedge::study
