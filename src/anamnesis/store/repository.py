"""The notes of a repository as a store of their own, beside yours."""

from __future__ import annotations

import os

from anamnesis.carried import Checkout
from anamnesis.ground import atomic
from anamnesis.index.queries import folders, versions
from anamnesis.store import MemoryStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.config import Home


_PLACE = "place"  # which checkout an index is of
_LOOKED = "looked"  # the times of the folders when you were last told


class RepositoryStore(MemoryStore):
    """The notes of one checkout. Opening it creates nothing in the repository."""

    @staticmethod
    def _home_at(root: str | os.PathLike[str]) -> Home:
        checkout = root if isinstance(root, Checkout) else None
        if checkout is None:
            raise TypeError("a repository's notes are opened by their checkout")
        if not os.path.isdir(checkout.kept):
            _sweep(os.path.dirname(checkout.kept))
            atomic.write_text(os.path.join(checkout.kept, _PLACE), os.path.dirname(checkout))
        return checkout

    @property
    def checkout(self) -> Checkout:
        """Which checkout it is. Raises TypeError for none, which nobody opens."""
        home = self.home
        if not isinstance(home, Checkout):
            raise TypeError("a repository's notes are opened by their checkout")
        return home

    def news(self) -> tuple[int, int]:
        """How many notes are new since this was last asked, and how many have changed.

        In any checkout of the repository: what you knew before stays known. Raises NotWritable.
        """
        stamp = self._stamp()
        if self._looked() == stamp:
            return 0, 0
        known = self._told()
        now = {id: f"{id} {hash}" for id, hash in self.ask(versions).items()}
        ids = {line.partition(" ")[0] for line in known}
        fresh = [id for id, version in now.items() if version not in known]
        if fresh:
            lines = sorted(known.union(now.values()))
            atomic.write_text(self.checkout.told, "".join(f"{line}\n" for line in lines))
        atomic.write_text(self.checkout.state(_LOOKED), stamp)
        new = sum(id not in ids for id in fresh)
        return new, len(fresh) - new

    def _stamp(self) -> str:
        """What changes when git changes a file: a start must not compare all notes each time."""
        return str(sorted(self.ask(folders).items()))

    def _looked(self) -> str:
        try:
            with open(self.checkout.state(_LOOKED), encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def _told(self) -> set[str]:
        try:
            with open(self.checkout.told, encoding="utf-8", errors="replace") as file:
                return set(file.read().splitlines())
        except OSError:
            return set()


def _sweep(folder: str) -> None:
    """Remove the indexes of checkouts that are gone: agents make a worktree for each task."""
    try:
        kept = [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return
    for each in kept:
        try:
            with open(os.path.join(each, _PLACE), encoding="utf-8") as file:
                is_gone = not os.path.isdir(file.read())
        except (OSError, ValueError):
            continue
        if is_gone:
            import shutil

            shutil.rmtree(each, ignore_errors=True)
