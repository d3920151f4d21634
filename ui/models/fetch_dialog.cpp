// SPDX-License-Identifier: GPL-3.0-or-later
#include "fetch_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include "style/format.h"

namespace straightedge::ui {

FetchDialog::FetchDialog(Fetcher::Fetch fetch, QWidget* parent)
    : QDialog(parent),
      m_fetcher(std::move(fetch)),
      m_id(new QLineEdit),
      m_bar(new QProgressBar),
      m_message(new QLabel) {
    setWindowTitle(tr("Add from the hub"));
    auto* caption = new QLabel(tr("Model &ID on the Hugging Face hub"));
    caption->setBuddy(m_id);
    m_id->setPlaceholderText(QStringLiteral("openai-community/gpt2"));
    m_id->setToolTip(tr("organisation/name, with @revision or /file.gguf behind it"));
    m_id->setAccessibleName(tr("Model ID"));
    m_bar->setRange(0, 1'000);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_message->setMinimumHeight(m_message->fontMetrics().lineSpacing() * 3);
    m_message->setAlignment(Qt::AlignTop);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_start = buttons->addButton(tr("Fetch"), QDialogButtonBox::AcceptRole);
    m_start->setDefault(true);
    m_cancel = buttons->button(QDialogButtonBox::Cancel);
    m_cancel->setAutoDefault(false);  // Return means to fetch, wherever the focus is
    auto* column = new QVBoxLayout(this);
    column->addWidget(caption);
    column->addWidget(m_id);
    column->addWidget(m_bar);
    column->addWidget(m_message, 1);
    column->addWidget(buttons);
    resize(460, 200);
    connect(buttons, &QDialogButtonBox::accepted, this, &FetchDialog::start);
    connect(buttons, &QDialogButtonBox::rejected, this, &FetchDialog::reject);
    connect(m_id, &QLineEdit::textChanged, this, &FetchDialog::showState);
    connect(m_id, &QLineEdit::returnPressed, this, &FetchDialog::start);
    connect(&m_fetcher, &Fetcher::progressed, this, &FetchDialog::showProgress);
    connect(&m_fetcher, &Fetcher::noted, this, [this](const QString& note) { say(note, false); });
    connect(&m_fetcher, &Fetcher::failed, this, [this](const QString& message) {
        say(message, true);
        showState();
    });
    connect(&m_fetcher, &Fetcher::stopped, this, [this] {
        say(tr("Stopped. What has come is kept, and the rest can be fetched later."), false);
        showState();
    });
    connect(&m_fetcher, &Fetcher::fetched, this, [this](const QString& path) {
        Q_EMIT fetched(path);
        accept();
    });
    say(tr("It goes into the Hugging Face cache, where Python finds it too."), false);
    showState();
}

void FetchDialog::start() {
    if (m_fetcher.isBusy() || m_id->text().trimmed().isEmpty())
        return;
    m_fetcher.start(m_id->text().trimmed());
    say(tr("Asking the hub …"), false);
    showState();
}

// The first time it stops a fetch, then it closes.
void FetchDialog::reject() {
    if (m_fetcher.isBusy())
        m_fetcher.stop();
    else
        QDialog::reject();
}

void FetchDialog::showState() {
    const bool busy = m_fetcher.isBusy();
    m_id->setReadOnly(busy);
    m_start->setEnabled(!busy && !m_id->text().trimmed().isEmpty());
    m_bar->setVisible(busy);
    if (busy)
        m_bar->setValue(0);
}

void FetchDialog::say(const QString& text, bool isError) {
    m_message->setText(text);
    m_message->setProperty("role", isError ? QStringLiteral("error") : QStringLiteral("muted"));
    m_message->style()->unpolish(m_message);
    m_message->style()->polish(m_message);
    if (layout())
        resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void FetchDialog::showProgress(const study::FetchProgress& progress) {
    const auto done = static_cast<double>(progress.done), total = static_cast<double>(progress.total);
    m_bar->setValue(total > 0 ? static_cast<int>(1'000 * done / total) : 0);
    QString text = tr("%1 of %2 · %3").arg(bytesText(done), bytesText(total), toQString(progress.file));
    if (progress.bytesPerSecond > 0)
        text += tr(" · %1/s, %2 left")
                    .arg(bytesText(progress.bytesPerSecond),
                         durationText((total - done) / progress.bytesPerSecond));
    say(text, false);
}

}  // namespace straightedge::ui
