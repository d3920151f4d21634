// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

namespace straightedge::cluster {

// How many processes a launcher has started together, by what it puts into their environment: Open MPI's and
// MPICH's mpirun, Slurm's srun. 1 without one.
inline int launched() {
    int most = 1;
    for (const char* name : std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
        if (const char* value = std::getenv(name))
            most = std::max(most, std::atoi(value));
    return most;
}

}  // namespace straightedge::cluster
