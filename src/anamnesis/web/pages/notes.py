"""The list of notes: live search, facets, sorting, and acts on several notes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anamnesis.ground.errors import InvalidInput
from anamnesis.history import undo as units
from anamnesis.index.browse import ORDERS, NoteFilter
from anamnesis.notes.note import SCOPES
from anamnesis.operations.notes import batch
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.notes.list import list_notes
from anamnesis.operations.notes.move import move
from anamnesis.operations.notes.show import find
from anamnesis.web.dashboard import Notice, notice_of
from anamnesis.web.lookup import MOST_HITS, FoundNote, FoundPage, looked_up
from anamnesis.web.pages import review
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response

    from anamnesis.operations.notes.batch import Curated
    from anamnesis.web.visit import Visit

PAGE = 50
_DEEPEST = 1_000_000
_FACETS = {
    "review": "Review",
    "state": "State",
    "type": "Type",
    "project": "Project",
    "scope": "Scope",
    "machine": "Machine",
    "source": "Source",
    "tag": "Tag",
}
_VALUES_SHOWN = 8
_ALWAYS = ("state", "review")  # shown even if there is one value only
LABELS = {
    "updated": "latest change",
    "oldest": "oldest change",
    "created": "latest made",
    "title": "title",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a facet: how many notes it shows, and where it leads."""

    value: str
    count: int
    chosen: bool
    address: str


@dataclass(frozen=True, slots=True)
class Facet:
    """One dimension that notes are chosen by."""

    name: str
    title: str
    choices: tuple[Choice, ...]
    more: tuple[Choice, ...]


def show(visit: Visit) -> Response:
    """The list, or only its changing part when a script asks."""
    query, shown = visit.asked("q").strip(), visit.shown()
    offset = visit.asked_number("offset", 0, most=_DEEPEST)
    order = visit.asked("sort") if visit.asked("sort") in ORDERS else "updated"
    found = _found(visit, query, shown, order=order, offset=offset)
    context: dict[str, Any] = {
        "query": query,
        "shown": shown,
        "hits": found.hits,
        "total": found.total,
        "offset": offset,
        "order": order,
        "orders": LABELS,
        "best": MOST_HITS,
        "page_size": PAGE,
        "facets": _facets(visit, shown, found.facets),
        "here": visit.address(),
        "empty": visit.dashboard.counts.total(NoteFilter(state="all")) == 0,
    }
    partial = visit.from_htmx and visit.request.headers.get("hx-target") == "results"
    return visit.page("notes_results.html" if partial else "notes.html", **context)


def act(visit: Visit) -> Response:
    """Carry out one act on the notes that were selected."""
    ids = visit.values("id")
    if not ids:
        raise InvalidInput("No note is selected.", hint="Select notes with x, then choose again.")
    name = visit.value("act")
    if name in review.DECISIONS:
        notice = review.decided(visit, name, ids)
    else:
        notice = _notice(name, _carried_out(visit, ids))
    visit.dashboard.recorder.soon()
    return visit.go(visit.back("/notes"), notice)


def undo(visit: Visit) -> Response:
    """Take back the unit that the form names; the notice of that does it again."""
    unit = visit.value("unit")
    if not unit:
        raise InvalidInput("Nothing is named that could be undone.")
    notice = _undone(visit, unit)
    visit.dashboard.recorder.soon()
    return visit.go(visit.back("/notes"), notice)


def _undone(visit: Visit, unit: str) -> Notice:
    try:
        done = units.undo(visit.store, id=unit)
    except (units.ChangedSince, units.NothingToUndo) as error:
        return Notice(f"{error.message} Nothing was put back.", "trouble")
    said = [f"{plural(done.notes, 'note')} put back."]
    if done.left:
        said.append(f"Changed since and left: {plural(len(done.left), 'file')}.")
    return Notice(" ".join(said), "trouble" if done.left else "done", done.redo)


def _found(visit: Visit, query: str, shown: NoteFilter, *, order: str, offset: int) -> FoundPage:
    if query:
        return looked_up(visit.store, query, shown, limit=PAGE, offset=offset)
    page = list_notes(visit.store, shown, order=order, limit=PAGE, offset=offset, excerpts=True)
    counts = visit.dashboard.counts
    return FoundPage(tuple(map(FoundNote, page.rows)), counts.total(shown), counts.facets(shown))


def _facets(
    visit: Visit, shown: NoteFilter, found: Mapping[str, Sequence[tuple[str, int]]]
) -> list[Facet]:
    facets = []
    for name, title in _FACETS.items():
        chosen = getattr(shown, name)
        choices = [
            _choice(visit, name, value, count, chosen)
            for value, count in found[name]
            if value or name != "review"
        ]
        if chosen and chosen != "all" and chosen not in {choice.value for choice in choices}:
            choices.insert(0, _choice(visit, name, chosen, 0, chosen))
        if len(choices) > 1 or (choices and (chosen or name in _ALWAYS)):
            first = [each for at, each in enumerate(choices) if at < _VALUES_SHOWN or each.chosen]
            rest = [each for each in choices if each not in first]
            facets.append(Facet(name, title, tuple(first), tuple(rest)))
    return facets


def _choice(visit: Visit, name: str, value: str, count: int, chosen: str) -> Choice:
    is_chosen = value == chosen
    empty = "all" if name == "state" else None
    address = visit.address(**{name: empty if is_chosen else value, "offset": None})
    return Choice(value, count, is_chosen, address)


def _carried_out(visit: Visit, ids: Sequence[str]) -> Curated:
    store, name = visit.store, visit.value("act")
    if name == "delete":
        return delete(store, ids)
    if name == "tag":
        return batch.add_tag(store, ids, visit.value("tag"))
    if name == "untag":
        return batch.remove_tag(store, ids, visit.value("tag"))
    if name in SCOPES:
        return move(store, ids, name)
    if name == "supersede":
        newest = max(ids, key=lambda note_id: _age(visit, note_id))
        return batch.supersede(store, ids, by=visit.value("by") or newest)
    raise InvalidInput(f"{name[:40]!r} is not something that can be done to notes.")


def _age(visit: Visit, note_id: str) -> str:
    found = find(visit.store, note_id)
    return found.note.updated_at if found else ""


def _notice(name: str, done: Curated) -> Notice:
    number = plural(len(done.ids), "note")
    texts = {
        "delete": f"{number} deleted.",
        "tag": f"{number} tagged.",
        "untag": f"Tag removed from {number}.",
        "portable": f"{number} will travel with the next sync.",
        "machine-local": f"{number} kept on this machine.",
        "supersede": "The latest note replaces the others.",
    }
    text = " ".join([texts[name], *done.notices, *done.failures])
    tone = "trouble" if done.notices or done.failures else "done"
    return notice_of(done.unit, text, tone=tone)
