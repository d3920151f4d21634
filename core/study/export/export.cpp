// SPDX-License-Identifier: GPL-3.0-or-later
#include "export.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>

#include "error.h"
#include "number_text.h"
#include "study/store/run_json.h"

namespace straightedge::study {

namespace {

QString qtPath(const std::filesystem::path& path) {
    return QString::fromStdU16String(path.u16string());
}

[[noreturn]] void refuse(const std::filesystem::path& path, const QString& reason) {
    throw Error({.what = "file cannot be written",
                 .where = path.string(),
                 .found = reason.toStdString(),
                 .advice = "choose another place"});
}

}  // namespace

std::string csvCell(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos)
        return cell;
    std::string text = "\"";
    for (const char c : cell)
        text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

std::string toCsv(std::span<const Run> runs) {
    std::string text = "model,corpus,block,activation";
    for (const MetricInfo& metric : metrics())
        text += ',' + std::string(metric.name);
    text += ",failure\n";
    for (const Run& run : runs)
        for (const BlockResult& block : run.blocks) {
            text += csvCell(run.header.model) + ',' + csvCell(run.header.corpus) + ',' +
                    std::to_string(block.block) + ',' + csvCell(run.header.activation);
            for (const MetricInfo& metric : metrics()) {
                const auto value = block.values[metric.metric];
                text += ',' + (value ? shortest(*value) : std::string());
            }
            text += ',' + csvCell(block.failure) + '\n';
        }
    return text;
}

std::string toJson(std::span<const Run> runs) {
    using nlohmann::ordered_json;
    ordered_json all;
    all["program"] = {{"name", "straightedge"}, {"version", STRAIGHTEDGE_VERSION}};
    all["runs"] = ordered_json::array();
    for (const Run& run : runs)
        all["runs"].push_back(toJson(run));
    // File names may be any bytes: what is not UTF-8 is replaced rather than thrown at the reader.
    return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

void writeFile(const std::filesystem::path& path, const std::string& content) {
    QSaveFile file(qtPath(path));
    if (!file.open(QIODevice::WriteOnly) ||
        file.write(content.data(), static_cast<qint64>(content.size())) !=
            static_cast<qint64>(content.size()) ||
        !file.commit())
        refuse(path, file.errorString());
}

void checkWritable(const std::filesystem::path& path) {
    const QFileInfo target(qtPath(path));
    if (target.isDir())
        refuse(path, QStringLiteral("a folder"));
    QSaveFile file(qtPath(path));
    if (!file.open(QIODevice::WriteOnly))
        refuse(path, file.errorString());
    file.cancelWriting();
}

}  // namespace straightedge::study
