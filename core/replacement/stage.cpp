// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage.h"

#include <cmath>

#include "model/operators.h"

namespace straightedge::replacement {

namespace {

using model::Activation;
using Tensors = std::span<const at::Tensor>;

at::Tensor out(const at::Tensor& tensor) {
    return tensor;  // another handle: torch's out arguments are not const
}

double inverseRoot(std::int64_t count) {
    return 1 / std::sqrt(static_cast<double>(count));
}

class Affine : public Stage {
  public:
    Affine(std::int64_t in, std::int64_t outputs, bool bias) : m_in(in), m_out(outputs), m_bias(bias) {}

    std::vector<Parameter> parameters() const override {
        const double bound = inverseRoot(m_in);
        std::vector<Parameter> all = {{"weight", {m_out, m_in}, -bound, bound}};
        if (m_bias)
            all.push_back({"bias", {m_out}, -bound, bound});
        return all;
    }

    at::Tensor forward(Tensors values, const at::Tensor& x, Kept* kept) const override {
        if (kept)
            kept->tensors = {x};
        return m_bias ? at::addmm(values[1], x, values[0].t()) : at::mm(x, values[0].t());
    }

    at::Tensor backward(Tensors values, const Kept& kept, const at::Tensor& dy, Tensors gradients,
                        bool wantInput) const override {
        at::Tensor weight = out(gradients[0]);
        at::mm_out(weight, dy.t(), kept.tensors[0]);
        if (m_bias) {
            at::Tensor bias = out(gradients[1]);
            at::sum_out(bias, dy, at::IntArrayRef{0});
        }
        return wantInput ? dy.mm(values[0]) : at::Tensor();
    }

  private:
    std::int64_t m_in, m_out;
    bool m_bias;
};

class Bilinear : public Stage {
  public:
    Bilinear(std::int64_t in, std::int64_t outputs, std::int64_t rank)
        : m_in(in), m_out(outputs), m_rank(rank) {}

    std::vector<Parameter> parameters() const override {
        constexpr double closedGate = -2;
        const double in = inverseRoot(m_in), rank = inverseRoot(m_rank);
        return {{"u", {m_rank, m_in}, -in, in},
                {"v", {m_rank, m_in}, -in, in},
                {"a", {m_out, m_rank}, -rank, rank},
                {"s", {m_out}, closedGate, closedGate}};
    }

    at::Tensor forward(Tensors values, const at::Tensor& x, Kept* kept) const override {
        const at::Tensor left = x.mm(values[0].t()), right = x.mm(values[1].t());
        const at::Tensor products = left * right;
        at::Tensor ungated = products.mm(values[2].t());
        if (!kept)
            return ungated.mul_(values[3].exp());
        kept->tensors = {x, left, right, products, ungated};
        return ungated * values[3].exp();
    }

    at::Tensor backward(Tensors values, const Kept& kept, const at::Tensor& dy, Tensors gradients,
                        bool wantInput) const override {
        const at::Tensor &x = kept.tensors[0], &left = kept.tensors[1], &right = kept.tensors[2],
                         &products = kept.tensors[3];
        const at::Tensor gate = values[3].exp();
        at::Tensor u = out(gradients[0]), v = out(gradients[1]), a = out(gradients[2]), s = out(gradients[3]);
        at::sum_out(s, dy * kept.tensors[4], at::IntArrayRef{0});
        s.mul_(gate);
        const at::Tensor ungated = dy * gate;
        at::mm_out(a, ungated.t(), products);
        const at::Tensor dProducts = ungated.mm(values[2]);
        const at::Tensor dLeft = dProducts * right, dRight = dProducts * left;
        at::mm_out(u, dLeft.t(), x);
        at::mm_out(v, dRight.t(), x);
        return wantInput ? dLeft.mm(values[0]).addmm_(dRight, values[1]) : at::Tensor();
    }

