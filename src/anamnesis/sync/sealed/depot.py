"""The sealed commits as git sees them, in a repository beside the clear one."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from anamnesis.sync import recovery, remote
from anamnesis.sync.plan import Replayed
from anamnesis.sync.repository import OUTGOING, SECONDS, Repository, SyncFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anamnesis.ground.process import Finished
    from anamnesis.sync.remote import Fetched

_AUTHOR = "anamnesis <anamnesis@sealed> 0 +0000"  # says nothing of who and when
_MESSAGE = "sealed"
# Where the remote is a folder, its end of a push writes its records under the pusher's name.
_NOBODY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "anamnesis"), ("EMAIL", "anamnesis@sealed"))
}


class Depot(Repository):
    """The sealed commits, in a repository that no person looks into; it can be made again."""

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
        """Run one command, as nobody."""
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
        found = self.contents(oids, limit=1 << 40)
        if not found.keys() >= set(oids):
            raise self._damaged()
        return [found[oid] for oid in oids]

    def _damaged(self) -> SyncFailed:
        """What says that the disk lost a part of it; the next try fetches everything again."""
        shutil.rmtree(self.directory, ignore_errors=True)
        return SyncFailed("reading the sealed packs", "some are damaged on this disk")

    def add(self, parent: str | None, files: Mapping[str, bytes]) -> str:
        """A sealed commit with more files; without a parent it is a new root."""
        step = Replayed(_AUTHOR, _MESSAGE, dict(files))
        return self.commit(OUTGOING, parent, [step], committer=_AUTHOR)


def is_sealed(paths: Sequence[str]) -> bool:
    """Whether the files of a commit are those of a sealed remote."""
    return "header" in paths and "generations/1" in paths
