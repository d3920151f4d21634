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
constexpr auto separator = QLatin1Char(';');

QString withHome(const QString& path) {
    return path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1) : path;
}

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
        m_box->setToolTip(text.isEmpty() ? m_tip : text);
        Q_EMIT changed();
    });
}

QString FileField::path() const {
    return withHome(m_box->currentText().trimmed());
}

QStringList FileField::paths() const {
    // A name may have a ";" in it.
    if (!m_several || QFileInfo::exists(path()))
        return path().isEmpty() ? QStringList() : QStringList{path()};
    QStringList paths;
    for (const QString& part : m_box->currentText().split(separator))
        if (const QString name = withHome(part.trimmed()); !name.isEmpty() && !paths.contains(name))
            paths += name;
    return paths;
}

void FileField::setSeveral(const QString& tip) {
    m_several = true;
    m_tip = tip;
    m_box->setToolTip(tip);
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
    const QStringList now = paths();
    auto* dialog = new QFileDialog(this, m_name, now.isEmpty() ? QString() : QFileInfo(now.front()).path());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(m_several ? QFileDialog::ExistingFiles : QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Texts (*.txt *.md *.raw *.text)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this,
            [this](const QStringList& files) { setPath(files.join(QStringLiteral("; "))); });
    dialog->open();
}

}  // namespace straightedge::ui
