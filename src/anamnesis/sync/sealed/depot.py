"""What a machine keeps about a sealed remote: its commits, and what it knows and trusts there.

The sealed commits are in a repository beside the clear one, which can be recreated. The ledger is
beside the keys, apart from both: neither rolling the remote back nor restoring the repository from
a backup makes this machine forget what it has seen.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError
from anamnesis.sync import recovery, remote
from anamnesis.sync.plan import NewCommit
from anamnesis.sync.repository import OUTGOING, SECONDS, Repository, SyncFailed
from anamnesis.sync.sealed import envelope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anamnesis.ground.process import Finished
    from anamnesis.sync.remote import Fetched

_AUTHOR = "anamnesis <anamnesis@sealed> 0 +0000"  # reveals neither who nor when
_MESSAGE = "sealed"
# Where the remote is a folder, its end of a push writes its records under the pusher's name.
_NOBODY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "anamnesis"), ("EMAIL", "anamnesis@sealed"))
}


class Depot(Repository):
    """The repository of the sealed commits; it can be created again at any time."""

    def __init__(self, clear: Repository, url: str, seconds: float) -> None:
        super().__init__(os.path.join(clear.own, "sealed"))
        self.url = url
        self.seconds = seconds

    def git(
        self,
        *args: str,
        input: bytes | None = None,
        timeout: float = SECONDS,
        env: Mapping[str, str] | None = None,
    ) -> Finished:
        """Run one command, without a name or address of yours."""
        return super().git(*args, input=input, timeout=timeout, env={**_NOBODY, **(env or {})})

    def open(self) -> None:
        """Make it usable, whatever a crash left in it."""
        recovery.heal(self)
        remote.configure(self, self.url)

    def fetch(self) -> Fetched:
        """Learn what the remote has."""
        self.open()
        return remote.fetch(self, url=self.url, seconds=self.seconds)

    def tree(self, commit: str) -> dict[str, str]:
        """The files of a sealed commit, with the ids of their contents; raises SyncFailed."""
        listed = super().git("ls-tree", "-r", "-z", commit)
        if listed.code != 0:
            raise self._damaged()
        rows = (line.split("\t", 1) for line in listed.out.decode("utf-8", "replace").split("\0"))
        return {row[1]: row[0].split(" ")[2] for row in rows if len(row) == 2}

    def read(self, oids: Sequence[str]) -> list[bytes]:
        """Some contents, in their order; raises SyncFailed."""
        contents = self.contents(oids, limit=1 << 40)
        if not contents.keys() >= set(oids):
            raise self._damaged()
        return [contents[oid] for oid in oids]

    def _damaged(self) -> SyncFailed:
        """The error for a part that the disk has lost; the next try fetches everything again."""
        shutil.rmtree(self.directory, ignore_errors=True)
        return SyncFailed("reading the sealed packs", "some are damaged on this disk")

    def add(self, parent: str | None, files: Mapping[str, bytes]) -> str:
        """A sealed commit with more files; without a parent it is a new root."""
        step = NewCommit(_AUTHOR, _MESSAGE, dict(files))
        return self.commit(OUTGOING, parent, [step], committer=_AUTHOR)


def is_sealed(paths: Sequence[str]) -> bool:
    """Whether the files of a commit are those of a sealed remote."""
    return "header" in paths and "generations/1" in paths


class UnreadableLedger(AnamnesisError):
    """The file that says which generations to trust is damaged."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is damaged, so this machine cannot tell whom to trust.",
            hint="Restore it from a backup; or move it away and run:  anamnesis join URL --code "
            "CODE  with the code that `anamnesis machines` prints on another machine.",
        )


@dataclass(frozen=True)
class Ledger:
    """The generations up to the current one, and the last pack of it that was seen."""

    files: tuple[bytes, ...]
    number: int = 0
    pack: str = ""

    @cached_property
    def generation(self) -> envelope.Generation:
        """The current generation."""
        return envelope.read_generation(self.files[-1])

    @property
    def last(self) -> str:
        """What the next pack has to name as the one before it."""
        return self.pack or self.generation.hash


def read_ledger(folder: str) -> Ledger | None:
    """What this machine knows; None if it never met a sealed remote. Raises UnreadableLedger."""
    path = _place(folder)
    try:
        with open(path, encoding="utf-8") as stream:
            stored = json.load(stream)
        files = tuple(str(text).encode() for text in stored["generations"])
        ledger = Ledger(files, int(stored["number"]), str(stored["pack"]))
        _ = ledger.generation
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, IndexError, envelope.Refused):
        raise UnreadableLedger(path) from None
    return ledger


def write_ledger(folder: str, ledger: Ledger) -> None:
    """Remember what was seen."""
    stored = {
        "generations": [data.decode() for data in ledger.files],
        "number": ledger.number,
        "pack": ledger.pack,
    }
    atomic.write_text(_place(folder), json.dumps(stored, indent=1))


def _place(folder: str) -> str:
    return os.path.join(folder, "store.json")


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the remote's packs this machine's repository has taken in."""

    commit: str = ""  # the sealed commit that was read to its end
    generation: str = ""
    number: int = 0
    pack: str = ""
    tip: str = ""  # the clear commit that it led to
    first: int = 0  # the size of the first pack
    later: int = 0  # and of all others together


def read_progress(own: str) -> Progress:
    """How far this repository has come; a missing or damaged file says: not at all."""
    try:
        with open(os.path.join(own, "sealed.json"), encoding="utf-8") as stream:
            stored = json.load(stream)
        names = Progress.__slots__
        return Progress(**{name: type(getattr(_NOTHING, name))(stored[name]) for name in names})
    except (OSError, ValueError, KeyError, TypeError):
        return _NOTHING


def write_progress(own: str, progress: Progress) -> None:
    """Remember how far the repository has come."""
    stored = {name: getattr(progress, name) for name in Progress.__slots__}
    atomic.write_text(os.path.join(own, "sealed.json"), json.dumps(stored, indent=1))


_NOTHING = Progress()
