// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>

#include "jobs/session.h"

namespace straightedge::ui {

class Theme;

// The runs as cards: checked is visible, status and progress as they change, failures whole.
class RunListModel : public QAbstractListModel {
    Q_OBJECT

  public:
    RunListModel(Session& session, const Theme& theme, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    // What resuming a run is called, for it goes on or starts over; empty where there is nothing to resume.
    static QString resumeText(const Session& session, const RunEntry& entry);
    // "block 7: windows · 12 s left · 21,400 rows/s"
    static QString progressText(const study::Progress& progress);

  private:
    void rowChanged(RunId id);

    Session& m_session;
    RunList& m_runs;
    const Theme& m_theme;
};

}  // namespace straightedge::ui
