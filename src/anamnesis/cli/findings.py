"""How the findings of health checks are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def show(findings: Iterable[Mapping[str, object]], *, within: str = "") -> None:
    """Print one line for each, and the remedy beneath unless it is the command that runs."""
    rows = [{key: str(value) for key, value in finding.items()} for finding in findings]
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        output.say(f"{row['severity']:<8} {row['name']:<{width}}  {row['sentence']}")
        remedy = row["remedy"]
        is_here = bool(within) and remedy.partition(" #")[0] == within
        if remedy and row["severity"] != "ok" and not is_here:
            output.say(f"{'':<8} {'':<{width}}  -> {remedy}")
