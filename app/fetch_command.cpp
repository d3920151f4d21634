// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <QCoreApplication>
#include <cstdio>
#include <iostream>
#include <memory>

#include "command_line.h"
#include "error.h"
#include "stop_on_signal.h"
#include "study/models/fetch.h"
#include "tables.h"

namespace straightedge::app {

namespace {

std::string megabytes(double bytes) {
    return grouped(static_cast<std::int64_t>(bytes / 1e6 + 0.5)) + " MB";
}

// A line that redraws itself on a terminal; elsewhere one for each file.
class FetchLine : public study::FetchObserver {
  public:
    ~FetchLine() override { clear(); }

    void progressed(const study::FetchProgress& progress) override {
        if (!m_terminal && progress.file == m_file)
            return;
        m_file = progress.file;
        std::string text = megabytes(static_cast<double>(progress.done)) + " of " +
                           megabytes(static_cast<double>(progress.total)) + "  " + progress.file;
        if (progress.bytesPerSecond > 0)
            text += "  " + megabytes(progress.bytesPerSecond) + "/s";
        std::fprintf(stderr, m_terminal ? "\r\033[K%s" : "%s\n", text.c_str());
        std::fflush(stderr);
        m_drawn = m_terminal;
    }
    void noted(const std::string& note) override {
        clear();
        std::fprintf(stderr, "%s\n", note.c_str());
    }

  private:
    void clear() {
        if (m_drawn)
            std::fputs("\r\033[K", stderr);
        m_drawn = false;
    }

    bool m_terminal = isatty(STDERR_FILENO) != 0;
    bool m_drawn = false;
    std::string m_file;
};

std::string textNames() {
    std::string names;
    for (const std::string& name : study::fetchableTexts())
        names += (names.empty() ? "" : ", ") + name;
    return names + ".";
}

int fetchAll(const std::vector<std::string>& names) {
    const StopOnSignal stop;
    int none = 0;
    const QCoreApplication network(none, nullptr);  // what Qt's network needs
    try {
        for (const std::string& name : names) {
            study::Fetched fetched;
            {
                FetchLine line;
                fetched = study::fetch(name, stop.token(), line);
            }
            std::cout << fetched.name << ": "
                      << (fetched.bytes > 0 ? megabytes(static_cast<double>(fetched.bytes)) + " fetched, in "
                                            : "is here, in ")
                      << fetched.path.string() << '\n';
        }
    } catch (const Cancelled&) {
        return Interrupted;
    }
    return Done;
}

}  // namespace

void addFetchCommand(CLI::App& app, Command& chosen) {
    const auto names = std::make_shared<std::vector<std::string>>();
    CLI::App* command =
        app.add_subcommand("fetch", "Bring a model from the Hugging Face hub, or a known text");
    command
        ->add_option("name", *names,
                     "ID, ID@revision or ID/file.gguf, such as openai-community/gpt2; or corpus:NAME, "
                     "a text; several are fetched one "
                     "after the other")
        ->required();
    command->footer(
        "It goes into the Hugging Face cache, where Python finds it too. HF_ENDPOINT, HF_HUB_CACHE, "
        "HF_HOME,\n"
        "HF_TOKEN, HF_TOKEN_PATH and HF_HUB_OFFLINE mean what they mean there. Stopped by Ctrl-C, it goes "
        "on\n"
        "the next time. Texts, which --corpus takes by name: " +
        textNames());
    command->callback([names, &chosen] { chosen = [names] { return fetchAll(*names); }; });
}

}  // namespace straightedge::app
