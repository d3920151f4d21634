// SPDX-License-Identifier: GPL-3.0-or-later
#include "threads.h"

#include <torch/torch.h>

#include <QThread>
#include <algorithm>

namespace straightedge::study {

void useThreads(int threads) {
    at::set_num_threads(threads > 0 ? threads : std::max(1, QThread::idealThreadCount()));
}

}  // namespace straightedge::study
