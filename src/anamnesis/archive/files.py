"""The archive on disk: one compressed file per session, `<home>/sessions/<id>.jsonl.gz`.

The first line says which session it is, every other line is a turn (docs/formats/session.md). A
file is always replaced as a whole, so that there is never half of one.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from dataclasses import asdict, dataclass, fields, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from anamnesis.archive.turns import from_json
from anamnesis.ground import atomic
from anamnesis.text import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from anamnesis.archive.turns import Turn
    from anamnesis.config import Home

FORMAT = 1
ENDING = ".jsonl.gz"
_LEVEL = 6  # of compression; 9 costs three times as much and saves two per cent
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]")
_DAY = 24 * 3600.0
_UNREADABLE = (OSError, EOFError, ValueError, zlib.error)


@dataclass(frozen=True, slots=True)
class Header:
    """Which session an archive holds."""

    session: str
    agent: str = ""
    project: str = ""
    machine: str = ""
    cwd: str = ""
    branch: str = ""
    started: str = ""
    ended: str = ""
    title: str = ""
    note: str = ""  # the id of the note that was made from it
    client_title: str = ""  # what the client calls the session
    turns: int = 0
    taken: int = 0  # turns that the transcript had when it was read
    source: str = ""  # their digest, by which the next capture recognises them
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Archived:
    """A session and what was said in it."""

    header: Header
    turns: list[Turn]


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One file of the archive as the folder lists it."""

    path: str
    size: int
    mtime_ns: int


def path_of(home: Home, session: str) -> str:
    """The file of a session."""
    name = _NOT_IN_A_NAME.sub("-", session).lstrip(".")[:128] or "unnamed"
    return os.path.join(home.sessions, name + ENDING)


def save(home: Home, header: Header, turns: Sequence[Turn], *, allow: Iterable[str] = ()) -> Header:
    """Keep the turns of a session without their secrets, beside those already kept.

    Turns that the transcript no longer has stay. Raises NotWritable.
    """
    known = load(path_of(home, header.session))
    allowed = frozenset(allow)
    before = known.turns if known else []
    taken = _taken(known, turns) if known else 0
    from anamnesis.secrets import redact  # its patterns are for those who write

    fresh = [turn.cleaned(lambda text: redact(text, allow=allowed)) for turn in turns[taken:]]
    whole = [*(before if taken else _no_longer_there(before, fresh)), *fresh]
    times = [turn.at for turn in whole if turn.at]
    header = replace(
        header,
        turns=len(whole),
        taken=len(turns),
        started=min(times, default=header.started),
        ended=max(times, default=header.ended),
        source=digest(turns),
    )
    if known is None or known.header != header or len(before) != len(whole):
        atomic.write_bytes(path_of(home, header.session), _packed(header, whole))
    return header


def load(path: str) -> Archived | None:
    """An archived session, as much as can be read; None if nothing can."""
    header: Header | None = None
    turns: list[Turn] = []
    try:
        for line in _lines(path):
            if header is None:
                header = _header(line)
            elif (turn := from_json(line)) is not None:
                turns.append(turn)
    except _UNREADABLE:
        pass  # what came before the damage is good
    return Archived(header, turns) if header else None


def having(home: Home, asked: AbstractSet[str]) -> Iterator[Header]:
    """The sessions in which all these words, as `words.tokens` gives them, were said or printed."""
    for file in listed(home):
        try:
            with gzip.open(file.path, "rb") as stream:
                text = words.fold(stream.read().decode("utf-8", "replace"))
        except _UNREADABLE:
            text = ""
        # Reading all turns takes ten times as long, and few sessions have a rare word.
        if text and not all(word in text for word in asked):
            continue
        archived = load(file.path)
        if archived is not None and asked <= set(words.tokens(_said(archived))):
            yield archived.header


def _said(archived: Archived) -> str:
    values = (value for turn in archived.turns for value in turn.as_json().values())
    return "\n".join([archived.header.title, *(v for v in values if isinstance(v, str))])


def read_header(path: str) -> Header | None:
    """Which session a file holds; None if it cannot be read."""
    try:
        return _header(next(_lines(path)))
    except (*_UNREADABLE, StopIteration):
        return None


def listed(home: Home) -> list[ArchiveFile]:
    """The files of the archive, the latest first."""
    try:
        with os.scandir(home.sessions) as entries:
            files = [
                ArchiveFile(each.path, (status := each.stat()).st_size, status.st_mtime_ns)
                for each in entries
                if each.name.endswith(ENDING) and not each.name.startswith(".")
            ]
    except OSError:
        return []
    return sorted(files, key=lambda file: -file.mtime_ns)


def report(home: Home) -> dict[str, int]:
    """How many sessions are kept, and how many bytes they take."""
    files = listed(home)
    return {"sessions": len(files), "bytes": sum(file.size for file in files)}


def expire(home: Home, *, days: int, megabytes: int, now: float) -> int:
    """Delete sessions that are too old, then the oldest beyond a size; returns how many."""
    room, deleted = megabytes * 1_000_000, 0
    for file in listed(home):
        room -= file.size
        if room < 0 or now - file.mtime_ns / 1e9 > days * _DAY:
            atomic.remove(file.path)
            deleted += 1
    return deleted


def digest(turns: Iterable[Turn]) -> str:
    """A hash of some turns."""
    state = blake2b(digest_size=16)
    for turn in turns:
        state.update(_line(turn.as_json()))
    return state.hexdigest()


def _taken(known: Archived, turns: Sequence[Turn]) -> int:
    """How many of the transcript's turns are kept already, from the first on."""
    count, is_damaged = known.header.taken, len(known.turns) != known.header.turns
    if is_damaged or count > len(turns) or digest(turns[:count]) != known.header.source:
        return 0
    return count


def _no_longer_there(known: Sequence[Turn], fresh: Sequence[Turn]) -> list[Turn]:
    there = {(turn.at, turn.who, turn.tool, turn.text, turn.command) for turn in fresh}
    return [
        turn
        for turn in known
        if (turn.at, turn.who, turn.tool, turn.text, turn.command) not in there
    ]


def _packed(header: Header, turns: Iterable[Turn]) -> bytes:
    head = {name: value for name, value in asdict(header).items() if value}
    lines = [_line(head), *(_line(turn.as_json()) for turn in turns)]
    return gzip.compress(b"".join(lines), compresslevel=_LEVEL, mtime=0)


def _line(value: dict[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _lines(path: str) -> Iterator[dict[str, object]]:
    with gzip.open(path, "rb") as stream:
        for line in stream:
            value = json.loads(line)
            if isinstance(value, dict):
                yield value


def _header(line: dict[str, object]) -> Header | None:
    if not isinstance(line.get("session"), str):
        return None
    kinds = {field.name: int if isinstance(field.default, int) else str for field in fields(Header)}
    usable = {name: value for name, value in line.items() if isinstance(value, kinds.get(name, ()))}
    return Header(**usable)  # type: ignore[arg-type]
