"""What this machine keeps of notes and sessions beside them: logs, payloads, questions, lists."""

from __future__ import annotations

import json
import os
import re
import time
from contextlib import suppress
from glob import escape, glob
from typing import TYPE_CHECKING

from anamnesis.capture import ledger
from anamnesis.ground import atomic
from anamnesis.hooks import payload
from anamnesis.index import refresh

if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from typing import Any

    from anamnesis.config import Home
    from anamnesis.notes.fields import NoteId

_QUOTED = re.compile(rb'"([\w-]+)"')
_WORD = re.compile(r"[\w-]+")
_ABANDONED_SECONDS = 60.0  # a file is half-written for milliseconds; a payload is taken at once


def erase(
    home: Home,
    ids: Container[NoteId],
    is_gone: Callable[[str], bool],
    *,
    is_unwanted: Callable[[bytes], bool] | None = None,
) -> None:
    """Remove every mention of these notes, and of the sessions that are gone.

    So is what capture last had for a note, if `is_unwanted` is true of it. A line that a hook
    appends to a log at this very moment may be lost.
    """
    for path in glob(os.path.join(escape(home), "log", "*.jsonl*")):
        _filter_log(path, ids, is_gone)
    _drop_payloads(home, is_gone)
    _drop_questions(home, ids)
    ledger.drop_texts(
        home,
        lambda session, entry: (
            entry.note_id in ids
            or is_gone(session)
            or (is_unwanted is not None and is_unwanted(_texts(entry)))
        ),
    )
    refresh.forget_newest(home)
    _drop_half_written(home)


def _texts(entry: ledger.LedgerEntry) -> bytes:
    return f"{entry.title} {entry.text} {entry.further}".encode()


def _filter_log(path: str, ids: Container[NoteId], is_gone: Callable[[str], bool]) -> None:
    before = _lines(path)
    after = [kept for line in before if (kept := _line_without(line, ids, is_gone))]
    if after != before:
        atomic.write_bytes(path, b"".join(after))


def _line_without(line: bytes, ids: Container[NoteId], is_gone: Callable[[str], bool]) -> bytes:
    """A line of a log without these notes; nothing if it is about them or cannot be read."""
    try:
        entry: Any = json.loads(line)
        if is_gone(str(entry.get("session", ""))):
            return b""
        notes = entry.get("notes", [])
        kept = [note for note in notes if note["id"] not in ids]
    except (ValueError, AttributeError, KeyError, TypeError):
        return b""
    if any(word in ids for word in _WORD.findall(str(entry.get("did", "")))):
        return b""
    if len(kept) == len(notes):
        return line
    return json.dumps({**entry, "notes": kept}, separators=(",", ":")).encode() + b"\n"


def _drop_payloads(home: Home, is_gone: Callable[[str], bool]) -> None:
    """Remove the payloads of sessions that are gone, and those whose capture was killed."""
    for path in glob(os.path.join(escape(home), "spool", "*.json")):
        with suppress(FileNotFoundError):  # its capture has just taken it
            told = payload.parse(b"".join(_lines(path)))
            if is_gone(told.session_id) or _is_abandoned(path):
                atomic.remove(path)


def _drop_questions(home: Home, ids: Container[NoteId]) -> None:
    """Remove the questions that earlier versions kept for a forgotten note."""
    lines = _lines(home.eval_cases)
    kept = [line for line in lines if not any(id.decode() in ids for id in _QUOTED.findall(line))]
    if len(kept) < len(lines):
        atomic.write_bytes(home.eval_cases, b"".join(kept))


def _drop_half_written(home: Home) -> None:
    """Remove what killed processes were about to write."""
    for folder, folders, names in os.walk(home):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = os.path.join(folder, name)
            if name.startswith(atomic.TEMP_PREFIX) and _is_abandoned(path):
                atomic.remove(path)


def _is_abandoned(path: str) -> bool:
    try:
        return time.time() - os.stat(path, follow_symlinks=False).st_mtime > _ABANDONED_SECONDS
    except OSError:
        return False


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as stream:
            return stream.readlines()
    except OSError:
        return []
