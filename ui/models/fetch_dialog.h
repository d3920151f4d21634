// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "fetcher.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace straightedge::ui {

// Asks for a model's ID and fetches it; what is wrong is shown whole, and the ID can be mended.
class FetchDialog : public QDialog {
    Q_OBJECT

  public:
    explicit FetchDialog(Fetcher::Fetch fetch = study::fetch, QWidget* parent = nullptr);

    QLineEdit* idEdit() const { return m_id; }
    QProgressBar* bar() const { return m_bar; }
    QLabel* message() const { return m_message; }
    QPushButton* fetchButton() const { return m_start; }
    QPushButton* cancelButton() const { return m_cancel; }

    void reject() override;  // stops what is under way

  Q_SIGNALS:
    void fetched(const QString& path);

  private:
    void start();
    void showState();
    void say(const QString& text, bool isError);
    void showProgress(const study::FetchProgress& progress);

    Fetcher m_fetcher;
    QLineEdit* m_id;
    QProgressBar* m_bar;
    QLabel* m_message;
    QPushButton* m_start = nullptr;
    QPushButton* m_cancel = nullptr;
};

}  // namespace straightedge::ui
