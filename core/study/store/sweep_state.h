// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <array>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/row_store.h"
#include "rows_file.h"

namespace straightedge::study {

// All there is of a sweep at a block's boundary: with it a broken-off run goes on, to the last digit.
struct SweepState {
    int nextBlock = 0;   // the first one not passed yet
    at::Tensor capture;  // hidden states of the capture windows, [n, d]; undefined when no longer needed
    std::vector<at::Tensor> evaluation;  // of SwappedWalk on the evaluation windows; empty without perplexity
    std::vector<at::Tensor>
        tail;  // of SwappedWalk on the capture tail's windows; empty when no power is to be chosen
};

// Keeps a sweep's states in files of a folder, where they live: the rows are mapped from there, so that
// however many variants there are, memory holds those under way. Three files take turns: one is read, one is
// written, and one is what a broken-off run finds; a note beside them, written whole or not at all once the
// rows are safely on the disk, says which.
class SweepStateFiles : public model::RowStore {
  public:
    explicit SweepStateFiles(const std::filesystem::path& folder);
    ~SweepStateFiles() override;  // waits for what is being written

    // Of the next state. In memory when the disk has no room: then save() says so.
    at::Tensor rows(std::int64_t n, std::int64_t d) override;
    void settle(const at::Tensor& rows) override;

    // Makes `state`, all of its rows made by rows() since the last call, the one to go on from, in the
    // background. `fingerprint` says what it belongs to (model, text, settings). Throws Error when it, or the
    // one before, cannot be written.
    void save(const SweepState& state, const std::string& fingerprint);
    // Empty where there is none, or where it is damaged or belongs to something else.
    std::optional<SweepState> load(const std::string& fingerprint);
    void remove();

  private:
    void finishWriting();
    RowsFile& opened(int file);

    std::filesystem::path m_folder;
    std::array<std::shared_ptr<RowsFile>, 3> m_files;  // open and as large as they have grown
    int m_next = 0;                                    // the one that rows() writes
    std::int64_t m_used = 0;                           // bytes of it
    std::map<const void*, std::int64_t> m_places;      // where in it the rows made there begin
    std::string m_trouble;                             // why no more rows can be made there
    std::future<void> m_writing;                       // reads nothing of this object but its folder
};

}  // namespace straightedge::study
