// SPDX-License-Identifier: GPL-3.0-or-later
#include "cost_hint.h"

#include <algorithm>
#include <utility>

#include "study/cost/estimate.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

// One after the other: their times add up, their memory does not.
QString textFor(const std::vector<study::StudySettings>& runs, const std::filesystem::path& onDisk) {
    study::Estimate all;
    for (const study::StudySettings& run : runs) {
        const study::Estimate one = study::estimate(run, onDisk);
        const double seconds = all.seconds + one.seconds;
        if (one.memory > all.memory)
            all = one;
        all.seconds = seconds;
    }
    return toQString(all.text());
}

}  // namespace

CostHint::CostHint(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(1);
    m_gather.setSingleShot(true);
    m_gather.setInterval(300);
    connect(&m_gather, &QTimer::timeout, this, &CostHint::start);
}

CostHint::~CostHint() {
    m_pool.waitForDone();
}

void CostHint::ask(std::vector<study::StudySettings> runs) {
    m_runs = std::move(runs);
    ++m_question;
    m_gather.stop();
    if (m_runs.empty())
        Q_EMIT known({});
    else
        m_gather.start();
}

void CostHint::start() {
    m_pool.start([this, question = m_question, runs = m_runs, onDisk = m_onDisk] {
        QString text;
        try {
            text = textFor(runs, onDisk);
        } catch (const std::exception&) {
            // What is wrong with a model or a block stands beside it, or will beside its run.
        }
        QMetaObject::invokeMethod(
            this,
            [this, question, text] {
                if (question == m_question)
                    Q_EMIT known(text);
            },
            Qt::QueuedConnection);
    });
}

}  // namespace straightedge::ui
