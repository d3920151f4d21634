#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scipy's correlations of a few pairs of lists, for the test of core/study/compare (writes tests/data/statistics.json)."""
import json
from pathlib import Path

import numpy
from scipy import stats

generator = numpy.random.default_rng(5)
cases = []
for name, a, b in [
        ("seven blocks", [0.31, 0.95, 0.42, 0.67, 0.42, 0.1, 0.88], [0.28, 0.9, 0.5, 0.6, 0.55, 0.2, 0.6]),
        ("ties on both sides", [1, 2, 2, 2, 3, 5, 5, 0], [4, 4, 1, 3, 3, 9, 9, 1]),
        ("falling", [1, 2, 3, 4], [2.5, 2, 1.7, -4]),
        ("36 unrelated", generator.normal(size=36).round(3).tolist(), generator.normal(size=36).round(3).tolist())]:
    r = stats.pearsonr(a, b)
    interval = r.confidence_interval(0.95)
    cases.append({"name": name, "a": a, "b": b, "pearson": float(r.statistic), "low": float(interval.low),
                  "high": float(interval.high), "spearman": float(stats.spearmanr(a, b).statistic)})
(Path(__file__).parent / "statistics.json").write_text(json.dumps(cases, indent=1) + "\n")
