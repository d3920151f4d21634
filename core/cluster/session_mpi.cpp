// SPDX-License-Identifier: GPL-3.0-or-later
// The session of a program that is built with MPI.
#include <mpi.h>
#include <torch/torch.h>

#include <QThread>
#include <algorithm>
#include <iostream>
#include <thread>

#include "error.h"
#include "launcher.h"
#include "linearity/compensated_sum.h"
#include "session.h"

namespace straightedge::cluster {

namespace {

constexpr std::int64_t piece = std::int64_t{1} << 28;  // elements a call, which MPI counts by int

void check(int code, const char* what) {
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Error({.what = std::string("ranks cannot ") + what,
                 .found = std::string(text, static_cast<std::size_t>(length))});
}

// MPI's user function: adds pairs of float64 (compensated_sum.h).
void addPairs(void* from, void* to, int* count, MPI_Datatype*) {
    const auto* terms = static_cast<const double*>(from);
    auto* sums = static_cast<double*>(to);
    for (std::int64_t i = 0; i < 2 * std::int64_t{*count}; i += 2) {
        linearity::addTo(sums[i], sums[i + 1], terms[i]);
        sums[i + 1] += terms[i + 1];
    }
}

class MpiRanks : public linearity::Ranks {
  public:
    MpiRanks() {
        // A failed exchange is reported as any other error is.
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        check(MPI_Comm_rank(MPI_COMM_WORLD, &m_rank), "be told apart");
        check(MPI_Comm_size(MPI_COMM_WORLD, &m_count), "be counted");
        MPI_Comm neighbours;
        check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours),
              "find their neighbours");
        MPI_Comm_size(neighbours, &m_onThisMachine);
        MPI_Comm_free(&neighbours);
        check(MPI_Type_contiguous(2, MPI_DOUBLE, &m_pair), "describe a pair");
        MPI_Type_commit(&m_pair);
        check(MPI_Op_create(addPairs, /*commute=*/1, &m_addPairs), "define how pairs are added");
    }
    ~MpiRanks() override {
        MPI_Op_free(&m_addPairs);
        MPI_Type_free(&m_pair);
    }
    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;

    int rank() const override { return m_rank; }
    int count() const override { return m_count; }
    int onThisMachine() const { return m_onThisMachine; }

    void sum(const std::vector<at::Tensor>& values) const override {
        for (const at::Tensor& each : values)
            reduce(each, each.numel(), each.scalar_type() == at::kDouble ? MPI_DOUBLE : MPI_INT64_T, 8,
                   MPI_SUM);
    }

    void sumPairs(const at::Tensor& pairs) const override {
        reduce(pairs, pairs.size(0), m_pair, 16, m_addPairs);
    }

    at::Tensor gather(const at::Tensor& rows) const override {
        const at::Tensor mine = rows.contiguous();
        std::vector<int> counts(static_cast<std::size_t>(m_count)), before(counts.size());
        const int here = static_cast<int>(mine.size(0));
        check(MPI_Allgather(&here, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD),
              "count their rows");
        for (std::size_t i = 1; i < counts.size(); ++i)
            before[i] = before[i - 1] + counts[i - 1];
        std::vector<std::int64_t> shape = mine.sizes().vec();
        shape[0] = before.back() + counts.back();
        at::Tensor all = at::empty(shape, mine.options());
        std::int64_t bytes = static_cast<std::int64_t>(mine.element_size());
        for (std::size_t i = 1; i < shape.size(); ++i)
            bytes *= shape[i];
        MPI_Datatype row;  // counted by rows: bytes are more than an int can say
        check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &row), "describe a row");
        MPI_Type_commit(&row);
        const int code = MPI_Allgatherv(mine.const_data_ptr(), here, row, all.mutable_data_ptr(),
                                        counts.data(), before.data(), row, MPI_COMM_WORLD);
        MPI_Type_free(&row);
        check(code, "gather their rows");
        return all;
    }

  private:
    // To the first and from there to all, so that all have the same bits.
    void reduce(const at::Tensor& values, std::int64_t numbers, MPI_Datatype type, std::int64_t bytes,
                MPI_Op operation) const {
        auto* data = static_cast<std::byte*>(values.mutable_data_ptr());
        for (std::int64_t first = 0; first < numbers; first += piece) {
            const int count = static_cast<int>(std::min(piece, numbers - first));
            std::byte* at = data + first * bytes;
            check(MPI_Reduce(m_rank == 0 ? MPI_IN_PLACE : at, at, count, type, operation, 0, MPI_COMM_WORLD),
                  "add up their sums");
            check(MPI_Bcast(at, count, type, 0, MPI_COMM_WORLD), "share a sum");
        }
    }

    int m_rank = 0, m_count = 1, m_onThisMachine = 1;
    MPI_Datatype m_pair = MPI_DATATYPE_NULL;
    MPI_Op m_addPairs = MPI_OP_NULL;
};

}  // namespace

struct Session::State {
    std::unique_ptr<MpiRanks> ranks;
};

// Without a launcher MPI is left alone: on a cluster's front end it may not start at all.
Session::Session() : m_state(std::make_unique<State>()) {
    if (launched() <= 1)
        return;
    int given = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        throw Error({.what = "MPI does not start"});
    m_state->ranks = std::make_unique<MpiRanks>();
    if (m_state->ranks->count() == 1)
        throw Error({.what = "the processes that were started together do not find each other",
                     .expected = std::to_string(launched()) + " ranks",
                     .found = "1",
                     .advice = "start them with the launcher of the MPI that the program was built with"});
}

Session::~Session() {
    if (!m_state->ranks)
        return;
    m_state->ranks.reset();
    MPI_Finalize();
}

const linearity::Ranks& Session::ranks() const {
    return m_state->ranks ? *m_state->ranks : linearity::Ranks::alone();
}

bool Session::alone() const {
    return !m_state->ranks;
}

bool Session::isFirst() const {
    return ranks().rank() == 0;
}

int Session::threads() const {
    const int mine = std::max(1, QThread::idealThreadCount());
    if (alone())
        return mine;
    const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return std::max(1, std::min(mine, all / m_state->ranks->onThisMachine()));
}

void Session::abort(const std::string& message, int exitCode) const {
    std::cerr << "straightedge: rank " + std::to_string(ranks().rank()) + ": " + message + '\n' << std::flush;
    MPI_Abort(MPI_COMM_WORLD, exitCode);
    std::exit(exitCode);
}

}  // namespace straightedge::cluster
