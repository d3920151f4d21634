// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_main.h"

#include <QApplication>
#include <QSettings>

#include "main_window.h"
#include "style/theme.h"

namespace straightedge::ui {

int runWindow(int& argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("straightedge"));
    QApplication::setApplicationName(QStringLiteral("straightedge"));
    QApplication::setApplicationDisplayName(QStringLiteral("Straightedge"));
    QApplication::setApplicationVersion(QStringLiteral(STRAIGHTEDGE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("straightedge"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/straightedge/icons/straightedge.svg")));
    QSettings settings;
    Theme theme(application);
    MainWindow window(settings, theme, study::storeFolder());
    window.open(QCoreApplication::arguments().mid(1));
    window.show();
    return QApplication::exec();
}

}  // namespace straightedge::ui
