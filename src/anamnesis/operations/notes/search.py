"""Finding and listing notes, in answers that fit into a model's context."""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.notes.fields import FIELDS, plain
from anamnesis.notes.ids import is_valid_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.notes.note import Memory, MemoryType, Scope
    from anamnesis.store import MemoryStore

MOST_HITS = 50
BODY_LIMIT = 4_000  # characters of one body: enough for nearly every note, not for a pasted log
ANSWER_LIMIT = 32_000  # characters of all bodies of one answer: eight at their limit
WHOLE_LIMIT = 40_000  # a note asked for by its id; Claude Code moves 50,000 and more to a file
LIST_LIMIT = 100  # notes of one page of a list, about 30 KB
NOTE_URI = "memory://note/"


@record
class Page:
    """One page of a list, and where the next one starts."""

    notes: Sequence[Memory]
    next_offset: int | None = None


def memory_dict(mem: Memory, *, include_body: bool) -> dict[str, object]:
    """A note as the tools give it; `include_body` is the difference of search and list."""
    fields: dict[str, object] = {
        name: plain(mem, name) for name, row in FIELDS.items() if row.shown
    }
    if include_body:
        fields["body"] = mem.body
    return fields


def search_memories(
    store: MemoryStore,
    *,
    query: str,
    project: str | None = None,
    type: MemoryType | None = None,
    scope: Scope | None = None,
    k: int = 8,
) -> list[dict[str, object]]:
    """The best notes for a free text, with their bodies; an id as the query gives that note."""
    from anamnesis.operations.machine import (
        embed,  # a server that nobody asks anything starts without
    )

    named = _named(store, query)
    if named and _fits(named, project, type, scope):
        return [with_body_up_to(WHOLE_LIMIT, named)]
    embed.keep_up(str(store.root))
    limit = max(0, min(k, MOST_HITS))
    found = store.search(query, project=project, type=type, scope=scope, k=limit)
    share = min(BODY_LIMIT, ANSWER_LIMIT // max(len(found), 1))
    return [with_body_up_to(share, note) for note in found]


def list_memories(
    store: MemoryStore,
    *,
    project: str | None = None,
    type: MemoryType | None = None,
    scope: Scope | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[dict[str, object]]:
    """Notes without bodies, newest first: the first LIST_LIMIT, or the page that is asked for."""
    found = page(store, project=project, type=type, scope=scope, limit=limit, offset=offset)
    return [memory_dict(note, include_body=False) for note in found.notes]


def page(
    store: MemoryStore,
    *,
    project: str | None = None,
    type: MemoryType | None = None,
    scope: Scope | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> Page:
    """One page of the list of notes, newest first."""
    size = LIST_LIMIT if limit is None else max(0, min(limit, LIST_LIMIT))
    start = max(0, offset)
    found = store.headers(project=project, type=type, scope=scope, limit=size + 1, offset=start)
    more = len(found) > size
    return Page(notes=found[:size], next_offset=start + size if more else None)


def with_body_up_to(limit: int, note: Memory) -> dict[str, object]:
    """A note whose body is cut at a limit, saying how to read the rest."""
    fields = memory_dict(note, include_body=True)
    if len(note.body) > limit:
        by_query = f'memory_search with query "{note.id}", or ' if limit < WHOLE_LIMIT else ""
        fields["body"] = (
            f"{note.body[:limit]}\n[cut here: the note has {len(note.body)} characters; "
            f"whole note: {by_query}resource {NOTE_URI}{note.id}]"
        )
    return fields


def _named(store: MemoryStore, query: str) -> Memory | None:
    """The note whose id or address is the query."""
    wanted = query.strip().removeprefix(NOTE_URI)
    return store.get(wanted) if is_valid_id(wanted) else None


def _fits(note: Memory, project: str | None, type: str | None, scope: str | None) -> bool:
    asked = ((project, note.project), (type, note.type), (scope, note.scope))
    return all(wanted in (None, is_) for wanted, is_ in asked)
