#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""measure.py's polynomial ceilings of one tiny checkpoint, for the test of what a study makes of them.

    python make_ceiling_expectations.py --reference FOLDER_OF_measure.py     (writes tests/data/ceilings.json)
"""
import argparse
import json
import sys
from pathlib import Path

import torch

HERE = Path(__file__).parent
TOKENS, SEQ = 2400, 32


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reference", required=True)
    sys.path.insert(0, parser.parse_args().reference)
    import measure
    torch.set_grad_enabled(False)
    model, tok = measure.load(str(HERE / "tiny" / "llama_massive"), None)
    raw, _ = measure.divide((HERE / "text.txt").read_bytes())
    train = measure.windows(tok(raw.decode(), return_tensors="pt").input_ids[0], SEQ, TOKENS)
    ids = train.reshape(-1)
    xs, ys = measure.capture(model, train, 4)
    blocks = []
    for x, y in zip(xs, ys):
        w, row = measure.fit(x, y)
        n = measure.split(len(x))
        energy, middle = measure.row_energy(y.double())
        kept = energy <= 100 * middle
        for degree in (2, 3):
            row |= measure.ceiling(x, y, w, ids, degree)
            # Among the typical rows alone: their own line, and the split of the whole. The kernel's mean and scale are
            # those of the typical head, for which measure.split has to say where it ends.
            rows = kept.nonzero()[:, 0]
            of_head = int((rows < n).sum())
            plain = measure.split
            measure.split = lambda _: of_head
            line = measure.solve(x.double()[rows[:of_head]], y.double()[rows[:of_head]])
            row[f"r2_deg{degree}_typical"] = measure.ceiling(x[rows], y[rows], line, ids[rows], degree)[f"r2_deg{degree}"]
            measure.split = plain
        blocks.append(row)
    (HERE / "ceilings.json").write_text(json.dumps({"tokens": TOKENS, "seq_len": SEQ, "blocks": blocks}, indent=1) + "\n")


if __name__ == "__main__":
    main()
