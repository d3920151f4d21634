// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleHints>
#include <QSvgRenderer>
#include <utility>

namespace straightedge::ui {

namespace {

QString readResource(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString styleSheet(const Colours& c) {
    QString sheet = readResource(QStringLiteral(":/straightedge/styles/window.qss"));
    const std::pair<const char*, QColor> colours[] = {
        {"window", c.window},
        {"base", c.base},
        {"stripe", c.stripe},
        {"text", c.text},
        {"muted", c.muted},
        {"line", c.line},
        {"accent", c.accent},
        {"error", c.error},
        {"onAccent", c.onAccent},
        {"hover", blend(c.text, c.window, 0.08)},
        {"pressed", blend(c.text, c.window, 0.16)},
        {"chosen", blend(c.accent, c.window, 0.18)},
        {"accentHover", blend(c.text, c.accent, 0.14)},
        {"scroll", blend(c.text, c.window, 0.22)},
        {"notice", blend(c.accent, c.window, 0.09)},
    };
    for (const auto& [name, colour] : colours)
        sheet.replace(QStringLiteral("@{%1}").arg(QLatin1String(name)), colour.name());
    return sheet;
}

}  // namespace

QPixmap swatch(const QColor& colour) {
    QPixmap pixmap(10, 10);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(QRectF(1, 1, 8, 8));
    return pixmap;
}

Theme::Theme(QApplication& application) : m_application(application) {
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.installEventFilter(this);
    apply();
}

void Theme::setMode(Mode mode) {
    if (std::exchange(m_mode, mode) != mode)
        apply();
}

QString Theme::nameOf(Mode mode) {
    return mode == Mode::Light  ? QStringLiteral("light")
           : mode == Mode::Dark ? QStringLiteral("dark")
                                : QStringLiteral("system");
}

Theme::Mode Theme::modeNamed(const QString& name) {
    return name == QLatin1String("light")  ? Mode::Light
           : name == QLatin1String("dark") ? Mode::Dark
                                           : Mode::System;
}

// The palette of the desktop shows through once ours is taken away.
bool Theme::systemIsDark() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    if (QGuiApplication::styleHints()->colorScheme() != Qt::ColorScheme::Unknown)
        return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#endif
    QApplication::setPalette(QPalette());
    const QPalette system = QGuiApplication::palette();
    return system.color(QPalette::WindowText).lightness() > system.color(QPalette::Window).lightness();
}

void Theme::apply() {
    m_applying = true;
    m_dark = m_mode == Mode::Dark || (m_mode == Mode::System && systemIsDark());
    QApplication::setPalette(paletteOf(colours()));
    m_application.setStyleSheet(styleSheet(colours()));
    m_applying = false;
    Q_EMIT changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ThemeChange && m_mode == Mode::System && !m_applying &&
        watched->isWidgetType() && static_cast<QWidget*>(watched)->isWindow())
        QMetaObject::invokeMethod(this, &Theme::apply, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
}

QIcon Theme::icon(const QString& name) const {
    const QString svg = readResource(QStringLiteral(":/straightedge/icons/%1.svg").arg(name));
    QIcon icon;
    const auto draw = [&](const QColor& colour, QIcon::Mode mode) {
        QString tinted = svg;
        tinted.replace(QLatin1String("currentColor"), colour.name());
        QSvgRenderer renderer(tinted.toUtf8());
        for (const int size : {16, 32, 48}) {
            QPixmap pixmap(size, size);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            renderer.render(&painter);
            icon.addPixmap(pixmap, mode);
        }
    };
    draw(blend(colours().text, colours().window, 0.85), QIcon::Normal);
    draw(blend(colours().text, colours().window, 0.35), QIcon::Disabled);
    return icon;
}

}  // namespace straightedge::ui
