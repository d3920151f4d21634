// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_json.h"

#include <cmath>
#include <concepts>
#include <utility>

#include "checkpoint/mapped_file.h"
#include "error.h"

namespace straightedge::study {

namespace {

using nlohmann::json, nlohmann::ordered_json;

// --- which name stands for which field: said once, for both directions

template <typename T, typename Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

template <typename T>
concept Described = Is<T, StudySettings> || Is<T, CurvePoint> || Is<T, ProbeOutcome> ||
    Is<T, CeilingOutcome> || Is<T, ReplacementResult> || Is<T, BlockResult> || Is<T, RunHeader> || Is<T, Run>;

void describe(auto& fields, Is<StudySettings> auto& settings) {
    fields("model", settings.model);
    fields("corpus", settings.corpus);
    fields("evaluation_corpus", settings.evaluationCorpus);
    fields("tokens", settings.tokens);
    fields("seq_len", settings.seqLen);
    fields("blocks", settings.blocks);
    fields("threads", settings.threads);
    fields("device", settings.device);
    fields("perplexity", settings.perplexity);
    fields("evaluation_batches", settings.evaluationBatches);
    fields("balanced", settings.balanced);
    fields("switched", settings.switched);
    fields("folds", settings.folds);
    fields("effective_rank", settings.effectiveRank);
    fields("probes", settings.probes);
    fields("ceilings", settings.ceilings);
    fields("heal", settings.heal);
    fields("heal_steps", settings.healSteps);
    fields("residual_blocks", settings.residualBlocks);
    fields("seed", settings.seed);
}

void describe(auto& fields, Is<CurvePoint> auto& point) {
    fields("step", point.step);
    fields("value", point.value);
}

void describe(auto& fields, Is<ProbeOutcome> auto& probe) {
    fields("probe", probe.probe);
    fields("r2", probe.r2);
    fields("gain", probe.gain);
    fields("best_step", probe.bestStep);
    fields("parameters", probe.parameters);
    fields("gate", probe.gate);
    fields("conjunction", probe.conjunction);
    fields("curve", probe.curve);
}

void describe(auto& fields, Is<CeilingOutcome> auto& ceiling) {
    fields("degree", ceiling.degree);
    fields("r2", ceiling.r2);
    fields("r2_half", ceiling.r2Half);
    fields("unseen_rows", ceiling.unseenRows);
    fields("r2_unseen", ceiling.r2Unseen);
    fields("r2_lin_unseen", ceiling.r2LinUnseen);
    fields("r2_typical", ceiling.r2Typical);
    fields("r2_lin_typical", ceiling.r2LinTypical);
    fields("ridge", ceiling.ridge);
    fields("ridge_at_end", ceiling.ridgeAtEnd);
    fields("method", ceiling.method);
}

void describe(auto& fields, Is<ReplacementResult> auto& row) {
    fields("replacement", row.kind);
    fields("parameters", row.parameters);
    fields("r2", row.r2);
    fields("r2_centred", row.r2Centred);
    fields("rmse", row.rmse);
    fields("cosine", row.cosine);
    fields("tail_dppl", row.tailDppl);
    fields("dppl", row.dppl);
    fields("dppl_se", row.dpplSe);
    fields("kept", row.kept);
    fields("dppl_healed", row.dpplHealed);
    fields("dppl_healed_se", row.dpplHealedSe);
    fields("healing", row.healing);
}

void describe(auto& fields, Is<BlockResult> auto& block) {
    fields("block", block.block);
    fields.metrics(block.values);
    fields("replacements", block.replacements);
    fields("folds", block.folds);
    fields("rank_curve", block.rankCurve);
    fields("probes", block.probes);
    fields("ceilings", block.ceilings);
    fields("remarks", block.remarks);
    fields("seconds", block.seconds);
    fields("failure", block.failure);
}

void describe(auto& fields, Is<RunHeader> auto& header) {
    fields("model", header.model);
    fields("corpus", header.corpus);
    fields("started", header.started);
    fields("program_version", header.programVersion);
    fields("family", header.family);
    fields("activation", header.activation);
    fields("site", header.site);
    fields("tokenizer", header.tokenizer);
    fields.inside("model_file", [&](auto& file) {
        file("path", header.modelPath);
        file("bytes", header.modelBytes);
        file("modified", header.modelModified);
        file("header_sha256", header.modelHeaderHash);
    });
    fields("text_sha256", header.textHash);
    fields("evaluation_sha256", header.evaluationHash);
    fields("width", header.width);
    fields("model_blocks", header.modelBlocks);
    fields("ffn_parameters", header.ffnParameters);
    fields("model_parameters", header.modelParameters);
    fields("rows", header.rows);
    fields("rows_train", header.rowsTrain);
    fields("evaluation_windows", header.evaluationWindows);
    fields("too_few_rows", header.tooFewRows);
    fields("settings", header.settings);
}

void describeWithoutBlocks(auto& fields, Is<Run> auto& run) {
    describe(fields, run.header);
    fields("state", run.state);
    fields("seconds", run.seconds);
    fields("base_ppl", run.basePpl);
    fields("base_ppl_se", run.basePplSe);
    fields("notes", run.notes);
    fields("failure", run.failure);
}

void describe(auto& fields, Is<Run> auto& run) {
    describeWithoutBlocks(fields, run);
    fields("blocks", run.blocks);
}

// --- the two directions

class Writer {
  public:
    ordered_json object = ordered_json::object();

