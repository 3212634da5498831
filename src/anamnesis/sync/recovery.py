"""Making the repository usable, whatever a crash, a full disk or a manual command left in it.

Nothing here changes a file of the working tree or drops a commit: what is in the way is moved to
`.git/anamnesis/set-aside/`. What a sync remembers for the next one is beside it, so that it is
never synced.
"""

from __future__ import annotations

import os
import re
import shlex
import time

from anamnesis.git.command import git
from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.ground.records import fresh, record
from anamnesis.ground.state import StateFile
from anamnesis.sync.repository import MAIN, SECONDS, UPSTREAM, Repository, SyncFailed, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from anamnesis.sync.plan import Change

_WAIT_SECONDS = 5.0  # a live git process ends within this time, unless it waits for an editor
_YOUNG_SECONDS = 2.0  # git holds a ref for milliseconds, and may be about to start
_OLD_SECONDS = 60.0  # where processes are invisible: no git command of ours takes that long
_ALL_PROCESSES = "pid:[4026531836]"  # the namespace of processes that Linux starts with
# Whatever a killed git can leave behind that stops the next one.
LOCKS = (
    *(f"{name}.lock" for name in ("HEAD", "config", "packed-refs", MAIN, UPSTREAM, "shallow")),
    "packed-refs.new",  # what the list of refs was about to become
)
_GC_LOCKS = ("gc.pid", "gc.pid.lock", "objects/info/commit-graph.lock")
_RECENT = 20  # earlier positions of the branch that are tried after a power cut
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
# These override whatever a commit says about filters and line endings.
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding !diff !merge\n"


class NotOurRepository(AnamnesisError):
    """`memory/.git` is not a directory: the notes are part of some other repository."""

    def __init__(self, directory: str) -> None:
        super().__init__(
            f"{directory}/.git is not a directory, so this is a worktree of another repository.",
            hint="Sync needs a separate repository. Move that file away and run it again.",
        )


def heal(repository: Repository, *, thorough: bool = False) -> list[str]:
    """Make the repository usable; returns a sentence for each repair.

    Asking git whether a commit really exists costs a process for each ref. So that is done only
    where a file shows damage or, if `thorough`, after a command has failed.

    Raises NotOurRepository, SyncFailed or StoreBusy.
    """
    _clear_locks(repository)  # first: a killed `git init` leaves some that would stop the next
    repairs = [*_fix_torn_files(repository)] if thorough else []
    _create(repository)
    free_dead_locks(repository.directory, [".git/index.lock"])
    repairs += [
        *_fix_head(repository),
        *_fix_refs(repository, thorough=thorough),
        *_set_aside(repository),
    ]
    _fix_settings(repository)
    return repairs


def _fix_torn_files(repository: Repository) -> Iterator[str]:
    """Set aside what a power cut tore and git cannot read; it is made again."""
    for name, check in (
        ("config", ["config", "--local", "--list"]),
        ("packed-refs", ["for-each-ref"]),
    ):
        path = os.path.join(repository.git_dir, name)
        if os.path.isfile(path) and repository.git(*check).code != 0:
            aside = os.path.join(repository.own, "set-aside", name)
            atomic.make_directory(os.path.dirname(aside))
            atomic.rename(path, aside)
            yield f"{name} of the repository was damaged and made again"


def place_of_rebuilt(directory: str) -> str:
    """Where a new repository is made while the old one is still in its place."""
    return f"{directory}.rebuilt"


def take_rebuilt(repository: Repository) -> None:
    """Put a repository that was made again into its place, if there is none."""
    made = place_of_rebuilt(repository.directory)
    if os.path.isdir(f"{made}/.git") and not os.path.lexists(repository.git_dir):
        atomic.rename(f"{made}/.git", repository.git_dir)
        os.rmdir(made)


def _create(repository: Repository) -> None:
    take_rebuilt(repository)
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


def _fix_head(repository: Repository) -> Iterator[str]:
    text = read_text(os.path.join(repository.git_dir, "HEAD")).strip()
    if re.fullmatch(r"ref: refs/\S+|[0-9a-f]{40,64}", text):
        return
    repository.point_head_to_main()
    yield "HEAD was damaged and now names main again"


