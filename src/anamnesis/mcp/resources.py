"""What clients can read by address: a note, a session, and the state of the store."""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.mcp.answers import SESSION_URI
from anamnesis.operations.notes.masking import masked_note
from anamnesis.operations.notes.show import NOTE_URI, find
from anamnesis.text.display import displayed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.mcp.workspace import Binding

STATUS_URI = "memory://status"
_TURNS = 40  # of a session that one address gives

STATUS: dict[str, Any] = {
    "uri": STATUS_URI,
    "name": "status",
    "title": "Memory status",
    "description": "Counts, paths and sync state, as memory_status gives them.",
    "mimeType": "application/json",
}
NOTE: dict[str, Any] = {
    "uriTemplate": f"{NOTE_URI}{{id}}",
    "name": "note",
    "title": "A note",
    "description": (
        "One whole note as its markdown file, front matter included; if no one has reviewed it, "
        "a line above says so."
    ),
    "mimeType": "text/markdown",
}


SESSION: dict[str, Any] = {
    "uriTemplate": f"{SESSION_URI}{{id}}/{{turn}}",
    "name": "session",
    "title": "A session word for word",
    "description": (
        f"What was said and run in a session on this machine: {_TURNS} turns as JSON lines, "
        "from the given one on; 0 is the first."
    ),
    "mimeType": "application/x-ndjson",
}


TEMPLATES = (NOTE, SESSION)


@record
class ResourceText:
    """The content of an address."""

    uri: str
    media_type: str
    text: str


def read(binding: Binding, uri: str) -> ResourceText | None:
    """The content at an address, or None: nothing but valid ids of stored notes is read."""
    if uri == STATUS_URI:
        return ResourceText(uri, "application/json", _status(binding))
    if uri.startswith(SESSION_URI):
        return _session(binding, uri)
    if not uri.startswith(NOTE_URI):
        return None
    read_note = find(binding.store, uri)
    if read_note is None:
        return None
    from anamnesis.notes.frontmatter import serialize
    from anamnesis.operations.notes.search import warnings

    note = masked_note(binding.store, read_note.note)
    warning = warnings([note], for_agent=True).get(note.id)
    text = serialize(note)
    text = f"{warning}\n\n{text}" if warning else text
    return ResourceText(uri, "text/markdown", displayed(text))


def _session(binding: Binding, uri: str) -> ResourceText | None:
    import json

    from anamnesis.operations.sessions.archive import find_session

    session, _, number = uri.removeprefix(SESSION_URI).partition("/")
    archived = find_session(binding.store.home, session)
    if archived is None or not (number or "0").isdecimal():
        return None
    start = int(number or "0")
    turns = list(enumerate(archived.turns))[start : start + _TURNS]
    lines = [{"number": at, **turn.own().as_json()} for at, turn in turns]
    head = {"session": archived.header.session, "turns": len(archived.turns)}
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in [head, *lines])
    return ResourceText(uri, "application/x-ndjson", text)


def _status(binding: Binding) -> str:
    import json

    from anamnesis.operations.care.status import status_report

    return json.dumps(status_report(binding.store, binding.backend), ensure_ascii=False, indent=2)
