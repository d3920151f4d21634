// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QThreadPool>
#include <functional>
#include <optional>
#include <vector>

#include "study/inspect.h"

namespace straightedge::ui {

// The checkpoints the reader has added, with what inspect() knows of them; checked ones are to be measured.
// They are inspected one after the other on a thread of the list's own; a folder of checkpoints becomes one
// entry for each.
class ModelList : public QAbstractListModel {
    Q_OBJECT

  public:
    using Inspect = std::function<study::ModelSummary(const std::filesystem::path&)>;

    explicit ModelList(Inspect inspect = study::inspect, QObject* parent = nullptr);
    ~ModelList() override;

    void add(const std::filesystem::path& path, bool checked = true);
    void remove(int row);

    struct Choice {
        std::filesystem::path path;
        QString name;
    };
    std::vector<Choice> chosen() const;  // checked, inspected and supported
    bool isReading() const;
    QStringList paths() const;  // all, for the settings
    QStringList checkedPaths() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  Q_SIGNALS:
    void changed();  // which are chosen, or what is known of one

  private:
    struct Entry {
        quint64 key = 0;
        std::filesystem::path path;
        bool checked = true;
        bool reading = true;
        std::optional<study::ModelSummary> summary = {};
        QString problem = {};
    };
    // What the worker found under a path, one for each checkpoint.
    struct Finding {
        std::filesystem::path path;
        std::optional<study::ModelSummary> summary = {};
        QString problem = {};
    };

    static std::vector<Finding> look(const std::filesystem::path& path, const Inspect& inspect);
    void take(quint64 key, std::vector<Finding> findings);
    bool isKnown(const std::filesystem::path& path) const;
    static QString details(const Entry& entry);

    Inspect m_inspect;
    std::vector<Entry> m_entries;
    quint64 m_lastKey = 0;
    QThreadPool m_pool;
};

}  // namespace straightedge::ui
