#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Llama-shaped checkpoints of any size, with random weights, for measuring time and memory: their numbers mean nothing.

    python random_llama.py --out FOLDER --tokenizer tests/data/tiny/llama/tokenizer.json \\
        [--width 4096 --blocks 32 --heads 32 --kv-heads 32 --ffn 11008 --dtype BF16]      (the defaults: 7 billion)

Weights are drawn once, a megabyte or so, and repeated: a large checkpoint is made as fast as the disk takes it. One shard a
block, as real checkpoints of this size have. Needs numpy only.
"""
import argparse
import json
import shutil
import struct
from pathlib import Path

import numpy as np


def drawn(dtype, rows, columns, generator):
    """Bytes of a [rows, columns] matrix whose products keep their size; the drawn piece is repeated."""
    count = rows * columns
    piece = (generator.normal(size=min(count, 1_000_003)) / np.sqrt(columns)).astype(np.float32)
    if dtype == "BF16":
        piece = (piece.view(np.uint32) >> 16).astype(np.uint16)
    return np.resize(piece, count).tobytes()


def ones(dtype, count):
    return (np.full(count, 0x3F80, np.uint16) if dtype == "BF16" else np.ones(count, np.float32)).tobytes()


def write_shard(path, dtype, tensors):
    header, offset = {}, 0
    size = 2 if dtype == "BF16" else 4
    for name, shape, _ in tensors:
        end = offset + int(np.prod(shape)) * size
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors:
            out.write(data())


def make(out, tokenizer, width=4096, blocks=32, heads=32, kv_heads=32, ffn=11008, dtype="BF16"):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    shutil.copy(tokenizer, out / "tokenizer.json")
    vocabulary = len(json.loads(Path(tokenizer).read_text())["model"]["vocab"])
    vocabulary = max(vocabulary, 384)
    head = width // heads
    generator = np.random.default_rng(0)
    matrix = lambda rows, columns: lambda: drawn(dtype, rows, columns, generator)
    norm = lambda: ones(dtype, width)
    index = {}

    def shard(number, tensors):
        name = f"model-{number + 1:05d}-of-{blocks + 1:05d}.safetensors"
        write_shard(out / name, dtype, tensors)
        index.update({tensor: name for tensor, _, _ in tensors})

    shard(0, [("model.embed_tokens.weight", [vocabulary, width], matrix(vocabulary, width)),
              ("model.norm.weight", [width], norm)])
    for block in range(blocks):
        at = f"model.layers.{block}."
        shard(block + 1, [
            (at + "input_layernorm.weight", [width], norm),
            (at + "self_attn.q_proj.weight", [heads * head, width], matrix(heads * head, width)),
            (at + "self_attn.k_proj.weight", [kv_heads * head, width], matrix(kv_heads * head, width)),
            (at + "self_attn.v_proj.weight", [kv_heads * head, width], matrix(kv_heads * head, width)),
            (at + "self_attn.o_proj.weight", [width, heads * head], matrix(width, heads * head)),
            (at + "post_attention_layernorm.weight", [width], norm),
            (at + "mlp.gate_proj.weight", [ffn, width], matrix(ffn, width)),
            (at + "mlp.up_proj.weight", [ffn, width], matrix(ffn, width)),
            (at + "mlp.down_proj.weight", [width, ffn], matrix(width, ffn))])
    (out / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    (out / "config.json").write_text(json.dumps({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "hidden_size": width,
        "intermediate_size": ffn, "max_position_embeddings": 4096, "num_attention_heads": heads,
        "num_hidden_layers": blocks, "num_key_value_heads": kv_heads, "head_dim": head, "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0, "tie_word_embeddings": True, "vocab_size": vocabulary, "torch_dtype": "bfloat16"}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--tokenizer", required=True)
    for name, value in (("width", 4096), ("blocks", 32), ("heads", 32), ("kv-heads", 32), ("ffn", 11008)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--dtype", choices=("BF16", "F32"), default="BF16")
    make(**{name.replace("-", "_"): value for name, value in vars(parser.parse_args()).items()})
