#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program beside a reference script on the same weights and text, in turn, as ratios.

    python against_reference.py --program build/release/app/straightedge --gguf MODEL.gguf --reference measure.py \\
        --reference-model FOLDER --corpus TEXT [--runs 3] [--tokens 15000] [--perplexity] [--json OUT]

FOLDER holds the GGUF's weights as a Hugging Face checkpoint (get_smollm2.py makes it). Whole processes are timed, start to
results written; peak memory is the process's own largest resident size, mapped file pages included. Run it by hand, on a
machine that does nothing else: never as a test.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def timed(command):
    with tempfile.TemporaryFile() as log:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status != 0:
            log.seek(0)
            raise SystemExit(f"{command[0]} left with {status}:\n{log.read().decode(errors='replace')[-2000:]}")
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--reference-model", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--tokens", type=int, default=15_000)
    parser.add_argument("--eval-batches", type=int, default=30)
    parser.add_argument("--perplexity", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        ours = [args.program, "measure", "--model", args.gguf, "--corpus", args.corpus, "--tokens", str(args.tokens),
                "--no-store", "--csv", f"{folder}/ours.csv"]
        theirs = [sys.executable, args.reference, "--model", args.reference_model, "--corpus", args.corpus,
                  "--tokens", str(args.tokens), "--stages", "r2,ppl" if args.perplexity else "r2",
                  "--eval-batches", str(args.eval_batches), "--out", f"{folder}/theirs.json"]
        if args.perplexity:
            ours += ["--perplexity", "--eval-batches", str(args.eval_batches)]
        pairs = []
        for run in range(args.runs):
            pairs.append({"program": timed(ours), "reference": timed(theirs)})
            print(f"run {run + 1}: " + ", ".join(
                f"{name} {value['seconds']:.1f} s {value['peak_mb']:.0f} MB" for name, value in pairs[-1].items()), flush=True)

    print(f"\n{'':10}{'program':>10}{'reference':>11}{'ratio':>8}   smallest to largest ratio")
    for figure in ("seconds", "cpu", "peak_mb"):
        ratios = [pair["program"][figure] / pair["reference"][figure] for pair in pairs]
        middle = {name: statistics.median(pair[name][figure] for pair in pairs) for name in ("program", "reference")}
        print(f"{figure:10}{middle['program']:10.1f}{middle['reference']:11.1f}{statistics.median(ratios):8.2f}"
              f"   {min(ratios):.2f} to {max(ratios):.2f}")
    if args.json:
        with open(args.json, "w") as out:
            json.dump({"settings": vars(args), "runs": pairs}, out, indent=1)


if __name__ == "__main__":
    main()
