#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put exported replacements into the Hugging Face model as the README beside them says, and print base and swapped perplexity.

    python swap_in_transformers.py MODEL REPLACEMENTS TEXT SEQ_LEN WINDOWS
"""
import importlib.util
import math
import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

model_dir, replacements, text, seq_len, windows = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
torch.set_grad_enabled(False)
model = AutoModelForCausalLM.from_pretrained(model_dir, dtype=torch.float32).eval()
raw = Path(text).read_bytes()
held = raw[raw.find(b"\n", len(raw) - len(raw) // 10) + 1:]
ids = AutoTokenizer.from_pretrained(model_dir)(held.decode(), return_tensors="pt").input_ids[0]
ids = ids[: windows * seq_len].reshape(windows, seq_len)


def perplexity():
    return math.exp(sum(float(model(window[None], labels=window[None]).loss) for window in ids) / windows)


base = perplexity()
spec = importlib.util.spec_from_file_location("put_in", Path(replacements) / "put_in.py")
put_in = importlib.util.module_from_spec(spec)
spec.loader.exec_module(put_in)
put_in.put_in(model)
print(base, perplexity())
