"""What a session of a project would start with, and what sessions were given."""

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
    from anamnesis.web.visit import Visit

_MOST_UNITS = 100_000
_RECEIPTS = 20
_EXCLUDED = 100
_WIDTH = 1000  # units of the bar's drawing


@dataclass(frozen=True, slots=True)
class Segment:
    """One note of the bar."""

    each: PreviewedNote
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class SlotShare:
    """One slot of the plan: its notes, and how much of the room they take."""

    slot: str
    name: str
    notes: Sequence[PreviewedNote]
    units: int


def show(visit: Visit) -> Response:
    """The plan as a bar and a table, the exact block, and what earlier sessions got."""
    project = visit.parameter("project") or "global"
    limit = max(500, visit.number("budget", LIMIT, most=_MOST_UNITS))
    asked = visit.number("k", -1, most=100)
    k = asked if asked >= 0 else None
    prompt = visit.parameter("prompt").strip()
    coming = preview(visit.store, project=project, k=k, limit=limit)
    past = past_giving(visit.dashboard.home, project=project)
    latest = list(islice(receipts.latest(visit.dashboard.home), _RECEIPTS))
    ids = [str(note.get("id")) for receipt in latest for note in receipt["notes"]]
    excluded = NoteFilter(tag=EXCLUDED)
    return visit.page(
        "injection.html",
        project=project,
        limit=limit,
        k=k,
        preview=coming,
        slots=_slots(coming),
        forms=_forms(coming),
        bar=_bar(coming, limit),
        bar_width=_WIDTH,
        past=past,
        dropped=_dropped(coming, past.last_ids),
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
    """Pin a note, keep it to one project, or keep it out of every session's start."""
    notice = _done(visit, visit.value("act"), visit.value("id"))
    visit.dashboard.recorder.soon()
    return visit.go(visit.back("/injection"), notice)


def _done(visit: Visit, act: str, note_id: str) -> Notice:
    store = visit.store
    if act in ("pin", "unpin"):
        unit = pin(store, [note_id], pinned=act == "pin")
        return notice_of(unit, "Pinned." if act == "pin" else "Unpinned.")
    if act == "project":
        done = batch.set_fields(store, [note_id], project=visit.value("project"))
        text = f"Given to sessions of {visit.value('project')} only."
    elif act == "exclude":
        done = batch.add_tag(store, [note_id], EXCLUDED)
        text = "No session starts with it any more. Searches and prompts still find it."
    elif act == "include":
        done = batch.remove_tag(store, [note_id], EXCLUDED)
        text = "Sessions start with it again, where there is room."
    else:
        raise InvalidInput(f"{act[:40]!r} is not something that can be done here.")
    for error in done.errors:
        raise error
    return notice_of(done.unit, text)


def _slots(coming: Preview) -> list[SlotShare]:
    shares = []
    for slot, name in SLOTS.items():
        notes = [each for each in coming.notes if each.slot == slot]
        if notes:
            shares.append(SlotShare(slot, name, notes, sum(each.units for each in notes)))
    return shares


def _forms(coming: Preview) -> list[tuple[str, int, str]]:
    """How notes are given: the form, how many have it, and the first of them."""
    first: dict[str, str] = {}
    for each in coming.notes:
        first.setdefault(each.shown, each.note.id)
    numbers = Counter(each.shown for each in coming.notes)
    return [(shown, numbers[shown], first[shown]) for shown in FORMS if shown in first]


def _bar(coming: Preview, limit: int) -> list[Segment]:
    """The notes side by side, each as wide as the room that it takes."""
    segments, x = [], 0.0
    for each in (each for slot in SLOTS for each in coming.notes if each.slot == slot):
        if each.units:
            width = _WIDTH * each.units / limit
            segments.append(Segment(each, round(x, 2), round(width, 2)))
            x += width
    return segments


def _dropped(coming: Preview, last: Sequence[str]) -> list[str]:
    """What the last session started with and the next would not."""
    now = {each.note.id for each in coming.notes if each.units}
    return [note_id for note_id in last if note_id not in now]
