"""The texts that were scanned and found clean, by hash, kept outside the index, which is rebuilt.

Looking at a note costs more than indexing it. Which texts had no finding is therefore kept in
`<home>/state/clean-texts.txt`; those that had one are few, and are scanned again. A rebuild writes
the file in order, behind a first line with the version of the rules and how many hashes follow;
writes add theirs at the end. So a hook finds a hash without reading them all.
"""

from __future__ import annotations

import os

from anamnesis import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from anamnesis.config import Home

    class Note(Protocol):
        """What a note says and who wrote it, which is all that is looked at."""

        @property
        def title(self) -> str: ...  # noqa: D102
        @property
        def body(self) -> str: ...  # noqa: D102
        @property
        def tags(self) -> Sequence[str]: ...  # noqa: D102
        @property
        def origin(self) -> str: ...  # noqa: D102


RULES = 11  # counts up when a rule changes: what was found clean before is scanned again
_FILE_NAME = "clean-texts.txt"
_LINE = 33  # characters: a hash and the end of its line
_SPARE = 1000  # hashes of texts that are gone, which may stay until the file is rewritten


class CleanTexts:
    """The texts known to be clean, and those seen since."""

    __slots__ = ("_known", "_met", "_path")

    def __init__(self, home: Home) -> None:
        self._path = home.state(_FILE_NAME)
        self._known = _read(self._path)
        self._met: set[str] = set()

    def __contains__(self, note: Note) -> bool:
        mark = _mark(note)
        if mark in self._known:
            self._met.add(mark)
        return mark in self._met

    def add(self, note: Note) -> None:
        """Remember that a note has no finding."""
        self._met.add(_mark(note))

    def save(self) -> None:
        """Save what was seen; if that fails, it is scanned again next time."""
        every = self._known | self._met
        if len(every) > 2 * len(self._met) + _SPARE:
            every = self._met
        elif every == self._known:
            return
        self._write(every)

    def put_in_order(self) -> None:
        """Write the file in order after many were added at its end, so that a hook finds them."""
        self._write(self._known | self._met)

    def _write(self, every: set[str]) -> None:
        from anamnesis.ground import atomic
        from anamnesis.ground.errors import NotWritable

        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            lines = [f"{_version()} {len(every)}", *sorted(every), ""]
            atomic.write_text(self._path, "\n".join(lines))
        except (NotWritable, OSError):
            return


class NewTexts:
    """What was found clean since the last rebuild: added to the file, which is not read."""

    __slots__ = ("_marks", "_path")

    def __init__(self, home: Home) -> None:
        self._path = home.state(_FILE_NAME)
        self._marks: list[str] = []

    def __contains__(self, note: Note) -> bool:
        return False  # it was just written

    def add(self, note: Note) -> None:
        """Remember that a note has no finding."""
        self._marks.append(_mark(note))

    def save(self) -> None:
        """Save what was added; if that fails, it is scanned again next time."""
        if not self._marks:
            return
        lines = "".join(f"{mark}\n" for mark in self._marks)
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            private = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            with open(private, "a+", encoding="ascii", errors="replace") as file:
                file.seek(0)
                first = file.readline()
                if not first:
                    lines = f"{_version()} 0\n{lines}"
                elif first.rpartition(" ")[0] != _version():
                    file.truncate(0)  # what older rules found clean is scanned again
                    lines = f"{_version()} 0\n{lines}"
                file.write(lines)
        except OSError:
            return


def is_of_others(note: Note) -> bool:
    """Whether an agent or another program wrote a note; it takes less to hold it."""
    return note.origin.startswith(("agent:", "import:"))


def known_clean(home: Home, notes: Sequence[Note]) -> list[bool]:
    """Whether each of the notes is known to be clean; loads no rules, so that hooks can ask."""
    try:
        with open(home.state(_FILE_NAME), "rb") as file:
            first, data = file.readline(), file.read()
    except OSError:
        first = data = b""
    # Reading the number of the rules for secrets would load them; a release changes both.
    if not first.startswith(f"{__version__} {RULES} ".encode()):
        return [False for _ in notes]
    count = int(first.split()[-1])
    later = frozenset(data[count * _LINE :].split())
    marks = [_mark(note).encode() for note in notes]
    return [mark in later or _is_listed(mark, data, count) for mark in marks]


def _is_listed(mark: bytes, data: bytes, count: int) -> bool:
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        found = data[middle * _LINE : (middle + 1) * _LINE - 1]
        if found == mark:
            return True
        low, high = (middle + 1, high) if found < mark else (low, middle)
    return False


def _read(path: str) -> set[str]:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            first, *marks = file.read().split("\n")
    except OSError:
        return set()
    return {*marks} - {""} if first.rpartition(" ")[0] == _version() else set()


def _version() -> str:
    from anamnesis import redact

    return f"{__version__} {RULES} {redact.RULES}"


def _mark(note: Note) -> str:
    try:
        from _blake2 import blake2b  # what hashlib has, without the rest of it
    except ImportError:
        from hashlib import blake2b

    text = "\0".join((str(is_of_others(note)), note.title, note.body, *note.tags))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
