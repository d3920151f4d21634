#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up and builds what is missing, then runs every test.
#     packaging/test.sh [preset]         (release, debug or asan; default: release)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
preset=${1:-release}
[ "$preset" = asan ] || export STRAIGHTEDGE_MPI=ON  # MPI libraries keep memory that the sanitizer reports
"$here/setup.sh" "$preset"  # the sample first: an expected tokenizer is made from it
STRAIGHTEDGE_ORACLES=$("$here/oracles.sh")
export STRAIGHTEDGE_ORACLES
"$here/setup.sh" "$preset"
export STRAIGHTEDGE_TORCH=${STRAIGHTEDGE_TORCH:-${XDG_CACHE_HOME:-$HOME/.cache}/straightedge/libtorch-2.13.0}
cd "$here/.."
cmake --build --preset "$preset" -- --quiet
report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
ctest --preset "$preset" --output-junit "$report" || status=$?
python3 - "$report" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
total, failed, skipped = (int(suite.get(name)) for name in ("tests", "failures", "skipped"))
print(f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped")
PYTHON
exit "$status"
