"""Making the repository usable, whatever a crash, a full disk or a person left in it.

Nothing here changes a file of the working tree or drops a commit: what is in the way is set
aside under `.git/anamnesis/set-aside/`.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

from anamnesis.git.command import git
from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.sync.repository import MAIN, SECONDS, UPSTREAM, Repository, SyncFailed, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WAIT_SECONDS = 5.0  # a living git process ends within this, or somebody is at an editor
# Git holds a ref for milliseconds. Of another container or host no process can be seen here, so
# a younger lock is left alone even if nobody seems to hold it.
_YOUNG_SECONDS = 2.0
_OLD_SECONDS = 60.0  # where we cannot see processes: no git command of ours lasts that long
# Whatever a killed git can leave that stops the next one.
LOCKS = tuple(
    f"{name}.lock" for name in ("HEAD", "config", "packed-refs", MAIN, UPSTREAM, "shallow")
)
_RECENT = 20  # so many earlier positions of the branch are tried after a power cut
_UNFINISHED = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "sequencer": "cherry-pick",
    "BISECT_LOG": "bisect",
}
_COMPANIONS = ("MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG", "BISECT_START", "ORIG_HEAD")
# These outrank what any commit says about filters and line ends.
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding !diff !merge\n"


class NotOurRepository(AnamnesisError):
    """`memory/.git` is not a directory: the notes are part of some other repository."""

    def __init__(self, directory: str) -> None:
        super().__init__(
            f"{directory}/.git is not a directory, so this is a worktree of another repository.",
            hint="Sync needs a repository of its own. Move that file away and run it again.",
        )


def heal(repository: Repository, *, thorough: bool = False) -> list[str]:
    """Make the repository usable; gives what was found, in words.

    Asking git whether a commit is really there costs a process for each ref. So that is done
    only where a file shows damage, or thoroughly after a command has failed.
    """
    _clear_locks(repository)  # first: a killed `git init` leaves some that would stop the next
    _create(repository)
    free_dead_locks(repository.directory, [".git/index.lock"])
    found = [
        *_mend_head(repository),
        *_mend_refs(repository, thorough=thorough),
        *_set_aside(repository),
    ]
    _mend_settings(repository)
    return found


def _create(repository: Repository) -> None:
    if os.path.lexists(repository.git_dir) and not os.path.isdir(repository.git_dir):
        raise NotOurRepository(repository.directory)
    usable = all(
        os.path.isdir(os.path.join(repository.git_dir, name)) for name in ("objects", "refs")
    )
    if usable and os.path.exists(os.path.join(repository.git_dir, "config")):
        return
    atomic.make_directory(repository.directory)
    made = git(
        ["-c", "init.defaultRefFormat=files", "init", "--quiet", "--template=", "."],
        cwd=repository.directory,
        timeout=SECONDS,
    )
    if made.code != 0:
        raise SyncFailed("git init", made.complaint)
    if repository.resolve(MAIN) is None:
        repository.point_head_to_main()


def _mend_head(repository: Repository) -> Iterator[str]:
    text = read_text(os.path.join(repository.git_dir, "HEAD")).strip()
    if re.fullmatch(r"ref: refs/\S+|[0-9a-f]{40,64}", text):
        return
    repository.point_head_to_main()
    yield "HEAD was damaged and now names main again"


def _mend_refs(repository: Repository, *, thorough: bool) -> Iterator[str]:
    """Refs that a power cut emptied, or that name a commit which is not there."""
    for ref in (MAIN, UPSTREAM):
        path = os.path.join(repository.git_dir, ref)
        text = read_text(path).strip()
        known = repository.resolve(ref)
        damaged = os.path.isfile(path) and not re.fullmatch(r"[0-9a-f]{40,64}", text)
        lost = known is None and ref == MAIN and repository.positions(ref, most=_RECENT)
        missing = thorough and known is not None and not repository.has_commit(known)
        if not (damaged or lost or missing):
            continue
        if os.path.isfile(path):
            atomic.remove(path)
        earlier = _last_good(repository, ref) if ref == MAIN else None
        if earlier:
            repository.ask("update-ref", "-m", "anamnesis: mended", ref, earlier)
        elif repository.resolve(ref):
            repository.git("update-ref", "-d", ref)
        if ref == MAIN:
            yield "the branch main was damaged and was mended from git's own record"


def _last_good(repository: Repository, ref: str) -> str | None:
    """The newest earlier position of a ref that is really there."""
    return next(filter(repository.has_commit, repository.positions(ref, most=_RECENT)), None)


def _set_aside(repository: Repository) -> Iterator[str]:
    """The state of a rebase or merge that a person began: its commits stay, the rest waits."""
    found = {
        what
        for name, what in _UNFINISHED.items()
        if os.path.lexists(os.path.join(repository.git_dir, name))
    }
    if not found:
        return
    aside = os.path.join(repository.own, "set-aside", time.strftime("%Y%m%dT%H%M%S"))
    aside += f"-{os.urandom(2).hex()}"
    atomic.make_directory(aside)
    for name in (*_UNFINISHED, *_COMPANIONS):
        if os.path.lexists(os.path.join(repository.git_dir, name)):
            atomic.rename(os.path.join(repository.git_dir, name), os.path.join(aside, name))
    for what in sorted(found):
        yield f"an unfinished {what} was set aside"


def _mend_settings(repository: Repository) -> None:
    attributes = os.path.join(repository.git_dir, "info", "attributes")
    if read_text(attributes) != _ATTRIBUTES:
        atomic.write_text(attributes, _ATTRIBUTES)
    atomic.make_directory(repository.own)


def _clear_locks(repository: Repository) -> None:
    """Remove lock files of dead processes; wait a little for living ones."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while locks := [path for path in _lock_files(repository) if os.path.lexists(path)]:
        alive = _somebody_works_in(repository.directory)
        if alive is None:
            alive = any(_age(path) < _OLD_SECONDS for path in locks)
        if not alive and all(_age(path) > _YOUNG_SECONDS for path in locks):
            for path in locks:
                atomic.remove(path)
            return
        if time.monotonic() > deadline:
            raise StoreBusy("git repository of the notes", holder="git", waited=_WAIT_SECONDS)
        time.sleep(0.1)


