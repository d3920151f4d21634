# SPDX-License-Identifier: GPL-3.0-or-later
"""A ZIP file laid out as the one of WikiText-2 raw, with text.txt for its parts: python make_texts_zip.py"""
import zipfile
from pathlib import Path

here = Path(__file__).parent
text = (here / "text.txt").read_bytes()
with zipfile.ZipFile(here / "texts.zip", "w") as made:
    for name, content, method in (("test", text[:1000], zipfile.ZIP_STORED),
                                  ("valid", b"", zipfile.ZIP_DEFLATED),
                                  ("train", text, zipfile.ZIP_DEFLATED)):
        entry = zipfile.ZipInfo(f"wikitext-2-raw/wiki.{name}.raw")  # dated 1980, so that the file is always the same
        entry.compress_type = method
        made.writestr(entry, content)
