// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "study/measure.h"

namespace straightedge::app {

// Progress on stderr: a bar that redraws itself on a terminal, a line a block elsewhere.
class ProgressLine : public study::Observer {
  public:
    ProgressLine();
    ~ProgressLine() override;

    void started(const study::RunHeader& header) override;
    void progressed(const study::Progress& progress) override;
    void blockFinished(const study::BlockResult& result) override;

  private:
    void clear();

    bool m_terminal;
    bool m_drawn = false;
    int m_blocks = 0;
    std::string m_lastLine;  // where there is no terminal
};

}  // namespace straightedge::app
