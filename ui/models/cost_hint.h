// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <vector>

#include "study/settings.h"

namespace straightedge::ui {

// About what the runs asked for will take on this machine. Models' headers are read on a thread of its own,
// once the questions have stopped coming; only the newest is answered.
class CostHint : public QObject {
    Q_OBJECT

  public:
    explicit CostHint(QObject* parent = nullptr);
    ~CostHint() override;  // waits for the answer under way

    // Where runs are kept; without, they are in memory.
    void setStore(std::filesystem::path onDisk) { m_onDisk = std::move(onDisk); }
    void ask(std::vector<study::StudySettings> runs);

  Q_SIGNALS:
    void known(const QString& text);  // empty: it cannot be told

  private:
    void start();

    std::filesystem::path m_onDisk;
    std::vector<study::StudySettings> m_runs;
    quint64 m_question = 0;
    QTimer m_gather;
    QThreadPool m_pool;
};

}  // namespace straightedge::ui
