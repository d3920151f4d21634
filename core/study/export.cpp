// SPDX-License-Identifier: GPL-3.0-or-later
#include "export.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <charconv>
#include <nlohmann/json.hpp>

#include "error.h"

namespace straightedge::study {

namespace {

// Shortest text that reads back as the same double, in the C locale.
std::string number(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

std::string quoted(const std::string& cell)
{
    if (cell.find_first_of(",\"\r\n") == std::string::npos)
        return cell;
    std::string text = "\"";
    for (const char c : cell)
        text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

QString qtPath(const std::filesystem::path& path)
{
    return QString::fromStdU16String(path.u16string());
}

[[noreturn]] void refuse(const std::filesystem::path& path, const QString& reason)
{
    throw Error({.what = "file cannot be written",
                 .where = path.string(),
                 .found = reason.toStdString(),
                 .advice = "choose another place"});
}

nlohmann::ordered_json valuesAsJson(const MetricValues& values)
{
    nlohmann::ordered_json object;
    for (const MetricInfo& metric : metrics()) {
        const auto value = values[metric.metric];
        if (!value)
            object[std::string(metric.name)] = nullptr;
        else if (metric.whole)
            object[std::string(metric.name)] = static_cast<std::int64_t>(*value);
        else
            object[std::string(metric.name)] = *value;
    }
    return object;
}

std::string_view stateName(RunState state)
{
    switch (state) {
        case RunState::Running: return "running";
        case RunState::Finished: return "finished";
        case RunState::Cancelled: return "cancelled";
        case RunState::Failed: return "failed";
    }
    return "";
}

}  // namespace

std::string toCsv(std::span<const Run> runs)
{
    std::string text = "model,corpus,block,activation";
    for (const MetricInfo& metric : metrics())
        text += ',' + std::string(metric.name);
    text += ",failure\n";
    for (const Run& run : runs)
        for (const BlockResult& block : run.blocks) {
            text += quoted(run.header.model) + ',' + quoted(run.header.corpus) + ',' + std::to_string(block.block) + ',' +
                    quoted(run.header.activation);
            for (const MetricInfo& metric : metrics()) {
                const auto value = block.values[metric.metric];
                text += ',' + (value ? number(*value) : std::string());
            }
            text += ',' + quoted(block.failure) + '\n';
        }
    return text;
}

std::string toJson(std::span<const Run> runs)
{
    using nlohmann::ordered_json;
    ordered_json all;
    all["program"] = {{"name", "straightedge"}, {"version", STRAIGHTEDGE_VERSION}};
    all["runs"] = ordered_json::array();
    for (const Run& run : runs) {
        const RunHeader& header = run.header;
        ordered_json blocks = ordered_json::array();
        for (const BlockResult& block : run.blocks) {
            ordered_json object = {{"block", block.block}};
            object.update(valuesAsJson(block.values));
            object["seconds"] = block.seconds;
            if (!block.failure.empty())
                object["failure"] = block.failure;
            blocks.push_back(std::move(object));
        }
        const StudySettings& settings = header.settings;
        all["runs"].push_back({
            {"model", header.model},
            {"corpus", header.corpus},
            {"state", stateName(run.state)},
            {"started", header.started},
            {"seconds", run.seconds},
            {"program_version", header.programVersion},
            {"family", header.family},
            {"activation", header.activation},
            {"site", header.site},
            {"tokenizer", header.tokenizer},
            {"model_file", {{"path", header.modelPath},
                            {"bytes", header.modelBytes},
                            {"modified", header.modelModified},
                            {"header_sha256", header.modelHeaderHash}}},
            {"text_sha256", header.textHash},
            {"width", header.width},
            {"model_blocks", header.modelBlocks},
            {"rows", header.rows},
            {"rows_train", header.rowsTrain},
            {"too_few_rows", header.tooFewRows},
            {"settings", {{"tokens", settings.tokens},
                          {"seq_len", settings.seqLen},
                          {"blocks", settings.blocks.text()},
                          {"threads", settings.threads}}},
            {"notes", run.notes},
            {"failure", run.failure},
            {"blocks", std::move(blocks)},
        });
    }
    // File names may be any bytes: what is not UTF-8 is replaced rather than thrown at the reader.
    return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

void writeFile(const std::filesystem::path& path, const std::string& content)
{
    QSaveFile file(qtPath(path));
    if (!file.open(QIODevice::WriteOnly) ||
        file.write(content.data(), static_cast<qint64>(content.size())) != static_cast<qint64>(content.size()) ||
        !file.commit())
        refuse(path, file.errorString());
}

void checkWritable(const std::filesystem::path& path)
{
    const QFileInfo target(qtPath(path));
    if (target.isDir())
        refuse(path, QStringLiteral("a folder"));
    QSaveFile file(qtPath(path));
    if (!file.open(QIODevice::WriteOnly))
        refuse(path, file.errorString());
    file.cancelWriting();
}

}  // namespace straightedge::study
