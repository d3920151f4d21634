# SPDX-License-Identifier: GPL-3.0-or-later
"""What huggingface_hub makes of a model: python snapshot.py ID REVISION prints the folder of its snapshot."""
import sys

from huggingface_hub import snapshot_download

print(snapshot_download(sys.argv[1], revision=sys.argv[2]))
