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
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

from anamnesis.archive.turns import BROUGHT, Header, Transcript, from_json
from anamnesis.ground import atomic
from anamnesis.ground.records import record, replace
from anamnesis.text import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from anamnesis.archive.turns import Turn
    from anamnesis.config import Home

ENDING = ".jsonl.gz"
_BROUGHT = tuple(f"{program}-" for program in BROUGHT)
_LEVEL = 6  # of compression; 9 costs three times as much and saves two per cent
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]")
_DAY = 24 * 3600.0
_GZIP = 31  # the form for zlib: the largest window, with the header of a file
_UNREADABLE = (OSError, EOFError, ValueError, zlib.error)


@record
class ArchiveFile:
    """One file of the archive as the folder lists it."""

    path: str
    size: int
    mtime_ns: int


def path_of(home: Home, session: str) -> str:
    """The file of a session."""
    name = _NOT_IN_A_NAME.sub("-", session).lstrip(".")[:128] or "unnamed"
    return os.path.join(home.sessions, name + ENDING)


def joined(known: Transcript | None, fresh: Transcript, *, allow: Iterable[str] = ()) -> Transcript:
    """The turns of a session without their secrets, beside those already kept.

    Turns that the client's file no longer has stay; only new ones are searched for secrets.
    """
    from anamnesis.secrets import redact  # its patterns are for those who write

    allowed = frozenset(allow)
    before, turns = known.turns if known else [], fresh.turns
    taken = _taken(known, turns) if known else 0
    news = [turn.cleaned(lambda text: redact(text, allow=allowed)) for turn in turns[taken:]]
    whole = [*(before if taken else _no_longer_there(before, news)), *news]
    times = [turn.at for turn in whole if turn.at]
    header = replace(
        fresh.header,
        client_title=redact(fresh.header.client_title, allow=allowed),
        turns=len(whole),
        taken=len(turns),
        started=min(times, default=fresh.header.started),
        ended=max(times, default=fresh.header.ended),
        source=digest(turns),
    )
    return Transcript(header, whole)


def save(home: Home, whole: Transcript, *, known: Transcript | None = None) -> None:
    """Keep a session, unless that is what is `known` of it. Raises NotWritable."""
    if whole != known:
        atomic.write_bytes(path_of(home, whole.header.session), _packed(whole))


def load(path: str) -> Transcript | None:
    """An archived session, as much as can be read; None if nothing can."""
    header = read_header(path)
    return Transcript(header, list(turns_in(path))) if header else None


def turns_in(path: str) -> Iterator[Turn]:
    """The turns of an archived session, as many as can be read."""
    try:
        for line in _lines(path):
            if (turn := from_json(line)) is not None:
                yield turn
    except _UNREADABLE:
        return  # what came before the damage is good


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


def _said(archived: Transcript) -> str:
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
    """Delete sessions that are too old, then the oldest beyond a size; returns how many.

    Imported conversations stay: they are from long ago, and no client has them any more.
    """
    room, deleted = megabytes * 1_000_000, 0
    for file in listed(home):
        if os.path.basename(file.path).startswith(_BROUGHT):
            continue
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


def _taken(known: Transcript, turns: Sequence[Turn]) -> int:
    """How many of the transcript's turns are kept already, from the first on."""
    count, is_damaged = known.header.taken, len(known.turns) != known.header.turns
    if is_damaged or count > len(turns) or digest(turns[:count]) != known.header.source:
        return 0
    return count


def _no_longer_there(known: Sequence[Turn], fresh: Sequence[Turn]) -> list[Turn]:
    there = set(map(_essence, fresh))
    return [turn for turn in known if _essence(turn) not in there]


def _essence(turn: Turn) -> tuple[str, ...]:
    """What is the same whenever a turn is read; opencode dates all of them anew."""
    text = "" if turn.tool else turn.text
    return turn.who, turn.tool, text, turn.command, turn.input, turn.file


def _packed(whole: Transcript) -> bytes:
    packer = zlib.compressobj(_LEVEL, wbits=_GZIP)
    head = {name: value for name in _FIELDS if (value := getattr(whole.header, name))}
    lines = chain([head], (turn.as_json() for turn in whole.turns))
    return b"".join([*(packer.compress(_line(each)) for each in lines), packer.flush()])


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
    usable = {name: value for name, value in line.items() if type(value) is _FIELDS.get(name)}
    return Header(**usable)  # type: ignore[arg-type]


_FIELDS = {name: type(getattr(Header(""), name)) for name in Header.__slots__}  # type: ignore[attr-defined]
