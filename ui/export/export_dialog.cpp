// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSpinBox>

#include "style/format.h"

namespace straightedge::ui {

namespace {

constexpr double mmPerInch = 25.4;
// A raster beyond this is more likely a slip than a wish (16,000 pixels a side take a gigabyte).
constexpr int largestSide = 16'000;

struct Preset {
    const char* name;
    double widthMm, heightMm;
};
constexpr Preset presets[] = {
    {QT_TRANSLATE_NOOP("ExportDialog", "One column, 89 mm"), 89, 65},
    {QT_TRANSLATE_NOOP("ExportDialog", "One and a half, 120 mm"), 120, 75},
    {QT_TRANSLATE_NOOP("ExportDialog", "Two columns, 183 mm"), 183, 95},
    {QT_TRANSLATE_NOOP("ExportDialog", "Slide, 16 : 9"), 254, 142.9},
};

}  // namespace

ExportDialog::ExportDialog(FigureFormat format, const FigureSize& size, QWidget* parent)
    : QDialog(parent),
      m_size(size),
      m_preset(new QComboBox),
      m_unit(new QComboBox),
      m_width(new QDoubleSpinBox),
      m_height(new QDoubleSpinBox),
      m_dpi(new QSpinBox),
      m_result(new QLabel) {
    const bool raster = format == FigureFormat::Png;
    setWindowTitle(tr("Size of the figure"));
    for (const Preset& preset : presets)
        m_preset->addItem(tr(preset.name));
    m_preset->addItem(tr("Own size"));
    m_unit->addItem(tr("mm"));
    if (raster)
        m_unit->addItem(tr("pixels"));
    m_dpi->setRange(36, 2400);
    m_dpi->setSuffix(tr(" dpi"));
    for (QWidget* field :
         {static_cast<QWidget*>(m_width), static_cast<QWidget*>(m_height), static_cast<QWidget*>(m_dpi)})
        static_cast<QAbstractSpinBox*>(field)->setAlignment(Qt::AlignRight);
    m_result->setProperty("role", QStringLiteral("muted"));

    auto* form = new QFormLayout(this);
    form->addRow(tr("&Preset"), m_preset);
    form->addRow(tr("&Unit"), m_unit);
    form->addRow(tr("&Width"), m_width);
    form->addRow(tr("&Height"), m_height);
    if (raster)
        form->addRow(tr("&Resolution"), m_dpi);
    m_dpi->setVisible(raster);
    form->addRow(m_result);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Choose file …"));
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_preset, &QComboBox::activated, this, &ExportDialog::choosePreset);
    connect(m_unit, &QComboBox::currentIndexChanged, this, &ExportDialog::showSize);
    for (QDoubleSpinBox* box : {m_width, m_height})
        connect(box, &QDoubleSpinBox::valueChanged, this, &ExportDialog::readSize);
    connect(m_dpi, &QSpinBox::valueChanged, this, &ExportDialog::readSize);
    showSize();
}

bool ExportDialog::inPixels() const {
    return m_unit->currentIndex() == 1;
}

void ExportDialog::choosePreset(int index) {
    if (index < static_cast<int>(std::size(presets))) {
        m_size.widthMm = presets[index].widthMm;
        m_size.heightMm = presets[index].heightMm;
    }
    showSize();
}

void ExportDialog::showSize() {
    const QScopedValueRollback guard(m_showing, true);
    const QSize pixels = m_size.pixels();
    for (QDoubleSpinBox* box : {m_width, m_height}) {
        box->setDecimals(inPixels() ? 0 : 1);
        box->setRange(inPixels() ? 100 : 25, inPixels() ? largestSide : 1'000);
    }
    m_width->setValue(inPixels() ? pixels.width() : m_size.widthMm);
    m_height->setValue(inPixels() ? pixels.height() : m_size.heightMm);
    m_dpi->setValue(m_size.dpi);
    int preset = 0;
    while (preset < static_cast<int>(std::size(presets)) &&
           (std::abs(presets[preset].widthMm - m_size.widthMm) > 0.05 ||
            std::abs(presets[preset].heightMm - m_size.heightMm) > 0.05))
        ++preset;
    m_preset->setCurrentIndex(preset);
    m_result->setText(tr("%1 × %2 mm, %3 × %4 pixels")
                          .arg(decimal(m_size.widthMm, 1), decimal(m_size.heightMm, 1), count(pixels.width()),
                               count(pixels.height())));
}

void ExportDialog::readSize() {
    if (m_showing)
        return;
    const int dpi = m_dpi->value();
    if (inPixels()) {
        m_size.widthMm = m_width->value() * mmPerInch / dpi;
        m_size.heightMm = m_height->value() * mmPerInch / dpi;
    } else {
        m_size.widthMm = m_width->value();
        m_size.heightMm = m_height->value();
    }
    m_size.dpi = dpi;
    // Millimetres at a high resolution can run away.
    const QSize pixels = m_size.pixels();
    if (const int side = std::max(pixels.width(), pixels.height()); side > largestSide)
        m_size.dpi = std::max(36, dpi * largestSide / side);
    showSize();
}

}  // namespace straightedge::ui
