"""What the next session of a project would start with, and what earlier ones were given."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.hooks import receipts
from anamnesis.operations.curate.pin import PINNED, pin
from anamnesis.operations.notes import batch
from anamnesis.operations.notes.list import NoteFilter, list_notes, titles
from anamnesis.operations.sessions.preview import (
    EXCLUDED,
    FORMS,
    LIMIT,
    SLOTS,
    for_prompt,
    past_giving,
    preview,
)
from anamnesis.web.dashboard import notice_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from anamnesis.operations.sessions.preview import Preview, PreviewedNote
    from anamnesis.web.dashboard import Notice
    from anamnesis.web.request import Visit

_MOST_UNITS = 100_000
_RECEIPTS = 20
_EXCLUDED = 100
_BAR_WIDTH = 1000  # drawing units


@dataclass(frozen=True, slots=True)
class BarSegment:
    """One note in the bar."""

    preview: PreviewedNote
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class SlotShare:
    """One slot of the plan: its notes, and the characters that they take."""

    slot: str
    name: str
    notes: Sequence[PreviewedNote]
    units: int


def show(visit: Visit) -> Response:
    """The plan as a bar and a table, the exact block, and what earlier sessions were given."""
    project = visit.parameter("project") or "global"
    limit = max(500, visit.number("budget", LIMIT, most=_MOST_UNITS))
    count = visit.number("k", -1, most=100)
    k = count if count >= 0 else None
    prompt = visit.parameter("prompt").strip()
    next_start = preview(visit.store, project=project, k=k, limit=limit)
    past = past_giving(visit.dashboard.home, project=project)
    latest = list(islice(receipts.latest(visit.dashboard.home), _RECEIPTS))
    ids = [str(note.get("id")) for receipt in latest for note in receipt["notes"]]
    excluded = NoteFilter(tag=EXCLUDED)
    return visit.page(
        "injection.html",
        project=project,
        limit=limit,
        k=k,
        preview=next_start,
        slots=_slots(next_start),
        forms=_forms(next_start),
        bar=_bar(next_start, limit),
        bar_width=_BAR_WIDTH,
        past=past,
        dropped=_dropped(next_start, past.last_ids),
        prompt=prompt,
        answer=for_prompt(visit.store, prompt, project=project) if prompt else ("", []),
        excluded=list_notes(visit.store, excluded, limit=_EXCLUDED).rows,
        pinned=PINNED,
        here=visit.address(),
        projects=visit.dashboard.counts.values("project"),
        receipts=latest,
        titles=titles(visit.store, [*ids, *past.last_ids]),
    )


def act(visit: Visit) -> Response:
    """Pin a note, limit it to one project, or exclude it from session starts."""
    notice = _apply(visit, visit.value("act"), visit.value("id"))
    visit.dashboard.recorder.schedule()
    return visit.redirect(visit.return_address("/injection"), notice)


def _apply(visit: Visit, act: str, note_id: str) -> Notice:
    store = visit.store
    if act in ("pin", "unpin"):
        unit = pin(store, [note_id], pinned=act == "pin")
        return notice_of(unit, "Pinned." if act == "pin" else "Unpinned.")
    if act == "project":
        change = batch.set_fields(store, [note_id], project=visit.value("project"))
        text = f"Now given only to sessions of {visit.value('project')}."
    elif act == "exclude":
        change = batch.add_tag(store, [note_id], EXCLUDED)
        text = "Sessions no longer start with it. Searches and prompts still find it."
    elif act == "include":
        change = batch.remove_tag(store, [note_id], EXCLUDED)
        text = "Sessions start with it again if there is room."
    else:
        raise InvalidInput(f"{act[:40]!r} is not an action of this page.")
    for error in change.errors:
        raise error
    return notice_of(change.unit, text)


def _slots(next_start: Preview) -> list[SlotShare]:
    shares = []
    for slot, name in SLOTS.items():
        notes = [each for each in next_start.notes if each.slot == slot]
        if notes:
            shares.append(SlotShare(slot, name, notes, sum(each.units for each in notes)))
    return shares


def _forms(next_start: Preview) -> list[tuple[str, int, str]]:
    """The forms in which notes are given: name, number of notes, and the id of the first."""
    first: dict[str, str] = {}
    for planned in next_start.notes:
        first.setdefault(planned.label, planned.note.id)
    counts = Counter(each.label for each in next_start.notes)
    return [(form, counts[form], first[form]) for form in FORMS if form in first]


def _bar(next_start: Preview, limit: int) -> list[BarSegment]:
    """The notes side by side, each as wide as its share of the budget."""
    segments, x = [], 0.0
    for planned in (each for slot in SLOTS for each in next_start.notes if each.slot == slot):
        if planned.units:
            width = _BAR_WIDTH * planned.units / limit
            segments.append(BarSegment(planned, round(x, 2), round(width, 2)))
            x += width
    return segments


def _dropped(next_start: Preview, last: Sequence[str]) -> list[str]:
    """The notes that the last session started with and the next one would not."""
    ids = {each.note.id for each in next_start.notes if each.units}
    return [note_id for note_id in last if note_id not in ids]
