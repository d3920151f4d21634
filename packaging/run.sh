#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up and builds what is missing, then runs the program with the arguments given: none opens the window.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/setup.sh" release
cmake --build "$here/../build/release" --target straightedge -- --quiet >&2
exec "$here/../build/release/app/straightedge" "$@"