def free_dead_locks(directory: str, names: Iterable[str] = LOCKS) -> None:
    """Remove lock files if no git is at work in a directory; a living one is left alone."""
    for name in names:
        lock = os.path.join(directory, name)
        if not os.path.lexists(lock):
            continue
        alive = _somebody_works_in(directory)
        if not alive and _age(lock) > (_OLD_SECONDS if alive is None else _YOUNG_SECONDS):
            atomic.remove(lock)


def _lock_files(repository: Repository) -> Iterator[str]:
    """The locks that our own commands would run into; the person's index is not ours."""
    for name in LOCKS:
        yield os.path.join(repository.git_dir, name)
    yield f"{repository.index}.lock"
    ours = os.path.join(repository.git_dir, "refs", "anamnesis")
    if os.path.isdir(ours):
        yield from (os.path.join(ours, name) for name in os.listdir(ours) if name[-5:] == ".lock")


def _somebody_works_in(directory: str) -> bool | None:
    """Whether a git process has this directory as its own; None where that cannot be seen."""
    if not os.path.isdir("/proc/self/fd"):
        return None
    real = os.path.realpath(directory)
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            where = os.readlink(f"/proc/{name}/cwd")
        except OSError:
            continue
        if (where == real or where.startswith(f"{real}/")) and _is_git(name):
            return True
    return False


def _is_git(pid: str) -> bool:
    return os.path.basename(read_text(f"/proc/{pid}/comm").strip()).startswith("git")


def _age(path: str) -> float:
    try:
        return time.time() - os.stat(path).st_mtime
    except OSError:
        return _OLD_SECONDS
