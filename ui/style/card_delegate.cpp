// SPDX-License-Identifier: GPL-3.0-or-later
#include "card_delegate.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>
#include <QTextLayout>
#include <algorithm>
#include <cmath>

#include "plot/marker.h"
#include "theme.h"

namespace straightedge::ui {

namespace {

constexpr int padding = 7, above = 5, box = 15, gap = 7, sample = 26, bar = 3;

// Where the parts of one card lie.
struct Card {
    QRect check, look, title, status, subtitle, action, progress, note, problem;
    int height = 0;
};

// Breaks between words where it can, inside long paths where it must.
class WrappedText {
  public:
    WrappedText(QString text, const QFont& font, int width)
        : m_layout(text.replace(QLatin1Char('\n'), QChar::LineSeparator), font) {
        QTextOption option;
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        m_layout.setTextOption(option);
        m_layout.beginLayout();
        for (QTextLine line = m_layout.createLine(); line.isValid(); line = m_layout.createLine()) {
            line.setLineWidth(width);
            line.setPosition(QPointF(0, m_height));
            m_height += line.height();
        }
        m_layout.endLayout();
    }
    int height() const { return m_layout.text().isEmpty() ? 0 : static_cast<int>(std::ceil(m_height)); }
    void draw(QPainter& painter, const QPoint& place) const { m_layout.draw(&painter, place); }

  private:
    QTextLayout m_layout;
    double m_height = 0;
};

void drawCheck(QPainter& painter, const Colours& colours, const QRect& rect, bool checked) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(checked ? colours.accent : blend(colours.text, colours.base, 0.4), 1));
    painter.setBrush(checked ? colours.accent : colours.base);
    const QRectF frame = QRectF(rect).adjusted(1.5, 1.5, -1.5, -1.5);
    painter.drawRoundedRect(frame, 2.5, 2.5);
    if (!checked)
        return;
    painter.setPen(QPen(colours.onAccent, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF middle = frame.center();
    painter.drawPolyline(
        QPolygonF({middle + QPointF(-3, 0.2), middle + QPointF(-0.8, 2.4), middle + QPointF(3.2, -2.4)}));
}

Card layOut(const QRect& rect, const QFont& font, const QModelIndex& index) {
    const QFontMetrics metrics(font);
    const auto has = [&](int role) { return index.data(role).isValid(); };
    const int line = metrics.height() + 1;
    Card card;
    int x = rect.left() + padding, y = rect.top() + above;
    const int right = rect.right() - padding;
    if (has(Qt::CheckStateRole)) {
        card.check = QRect(x, y + (line - box) / 2, box, box);
        x += box + gap;
    }
    if (has(CardDelegate::LookRole)) {
        card.look = QRect(x, y, sample, line);
        x += sample + gap;
    }
    const int statusWidth = metrics.horizontalAdvance(index.data(CardDelegate::StatusRole).toString());
    card.status = QRect(right - statusWidth, y, statusWidth + 1, line);
    card.title = QRect(x, y, right - statusWidth - (statusWidth > 0 ? gap : 0) - x, line);
    y += line;
    const int width = right - x;
    const auto take = [&](QRect& part, int height) {
        part = QRect(x, y, width, height);
        y += height;
    };
    const QString action = index.data(CardDelegate::ActionRole).toString();
    if (!index.data(CardDelegate::SubtitleRole).toString().isEmpty() || !action.isEmpty())
        take(card.subtitle, line);
    if (!action.isEmpty()) {
        card.action = card.subtitle;
        card.action.setLeft(card.action.right() - metrics.horizontalAdvance(action));
        card.subtitle.setRight(card.action.left() - gap);
    }
    if (has(CardDelegate::ProgressRole)) {
        y += 3;
        take(card.progress, bar);
        y += 2;
    }
    for (const auto& [role, part] :
         {std::pair(CardDelegate::NoteRole, &card.note), std::pair(CardDelegate::ProblemRole, &card.problem)})
        if (const int height = WrappedText(index.data(role).toString(), font, width).height(); height > 0)
            take(*part, height + 2);
    card.height = y + above - rect.top();
    return card;
}

}  // namespace

CardDelegate::CardDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent), m_theme(theme) {}

QSize CardDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    const int width = view ? view->viewport()->width() : 300;
    return {std::min(width, 120), layOut(QRect(0, 0, width, 0), option.font, index).height};
}

void CardDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const Colours& colours = m_theme.colours();
    const QFontMetrics& metrics = option.fontMetrics;
    const Card card = layOut(option.rect, option.font, index);
    painter->save();
    painter->setFont(option.font);
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, blend(colours.accent, colours.base, 0.16));
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, blend(colours.text, colours.base, 0.04));
    if ((option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange)) {
        painter->setPen(colours.accent);
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
    const bool dimmed = !card.look.isNull() && index.data(Qt::CheckStateRole).toInt() == Qt::Unchecked;

    if (!card.check.isNull())
        drawCheck(*painter, colours, card.check, index.data(Qt::CheckStateRole).toInt() == Qt::Checked);
    if (!card.look.isNull()) {
        painter->setRenderHint(QPainter::Antialiasing);
        auto look = index.data(LookRole).value<CurveLook>();
        look.colour = blend(look.colour, colours.base, dimmed ? 0.35 : 1);
        drawSample(*painter, look, card.look);
    }
    const auto write = [&](const QRect& rect, const QString& text, const QColor& colour, int flags) {
        painter->setPen(colour);
        painter->drawText(rect, flags, text);
    };
    const auto line = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine;
    write(card.title,
          metrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle, card.title.width()),
          blend(colours.text, colours.base, dimmed ? 0.5 : 1), line);
    write(card.status, index.data(StatusRole).toString(), colours.muted, line);
    write(card.subtitle,
          metrics.elidedText(index.data(SubtitleRole).toString(), Qt::ElideRight, card.subtitle.width()),
          colours.muted, line);
    write(card.action, index.data(ActionRole).toString(), colours.accent, line);
    if (!card.progress.isNull()) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(blend(colours.text, colours.base, 0.12));
        painter->drawRoundedRect(card.progress, 1.5, 1.5);
        QRectF done = card.progress;
        done.setWidth(done.width() * std::clamp(index.data(ProgressRole).toDouble(), 0.0, 1.0));
        painter->setBrush(colours.accent);
        painter->drawRoundedRect(done, 1.5, 1.5);
    }
    const auto writeWrapped = [&](const QRect& rect, const QString& text, const QColor& colour) {
        painter->setPen(colour);
        WrappedText(text, option.font, rect.width()).draw(*painter, rect.topLeft());
    };
    if (!card.note.isNull())
        writeWrapped(card.note, index.data(NoteRole).toString(), colours.muted);
    if (!card.problem.isNull())
        writeWrapped(card.problem, index.data(ProblemRole).toString(), colours.error);
    painter->restore();
}

bool CardDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                               const QModelIndex& index) {
    if (!index.data(Qt::CheckStateRole).isValid())
        return false;
    bool toggles = false;
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const Card card = layOut(option.rect, option.font, index);
        if (mouse->button() == Qt::LeftButton &&
            card.action.adjusted(-4, -2, 4, 2).contains(mouse->position().toPoint()))
            return model->setData(index, true, ActionRole);
        const QRect target = card.check.united(card.look).adjusted(-4, -4, 4, 4);
        toggles = mouse->button() == Qt::LeftButton && target.contains(mouse->position().toPoint());
    } else if (event->type() == QEvent::KeyPress) {
        toggles = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    }
    if (!toggles)
        return false;
    const bool checked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

}  // namespace straightedge::ui
