// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernel_ridge.h"

#include <limits>

namespace straightedge::linearity {

namespace {

constexpr std::int64_t chunkRows = 512;

double real(std::int64_t count) {
    return static_cast<double>(count);
}

// Calls with consecutive ranges of at most chunkRows.
template <typename Call>
void inChunks(RowRange rows, const Call& call) {
    for (std::int64_t row = rows.first; row < rows.end(); row += chunkRows)
        call(row, std::min(chunkRows, rows.end() - row));
}

// out [a, b] = kernel of the rows of za and zb.
void kernelOf(const at::Tensor& za, const at::Tensor& zb, int degree, const at::Tensor& out) {
    out.fill_(1);
    out.addmm_(za, zb.t(), 1, 1 / real(za.size(1)));
    out.pow_(degree);
}

// Of the kernel, one value a row.
at::Tensor kernelDiagonal(const KernelRows& rows, RowRange range) {
    return (1 + rows.z.narrow(0, range.first, range.count).square().sum(1) / real(rows.z.size(1)))
        .pow(rows.degree);
}

double kernelWork(const KernelRows& rows, std::int64_t a, std::int64_t b) {
    return 2 * real(a) * real(b) * real(rows.z.size(1));
}

class Exact : public KernelRidge {
  public:
    Exact(KernelRows rows, Worked worked) : m_rows(std::move(rows)), m_worked(std::move(worked)) {}

    double setUpWork() const override { return kernelWork(m_rows, m_rows.head, m_rows.head) / 2; }

    void setUp() override {
        const std::int64_t head = m_rows.head;
        m_matrix = at::empty({head, head}, at::kDouble);
        inChunks({0, head}, [&](std::int64_t row, std::int64_t count) {  // on and above the diagonal
            kernelOf(m_rows.z.narrow(0, row, count), m_rows.z.narrow(0, row, head - row), m_rows.degree,
                     m_matrix.narrow(0, row, count).narrow(1, row, head - row));
            m_worked(setUpWork() * real(count) / real(head));
        });
    }

    double work(RowRange train, RowRange held, bool) const override {
        const std::int64_t e = m_rows.targets.size(1);
        return factorWork(train.count) + solveWork(train.count, e) + predictWork(train, held);
    }

    at::Tensor leftOver(RowRange train, RowRange held, double ridge) override {
        const at::Tensor matrix =
            m_matrix.narrow(0, train.first, train.count).narrow(1, train.first, train.count);
        at::Tensor diagonal = kernelDiagonal(m_rows, train);
        diagonal = diagonal + ridge * diagonal.mean();
        if (!factorBelow(matrix, diagonal, m_worked))
            return {};
        const at::Tensor weights = m_rows.targets.narrow(0, train.first, train.count).clone();
        solveBelow(matrix, weights, m_worked);

        at::Tensor left = m_rows.targets.narrow(0, held.first, held.count).clone();
        const at::Tensor buffer = at::empty({std::min(chunkRows, held.count), train.count}, at::kDouble);
        inChunks(held, [&](std::int64_t row, std::int64_t count) {
            const at::Tensor kernel = buffer.narrow(0, 0, count);
            kernelOf(m_rows.z.narrow(0, row, count), m_rows.z.narrow(0, train.first, train.count),
                     m_rows.degree, kernel);
            left.narrow(0, row - held.first, count).addmm_(kernel, weights, 1, -1);
            m_worked(predictWork(train, held) * real(count) / real(held.count));
        });
        return left;
    }

    std::int64_t landmarks() const override { return 0; }

  private:
    double predictWork(RowRange train, RowRange held) const {
        return kernelWork(m_rows, train.count, held.count) +
               2 * real(train.count) * real(held.count) * real(m_rows.targets.size(1));
    }

    KernelRows m_rows;
    Worked m_worked;
    at::Tensor m_matrix;  // [head, head]; the factor of the rows trained on last lies below its diagonal
};

class Nystroem : public KernelRidge {
  public:
    Nystroem(KernelRows rows, std::int64_t landmarks, std::uint64_t seed, Worked worked)
        : m_rows(std::move(rows)),
          m_landmarks(std::min(landmarks, m_rows.head)),
          m_seed(seed),
          m_worked(std::move(worked)) {}

    double setUpWork() const override {
        return kernelWork(m_rows, m_landmarks, m_landmarks) + factorWork(m_landmarks);
    }

