// SPDX-License-Identifier: GPL-3.0-or-later
// The session of a program that is built without MPI.
#include <torch/torch.h>

#include <QThread>

#include "error.h"
#include "launcher.h"
#include "linearity/ranks.h"
#include "session.h"

namespace straightedge::cluster {

struct Session::State {};

Session::Session() {
    if (const int count = launched(); count > 1)
        throw Error({.what = "this program cannot share a run between processes",
                     .expected = "a build with -DSTRAIGHTEDGE_MPI=ON",
                     .found = std::to_string(count) + " processes started together, and a build without MPI",
                     .advice = "build it with MPI (README, \"On a cluster\"), or start it once"});
}

Session::~Session() = default;

const linearity::Ranks& Session::ranks() const {
    return linearity::Ranks::alone();
}

bool Session::alone() const {
    return true;
}

bool Session::isFirst() const {
    return true;
}

int Session::threads() const {
    return std::max(1, QThread::idealThreadCount());
}

void Session::abort(const std::string&, int exitCode) const {
    std::exit(exitCode);
}

}  // namespace straightedge::cluster