  private:
    std::int64_t m_in, m_out, m_rank;
};

class ActivationOf : public Stage {
  public:
    ActivationOf(Activation activation, bool gated) : m_activation(activation), m_gated(gated) {}

    at::Tensor forward(Tensors, const at::Tensor& x, Kept* kept) const override {
        if (kept)
            kept->tensors = {x};
        return model::activated(x, m_activation, m_gated);
    }

    at::Tensor backward(Tensors, const Kept& kept, const at::Tensor& dy, Tensors,
                        bool wantInput) const override {
        if (!wantInput)
            return {};
        const at::Tensor& x = kept.tensors[0];
        if (!m_gated)
            return derivative(dy, x);
        at::Tensor dx = at::empty_like(x);
        gate(dx).copy_(derivative(dy * up(x), gate(x)));
        up(dx).copy_(dy * model::activated(gate(x), m_activation));
        return dx;
    }

  private:
    at::Tensor gate(const at::Tensor& x) const { return m_gated ? x.narrow(1, 0, x.size(1) / 2) : x; }
    static at::Tensor up(const at::Tensor& x) { return x.narrow(1, x.size(1) / 2, x.size(1) / 2); }

    at::Tensor derivative(const at::Tensor& dy, const at::Tensor& x) const {
        switch (m_activation) {
            case Activation::Gelu:
                return at::gelu_backward(dy, x, "none");
            case Activation::GeluTanh:
                return at::gelu_backward(dy, x, "tanh");
            case Activation::Relu:
                return at::threshold_backward(dy, x, 0);
            case Activation::Silu:
                return at::silu_backward(dy, x);
        }
        TORCH_CHECK(false, "an activation without a derivative");
    }

    Activation m_activation;
    bool m_gated;
};

class Sum : public Stage {
  public:
    Sum(std::shared_ptr<const Stage> first, std::shared_ptr<const Stage> second)
        : m_first(std::move(first)), m_second(std::move(second)), m_split(m_first->parameters().size()) {}

    std::vector<Parameter> parameters() const override {
        std::vector<Parameter> all = m_first->parameters();
        for (Parameter& parameter : m_second->parameters())
            all.push_back(std::move(parameter));
        return all;
    }

    at::Tensor forward(Tensors values, const at::Tensor& x, Kept* kept) const override {
        if (kept)
            kept->parts.resize(2);
        at::Tensor y = m_first->forward(values.first(m_split), x, kept ? &kept->parts[0] : nullptr);
        return y.add_(m_second->forward(values.subspan(m_split), x, kept ? &kept->parts[1] : nullptr));
    }

    at::Tensor backward(Tensors values, const Kept& kept, const at::Tensor& dy, Tensors gradients,
                        bool wantInput) const override {
        const at::Tensor first =
            m_first->backward(values.first(m_split), kept.parts[0], dy, gradients.first(m_split), wantInput);
        const at::Tensor second = m_second->backward(values.subspan(m_split), kept.parts[1], dy,
                                                     gradients.subspan(m_split), wantInput);
        return wantInput ? first + second : at::Tensor();
    }

  private:
    std::shared_ptr<const Stage> m_first, m_second;
    std::size_t m_split;
};

}  // namespace

std::shared_ptr<const Stage> affineStage(std::int64_t in, std::int64_t outputs, bool bias) {
    return std::make_shared<Affine>(in, outputs, bias);
}

std::shared_ptr<const Stage> bilinearStage(std::int64_t in, std::int64_t outputs, std::int64_t rank) {
    return std::make_shared<Bilinear>(in, outputs, rank);
}

std::shared_ptr<const Stage> activationStage(model::Activation activation, bool gated) {
    return std::make_shared<ActivationOf>(activation, gated);
}

std::shared_ptr<const Stage> sumStage(std::shared_ptr<const Stage> first,
                                      std::shared_ptr<const Stage> second) {
    return std::make_shared<Sum>(std::move(first), std::move(second));
}

}  // namespace straightedge::replacement
