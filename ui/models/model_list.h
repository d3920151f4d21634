// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QThreadPool>
#include <functional>
#include <optional>
#include <vector>

#include "study/inspect.h"
#include "study/models/find_models.h"

namespace straightedge::ui {

// The checkpoints the reader has added, then those that were found on this machine and can be measured, with
// what inspect() knows of them; checked ones are to be measured. They are looked for and inspected one after
// the other on a thread of the list's own, those that were added first; a folder of checkpoints becomes one
// entry for each.
class ModelList : public QAbstractListModel {
    Q_OBJECT

  public:
    using Inspect = std::function<study::ModelSummary(const std::filesystem::path&)>;

    explicit ModelList(Inspect inspect = study::inspect, QObject* parent = nullptr);
    ~ModelList() override;

    using Find = std::function<study::FoundModels()>;

    void add(const std::filesystem::path& path, bool checked = true);
    // The same, and straightedge models looks there too from now on.
    void addForGood(const std::filesystem::path& path);
    // What was found is hidden from then on, what was added forgotten.
    void remove(int row);
    // Finds models. Those in `checked` are checked, those in `hidden` left out.
    void look(const QStringList& checked = {}, const QStringList& hidden = {}, Find find = study::findModels);

    struct Choice {
        std::filesystem::path path;
        QString name;
    };
    std::vector<Choice> chosen() const;  // checked, inspected and supported
    bool isReading() const;
    QStringList paths() const;  // that were added, for the settings
    QStringList checkedPaths() const;
    const QStringList& hiddenPaths() const { return m_hidden; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  Q_SIGNALS:
    void changed();                   // which are chosen, or what is known of one
    void failed(const QString& why);  // the list that the command line reads too cannot be written

  private:
    struct Entry {
        quint64 key = 0;
        std::filesystem::path path;
        bool checked = true;
        bool reading = true;
        std::optional<study::ModelSummary> summary = {};
        QString problem = {};
        bool found = false;  // by itself
    };
    // What the worker found under a path, one for each checkpoint.
    struct Finding {
        std::filesystem::path path;
        std::optional<study::ModelSummary> summary = {};
        QString problem = {};
    };

    static std::vector<Finding> inspectUnder(const std::filesystem::path& path, const Inspect& inspect);
    void take(quint64 key, std::vector<Finding> findings);
    void takeFound(const study::FoundModels& found);
    void show(Finding finding);
    void remember(const std::filesystem::path& path, void (*how)(const std::filesystem::path&));
    bool isKnown(const std::filesystem::path& path) const;
    static QString details(const Entry& entry);

    Inspect m_inspect;
    std::vector<Entry> m_entries;
    quint64 m_lastKey = 0;
    QStringList m_wanted, m_hidden;
    QThreadPool m_pool;
};

}  // namespace straightedge::ui
