#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes quant/TYPE.blocks (random bytes as GGML blocks) and quant/TYPE.f32 (what they mean, little-endian float32)
for each quantized type, by the `gguf` Python package's reference decoder: pip install gguf numpy."""

from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

ELEMENTS = 2048
FOLDER = Path(__file__).parent / "quant"

# Where the blocks' half-precision scales lie: random bytes would make them infinite or NaN now and then.
SCALES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0],
    "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
    "IQ4_NL": [0], "IQ4_XS": [0], "TQ1_0": [52], "TQ2_0": [64], "MXFP4": [],
}


def main():
    random = np.random.default_rng(20240607)
    FOLDER.mkdir(exist_ok=True)
    for name, offsets in SCALES.items():
        kind = GGMLQuantizationType[name]
        elements, size = GGML_QUANT_SIZES[kind]
        blocks = random.integers(0, 256, (ELEMENTS // elements, size), dtype=np.uint8)
        for offset in offsets:
            scales = random.normal(0, 0.05, len(blocks)).astype("<f2")
            scales[:4] = [0.0, -1.0, 6e-8, 3.1e-5]  # the last two are subnormal
            blocks[:, offset : offset + 2] = scales.view(np.uint8).reshape(-1, 2)
        values = dequantize(blocks, kind).reshape(-1)
        assert values.shape == (ELEMENTS,) and values.dtype == np.float32 and np.isfinite(values).all()
        (FOLDER / f"{name}.blocks").write_bytes(blocks.tobytes())
        (FOLDER / f"{name}.f32").write_bytes(values.astype("<f4").tobytes())


if __name__ == "__main__":
    main()
