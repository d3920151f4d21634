// SPDX-License-Identifier: GPL-3.0-or-later
#include "rotary.h"

#include <cmath>
#include <numbers>

#include "error.h"

namespace straightedge::model {

namespace {

using nlohmann::json;

// Llama 3.1's scaling: long waves are slowed by the factor, short ones kept, those between blended.
// Source: transformers, modeling_rope_utils, rope_type "llama3".
void scaleLikeLlama3(std::vector<float>& frequencies, const Description& description, const json& scaling) {
    const auto number = [&](const char* name) {
        const auto found = scaling.find(name);
        if (found == scaling.end() || !found->is_number() || !(found->get<double>() > 0))
            throw Error({.what = std::string("rope scaling llama3 lacks a positive ") + name,
                         .where = description.where()});
        return found->get<double>();
    };
    const double factor = number("factor"), low = number("low_freq_factor"),
                 high = number("high_freq_factor");
    const double original = number("original_max_position_embeddings");
    if (!(high > low))
        throw Error({.what = "rope scaling llama3: high_freq_factor must exceed low_freq_factor",
                     .where = description.where()});
    for (float& frequency : frequencies) {
        const double wavelength = 2 * std::numbers::pi / frequency;
        if (wavelength < original / high)
            continue;
        if (wavelength > original / low) {
            frequency = static_cast<float>(frequency / factor);
            continue;
        }
        const double smooth = (original / wavelength - low) / (high - low);
        frequency = static_cast<float>((1 - smooth) * frequency / factor + smooth * frequency);
    }
}

void divide(std::vector<float>& frequencies, double factor) {
    for (float& frequency : frequencies)
        frequency = static_cast<float>(frequency / factor);
}

// frequencies[i] / by[i]
std::vector<float> divided(std::vector<float> frequencies, const std::vector<float>& by) {
    for (std::size_t i = 0; i < frequencies.size(); ++i)
        frequencies[i] /= by[i];
    return frequencies;
}

// As many positive numbers as there are frequencies, under that name in rope_scaling.
std::vector<float> divisorsOf(const Rotary& rotary, const Description& description, const json& scaling,
                              const std::string& name) {
    const auto found = scaling.find(name);
    const std::size_t count = rotary.inverseFrequencies.size();
    if (found == scaling.end() || !found->is_array() || found->size() != count)
        description.refuse("rope_scaling", std::to_string(count) + " numbers in " + name, scaling);
    std::vector<float> divisors;
    for (const json& divisor : *found) {
        if (!divisor.is_number() || !(divisor.get<double>() > 0))
            description.refuse("rope_scaling", "positive numbers in " + name, scaling);
        divisors.push_back(divisor.get<float>());
    }
    return divisors;
}

// Phi-3's scaling: a divisor for each frequency, one set for windows inside the length of the first training
// and one for longer ones, and one factor for what is turned. Source: transformers, modeling_rope_utils,
// rope_type "longrope".
void scaleLikeLongRope(Rotary& rotary, const Description& description, const json& scaling) {
    const std::vector<float> unscaled = rotary.inverseFrequencies;
    rotary.inverseFrequencies = divided(unscaled, divisorsOf(rotary, description, scaling, "short_factor"));
    rotary.longInverseFrequencies =
        divided(unscaled, divisorsOf(rotary, description, scaling, "long_factor"));
    const auto given = [&](const char* name) {
        const auto found = scaling.find(name);
        return found != scaling.end() && found->is_number() ? found->get<double>() : 0.0;
    };
    const double longest = static_cast<double>(description.required({{"max_position_embeddings"}, ""}));
    double original = longest, factor = given("factor");
    if (const auto found = description.size({{"original_max_position_embeddings"}, ""})) {
        original = static_cast<double>(*found);
        factor = longest / original;
    }
    rotary.shortUpTo = static_cast<std::int64_t>(original);
    if (const double attention = given("attention_factor"); attention > 0)
        rotary.scale = static_cast<float>(attention);
    else if (factor > 1 && original > 1)
        rotary.scale = static_cast<float>(std::sqrt(1 + std::log(factor) / std::log(original)));
}

void scaleByConfig(Rotary& rotary, const Description& description, const json& scaling,
                   std::vector<std::string>& notes) {
    std::vector<float>& frequencies = rotary.inverseFrequencies;
    if (!scaling.is_object())
        description.refuse("rope_scaling", "an object", scaling);
    const auto entry = scaling.contains("rope_type") ? scaling.find("rope_type") : scaling.find("type");
    if (entry == scaling.end() || !entry->is_string())
        return;  // rope_parameters with nothing but the base
    const auto kind = entry->get<std::string>();
    if (kind == "default")
        return;
    if (kind == "linear") {
        const auto factor = scaling.find("factor");
        if (factor == scaling.end() || !factor->is_number() || !(factor->get<double>() > 0))
            description.refuse("rope_scaling", "a positive factor", scaling);
        divide(frequencies, factor->get<double>());
    } else if (kind == "llama3") {
        scaleLikeLlama3(frequencies, description, scaling);
    } else if (kind == "longrope" || kind == "su") {
        scaleLikeLongRope(rotary, description, scaling);
    } else if (kind == "dynamic") {
        notes.push_back("rope scaling \"dynamic\" is ignored: it changes nothing inside the trained length");
    } else {
        throw Error({.what = "rope scaling is not supported",
                     .where = description.where(),
                     .expected = "default, linear, dynamic, llama3 or longrope",
                     .found = kind});
    }
}

void scaleByGguf(Rotary& rotary, const Description& description, const checkpoint::Checkpoint& checkpoint) {
    std::vector<float>& frequencies = rotary.inverseFrequencies;
    const auto kind = description.text(description.ggufName("rope.scaling.type"));
    const Key factorKey{{}, "rope.scaling.factor"};
    if (kind && *kind != "none" && *kind != "longrope") {
        if (*kind != "linear")
            throw Error({.what = "rope scaling is not supported",
                         .where = description.where(),
                         .expected = "none, linear or longrope",
                         .found = *kind});
        const double factor = description.real(factorKey).value_or(0);
        if (!(factor > 0))
            throw Error(
                {.what = "rope scaling linear lacks a positive factor", .where = description.where()});
        divide(frequencies, factor);
    }
    const auto dividedBy = [&](const char* name) {
        const auto& divisors = checkpoint.tensor(name, {static_cast<std::int64_t>(frequencies.size())});
        std::vector<float> by(frequencies.size());
        toFloat32(divisors, 0, divisors.rows(), by);
        return divided(frequencies, by);
    };
    if (checkpoint.find("rope_freqs.weight"))  // Llama 3.1's, worked out by the converter
        frequencies = dividedBy("rope_freqs.weight");
    if (checkpoint.find("rope_factors_short.weight")) {  // longrope's
        rotary.longInverseFrequencies = dividedBy("rope_factors_long.weight");
        frequencies = dividedBy("rope_factors_short.weight");
        rotary.shortUpTo = description.required({{}, "rope.scaling.original_context_length"});
    }
    if (const auto scale = description.real({{}, "rope.scaling.attn_factor"}))
        rotary.scale = static_cast<float>(*scale);
}

// How many dimensions of a head turn.
std::int64_t turningDims(const Description& description, const Architecture& architecture,
                         std::optional<double> fractionInParameters) {
    double fraction = architecture.family->rotaryFraction;
    if (const auto found = description.real({{"rotary_pct", "partial_rotary_factor"}, ""}))
        fraction = *found;
    else if (fractionInParameters)
        fraction = *fractionInParameters;
    auto dims = static_cast<std::int64_t>(static_cast<double>(architecture.headDim) * fraction);
    if (const auto found = description.size({{"rotary_dim"}, "rope.dimension_count"}))
        dims = *found;
    if (dims < 2 || dims % 2 != 0 || dims > architecture.headDim)
        throw Error(
            {.what = "rotary dimensions cannot be used",
             .where = description.where(),
             .expected = "an even number up to the head size, " + std::to_string(architecture.headDim),
             .found = std::to_string(dims)});
    return dims;
}

Rotary unscaled(const Description& description, const Architecture& architecture, std::int64_t dims,
                double base) {
    if (!(base > 0))
        throw Error({.what = "the base of the rotary positions cannot be used",
                     .where = description.where(),
                     .expected = "a positive number",
                     .found = std::to_string(base)});
    Rotary rotary;
    rotary.pairs =
        description.isGguf() ? architecture.family->ggufPairs : architecture.family->huggingFacePairs;
    rotary.inverseFrequencies.resize(static_cast<std::size_t>(dims / 2));
    for (std::size_t i = 0; i < rotary.inverseFrequencies.size(); ++i)
        rotary.inverseFrequencies[i] =
            1.0f / static_cast<float>(std::pow(base, static_cast<double>(2 * i) / static_cast<double>(dims)));
    return rotary;
}

}  // namespace

Rotary readRotary(const Description& description, const checkpoint::Checkpoint& checkpoint,
                  Architecture& architecture) {
    const json* parameters = description.isGguf() ? nullptr : description.value("rope_parameters");
    const auto inParameters = [&](const char* name) -> std::optional<double> {
        if (!parameters || !parameters->is_object() || !parameters->contains(name) ||
            !(*parameters)[name].is_number())
            return std::nullopt;
        return (*parameters)[name].get<double>();
    };
    double base = 10'000;
    if (const auto found = description.real({{"rope_theta", "rotary_emb_base"}, "rope.freq_base"}))
        base = *found;
    else if (const auto inside = inParameters("rope_theta"))
        base = *inside;
    Rotary rotary =
        unscaled(description, architecture,
                 turningDims(description, architecture, inParameters("partial_rotary_factor")), base);
    if (description.isGguf())
        scaleByGguf(rotary, description, checkpoint);
    else if (const json* scaling = description.value("rope_scaling"))
        scaleByConfig(rotary, description, *scaling, architecture.notes);
    else if (parameters)
        scaleByConfig(rotary, description, *parameters, architecture.notes);
    return rotary;
}

Rotary readSlidingRotary(const Description& description, const Architecture& architecture,
                         const Sliding& sliding) {
    const double base = description.real({{sliding.rotaryBaseKey}, ""}).value_or(sliding.rotaryBase);
    return unscaled(description, architecture, turningDims(description, architecture, std::nullopt), base);
}

}  // namespace straightedge::model
