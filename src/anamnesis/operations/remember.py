"""Writing a note that an agent wants to keep."""

from __future__ import annotations

from anamnesis.config import home_directory
from anamnesis.errors import InvalidInput, NoSuchNote
from anamnesis.notes import validity
from anamnesis.notes.note import SCOPES, TYPES
from anamnesis.operations.recall import BODY_LIMIT, with_body_up_to
from anamnesis.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.notes.note import Memory, MemoryType, Scope
    from anamnesis.store import MemoryStore

MOST_BYTES = 256 * 1024  # a note is read by models; what is larger belongs into a file
LONGEST_TITLE = 300


@record
class Remembered:
    """A note that is in the store now, and what the writer must know about it."""

    note: Memory
    notice: str = ""


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
) -> Remembered:
    """Create a note, unless it is already there; nothing is written if anything is wrong."""
    validity.require_one_of("type", type, TYPES)
    validity.require_one_of("scope", scope, SCOPES)
    (title, hidden_in_title), (body, hidden_in_body) = without_secrets(title), without_secrets(body)
    title, project = title.strip(), project.strip() or "global"
    _require_a_size(title, body)
    replaced = [_existing(store, note_id) for note_id in supersedes.split()]
    known = _same(store, title=title, body=body, project=project, scope=scope)
    if known is not None and set(replaced) <= set(known.supersedes_ids):
        return Remembered(known, notice="This note was already stored; nothing was written.")
    note = store.write(
        type=type,
        title=title,
        body=body,
        project=project,
        machine_id=machine_id,
        scope=scope,
        tags=tags,
        supersedes=" ".join(replaced),
    )
    return Remembered(note, notice=_hidden((*hidden_in_title, *hidden_in_body)))


def without_secrets(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without its secrets, and what kinds were taken out."""
    from anamnesis.redact import findings, redact
    from anamnesis.redact.allowed import allow_list

    allowed = allow_list(home_directory())
    return redact(text, allow=allowed), tuple(each.kind for each in findings(text, allow=allowed))


def _hidden(kinds: tuple[str, ...]) -> str:
    if not kinds:
        return ""
    return f"Secrets were replaced before storing: {', '.join(sorted(set(kinds)))}."


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


def _existing(store: MemoryStore, note_id: str) -> str:
    note = store.get(note_id)
    if note is None:
        raise NoSuchNote(note_id)
    return note.id


def _same(
    store: MemoryStore, *, title: str, body: str, project: str, scope: Scope
) -> Memory | None:
    """A note in force that says exactly this, in the same place."""
    for note in store.titled(title, project=project, scope=scope):
        if note.body.strip() == body.strip() and note.id not in store.superseded_ids():
            return note
    return None
