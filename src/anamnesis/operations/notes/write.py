"""Writing a note that an agent or a person wants to keep."""

from __future__ import annotations

from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import record
from anamnesis.notes import validity
from anamnesis.notes.note import SCOPES, TYPES
from anamnesis.operations.notes.search import BODY_LIMIT, with_body_up_to
from anamnesis.operations.notes.secrets import kept, replaced, without_any, without_new_secrets
from anamnesis.search.filters import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.note import Memory, MemoryType, Scope
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

MOST_BYTES = 256 * 1024  # a note is read by models; what is larger belongs into a file
LONGEST_TITLE = 300
_KNOWN = "This note was already stored; nothing was written."
_COMPARED = 5  # a note that says nearly the same is among the first that its own words find
_ASKED = 120  # characters of the body that are searched for: more costs more and finds the same


@record
class Remembered:
    """A note that is in the store now, and what the writer must know about it."""

    note: Memory
    notice: str = ""
    written: bool = True  # otherwise it was there before, word for word
    similar: tuple[Memory, ...] = ()  # notes in force that say nearly the same


def write_memory(
    store: MemoryStore,
    *,
    type: MemoryType,
    title: str,
    body: str,
    project: str = "global",
    tags: Iterable[str] | None = None,
    machine_id: str = "unknown",
    scope: Scope = "portable",
    supersedes: str = "",
) -> dict[str, object]:
    """Create a note and give it back; `notice` is there only if it is not word for word so."""
    written = remember(
        store,
        type=type,
        title=title,
        body=body,
        project=project,
        tags=tags,
        machine_id=machine_id,
        scope=scope,
        supersedes=supersedes,
    )
    fields = with_body_up_to(BODY_LIMIT, written.note)
    return {**fields, "notice": written.notice} if written.notice else fields


def remember(
    store: MemoryStore,
    *,
    type: MemoryType,
    title: str,
    body: str,
    project: str = "global",
    tags: Iterable[str] | None = None,
    machine_id: str = "unknown",
    scope: Scope = "portable",
    supersedes: str = "",
    anyway: bool = False,
    keep_secrets: bool = False,
) -> Remembered:
    """Create a note, unless it is already there; nothing is written if anything is wrong.

    `anyway` writes it a second time, `keep_secrets` word for word.
    """
    validity.require_one_of("type", type, TYPES)
    validity.require_one_of("scope", scope, SCOPES)
    given = [title, body, project, *(tags or ())]
    plain, secrets = without_any(given)
    title, body, project, *tags = given if keep_secrets else plain
    title, project = title.strip(), project.strip() or "global"
    _require_a_size(title, body)
    old = [store.require(note_id).note.id for note_id in supersedes.split()]
    known = _same(store, title=title, body=body, project=project, scope=scope)
    if known is not None and set(old) <= set(known.supersedes_ids) and not anyway:
        return Remembered(known, notice=_KNOWN, written=False)
    place = Filters((project,), type=type, scope=scope)
    similar = () if anyway else _similar(store, title, body, place=place, besides=old)
    note = store.write(
        type=type,
        title=title,
        body=body,
        project=project,
        machine_id=machine_id,
        scope=scope,
        tags=tags,
        supersedes=" ".join(old),
    )
    about_secrets = (kept if keep_secrets else replaced)(secrets)
    notice = " ".join(filter(None, (about_secrets, *map(_resembles, similar))))
    return Remembered(note, notice=notice, similar=similar)


def amend(store: MemoryStore, note: Memory, *, before: ReadNote) -> Remembered:
    """Save a person's edit; secrets that it brings in are replaced, as in a new note."""
    plain, kinds = without_new_secrets(note, before=before.note)
    return Remembered(store.update(plain, expected_hash=before.hash), notice=replaced(kinds))


def _require_a_size(title: str, body: str) -> None:
    if not title:
        raise InvalidInput("title is empty.", hint="Say in one line what the note is about.")
    if len(title) > LONGEST_TITLE:
        raise InvalidInput(
            f"title has {len(title)} characters; {LONGEST_TITLE} are allowed.",
            hint="Keep the title to one line and put the rest into body.",
        )
    size = len(body.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise InvalidInput(
            f"body has {size // 1024} KB; {MOST_BYTES // 1024} KB are allowed.",
            hint="Keep the essence and name the file that holds the rest.",
        )


def _same(
    store: MemoryStore, *, title: str, body: str, project: str, scope: Scope
) -> Memory | None:
    """A note in force that says exactly this, in the same place."""
    same = [
        note
        for note in store.titled(title, project=project, scope=scope)
        if note.body.strip() == body.strip()
    ]
    superseded = store.superseded_ids() if same else ()
    return next((note for note in same if note.id not in superseded), None)


def _similar(
    store: MemoryStore, title: str, body: str, *, place: Filters, besides: Sequence[str]
) -> tuple[Memory, ...]:
    """The notes in force, in the same place, that say nearly this."""
    from anamnesis.reflect.similarity import THRESHOLD, likeness, shape

    asked = f"{title} {body[:_ASKED]}"
    found = store.recall(asked, filters=place, k=_COMPARED, by_meaning=False, forgiving=False)
    own = shape(body)
    return tuple(
        hit.note
        for hit in found
        if hit.note.id not in besides and likeness(own, shape(hit.note.body)) >= THRESHOLD
    )


def _resembles(note: Memory) -> str:
    return f'Nearly the same is stored as {note.id} ("{" ".join(note.title.split())}").'