    template <typename T>
    void operator()(const char* name, const T& value) {
        object[name] = encoded(value);
    }

    template <typename Fill>
    void inside(const char* name, Fill fill) {
        Writer inner;
        fill(inner);
        object[name] = std::move(inner.object);
    }

    void metrics(const MetricValues& values) {
        constexpr double exact = 9007199254740992.0;  // up to here a double can count
        for (const MetricInfo& metric : study::metrics()) {
            const auto value = values[metric.metric];
            ordered_json& cell = object[std::string(metric.name)];
            if (value && metric.whole && std::abs(*value) <= exact)
                cell = static_cast<std::int64_t>(*value);
            else
                cell = encoded(value);
        }
    }

  private:
    template <typename T>
    static ordered_json encoded(const T& value) {
        if constexpr (Described<T>) {
            Writer inner;
            describe(inner, value);
            return std::move(inner.object);
        } else {
            return value;
        }
    }
    template <typename T>
    static ordered_json encoded(const std::optional<T>& value) {
        return value ? encoded(*value) : ordered_json();
    }
    template <typename T>
    static ordered_json encoded(const std::vector<T>& values) {
        ordered_json list = ordered_json::array();
        for (const T& value : values)
            list.push_back(encoded(value));
        return list;
    }
    static ordered_json encoded(const std::filesystem::path& path) { return checkpoint::pathText(path); }
    static ordered_json encoded(const BlockSelection& blocks) { return blocks.text(); }
    static ordered_json encoded(RunState state) { return stateName(state); }
    static ordered_json encoded(ReplacementKind kind) { return info(kind).name; }
    static ordered_json encoded(Probe probe) { return info(probe).name; }
};

class Reader {
  public:
    explicit Reader(const json& object) : m_object(object) {
        if (!object.is_object())
            refuse("an object", object);
    }

    template <typename T>
    void operator()(const char* name, T& value) const {
        if (const auto found = m_object.find(name); found != m_object.end() && !found->is_null())
            decode(*found, value);
    }

    template <typename Fill>
    void inside(const char* name, Fill fill) const {
        if (const auto found = m_object.find(name); found != m_object.end()) {
            const Reader inner(*found);
            fill(inner);
        }
    }

