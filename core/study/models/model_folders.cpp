// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_folders.h"

#include <QFile>
#include <QLockFile>
#include <QSaveFile>
#include <algorithm>

#include "checkpoint/mapped_file.h"
#include "error.h"
#include "study/store/data_folder.h"

namespace straightedge::study {

namespace fs = std::filesystem;

namespace {

constexpr qint64 longestFile = 1 << 20;
constexpr int lockWait = 5'000;  // ms

QString qt(const fs::path& path) {
    return QString::fromStdU16String(path.u16string());
}

fs::path clean(const fs::path& path) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

void write(const std::vector<fs::path>& folders) {
    QByteArray text;
    for (const fs::path& folder : folders)
        text += QByteArray::fromStdString(checkpoint::pathText(folder)) + '\n';
    QSaveFile file(qt(modelFoldersFile()));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
        throw Error({.what = "the list of model folders cannot be written",
                     .where = checkpoint::pathText(modelFoldersFile()),
                     .found = file.errorString().toStdString()});
}

// Reads, changes and writes as one step, whoever else does so too.
template <typename Change>
void change(const Change& how) {
    std::error_code ignored;
    fs::create_directories(modelFoldersFile().parent_path(), ignored);
    QLockFile lock(qt(modelFoldersFile()) + QStringLiteral(".lock"));
    lock.tryLock(lockWait);  // without one, the file is still whole
    std::vector<fs::path> folders = modelFolders();
    if (how(folders))
        write(folders);
}

}  // namespace

fs::path modelFoldersFile() {
    return dataFolder("STRAIGHTEDGE_MODELS", "models.txt");
}

std::vector<fs::path> modelFolders() {
    QFile file(qt(modelFoldersFile()));
    std::vector<fs::path> folders;
    if (!file.open(QIODevice::ReadOnly))
        return folders;  // nothing was ever added
    for (const QByteArray& line : file.read(longestFile).split('\n'))
        if (const QString path = QString::fromUtf8(line); !path.trimmed().isEmpty())
            folders.push_back(clean(path.toStdU16String()));
    return folders;
}

void addModelFolder(const fs::path& path) {
    change([added = clean(path)](std::vector<fs::path>& folders) {
        if (std::ranges::find(folders, added) != folders.end())
            return false;
        folders.push_back(added);
        return true;
    });
}

void removeModelFolder(const fs::path& path) {
    change(
        [removed = clean(path)](std::vector<fs::path>& folders) { return std::erase(folders, removed) > 0; });
}

}  // namespace straightedge::study
