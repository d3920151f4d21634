// SPDX-License-Identifier: GPL-3.0-or-later
#include "file_field.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

namespace straightedge::ui {

namespace {

constexpr int remembered = 8;

}  // namespace

FileField::FileField(const QString& name, const QString& placeholder, QWidget* parent)
    : QWidget(parent), m_name(name), m_box(new QComboBox) {
    m_box->setEditable(true);
    m_box->setInsertPolicy(QComboBox::NoInsert);
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_box->setMinimumContentsLength(8);
    m_box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_box->setAccessibleName(name);
    m_box->lineEdit()->setPlaceholderText(placeholder);
    auto* button = new QToolButton;
    button->setText(QStringLiteral("…"));
    button->setProperty("role", QStringLiteral("field"));
    button->setToolTip(tr("Choose a file"));
    button->setAccessibleName(tr("Choose a file: %1").arg(name));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(m_box);
    row->addWidget(button);
    setFocusProxy(m_box);
    connect(button, &QToolButton::clicked, this, &FileField::browse);
    connect(m_box, &QComboBox::editTextChanged, this, [this](const QString& text) {
        m_box->setToolTip(text);
        Q_EMIT changed();
    });
}

QString FileField::path() const {
    const QString text = m_box->currentText().trimmed();
    return text.startsWith(QLatin1String("~/")) ? QDir::homePath() + text.mid(1) : text;
}

void FileField::setPath(const QString& path) {
    m_box->setEditText(path);
}

QStringList FileField::recent() const {
    QStringList paths;
    for (int i = 0; i < m_box->count(); ++i)
        paths += m_box->itemText(i);
    return paths;
}

void FileField::setRecent(const QStringList& paths) {
    const QString shown = m_box->currentText();
    m_box->clear();
    m_box->addItems(paths.mid(0, remembered));
    m_box->setEditText(shown);
}

void FileField::remember() {
    if (path().isEmpty())
        return;
    QStringList paths = recent();
    paths.removeAll(path());
    paths.prepend(path());
    setRecent(paths);
}

void FileField::browse() {
    auto* dialog = new QFileDialog(this, m_name, QFileInfo(path()).path());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Texts (*.txt *.md *.raw *.text)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &FileField::setPath);
    dialog->open();
}

}  // namespace straightedge::ui