def _fix_refs(repository: Repository, *, thorough: bool) -> Iterator[str]:
    """Repair refs that a power cut emptied, or that name a missing commit."""
    for ref in (MAIN, UPSTREAM):
        path = os.path.join(repository.git_dir, ref)
        text = read_text(path).strip()
        known = repository.resolve(ref)
        damaged = os.path.isfile(path) and not re.fullmatch(r"[0-9a-f]{40,64}", text)
        lost = known is None and ref == MAIN and repository.positions(ref, most=_RECENT)
        missing = thorough and known is not None and not repository.has_commit(known)
        if not (damaged or lost or missing):
            continue
        earlier = _last_good(repository, ref) if ref == MAIN else None
        if ref == MAIN and missing and not earlier:  # the remote may know what came before
            raise SyncFailed("reading the branch main", f"bad object {known}")
        if os.path.isfile(path):
            atomic.remove(path)
        if earlier:
            repository.ask("update-ref", "-m", "anamnesis: restored", ref, earlier)
        elif repository.resolve(ref):
            repository.git("update-ref", "-d", ref)
        if ref == MAIN:
            yield "the branch main was damaged and was restored from git's own record"


def _last_good(repository: Repository, ref: str) -> str | None:
    """The newest earlier position of a ref whose commit exists."""
    return next(filter(repository.has_commit, repository.positions(ref, most=_RECENT)), None)


def _set_aside(repository: Repository) -> Iterator[str]:
    """Move the state of a rebase or merge begun by hand out of the way; its commits stay."""
    unfinished = {
        what
        for name, what in _UNFINISHED.items()
        if os.path.lexists(os.path.join(repository.git_dir, name))
    }
    if not unfinished:
        return
    aside = os.path.join(repository.own, "set-aside", time.strftime("%Y%m%dT%H%M%S"))
    aside += f"-{os.urandom(2).hex()}"
    atomic.make_directory(aside)
    for name in (*_UNFINISHED, *_COMPANIONS):
        if os.path.lexists(os.path.join(repository.git_dir, name)):
            atomic.rename(os.path.join(repository.git_dir, name), os.path.join(aside, name))
    for what in sorted(unfinished):
        yield f"an unfinished {what} was set aside"


def _fix_settings(repository: Repository) -> None:
    attributes = os.path.join(repository.git_dir, "info", "attributes")
    if read_text(attributes) != _ATTRIBUTES:
        atomic.write_text(attributes, _ATTRIBUTES)
    atomic.make_directory(repository.own)


def _clear_locks(repository: Repository) -> None:
    """Remove lock files of dead processes; wait a little for living ones."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while locks := [path for path in _lock_files(repository) if os.path.lexists(path)]:
        alive = _is_git_at_work_in(repository.directory)
        if all(_is_dead(path, alive) for path in locks):
            for path in locks:
                atomic.remove(path)
            return
        if time.monotonic() > deadline:
            remove = "rm " + " ".join(map(shlex.quote, locks))
            raise StoreBusy(
                "git repository of the notes",
                holder="git",
                waited=_WAIT_SECONDS,
                hint=f"Try again in a moment. If no git is running there:  {remove}",
            )
        time.sleep(0.1)


def free_dead_locks(directory: str, names: Iterable[str] = LOCKS) -> None:
    """Remove lock files if no git process is running in a directory."""
    for name in names:
        lock = os.path.join(directory, name)
        if not os.path.lexists(lock):
            continue
        if _is_dead(lock, _is_git_at_work_in(directory)):
            atomic.remove(lock)


def free_gc_locks(directory: str) -> None:
    """Remove what a killed `git gc` leaves: it stops the next for half a day, or for good."""
    free_dead_locks(
        directory, [f"{git_dir}{name}" for git_dir in (".git/", "") for name in _GC_LOCKS]
    )


def _lock_files(repository: Repository) -> Iterator[str]:
    """The locks that our own commands would run into; the lock of your own index is not one."""
    for name in LOCKS:
        yield os.path.join(repository.git_dir, name)
    yield f"{repository.index}.lock"
    ours = os.path.join(repository.git_dir, "refs", "anamnesis")
    for folder, _, names in os.walk(ours):
        yield from (os.path.join(folder, name) for name in names if name[-5:] == ".lock")
    yield from _kept_packs(repository)


def _kept_packs(repository: Repository) -> Iterator[str]:
    """What a killed fast-import leaves: writing the same commits would reuse that pack's name."""
    folder = os.path.join(repository.git_dir, "objects", "pack")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    for path in (os.path.join(folder, name) for name in names if name.endswith(".keep")):
        if "fast-import".startswith(read_text(path).strip()):  # a torn one holds half of it
            yield path


