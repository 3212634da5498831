"""Texts that were written by others, who knew none of the rules: by author, one to a line."""

from __future__ import annotations

import re
from pathlib import Path

_CODE = re.compile(r"\{U\+([0-9A-F]{4,6})\}")


def by_author(author: str, kind: str) -> list[str]:
    """The `poison` or `harmless` texts of an author; the files spell out what is invisible."""
    lines = (Path(__file__).parent / f"{author}_{kind}.txt").read_text("utf-8").splitlines()
    said = (line.replace("\\n", "\n") for line in lines)
    return [_CODE.sub(lambda found: chr(int(found[1], 16)), line) for line in said]
