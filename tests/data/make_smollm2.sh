#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes smollm2.json: the reference measurement of the sample's model on the sample's text.
#     make_smollm2.sh REFERENCE        (the folder that holds get_smollm2.py and measure.py)
# Needs torch==2.13.0 transformers==4.57.6 gguf accelerate.
set -euo pipefail
reference=$1
here=$(cd "$(dirname "$0")" && pwd)
text=${XDG_DATA_HOME:-$HOME/.local/share}/straightedge/sample/shakespeare.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python "$reference/get_smollm2.py" "$work"
python "$reference/measure.py" --model "$work/hf" --corpus "$text" --stages r2 --out "$work/out.json"
python - "$work/out.json" "$here/smollm2.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
json.dump({name: result[name] for name in ("rows_captured", "width", "torch", "blocks")}, open(sys.argv[2], "w"), indent=1)
PYTHON
