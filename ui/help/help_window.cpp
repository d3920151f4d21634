// SPDX-License-Identifier: GPL-3.0-or-later
#include "help_window.h"

#include <QFile>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "study/metrics.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

QString page(const QString& name) {
    QFile file(QStringLiteral(":/straightedge/help/%1").arg(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// From the one table of metrics, so that the help cannot fall behind.
QString metricsPage() {
    QString text;
    for (const study::MetricInfo& metric : study::metrics())
        text += QStringLiteral("**%1** (`%2`)\n\n%3\n\n")
                    .arg(toQString(metric.title), toQString(metric.name), toQString(metric.explanation));
    return text;
}

QTextBrowser* browser(const QString& markdown) {
    auto* view = new QTextBrowser;
    view->setFrameShape(QFrame::NoFrame);
    view->setOpenExternalLinks(true);
    view->document()->setDocumentMargin(16);
    view->setMarkdown(markdown);
    return view;
}

}  // namespace

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Straightedge help"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(680, 640);
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->addTab(browser(page(QStringLiteral("window.md"))), tr("The window"));
    tabs->addTab(browser(metricsPage()), tr("The numbers"));
    tabs->addTab(browser(page(QStringLiteral("protocol.md"))), tr("The protocol"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(tabs);
}

}  // namespace straightedge::ui
