// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "study/run.h"

class QLockFile;

namespace straightedge::study {

class SqliteFile;

struct StoredRun {
    std::string id;    // a UUID
    std::string name;  // the user's, may be empty
    bool hidden = false;
    bool resumable = false;  // broken off, and the state to go on from is there
    Run run;                 // state Interrupted: it was running, and its program is gone

    std::string shortId() const { return id.substr(0, 8); }
};

// $STRAIGHTEDGE_STORE, else $XDG_DATA_HOME/straightedge/store.
std::filesystem::path storeFolder();

// Every run there was, in an SQLite database, and a folder for each beside it. A result is on the disk when
// the call that saves it returns. Several programs, and several threads with a Store each, may use one folder
// at once; a Store belongs to the thread that made it. Whatever fails throws one Error that names the place.
class Store {
  public:
    // Opens or makes the store; an older one is brought up to date, a newer one refused.
    explicit Store(const std::filesystem::path& folder = storeFolder());
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // A new run, which counts as running until finish() or the end of this object.
    std::string begin(const RunHeader& header);
    // Takes up a run that was broken off, in the same sense. Throws Error while it runs elsewhere.
    void resume(const std::string& id);
    void saveHeader(const std::string& id, const RunHeader& header);
    void saveBlock(const std::string& id, const BlockResult& block);  // replaces what there was of it
    // Everything but the blocks, which saveBlock() has had.
    void finish(const std::string& id, const Run& run);

    std::vector<StoredRun> runs() const;  // newest last
    StoredRun run(const std::string& id) const;
    // The id that begins with these (at least 4) characters. Throws Error where it is none or several.
    std::string find(std::string_view beginning) const;

    void rename(const std::string& id, const std::string& name);
    void setHidden(const std::string& id, bool hidden);
    void remove(const std::string& id);  // with its folder; throws Error while it runs

    // For fitted maps and the state to go on from; made when it is not there.
    std::filesystem::path runFolder(const std::string& id) const;
    const std::filesystem::path& folder() const { return m_folder; }

  private:
    std::vector<StoredRun> select(const std::string& id) const;  // "": all
    void settleState(StoredRun& stored) const;
    std::filesystem::path folderOf(const std::string& id) const;
    void claim(const std::string& id);

    std::filesystem::path m_folder;
    std::unique_ptr<SqliteFile> m_file;
    std::map<std::string, std::unique_ptr<QLockFile>> m_claims;  // of the runs that this object runs
};

}  // namespace straightedge::study
