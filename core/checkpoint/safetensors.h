// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "mapped_file.h"
#include "tensor_view.h"

namespace straightedge::checkpoint {

struct SafetensorsHeader {
    std::size_t bytes = 0;            // of the length field and the JSON together
    std::vector<TensorView> tensors;  // by offset; views into the file
};

// Checks everything that the format promises, so that the views can be trusted. Throws Error.
SafetensorsHeader readSafetensors(const MappedFile& file);

}  // namespace straightedge::checkpoint
