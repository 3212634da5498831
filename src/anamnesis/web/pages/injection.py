"""What a session of a project would start with, and what sessions were given."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from anamnesis.hooks import receipts
from anamnesis.index import browse
from anamnesis.inject import budget
from anamnesis.operations.sessions.inject import preview

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from anamnesis.inject.select import Candidate
    from anamnesis.web.visit import Visit

_NOTES = 8
_MOST_UNITS = 100_000
_RECEIPTS = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """One note of the working set, and what became of it."""

    candidate: Candidate
    shown: str  # whole, title or nothing
    units: int
    why: str


def show(visit: Visit) -> Response:
    """The exact block, each note with its verdict, and the latest receipts."""
    project = visit.asked("project") or "global"
    limit = max(500, visit.asked_number("budget", budget.LIMIT, most=_MOST_UNITS))
    k = visit.asked_number("k", _NOTES, most=100)
    chosen, fitted = preview(visit.store, project=project, k=k, limit=limit)
    given = list(islice(receipts.latest(visit.dashboard.home), _RECEIPTS))
    return visit.page(
        "injection.html",
        project=project,
        limit=limit,
        k=k,
        text=fitted.text,
        used=budget.units(fitted.text),
        verdicts=verdicts(chosen, fitted),
        projects=visit.dashboard.counts.values("project"),
        receipts=given,
        titles=_titles(visit, [str(note.get("id")) for each in given for note in each["notes"]]),
    )


def verdicts(chosen: Sequence[Candidate], fitted: budget.Fitted) -> list[Verdict]:
    """What became of each note of a working set."""
    return [_verdict(candidate, fitted) for candidate in chosen]


def _verdict(candidate: Candidate, fitted: budget.Fitted) -> Verdict:
    note_id = candidate.note.id
    if note_id in fitted.whole:
        return Verdict(candidate, "whole", fitted.whole[note_id], "fits in full")
    if note_id in fitted.listed:
        return Verdict(candidate, "title", 0, "no room in full; its title is listed")
    return Verdict(candidate, "nothing", 0, "no room; counted in the last line")


def _titles(visit: Visit, ids: list[str]) -> dict[str, str]:
    rows = visit.store.ask(lambda db: browse.rows_of(db, dict.fromkeys(ids)))
    return {row.note.id: row.note.title for row in rows}
