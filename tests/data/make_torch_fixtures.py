#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes torch/: one state dict in each of PyTorch's formats and, as what they must be read as, in safetensors.

    python make_torch_fixtures.py      needs torch, safetensors
"""
from collections import OrderedDict
from pathlib import Path

import torch
from safetensors.torch import save_file

FOLDER = Path(__file__).parent / "torch"


class Tied(torch.nn.Module):
    """Its state dict is an OrderedDict with attributes, as a model's is."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(5, 3)
        self.norm = torch.nn.LayerNorm(3)
        self.head = torch.nn.Linear(3, 5, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("mask", torch.ones(4, 4).tril().bool().view(1, 1, 4, 4))


def tensors():
    torch.manual_seed(11)
    base = torch.randn(6, 8)
    state = Tied().state_dict()
    state["transposed"] = base.t()
    state["rows"] = base[2:4]  # an offset into a storage that others share
    state["columns"] = base[:, 1:8:3]
    state["permuted"] = torch.randn(2, 3, 4).permute(2, 0, 1)
    state["one_row"] = torch.randn(1, 7).t().t()
    state["scalar"] = torch.tensor(3.5)
    state["empty"] = torch.zeros(0, 4)
    state["parameter"] = torch.nn.Parameter(torch.randn(2, 2))
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        state[str(dtype)] = torch.randn(3, 3).to(dtype)
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
        state[str(dtype)] = torch.arange(3, 9).to(dtype)
    return state


def main():
    FOLDER.mkdir(exist_ok=True)
    state = tensors()
    torch.save(state, FOLDER / "zip.bin")
    torch.save(state, FOLDER / "legacy.bin", _use_new_zipfile_serialization=False)
    torch.save({"model": dict(state), "step": 3}, FOLDER / "nested.bin")
    torch.save(OrderedDict(weight=torch.zeros(1).expand(1000, 1000)), FOLDER / "expanded.bin")
    torch.save(torch.nn.Linear(2, 2), FOLDER / "module.bin")
    save_file({name: tensor.detach().contiguous().clone() for name, tensor in state.items()}, FOLDER / "expected.safetensors")


if __name__ == "__main__":
    main()
