"""What clients can read by address: a whole note, and how the store stands."""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.operations.notes.show import NOTE_URI, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.mcp.binding import Binding

STATUS_URI = "memory://status"
NOTE_TEMPLATE = f"{NOTE_URI}{{id}}"

STATUS: dict[str, Any] = {
    "uri": STATUS_URI,
    "name": "status",
    "title": "Memory status",
    "description": "Counts, paths and sync state, as memory_status gives them.",
    "mimeType": "application/json",
}
NOTE: dict[str, Any] = {
    "uriTemplate": NOTE_TEMPLATE,
    "name": "note",
    "title": "A note",
    "description": "One whole note as its markdown file, front matter included.",
    "mimeType": "text/markdown",
}


@record
class Content:
    """What stands at an address."""

    uri: str
    media_type: str
    text: str


def read(binding: Binding, uri: str) -> Content | None:
    """The content at an address, or None: nothing but valid ids of stored notes is read."""
    if uri == STATUS_URI:
        return Content(uri, "application/json", _status(binding))
    if not uri.startswith(NOTE_URI):
        return None
    found = find(binding.store, uri)
    if found is None:
        return None
    from anamnesis.notes.frontmatter import serialize

    return Content(uri, "text/markdown", serialize(found.note))


def _status(binding: Binding) -> str:
    import json

    from anamnesis.operations.care.status import status_report

    return json.dumps(status_report(binding.store, binding.backend), ensure_ascii=False, indent=2)
