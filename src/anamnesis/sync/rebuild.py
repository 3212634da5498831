"""A repository that git calls damaged is made again; the notes on disk are not touched.

The new one is built beside the old: from the remote, and from what can still be read of commits
that were not sent. The branch then names the newest commit that it had and that is there, so that
what the disk has beyond it is committed as edits. The old repository is put aside.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.sync import recovery
from anamnesis.sync.repository import MAIN, Repository, SyncFailed, read_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.sync import remote

_SALVAGED = "refs/anamnesis/salvaged"
_RECENT = 200  # earlier positions of the branch that are looked for at the remote
_SIGNS = ("corrupt", "is empty", "bad object", "unable to read", "inflate", "missing blob",
          "missing tree", "did not match", "garbage", "does not exist in repository",
          "revision walk setup failed", "unpack-objects failed")  # fmt: skip
_CARRIED = ("state.json", "purged")  # what a sync remembers for the next


def sounds_damaged(complaint: str) -> bool:
    """Whether git complains of an object; only then is everything looked at."""
    return any(sign in complaint for sign in _SIGNS)


def is_damaged(repository: Repository) -> bool:
    """Whether git misses an object or cannot read one: every one of them is looked at."""
    checked = repository.git("fsck", "--no-reflogs", "--no-dangling", "--no-progress")
    return checked.code != 0 and not checked.timed_out


def rebuild(
    repository: Repository, transport_for: Callable[[Repository], remote.Transport | None]
) -> str:
    """Put a repository in the place of a damaged one; returns what was done, as a sentence.

    Raises SyncFailed if the remote does not answer: what it has is needed, so a later sync tries.
    """
    import shutil

    beside = recovery.place_of_rebuilt(repository.directory)
    shutil.rmtree(beside, ignore_errors=True)
    fresh = Repository(beside)
    recovery.heal(fresh)
    transport = transport_for(fresh)
    fetched = transport.fetch() if transport else None
    if fetched and fetched.trouble:
        why = f"the repository of the notes is damaged, and {fetched.trouble.message}"
        raise SyncFailed("rebuilding it from the remote", why)
    salvage = f"+{MAIN}:{_SALVAGED}"
    fresh.git("fetch", "--quiet", "--no-tags", repository.git_dir, salvage)
    had = [repository.resolve(MAIN), *repository.positions(MAIN, most=_RECENT)]
    known = next((commit for commit in had if commit and fresh.has_commit(commit)), None)
    if known:
        fresh.ask("update-ref", "-m", "anamnesis: rebuilt", MAIN, known)
    for name in _CARRIED:
        if text := read_text(os.path.join(repository.own, name)):
            atomic.write_text(os.path.join(fresh.own, name), text)
    aside = f"{repository.directory}.damaged-{time.strftime('%Y%m%dT%H%M%S')}"
    atomic.rename(repository.git_dir, aside)
    recovery.take_rebuilt(repository)  # a kill before this: the next sync begins with it
    return f"git called the repository damaged; it was made again, the old one is {aside}"
