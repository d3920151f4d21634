#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How time and memory grow with tokens, depth and width; and runs that are larger than memory.

    python growth.py --program build/release/app/straightedge --tokenizer tests/data/tiny/llama/tokenizer.json \\
        --scratch FOLDER [--tables tokens,depth,width,seven-billion,swaps] [--json OUT]

Models are random (random_llama.py) and made in FOLDER as they are needed. Memory is the process's own: the largest anonymous
resident size, seen every 20 ms, mapped file pages aside; Linux only. Run it by hand, on a machine that does nothing else.
"""
import argparse
import json
import random
import subprocess
import time
from pathlib import Path

from random_llama import make


def measured(command):
    """Seconds, and the largest anonymous and whole resident size in MB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    own = whole = 0
    while process.poll() is None:
        try:
            fields = dict(line.split(":", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
            own = max(own, int(fields.get("RssAnon", "0 kB").split()[0]))
            whole = max(whole, int(fields.get("VmRSS", "0 kB").split()[0]))
        except (FileNotFoundError, ProcessLookupError):
            break
        time.sleep(0.02)
    errors = process.stderr.read()
    if process.wait() != 0:  # blocks without values (3) too: what they cost says nothing
        raise SystemExit(f"{' '.join(map(str, command))} left with {process.returncode}:\n{errors[-2000:]}")
    return {"seconds": round(time.perf_counter() - start, 2), "anonymous_mb": own // 1024, "resident_mb": whole // 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--tables", default="tokens,depth,width")
    parser.add_argument("--json")
    args = parser.parse_args()
    scratch = Path(args.scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    text = scratch / "text.txt"
    if not text.exists():
        generator = random.Random(0)
        words = ["".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=generator.randint(2, 9))) for _ in range(4000)]
        text.write_text("\n".join(" ".join(generator.choices(words, k=12)) for _ in range(60_000)))
    results = []

    def model(name, **sizes):
        folder = scratch / name
        if not (folder / "config.json").exists():
            make(folder, args.tokenizer, **sizes)
        return folder

    def run(table, row, folder, *options):
        result = measured([args.program, "measure", "--model", folder, "--corpus", text, *options])
        results.append({"table": table, "row": row} | result)
        print(f"{table:14} {row:>24} {result['seconds']:9.1f} s {result['anonymous_mb']:8} MB own "
              f"{result['resident_mb']:8} MB resident", flush=True)

    tables = args.tables.split(",")
    if "tokens" in tables:
        folder = model("tokens", width=256, blocks=4, heads=4, kv_heads=4, ffn=1024, dtype="F32")
        for tokens in (5_000, 15_000, 50_000, 150_000, 500_000):
            run("tokens", f"{tokens:,} tokens", folder, "--tokens", str(tokens))
    if "depth" in tables:
        for blocks in (6, 12, 24, 48, 96):
            run("depth", f"{blocks} blocks", model(f"depth-{blocks}", width=256, blocks=blocks, heads=4, kv_heads=4, ffn=1024,
                                                   dtype="F32"), "--tokens", "5000")
    if "width" in tables:
        for width in (256, 512, 1024, 2048, 4096):
            run("width", f"width {width}", model(f"width-{width}", width=width, blocks=2, heads=width // 64,
                                                 kv_heads=width // 64, ffn=3 * width), "--tokens", "15000")
    if "seven-billion" in tables:
        run("seven-billion", "7B, 2,048 tokens", model("seven-billion"), "--tokens", "2048")
    if "swaps" in tables:
        run("swaps", "1.5B, 30 swaps", model("one-and-a-half", width=2048, blocks=30, heads=16, kv_heads=16, ffn=5632),
            "--tokens", "4096", "--perplexity", "--eval-batches", "8")
    if args.json:
        Path(args.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
