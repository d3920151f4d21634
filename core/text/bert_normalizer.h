// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "normalizers.h"

namespace straightedge::text {

// BERT's cleaning: control characters go, Chinese characters get spaces around them, accents and capitals go.
std::unique_ptr<Normalizer> makeBertNormalizer(const JsonPart& part);

}  // namespace straightedge::text
