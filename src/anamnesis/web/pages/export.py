"""Export of selected notes: downloaded at once, or offered when the file is ready."""

from __future__ import annotations

import secrets
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from anamnesis.ground.counting import counting
from anamnesis.ground.errors import NoSuchNote
from anamnesis.operations.curate import export
from anamnesis.operations.notes.show import find
from anamnesis.web.dashboard import Notice
from anamnesis.web.formatting import plural
from anamnesis.web.pages import background

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.responses import Response

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.web.request import Visit

_FORMATS = {
    "jsonl": (export.jsonl_lines, "application/x-ndjson"),
    "md": (export.document_lines, "text/markdown; charset=utf-8"),
}
_KEPT = 3  # files that have not been downloaded
_COMPRESSION = 1  # a fifth of the size; higher levels take longer than reading the notes


@dataclass(frozen=True, slots=True)
class ExportedNotes:
    """A file ready for download: compressed and in memory, where no other program can read it."""

    chunks: list[bytes]  # compressed
    extension: str

    def response(self) -> Response:
        """The file as a download."""
        disposition = f'attachment; filename="notes.{self.extension}"'
        media_type = _FORMATS[self.extension][1]
        return StreamingResponse(
            self._content(), media_type=media_type, headers={"content-disposition": disposition}
        )

    def _content(self) -> Iterator[bytes]:
        decompressor = zlib.decompressobj()
        for chunk in self.chunks:
            yield decompressor.decompress(chunk)
        yield decompressor.flush()


def export_notes(visit: Visit, ids: Sequence[NoteId], extension: str) -> Response:
    """The notes as a download; if that takes a while, a progress page that then offers it."""
    files: dict[str, ExportedNotes] = visit.dashboard.jobs.results.setdefault("exports", {})
    key = secrets.token_urlsafe(9)

    def write(progress: Progress) -> Notice:
        files[key], count = _write_file(visit, ids, extension, progress)
        for old_key in list(files)[:-_KEPT]:
            del files[old_key]
        link = (f"Save notes.{extension}", f"/exports/{key}")
        return Notice(f"{plural(count, 'note')} exported.", links=(link,))

    title = f"Exporting {plural(len(ids), 'note')}"
    response = background.run(visit, title, write, back=visit.return_address("/notes"), once=False)
    return files.pop(key).response() if key in files else response


def download(visit: Visit) -> Response:
    """An exported file that took a while."""
    files: dict[str, ExportedNotes] = visit.dashboard.jobs.results.get("exports", {})
    file = files.get(visit.path_part("id"))
    if file is None:
        raise HTTPException(404)
    return file.response()


def _write_file(
    visit: Visit, ids: Sequence[NoteId], extension: str, progress: Progress
) -> tuple[ExportedNotes, int]:
    count = 0

    def notes() -> Iterator[Memory]:
        nonlocal count
        for note_id in counting(ids, progress):
            if (read := find(visit.store, note_id)) is not None:
                count += 1
                yield read.note

    compressor = zlib.compressobj(_COMPRESSION)
    lines = _FORMATS[extension][0](notes())
    chunks = [compressor.compress(line.encode("utf-8", "replace")) for line in lines]
    if not count:
        raise NoSuchNote(ids[0][:80])
    return ExportedNotes([*filter(None, chunks), compressor.flush()], extension), count
