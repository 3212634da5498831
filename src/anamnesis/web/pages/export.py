"""Exporting selected notes: a file at once, or after a while, kept until it is saved."""

from __future__ import annotations

import secrets
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from anamnesis.ground.counting import counting
from anamnesis.ground.errors import InvalidInput, NoSuchNote
from anamnesis.operations.curate import export
from anamnesis.operations.notes.show import find
from anamnesis.web.dashboard import Notice
from anamnesis.web.pages import work
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.responses import Response

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.web.visit import Visit

_FORMATS = {
    "jsonl": (export.jsonl_lines, "application/x-ndjson"),
    "md": (export.document_lines, "text/markdown; charset=utf-8"),
}
_KEPT = 3  # files that were not saved yet
_COMPRESSION = 1  # a fifth of the size; more takes longer than to read the notes


@dataclass(frozen=True, slots=True)
class ExportedNotes:
    """A file that waits to be saved: compressed, in memory, where no other program can read it."""

    packed: list[bytes]
    ending: str

    def sent(self) -> Response:
        """The file, to be saved."""
        name = f'attachment; filename="notes.{self.ending}"'
        kind = _FORMATS[self.ending][1]
        return StreamingResponse(
            self._pieces(), media_type=kind, headers={"content-disposition": name}
        )

    def _pieces(self) -> Iterator[bytes]:
        unpack = zlib.decompressobj()
        for piece in self.packed:
            yield unpack.decompress(piece)
        yield unpack.flush()


def exported(visit: Visit, ids: Sequence[NoteId]) -> Response:
    """The notes as a file to keep; if that takes a while, a page counts and then offers it."""
    ending = visit.value("format", "jsonl")
    if ending not in _FORMATS:
        raise InvalidInput(f"{ending[:20]!r} is not one of: {', '.join(_FORMATS)}.")
    kept: dict[str, ExportedNotes] = visit.dashboard.jobs.found.setdefault("exports", {})
    key = secrets.token_urlsafe(9)

    def write(progress: Progress) -> Notice:
        made, number = _written(visit, ids, ending, progress)
        kept[key] = made
        for old in list(kept)[:-_KEPT]:
            del kept[old]
        link = (f"Save notes.{ending}", f"/exports/{key}")
        return Notice(f"{plural(number, 'note')} exported.", links=(link,))

    title = f"Exporting {plural(len(ids), 'note')}"
    answer = work.run(visit, title, write, back=visit.back("/notes"), once=False)
    return kept.pop(key).sent() if key in kept else answer


def download(visit: Visit) -> Response:
    """A file that took a while."""
    made = visit.dashboard.jobs.found.get("exports", {}).get(visit.path_part("id"))
    if made is None:
        raise HTTPException(404)
    sent: Response = made.sent()
    return sent


def _written(
    visit: Visit, ids: Sequence[NoteId], ending: str, progress: Progress
) -> tuple[ExportedNotes, int]:
    number = 0

    def notes() -> Iterator[Memory]:
        nonlocal number
        for note_id in counting(ids, progress):
            if (read := find(visit.store, note_id)) is not None:
                number += 1
                yield read.note

    pack = zlib.compressobj(_COMPRESSION)
    lines = _FORMATS[ending][0](notes())
    packed = [pack.compress(line.encode("utf-8", "replace")) for line in lines]
    if not number:
        raise NoSuchNote(ids[0][:80])
    return ExportedNotes([*filter(None, packed), pack.flush()], ending), number
