// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <string>

#include "linearity/ranks.h"

namespace straightedge::study {

// The device that blocks run on, by StudySettings::device: "cpu", "cuda" or "cuda:N". Several processes share
// out the machine's by rank where none is named. Products stay float32, not TF32. Throws Error when it is not
// there.
at::Device deviceOf(const std::string& name, const linearity::Ranks& ranks);

}  // namespace straightedge::study
