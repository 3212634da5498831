"""What a disk may hold after a power cut, worked out from the calls that were recorded.

The rules are those of a journalling file system that reorders nothing it was told to keep: what a
file says is kept once the file was synced, and a name once its folder was. Everything later may be
there or not, so for each moment several states are legal:

- `least`: only what was synced; of the names, those whose folder was synced since
- `names`: every name, but of each file only what was synced, which may be nothing
- `torn`:  every name, and half of what was written to a file since it was synced
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.injector import Call

STATES = ("least", "names", "torn")
_RENAMES = ("create", "mkdir", "rename", "exchange", "link", "remove")


@dataclass(eq=False, slots=True)
class _File:
    """A file or a folder, whatever its names are."""

    is_folder: bool = False
    synced: bytes = b""
    written: bytes = b""

    def after(self, state: str) -> bytes:
        if state != "torn" or self.synced == self.written:
            return self.synced
        return self.written[: (len(self.synced) + len(self.written)) // 2]


@dataclass(slots=True)
class _Renaming:
    """Names that one call gave or took."""

    names: dict[str, _File | None]
    is_kept: bool = False

    @property
    def folders(self) -> set[str]:
        return {os.path.dirname(name) for name in self.names}


@dataclass(slots=True)
class Disk:
    """A folder whose changes are followed; of those below `root` a power cut may take some."""

    base: Path
    root: Path
    _first: dict[str, _File] = field(default_factory=dict)
    _names: dict[str, _File] = field(default_factory=dict)
    _renamings: list[_Renaming] = field(default_factory=list)

    def read(self, kept: Path) -> None:
        """Begin with what a copy of the folder holds."""
        for path in kept.rglob("*"):
            data = b"" if path.is_dir() else path.read_bytes()
            name = str(self.base / path.relative_to(kept))
            self._first[name] = _File(path.is_dir(), data, data)
        self._names = dict(self._first)

    def follow(self, call: Call) -> None:
        """Do what a call did."""
        one, two = call.paths
        if call.name in _RENAMES:
            self._rename(call.name, one, two)
            return
        file = self._names.get(one)
        if call.name == "sync-all":
            self._sync_all()
            return
        if call.name == "sync" and (file or one == str(self.base)):
            self._sync(one, file)
        elif file is not None and call.name == "write":
            before = file.written.ljust(call.place, b"\0")
            file.written = before[: call.place] + call.data + before[call.place + len(call.data) :]
        elif file is not None and call.name == "truncate":
            file.written = file.written[: call.place].ljust(call.place, b"\0")
        if file is not None and not self._may_lose(one):
            file.synced = file.written

    def cut(self, state: str) -> None:
        """Make the folder what it may be if the power fails now; it must be as it was at first."""
        names = dict(self._first)
        for renaming in self._renamings:
            if state != "least" or renaming.is_kept:
                names.update({n: f for n, f in renaming.names.items() if f})
                for name in (name for name, file in renaming.names.items() if not file):
                    names.pop(name, None)
        there = set(_reachable(names, str(self.base)))
        for name in sorted(self._first.keys() - there, reverse=True):
            _remove(name)
        for name in sorted(there):
            _put(name, names[name], state, before=self._first.get(name))

    def _rename(self, how: str, one: str, two: str) -> None:
        file, other = self._names.get(one), self._names.get(two)
        if how in ("create", "mkdir"):
            given: dict[str, _File | None] = {one: _File(how == "mkdir")}
        elif how == "remove":
            given = {one: None}
        elif how == "link":
            given = {two: file}
        elif how == "exchange":
            given = {one: other, two: file}
        else:
            given = {one: None, two: file}
            for name, below in self._below(one):
                given |= {name: None, two + name.removeprefix(one): below}
        renaming = _Renaming(given, is_kept=not any(map(self._may_lose, given)))
        self._renamings.append(renaming)
        for name, now in given.items():
            if now is None:
                self._names.pop(name, None)
            else:
                self._names[name] = now

    def _sync(self, path: str, file: _File | None) -> None:
        if file is not None and not file.is_folder:
            file.synced = file.written
            return
        for renaming in self._renamings:
            renaming.is_kept = renaming.is_kept or path in renaming.folders

    def _sync_all(self) -> None:
        for file in self._names.values():
            file.synced = file.written
        for renaming in self._renamings:
            renaming.is_kept = True

    def _below(self, folder: str) -> list[tuple[str, _File]]:
        return [(n, file) for n, file in self._names.items() if n.startswith(f"{folder}/")]

    def _may_lose(self, path: str) -> bool:
        return path.startswith(f"{self.root}/")


def moments(calls: Sequence[Call], below: Path) -> Iterator[int]:
    """The numbers of calls after which the disk may hold something new: each name and each sync."""
    for at, call in enumerate(calls, start=1):
        if call.name in (*_RENAMES, "sync", "sync-all") and call.paths[0].startswith(str(below)):
            yield at


def _reachable(names: dict[str, _File], base: str) -> Iterable[str]:
    """The names whose folders are all there."""
    known = {base}
    for name in sorted(names, key=lambda name: name.count("/")):
        if os.path.dirname(name) in known:
            yield name
            if names[name].is_folder:
                known.add(name)


def _remove(name: str) -> None:
    if os.path.isdir(name) and not os.path.islink(name):
        shutil.rmtree(name)
    elif os.path.lexists(name):
        os.unlink(name)


def _put(name: str, file: _File, state: str, *, before: _File | None) -> None:
    if file.is_folder:
        os.makedirs(name, exist_ok=True)
        return
    data = file.after(state)
    if file is before and Path(name).read_bytes() == data:
        return  # with the time that it had
    if os.path.isdir(name):
        shutil.rmtree(name)
    Path(name).write_bytes(data)
