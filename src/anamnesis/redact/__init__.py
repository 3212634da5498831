"""Secrets out of text, before it becomes a note and again before it is committed.

Two kinds of evidence: values whose *shape* betrays them (`ghp_…`, `AKIA…`, a PEM block; see
`shapes`) and values that a *name* betrays (`DB_PASSWORD=…`, `"token": "…"`; see `names`). What
is removed leaves a placeholder that says what stood there, so that the note still reads well.
Applying it twice changes nothing more, and the time is linear in the text.
"""

from __future__ import annotations

from anamnesis.redact.anchors import Anchored
from anamnesis.redact.finding import Finding
from anamnesis.redact.names import named_values
from anamnesis.redact.shapes import shaped_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["RULES", "Finding", "findings", "redact"]

RULES = 2  # counts up when a rule changes: what was found harmless before is looked at again

_SHORTEST_TEXT = 7  # `pw=1234`


def findings(text: str, *, allow: Iterable[str] = ()) -> list[Finding]:
    """The secrets in `text`, in order, without overlaps; values in `allow` are left alone."""
    allowed = frozenset(allow)
    if len(text) < _SHORTEST_TEXT:
        return []
    anchored = Anchored(text)
    found = [*shaped_values(anchored), *named_values(anchored)]
    found = [finding for finding in found if text[finding.start : finding.end] not in allowed]
    return _without_overlaps(found)


def redact(text: str, *, allow: Iterable[str] = ()) -> str:
    """`text` with every secret replaced by a placeholder such as `[redacted: github token]`."""
    pieces, position = [], 0
    for finding in findings(text, allow=allow):
        pieces += [text[position : finding.start], finding.placeholder]
        position = finding.end
    return "".join([*pieces, text[position:]]) if pieces else text


def _without_overlaps(found: Sequence[Finding]) -> list[Finding]:
    # The shape names the kind better than the variable it was assigned to, and comes first for
    # equal starts because the sort is stable.
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda each: each.start):
        if not kept or finding.start >= kept[-1].end:
            kept.append(finding)
        elif finding.end > kept[-1].end:
            last = kept[-1]
            kept[-1] = Finding(kind=last.kind, start=last.start, end=finding.end)
    return kept