def _is_git_at_work_in(directory: str) -> bool | None:
    """Whether a git process runs in this directory; None where processes cannot be seen.

    In a container, those of the host and of other containers cannot.
    """
    try:
        if os.readlink("/proc/self/ns/pid") != _ALL_PROCESSES:
            return None
    except OSError:
        return None
    unseen = False
    for name in filter(str.isdigit, os.listdir("/proc")):
        if int(name) != os.getpid() and _is_git(name):
            try:
                if _works_in(name, directory):
                    return True
            except PermissionError:  # another user's
                unseen = True
            except OSError:
                continue  # it has ended
    return None if unseen else False


def _works_in(pid: str, directory: str) -> bool:
    place, real = f"/proc/{pid}/cwd", os.path.realpath(directory)
    # In a container the same folder has another path.
    return f"{os.readlink(place)}/".startswith(f"{real}/") or os.path.samefile(place, real)


def _is_git(pid: str) -> bool:
    return os.path.basename(read_text(f"/proc/{pid}/comm").strip()).startswith("git")


def _is_dead(lock: str, alive: bool | None) -> bool:
    """Whether nobody can hold a lock any more; `alive` is what is known of git's processes."""
    try:
        age = time.time() - os.stat(lock).st_mtime
        if age < 0:  # the clock was set back: its age counts from now on
            os.utime(lock)
    except OSError:
        return not alive
    return not alive and age > (_OLD_SECONDS if alive is None else _YOUNG_SECONDS)


@record
class Landing:
    """A result that is being written to the working tree; the next sync completes it."""

    before: str | None  # the commit that the files stood on
    after: str
    main: str | None  # where the branch was
    older_than: str | None = None  # a path: newer files were written on purpose before the others

    def shares(
        self, changes: Sequence[Change], at_once: int | None
    ) -> tuple[Sequence[Change], Sequence[Change]]:
        """The changed files to write now, and those left to the next sync.

        A session that waits for some of very many gets the newest: ids begin with their time.
        """
        if self.older_than:
            newest = _order(self.older_than)
            changes = [change for change in changes if _order(change.path) < newest]
        if at_once is None or self.before is not None:
            return changes, ()
        changes = sorted(changes, key=lambda change: _order(change.path), reverse=True)
        return changes[:at_once], changes[at_once:]


@record
class Remembered:
    """How the last syncs went, and which files are left out of the working tree on purpose."""

    last_success: str | None = None
    last_error: str | None = None
    offline_since: str | None = None  # the first of the syncs in a row that got no answer
    offline_reason: str | None = None
    absent: dict[str, str] = fresh(default_factory=dict)  # path -> reason


_FIELDS = ("last_success", "last_error", "offline_since", "offline_reason", "absent")


def remembered(own: str) -> Remembered:
    """What was remembered; nothing if the file is missing or broken."""
    stored = StateFile(os.path.join(own, "state.json")).record()
    absent = stored.get("absent")
    error = _text(stored.get("last_error")) or ""
    # 1.0.0 kept being offline among the errors.
    since, was_offline, reason = error.partition(": offline: ")
    return Remembered(
        last_success=_text(stored.get("last_success")),
        last_error=None if was_offline else error or None,
        offline_since=_text(stored.get("offline_since")) or (since if was_offline else None),
        offline_reason=_text(stored.get("offline_reason")) or reason or None,
        absent=absent if isinstance(absent, dict) else {},
    )


def remember(own: str, state: Remembered) -> None:
    """Write what to remember, if it changed."""
    if remembered(own) == state:
        return
    fields = {name: getattr(state, name) for name in _FIELDS}
    StateFile(os.path.join(own, "state.json")).write(fields)


def _order(path: str) -> tuple[str, str]:
    """What sorts paths by the id in their name, older ones first."""
    return path.rpartition("/")[2], path


def begin_landing(own: str, landing: Landing) -> None:
    """Note what is about to be written to the working tree."""
    names = ("before", "after", "main", "older_than")
    fields = {name: getattr(landing, name) for name in names}
    StateFile(os.path.join(own, "landing.json")).write(fields)


def unfinished_landing(own: str) -> Landing | None:
    """A result that a killed sync left half written."""
    stored = StateFile(os.path.join(own, "landing.json")).record()
    after = _text(stored.get("after"))
    if after is None:
        return None
    before, main, older_than = map(_text, map(stored.get, ("before", "main", "older_than")))
    return Landing(before, after, main, older_than)


def finish_landing(own: str) -> None:
    """Record that the working tree has everything."""
    atomic.remove(os.path.join(own, "landing.json"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
