// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

namespace straightedge::linearity {
class Ranks;
}

// The processes that mpirun or srun has started together, when the program is built with MPI.
namespace straightedge::cluster {

// From the start of the shared work to its end; one in a process. Alone when no launcher has started it.
class Session {
  public:
    // Throws Error when a launcher has started several and the program was built without MPI.
    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const linearity::Ranks& ranks() const;
    bool alone() const;
    bool isFirst() const;  // the one that reads and writes what is not shared
    // Of the processors that this process may use, those that are not another rank's on the same machine.
    int threads() const;
    // Ends the job on all ranks, with this rank's message. Only where not alone.
    [[noreturn]] void abort(const std::string& message, int exitCode) const;

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace straightedge::cluster