    void metrics(MetricValues& values) const {
        for (const MetricInfo& metric : study::metrics()) {
            std::optional<double> value;
            (*this)(std::string(metric.name).c_str(), value);
            values.set(metric.metric, value);
        }
    }

  private:
    [[noreturn]] static void refuse(const char* expected, const json& found) {
        throw Error({.what = "a stored value has the wrong type or size",
                     .expected = expected,
                     .found = found.dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 80)});
    }

    template <typename T>
    static void decode(const json& from, T& to) {
        if constexpr (Described<T>) {
            const Reader inner(from);
            describe(inner, to);
        } else if constexpr (std::same_as<T, bool>) {
            from.is_boolean() ? void(to = from.get<bool>()) : refuse("true or false", from);
        } else if constexpr (std::integral<T>) {
            const bool fits = from.is_number_unsigned()
                                  ? std::in_range<T>(from.get<std::uint64_t>())
                                  : from.is_number_integer() && std::in_range<T>(from.get<std::int64_t>());
            fits ? void(to = from.get<T>()) : refuse("a whole number", from);
        } else {
            static_assert(std::same_as<T, double>);
            from.is_number() ? void(to = from.get<double>()) : refuse("a number", from);
        }
    }
    static void decode(const json& from, std::string& to) {
        from.is_string() ? void(to = from.get<std::string>()) : refuse("a text", from);
    }
    template <typename T>
    static void decode(const json& from, std::optional<T>& to) {
        from.is_null() ? to.reset() : decode(from, to.emplace());
    }
    template <typename T>
    static void decode(const json& from, std::vector<T>& to) {
        if (!from.is_array())
            refuse("a list", from);
        to.clear();
        for (const json& item : from)
            decode(item, to.emplace_back());
    }
    static void decode(const json& from, std::filesystem::path& to) {
        const std::string utf8 = text(from);
        to = std::u8string(utf8.begin(), utf8.end());
    }
    static void decode(const json& from, BlockSelection& to) { to = BlockSelection::parse(text(from)); }
    static void decode(const json& from, RunState& to) {
        const auto state = stateNamed(text(from));
        state ? void(to = *state) : refuse("the state of a run", from);
    }
    static void decode(const json& from, ReplacementKind& to) {
        const auto kind = replacementNamed(text(from));
        kind ? void(to = *kind) : refuse("the name of a replacement", from);
    }
    static void decode(const json& from, Probe& to) {
        const auto probe = probeNamed(text(from));
        probe ? void(to = *probe) : refuse("the name of a probe", from);
    }
    static std::string text(const json& from) {
        std::string value;
        decode(from, value);
        return value;
    }

    const json& m_object;
};

template <typename T>
ordered_json written(const T& value) {
    Writer writer;
    describe(writer, value);
    return std::move(writer.object);
}

template <typename T>
T read(const json& object) {
    T value;
    const Reader reader(object);
    describe(reader, value);
    return value;
}

}  // namespace

ordered_json toJson(const StudySettings& settings) {
    return written(settings);
}
ordered_json toJson(const ReplacementResult& replacement) {
    return written(replacement);
}
ordered_json toJson(const BlockResult& block) {
    return written(block);
}
ordered_json toJson(const RunHeader& header) {
    return written(header);
}
ordered_json toJson(const Run& run) {
    return written(run);
}
ordered_json toJsonWithoutBlocks(const Run& run) {
    Writer writer;
    describeWithoutBlocks(writer, run);
    return std::move(writer.object);
}

StudySettings settingsFromJson(const json& object) {
    return read<StudySettings>(object);
}
ReplacementResult replacementFromJson(const json& object) {
    return read<ReplacementResult>(object);
}
BlockResult blockFromJson(const json& object) {
    return read<BlockResult>(object);
}
RunHeader headerFromJson(const json& object) {
    return read<RunHeader>(object);
}
Run runFromJson(const json& object) {
    return read<Run>(object);
}

}  // namespace straightedge::study