    void setUp() override {
        const at::Generator generator = at::detail::createCPUGenerator(m_seed);
        const at::Tensor chosen =
            std::get<0>(at::randperm(m_rows.head, generator, at::kLong).narrow(0, 0, m_landmarks).sort());
        m_points = m_rows.z.index_select(0, chosen);
        m_root = at::empty({m_landmarks, m_landmarks}, at::kDouble);
        kernelOf(m_points, m_points, m_rows.degree, m_root);
        m_worked(kernelWork(m_rows, m_landmarks, m_landmarks));
        const at::Tensor diagonal = m_root.diagonal().clone();
        // The least that keeps a kernel of low rank positive definite; it lowers the approximation by as
        // little.
        double jitter = 1e-13 * real(m_landmarks) * diagonal.mean().item<double>();
        while (!factorBelow(m_root, diagonal + jitter, [](double) {}) &&
               jitter < diagonal.mean().item<double>())
            jitter *= 10;
        m_root.tril_();
        m_worked(factorWork(m_landmarks));
        m_normal = at::empty_like(m_root);
    }

    double work(RowRange train, RowRange held, bool known) const override {
        const std::int64_t e = m_rows.targets.size(1);
        return (known ? 0 : gatherWork(train)) + factorWork(m_landmarks) + solveWork(m_landmarks, e) +
               featureWork(held.count) + 2 * real(m_landmarks) * real(held.count) * real(e);
    }

    at::Tensor leftOver(RowRange train, RowRange held, double ridge) override {
        if (train.first != m_known.first || train.count != m_known.count)
            gather(train);
        const at::Tensor diagonal = m_diagonal + ridge * kernelDiagonal(m_rows, train).mean();
        if (!factorBelow(m_normal, diagonal, m_worked))
            return {};
        const at::Tensor weights = m_products.clone();
        solveBelow(m_normal, weights, m_worked);

        const at::Tensor left = m_rows.targets.narrow(0, held.first, held.count).clone();
        inChunks(held, [&](std::int64_t row, std::int64_t count) {
            left.narrow(0, row - held.first, count).addmm_(features(row, count), weights, 1, -1);
            m_worked(featureWork(count) + 2 * real(m_landmarks) * real(count) * real(left.size(1)));
        });
        return left;
    }

    std::int64_t landmarks() const override { return m_landmarks; }

  private:
    double featureWork(std::int64_t count) const {
        return kernelWork(m_rows, count, m_landmarks) + real(count) * real(m_landmarks) * real(m_landmarks);
    }
    double gatherWork(RowRange train) const {
        return featureWork(train.count) +
               2 * real(train.count) * real(m_landmarks) * real(m_landmarks + m_rows.targets.size(1));
    }

    // Phi of some rows, [count, m].
    at::Tensor features(std::int64_t row, std::int64_t count) const {
        const at::Tensor kernel = at::empty({count, m_landmarks}, at::kDouble);
        kernelOf(m_rows.z.narrow(0, row, count), m_points, m_rows.degree, kernel);
        return at::linalg_solve_triangular(m_root.t(), kernel, /*upper=*/true, /*left=*/false);
    }

    // The normal equations of the rows trained on.
    void gather(RowRange train) {
        m_normal.zero_();
        m_products = at::zeros({m_landmarks, m_rows.targets.size(1)}, at::kDouble);
        inChunks(train, [&](std::int64_t row, std::int64_t count) {
            const at::Tensor phi = features(row, count);
            m_normal.addmm_(phi.t(), phi);
            m_products.addmm_(phi.t(), m_rows.targets.narrow(0, row, count));
            m_worked(gatherWork(train) * real(count) / real(train.count));
        });
        m_diagonal = m_normal.diagonal().clone();
        m_known = train;
    }

    KernelRows m_rows;
    std::int64_t m_landmarks;
    std::uint64_t m_seed;
    Worked m_worked;
    at::Tensor m_points;              // [m, d]
    at::Tensor m_root;                // L
    at::Tensor m_normal, m_diagonal;  // Phi^T Phi above the diagonal, the factor below; its diagonal
    at::Tensor m_products;            // Phi^T targets
    RowRange m_known;                 // whose they are
};

}  // namespace

std::unique_ptr<KernelRidge> exactKernelRidge(KernelRows rows, Worked worked) {
    return std::make_unique<Exact>(std::move(rows), std::move(worked));
}

std::unique_ptr<KernelRidge> nystroemKernelRidge(KernelRows rows, std::int64_t landmarks, std::uint64_t seed,
                                                 Worked worked) {
    return std::make_unique<Nystroem>(std::move(rows), landmarks, seed, std::move(worked));
}

}  // namespace straightedge::linearity
