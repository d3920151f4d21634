// SPDX-License-Identifier: GPL-3.0-or-later
#include "device.h"

#include <charconv>

#include "error.h"

namespace straightedge::study {

namespace {

constexpr std::string_view cuda = "cuda";

[[noreturn]] void refuse(const std::string& name) {
    throw Error({.what = "the device is not known",
                 .expected = "cpu, cuda, or one of several as cuda:1",
                 .found = "\"" + name + "\""});
}

// The number behind "cuda:", or -1.
int numberOf(const std::string& name) {
    const std::string_view rest = std::string_view(name).substr(cuda.size());
    if (rest.empty())
        return -1;
    int number = -1;
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), number);
    if (rest[0] != ':' || rest.size() < 2 || error != std::errc() || end != rest.data() + rest.size() ||
        number < 0)
        refuse(name);
    return number;
}

}  // namespace

at::Device deviceOf(const std::string& name, const linearity::Ranks& ranks) {
    if (name.empty() || name == "cpu")
        return at::kCPU;
    if (!name.starts_with(cuda))
        refuse(name);
    const int number = numberOf(name);
    if (!at::hasCUDA())
        throw Error({.what = "CUDA cannot be used",
                     .expected = "a LibTorch with CUDA, and a GPU that its driver knows",
                     .found = "a LibTorch for the processor, or no GPU",
                     .advice = "leave out --device, or build with a LibTorch that has CUDA "
                               "(CMAKE_PREFIX_PATH names its folder)"});
    const auto count = static_cast<int>(torch::cuda::device_count());
    if (number >= count)
        throw Error({.what = "there is no such GPU",
                     .expected = "cuda:0 to cuda:" + std::to_string(count - 1),
                     .found = name});
    at::globalContext().setAllowTF32CuBLAS(false);
    const int chosen = number >= 0 ? number : ranks.rank() % count;
    return {at::kCUDA, static_cast<c10::DeviceIndex>(chosen)};
}

}  // namespace straightedge::study
