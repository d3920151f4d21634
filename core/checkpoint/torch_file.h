// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "tensor_view.h"

namespace straightedge::checkpoint {

class MappedFile;

// A state dict that torch.save wrote (pytorch_model.bin): tensors over the mapped file.
struct TorchFile {
    std::size_t headerBytes = 0;  // of the file: what comes before the data
    std::vector<TensorView> tensors = {};
    // The data of tensors whose elements do not lie in the order of their shape, such as transposed ones.
    std::vector<std::vector<std::byte>> copies = {};
};

// Reads both of PyTorch's formats: the ZIP archive and the pickles of before version 1.6. Runs no code of the
// file. Throws Error for anything else than a flat dictionary of tensors, and for data outside the file.
TorchFile readTorchFile(const MappedFile& file);

}  // namespace straightedge::checkpoint
