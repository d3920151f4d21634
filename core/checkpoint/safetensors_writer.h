// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensor_view.h"

namespace straightedge::checkpoint {

// Writes the tensors (name, dtype, shape and data of each; whole-byte dtypes only) into one safetensors file, whole or not
// at all. Throws Error when the place cannot be written or the disk is full.
void writeSafetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace straightedge::checkpoint
