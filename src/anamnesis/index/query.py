"""Free text as an FTS5 match expression."""

from __future__ import annotations

import re


def _fts_query(query: str) -> str:
    """Every word of the text, quoted so that none is an operator, joined with OR."""
    return " OR ".join(f'"{token}"' for token in re.findall(r"\w+", query))
