// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "added_tokens.h"
#include "model.h"
#include "normalizers.h"
#include "post_processor.h"
#include "pre_tokenizers.h"
#include "tokenizer.h"

namespace straightedge::text {

// The stages of the `tokenizers` package, one after the other: added tokens, normalizer, added tokens again,
// pre-tokenizer, model, post-processor.
//
// A long text is worked through in chunks, cut between an ASCII letter and a space that a letter follows.
// Every stage says whether it treats the two sides of such a cut as it would treat them whole; when one does
// not, the text is one chunk. Hence the first ids of a long text cost no more than they must.
class Pipeline : public Tokenizer {
  public:
    struct Stages {
        std::vector<AddedToken> added = {};
        std::unique_ptr<Normalizer> normalizer = {};      // nullptr: none
        std::unique_ptr<PreTokenizer> preTokenizer = {};  // nullptr: none
        std::unique_ptr<Model> model;
        PostProcessor postProcessor = {};
        std::int64_t vocabularySize = 0;
    };
    explicit Pipeline(Stages stages);

    std::vector<TokenId> encode(std::string_view utf8, std::size_t most = everything) const override;
    std::int64_t vocabularySize() const override { return m_stages.vocabularySize; }
    std::string description() const override;

    // For tests: at least so many bytes a chunk.
    void setChunk(std::size_t bytes) { m_chunk = bytes; }
    bool cuts() const { return m_cuts; }

  private:
    struct Call;
    bool encodeChunk(std::string_view chunk, Call& call) const;
    bool encodeStretch(Stretch stretch, Call& call) const;

    Stages m_stages;
    AddedTokens m_added;
    bool m_cuts = false;
    std::size_t m_chunk = std::size_t{1} << 16U;
};

}  // namespace straightedge::text
