// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "figure_file.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace straightedge::ui {

// Asks for the size of a figure: in millimetres or pixels, and the resolution of a raster.
class ExportDialog : public QDialog {
    Q_OBJECT

  public:
    ExportDialog(FigureFormat format, const FigureSize& size, QWidget* parent = nullptr);

    FigureSize size() const { return m_size; }

  private:
    void choosePreset(int index);
    void showSize();
    void readSize();
    bool inPixels() const;

    FigureSize m_size;
    QComboBox* m_preset;
    QComboBox* m_unit;
    QDoubleSpinBox* m_width;
    QDoubleSpinBox* m_height;
    QSpinBox* m_dpi;
    QLabel* m_result;
    bool m_showing = false;  // fields are being set, not edited
};

}  // namespace straightedge::ui
