#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""On paper: what a survey costs when many processes share it (README, "On a cluster"), as a Markdown table.

    python cluster_cost.py --bench against_reference.json

The rates of one core are those that against_reference.py --parts --json measured; how a rank's cores add up, the network and
the disk are assumptions, named below. Nothing of this was run on a cluster.
"""
import argparse
import json
from pathlib import Path

TOKENS = 1_048_576
CORES = 16           # of one rank, assumed to add up fully in products
NETWORK = 10e9       # bytes a second that a sum over all ranks moves through one of them
DISK = 2e9           # bytes a second of weights that a rank reads, BF16
SOLVE_SHARE = 0.5    # of the float64 product rate that a Cholesky solve reaches

MODELS = {"7B": {"blocks": 32, "width": 4096, "block": 4 * 4096**2 + 3 * 4096 * 11_008},
          "70B": {"blocks": 80, "width": 8192, "block": 2 * 8192**2 + 2 * 8192 * 1024 + 3 * 8192 * 28_672}}


def seconds(model, ranks, rate):
    d, rows = model["width"], TOKENS / ranks
    passes = 2 * model["block"] * rows / rate["passes"]
    moments = 3 * rows * d**2 / rate["moments"]                      # x'x by half, x'y whole
    scores = 2 * (2 * 0.1 * rows * d**2) / rate["predictions"]       # two fits on the held-out tenth
    massive = 2 * rows * d / rate["values"]
    solves = 2 * (d**3 / 3 + 2 * d**3) / (SOLVE_SHARE * rate["float64"])  # every rank solves: not shared
    sums = 2 * (1.5 * d**2 * 8) / NETWORK * 2
    weights = 2 * model["block"] / DISK
    shared, alone = passes + moments + scores + massive, solves + sums + weights
    return model["blocks"] * shared, model["blocks"] * alone


def text(value):
    return f"{value / 3600:.1f} h" if value >= 5400 else f"{value / 60:.0f} min" if value >= 120 else f"{value:.0f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    bench = json.loads(Path(parser.parse_args().bench).read_text())
    per_core = CORES / bench["machine"]["cores"]
    part = {each["part"]: each["rate"] for each in bench["parts"]}
    rate = {"passes": bench["sweep"]["gflops"] * 1e9 * per_core,
            "moments": part["moments, float32 products"] * 1e9 * per_core,
            "predictions": part["predictions, float32"] * 1e9 * per_core,
            "values": part["massive rows"] * 1e6 * per_core,
            "float64": part["product 2048 x 2048, float64"] * 1e9 * per_core}
    print("| ranks | " + " | ".join(f"{name} | of it not shared" for name in MODELS) + " |")
    print("|--:|" + "--:|" * (2 * len(MODELS)))
    for ranks in (8, 16, 32, 64, 128, 256, 512):
        cells = []
        for model in MODELS.values():
            shared, alone = seconds(model, ranks, rate)
            cells += [text(shared + alone), text(alone)]
        print(f"| {ranks} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
