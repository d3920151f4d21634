// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "qcp.h"
#include "study/run.h"

namespace straightedge::ui {

// One block's share of what is straight, what is bent once, what is bent twice, and what is left.
struct Stack {
    int block = 0;
    double line = 0;                         // R² of the line; may be below zero
    std::optional<double> degree2, degree3;  // R² of the ceilings
    double top() const;                      // of what is explained
    bool hasCeiling() const { return degree2 || degree3; }
};

// Stacked bars, one a block: the line's from zero, on it what each ceiling adds, and above, where a ceiling
// was measured, what is left up to 1.
class StackBars : public QCPLayerable {
    Q_OBJECT

  public:
    enum Layer { Line, Degree2, Degree3, Left };

    explicit StackBars(QCustomPlot& plot) : QCPLayerable(&plot, QStringLiteral("main")) {}

    void set(std::vector<Stack> stacks) { m_stacks = std::move(stacks); }
    const std::vector<Stack>& stacks() const { return m_stacks; }
    void setColours(const QColor& run, const QColor& background);
    QColor colour(Layer layer) const { return m_colours[layer]; }

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    void draw(QCPPainter* painter) override;

  private:
    std::vector<Stack> m_stacks;
    std::array<QColor, 4> m_colours;
};

}  // namespace straightedge::ui
