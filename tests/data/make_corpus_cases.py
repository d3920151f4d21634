#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes corpus_cases.json beside itself: what Python makes of invalid UTF-8 and where it divides a text.

    python make_corpus_cases.py
"""
import json
import random
from pathlib import Path

FRAGMENTS = [b"", b"a", b"\n", b"\r\n", b"\0", "é".encode(), "€".encode(), "😀".encode(), b"\xef\xbb\xbf", b"\x80", b"\xbf", b"\xc0",
             b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xc3(", b"\xe0", b"\xe0\x80", b"\xe0\x9f\xbf", b"\xe0\xa0", b"\xe2\x82", b"\xe2(\xa1",
             b"\xed\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xef\xbf\xbf", b"\xf0", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf",
             b"\xf0\x90\x80", b"\xf0\x9f\x98", b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80",
             b"\xfe", b"\xff", b"\xff\xfe", b"text, "]


def divide(raw):
    """As in the protocol: the last tenth, cut at the next line start, else at the next whole character."""
    cut = raw.find(b"\n", len(raw) - len(raw) // 10) + 1
    if cut == 0:
        cut = len(raw) - len(raw) // 10
        while cut < len(raw) and raw[cut] & 0xC0 == 0x80:
            cut += 1
    return cut


def main():
    rng = random.Random(1)
    samples = [*FRAGMENTS, b"\xef\xbb\xbf\xef\xbb\xbftwice", b"a\xef\xbb\xbf", bytes(range(256))]
    samples += [b"".join(rng.choice(FRAGMENTS) for _ in range(rng.randrange(2, 12))) for _ in range(300)]
    samples += [bytes(rng.randrange(256) for _ in range(rng.randrange(1, 40))) for _ in range(100)]
    decode = [{"bytes": raw.hex(), "text": raw.decode("utf-8", errors="replace").removeprefix("\ufeff")} for raw in samples]
    texts = [b"", b"abc", b"0123456789", b"line\n" * 20, "é".encode() * 55, "😀".encode() * 21, b"x" * 95 + b"\n" + b"y" * 9,
             b"x" * 99 + b"\n", b"x" * 89 + b"\n" + b"y" * 10, b"x" * 90 + b"\n" + b"y" * 9] + samples
    cuts = [{"bytes": raw.hex(), "cut": divide(raw)} for raw in texts]
    path = Path(__file__).with_name("corpus_cases.json")
    path.write_text(json.dumps({"decode": decode, "divide": cuts}, indent=0) + "\n")


if __name__ == "__main__":
    main()
