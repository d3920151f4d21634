#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program beside a reference script on the same weights and text, in turn, as ratios.

    python against_reference.py --program build/release/app/straightedge --reference measure.py --reference-model FOLDER \\
        [--gguf MODEL.gguf] --corpus TEXT [--perplexity] [--parts build/release/tests/bench/bench_parts] [--runs 3] [--json OUT]

FOLDER is a Hugging Face checkpoint; --gguf gives the program the same weights as GGUF instead. The reference is any script
with measure.py's command line. Whole processes are timed, start to results written; peak memory is the process's own largest
resident size, mapped file pages included. --parts adds the table of single parts, and with it the share of the machine's
float32 product rate that the block passes reach. Run it by hand, on a machine that does nothing else: never as a test.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


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


def machine():
    name = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    return {"processor": name[0] if name else "unknown", "cores": os.cpu_count(),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)}


def block_flops(folder, rows, seq_len):
    """Multiplications and additions of `rows` rows through all blocks: the products with weights, and causal attention."""
    config = json.loads((Path(folder) / "config.json").read_text())

    def value(*names):
        return next((config[name] for name in names if config.get(name) is not None), None)

    d, heads = value("hidden_size", "n_embd"), value("num_attention_heads", "n_head")
    head_dim = value("head_dim") or d // heads
    kv_heads = value("num_key_value_heads") or heads
    f = value("intermediate_size", "n_inner") or 4 * d
    ffn = (3 if value("hidden_act") == "silu" else 2) * d * f
    weights = d * head_dim * (2 * heads + 2 * kv_heads) + ffn
    attention = heads * head_dim * (seq_len + 1)  # scores and their sums, half of the square each
    return 2 * rows * (weights + attention) * value("num_hidden_layers", "n_layer")


def ratio_table(pairs, figures):
    print(f"\n{'':28}{'program':>10}{'reference':>11}{'ratio':>8}   smallest to largest ratio")
    table = {}
    for title, ours, theirs in figures:
        values = [(ours(pair["program"]), theirs(pair["reference"])) for pair in pairs]
        ratios = [a / b for a, b in values]
        row = {"program": statistics.median(a for a, _ in values), "reference": statistics.median(b for _, b in values),
               "ratio": statistics.median(ratios), "smallest": min(ratios), "largest": max(ratios)}
        table[title] = row
        print(f"{title:28}{row['program']:10.1f}{row['reference']:11.1f}{row['ratio']:8.2f}   {row['smallest']:.2f} to {row['largest']:.2f}")
    return table


def stage_table(pairs):
    stages = {name: statistics.median(pair["program"]["stages"].get(name, 0) for pair in pairs)
              for name in pairs[0]["program"]["stages"]}
    total = sum(stages.values())
    print("\nstages of the program, seconds and share")
    for name, seconds in sorted(stages.items(), key=lambda item: -item[1]):
        print(f"  {name:26}{seconds:10.2f}{100 * seconds / total:9.1f} %")
    return stages


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--gguf")
    parser.add_argument("--reference", required=True)
    parser.add_argument("--reference-model", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--tokens", type=int, default=15_000)
    parser.add_argument("--eval-batches", type=int, default=30)
    parser.add_argument("--perplexity", action="store_true")
    parser.add_argument("--parts")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    args = parser.parse_args()

    result = {"machine": machine(), "settings": vars(args)}
    if args.parts:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([args.parts, "--json", f"{folder}/parts.json", "--model", args.gguf or args.reference_model,
                            "--corpus", args.corpus], check=True)
            result["parts"] = json.loads(Path(f"{folder}/parts.json").read_text())

    with tempfile.TemporaryDirectory() as folder:
        ours = [args.program, "measure", "--model", args.gguf or args.reference_model, "--corpus", args.corpus,
                "--tokens", str(args.tokens), "--no-store", "--csv", f"{folder}/ours.csv", "--timings", f"{folder}/ours.json"]
        theirs = [sys.executable, args.reference, "--model", args.reference_model, "--corpus", args.corpus,
                  "--tokens", str(args.tokens), "--stages", "r2,ppl" if args.perplexity else "r2",
                  "--eval-batches", str(args.eval_batches), "--out", f"{folder}/theirs.json"]
        if args.perplexity:
            ours += ["--perplexity", "--eval-batches", str(args.eval_batches)]
        pairs = []
        for run in range(args.runs):
            pair = {"program": timed(ours), "reference": timed(theirs)}
            pair["program"]["stages"] = json.loads(Path(f"{folder}/ours.json").read_text())["stages"]
            found = json.loads(Path(f"{folder}/theirs.json").read_text())
            pair["reference"]["stages"] = found["seconds"]
            rows = found["rows_captured"]
            pairs.append(pair)
            print(f"run {run + 1}: " + ", ".join(
                f"{name} {value['seconds']:.1f} s {value['peak_mb']:.0f} MB" for name, value in pair.items()), flush=True)

    figures = [("wall time, s", lambda p: p["seconds"], lambda p: p["seconds"]),
               ("processor time, s", lambda p: p["cpu"], lambda p: p["cpu"]),
               ("peak memory, MB", lambda p: p["peak_mb"], lambda p: p["peak_mb"])]
    if args.perplexity:
        swaps = ("swapped models", "perplexity")
        figures.append(("of it swaps, s", lambda p: sum(p["stages"].get(name, 0) for name in swaps),
                        lambda p: p["stages"]["perplexity"]))
    print(f"\n{result['machine']['processor']}, {result['machine']['cores']} cores, {result['machine']['memory_gb']} GB")
    result["ratios"] = ratio_table(pairs, figures)
    stages = result["stages"] = stage_table(pairs)
    if args.parts:
        peak = max(part["rate"] for part in result["parts"] if part["part"].startswith(("product 4096 x 4096, f", "the same")))
        rate = block_flops(args.reference_model, rows, 128) / stages["windows"] / 1e9
        result["sweep"] = {"gflops": rate, "peak_gflops": peak, "share": rate / peak, "fit_share": stages["fit"] / stages["windows"]}
        print(f"\nblock passes: {rate:.0f} GFLOP/s, {100 * rate / peak:.0f} % of the {peak:.0f} of this machine's float32 product; "
              f"fits {100 * stages['fit'] / stages['windows']:.0f} % of the block passes")
    result["runs"] = pairs
    if args.json:
        Path(args.json).write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
