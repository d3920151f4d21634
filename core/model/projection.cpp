// SPDX-License-Identifier: GPL-3.0-or-later
#include "projection.h"

#include <ATen/core/dispatch/Dispatcher.h>

namespace straightedge::model {

namespace {

// LibTorch has these products as operators only, registered where it was built with oneDNN.
using Pack = at::Tensor(const at::Tensor& weight, std::optional<c10::SymInt> rows);
using Product = at::Tensor(const at::Tensor& in, const at::Tensor& packed,
                           const std::optional<at::Tensor>& bias, std::string_view activation,
                           c10::List<std::optional<at::Scalar>> scalars,
                           std::optional<std::string_view> algorithm);

struct Operators {
    std::optional<c10::TypedOperatorHandle<Pack>> pack;
    std::optional<c10::TypedOperatorHandle<Product>> product;
};

const Operators& operators() {
    static const Operators found = [] {
        Operators all;
        auto& dispatcher = c10::Dispatcher::singleton();
        const auto pack = dispatcher.findSchema({"mkldnn::_reorder_linear_weight", ""});
        const auto product = dispatcher.findSchema({"mkldnn::_linear_pointwise", ""});
        if (pack && product && at::hasMKLDNN()) {
            all.pack = pack->typed<Pack>();
            all.product = product->typed<Product>();
        }
        return all;
    }();
    return found;
}

}  // namespace

void pack(Linear& linear, std::int64_t rows) {
    if (!operators().pack || linear.packed.defined() || !linear.weight.is_cpu())
        return;
    linear.packed = operators().pack->call(linear.weight, rows);
    linear.weight = at::Tensor();
}

Linear unpacked(const Linear& linear) {
    return linear.packed.defined() ? Linear{linear.packed.to_dense(), linear.bias} : linear;
}

Linear Linear::on(at::Device device) const {
    if (where() == device)
        return *this;
    const Linear plain = unpacked(*this);
    return {moved(plain.weight, device), moved(plain.bias, device)};
}

at::Tensor project(const at::Tensor& in, const Linear& linear, at::Tensor out) {
    if (linear.packed.defined())
        return operators().product->call(in, linear.packed,
                                         linear.bias.defined() ? std::optional(linear.bias) : std::nullopt,
                                         "none", c10::List<std::optional<at::Scalar>>(), "");
    if (linear.bias.defined())
        at::addmm_out(out, linear.bias, in, linear.weight.t());
    else
        at::mm_out(out, in, linear.weight.t());
    return out;
}

}  // namespace straightedge::model
