// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_legend.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "style/format.h"

namespace straightedge::ui {

namespace {

constexpr double sampleWidth = 26, sampleGap = 7, entryGap = 5, columnGap = 16;

constexpr double ring = 3.2;  // from the marker

}  // namespace

RunLegend::RunLegend(QCustomPlot& plot, const PlotStyle& style) : QCPLayoutElement(&plot), m_style(style) {
    setAutoMargins(QCP::msNone);
}

RunLegend::Key RunLegend::ringKey() {
    return {QObject::tr("mostly massive rows")};
}

void RunLegend::setEntries(std::vector<Entry> entries, std::vector<Key> keys) {
    m_entries = std::move(entries);
    // One line says the model, and the text too where the model alone would not tell two runs apart.
    for (Entry& entry : m_entries) {
        const auto same = std::ranges::count(m_entries, entry.title, &Entry::title);
        entry.single = same > 1 ? entry.title + QStringLiteral(" · ") + entry.subtitle : entry.title;
    }
    m_keys = std::move(keys);
}

double RunLegend::lineHeight() const {
    return std::ceil(QFontMetricsF(m_style.font).height()) + 1;
}

double RunLegend::widthOf(const QString& text) const {
    return sampleWidth + sampleGap + std::ceil(QFontMetricsF(m_style.font).horizontalAdvance(text)) + 1;
}

double RunLegend::entryWidth(const Entry& entry, bool twoLines) const {
    return twoLines ? std::max(widthOf(entry.title), widthOf(entry.subtitle)) : widthOf(entry.single);
}

QSize RunLegend::minimumOuterSizeHint() const {
    if (m_entries.empty() && m_keys.empty())
        return {0, 0};
    const QRect view = mParentPlot->viewport();
    if (m_placement == Placement::Above) {
        double bottom = 0;
        for (const Place& place : placesIn(QRectF(0, 0, view.width() - 70, view.height() / 3.0)))
            bottom = std::max(bottom, place.rect.bottom());
        return {0, static_cast<int>(bottom + 6)};
    }
    double width = 0;
    for (const Key& key : m_keys)
        width = std::max(width, widthOf(key.text));
    for (const Entry& entry : m_entries)
        width = std::max(width, entryWidth(entry, true));
    width = std::min(width, std::max(110.0, 0.27 * view.width()));
    return {static_cast<int>(width) + mMargins.left() + mMargins.right(), 0};
}

std::vector<RunLegend::Place> RunLegend::placesIn(const QRectF& area) const {
    std::vector<Place> places;
    const int count = static_cast<int>(m_entries.size());
    if (m_placement == Placement::Above) {
        double x = area.left(), y = area.top();
        const auto place = [&](double width, Place what) {
            if (x > area.left() && x + width > area.right()) {
                x = area.left();
                y += lineHeight();
            }
            what.rect = QRectF(x, y, std::min(width, area.width()), lineHeight());
            places.push_back(what);
            x += width + columnGap;
        };
        for (int i = 0; i < count; ++i)
            place(entryWidth(m_entries[static_cast<std::size_t>(i)], false), {{}, i});
        for (std::size_t i = 0; i < m_keys.size(); ++i)
            place(widthOf(m_keys[i].text), {{}, -1, static_cast<int>(i)});
        return places;
    }
    const double keys = m_keys.empty() ? 0 : static_cast<double>(m_keys.size()) * lineHeight() + 2 * entryGap;
    const bool twoLines = count * (2 * lineHeight() + entryGap) + keys <= area.height();
    const double step = twoLines ? 2 * lineHeight() + entryGap : lineHeight();
    int shown = count;
    if (count * step + keys > area.height())
        shown = std::max(0, static_cast<int>((area.height() - keys) / step) - 1);
    double y = area.top();
    for (int i = 0; i < shown; ++i, y += step)
        places.push_back(
            {QRectF(area.left(), y, area.width(), twoLines ? 2 * lineHeight() : lineHeight()), i});
    if (shown < count) {
        places.push_back({QRectF(area.left(), y, area.width(), lineHeight()), -1, -1,
                          QObject::tr("and %1 more").arg(count - shown)});
        y += step;
    }
    y += entryGap;
    for (std::size_t i = 0; i < m_keys.size(); ++i, y += lineHeight())
        places.push_back({QRectF(area.left(), y, area.width(), lineHeight()), -1, static_cast<int>(i)});
    return places;
}

std::optional<RunId> RunLegend::runAt(const QPointF& position) const {
    for (const Place& place : placesIn(rect()))
        if (place.entry >= 0 && place.rect.contains(position))
            return m_entries[static_cast<std::size_t>(place.entry)].run;
    return std::nullopt;
}

QRectF RunLegend::rectOf(RunId run) const {
    for (const Place& place : placesIn(rect()))
        if (place.entry >= 0 && m_entries[static_cast<std::size_t>(place.entry)].run == run)
            return place.rect;
    return {};
}

void RunLegend::draw(QCPPainter* painter) {
    const QFontMetricsF metrics(m_style.font);
    const Colours& colours = m_style.colours;
    painter->setFont(m_style.font);
    for (const Place& place : placesIn(rect())) {
        const QRectF sample(place.rect.left(), place.rect.top(), sampleWidth, lineHeight());
        QRectF text = place.rect.adjusted(sampleWidth + sampleGap, 0, 0, 0);
        text.setHeight(lineHeight());
        const auto write = [&](const QString& words, const QColor& colour) {
            painter->setPen(colour);
            painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                              metrics.elidedText(words, Qt::ElideMiddle, text.width() + 0.5));
        };
        painter->setAntialiasing(true);
        if (place.entry < 0) {
            const Key* key = place.key < 0 ? nullptr : &m_keys[static_cast<std::size_t>(place.key)];
            if (key && key->look) {
                drawSample(*painter, *key->look, sample);
            } else if (key) {
                const double radius = m_style.markerSize / 2 + ring;
                painter->setBrush(Qt::NoBrush);
                painter->setPen(QPen(colours.text, 1.1));
                painter->drawEllipse(sample.center(), radius, radius);
            }
            write(key ? key->text : place.text, colours.muted);
            continue;
        }
        const Entry& entry = m_entries[static_cast<std::size_t>(place.entry)];
        const double strength = entry.visible ? 1 : 0.35;
        CurveLook look = entry.look;
        look.colour = blend(look.colour, colours.base, strength);
        drawSample(*painter, look, sample);
        const bool twoLines = place.rect.height() > 1.5 * lineHeight();
        write(twoLines ? entry.title : entry.single, blend(colours.text, colours.base, strength));
        if (twoLines) {
            text.translate(0, lineHeight() - 1);
            write(entry.subtitle, blend(colours.muted, colours.base, strength));
        }
    }
}

}  // namespace straightedge::ui
