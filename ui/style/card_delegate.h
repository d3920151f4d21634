// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace straightedge::ui {

class Theme;

// An item of a list as a small card: title and status on one line, a second line below, then what went wrong,
// whole. Title: Qt::DisplayRole; check box: Qt::CheckStateRole.
class CardDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    enum Role {
        SubtitleRole = Qt::UserRole + 100,
        StatusRole,    // short, at the right of the title
        NoteRole,      // wrapped, muted
        ProblemRole,   // wrapped, in the colour of errors
        ProgressRole,  // 0 to 1; invalid: no bar
        LookRole,      // a CurveLook: sample before the title
        ActionRole,    // a word to click below the second line; the model's setData() hears of it
    };

    explicit CardDelegate(const Theme& theme, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

  private:
    const Theme& m_theme;
};

}  // namespace straightedge::ui
