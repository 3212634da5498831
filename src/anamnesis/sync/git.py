"""Sync through a git remote."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress

from anamnesis import config
from anamnesis.config import Home
from anamnesis.git import command
from anamnesis.ground import locks
from anamnesis.ground.clock import utcnow
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError, InvalidInput, NotWritable, StoreBusy
from anamnesis.ground.records import replace
from anamnesis.sync import BUSY, SyncResult, SyncState, purge, recovery, remote
from anamnesis.sync.cycle import Cycle
from anamnesis.sync.plan import Identity
from anamnesis.sync.repository import MAIN, UPSTREAM, Repository, SyncFailed
from anamnesis.sync.worktree import WorkTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from anamnesis.notes.fields import NoteId
    from anamnesis.sync.worktree import Check

_BRANCH = MAIN.rpartition("/")[2]
_COMMIT_SECONDS = 2.0  # for a sync that is running; its commit will do as well
NETWORK_SECONDS = 30.0  # one fetch or push; a hook must not hang on a dead network for longer
_TURN_SECONDS = 30.0  # a container that is about to end cannot leave its push to the next sync
_MANY_PACKS = 50  # each sync that commits leaves one
_MANY_LOOSE = 1500
_PACKING = {"gc.auto": str(_MANY_LOOSE), "gc.autoPackLimit": str(_MANY_PACKS)}


class GitSyncBackend:
    """Moves the notes in one directory through a git remote."""

    def __init__(
        self,
        memory_dir: str | os.PathLike[str],
        *,
        remote: str | None = None,
        machine_id: str = "unknown",
        seconds: float = NETWORK_SECONDS,
        check: Check | None = None,
        sealed: bool = False,
        ephemeral: bool = False,
        hurried: bool = False,
        adopts: bool = False,
    ) -> None:
        """`check` gives the reason why a file about to be committed must not leave this machine.

        A sealed remote sees only ciphertext; the keys are this store's. An ephemeral machine takes
        over the notes without their history, and waits for its turn; a hurried one leaves most of
        very many files to its next sync. One that `adopts` makes notes of plain files that you
        put into the folders, and dates edits made in an editor.
        """
        self._directory = os.path.abspath(os.fspath(memory_dir))
        self._repository = Repository(self._directory)
        self.remote = remote or None
        self.machine_id = machine_id
        self._seconds = seconds
        self._sealed = sealed
        self._ephemeral = ephemeral
        self._hurried = hurried
        self.home = home_of(self._repository)
        self._worktree = WorkTree(
            self._repository, self.home, check, durable=not ephemeral,
            adopter=machine_id if adopts else "",
        )  # fmt: skip

    def expect_deletions(self, deleted_here: Callable[[], Container[str]]) -> None:
        """Let the paths that commands removed on this machine count as deleted on purpose."""
        self._worktree.deleted_here = deleted_here

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        """Commit, fetch, join, push, then write what others changed."""
        if self.remote:
            remote.require_usable(self.remote)
        lock = self.home.lock("sync")
        with ExitStack() as stack:
            try:
                patience = _TURN_SECONDS if self._ephemeral else 0
                stack.enter_context(locks.held(lock, name="sync", timeout=patience))
            except StoreBusy as busy:
                return SyncResult(detail=f"{BUSY}: {busy.holder}")
            result = self._remembered(accept_deletions=accept_deletions)
        self._tidy()
        return result

    def commit(self) -> SyncResult:
        """Commit what the disk has; no network, and it does not count as a sync."""
        lock = self.home.lock("sync")
        with locks.held(lock, name="sync", timeout=_COMMIT_SECONDS):
            return self._cycle(accept_deletions=False, exchanges=False).run()

    def purge(
        self, ids: Container[NoteId], *, is_unwanted: Callable[[bytes], bool] | None = None
    ) -> purge.Purged:
        """Remove deleted notes from the whole history, here and at the remote.

        So are unwanted earlier versions of other notes.
        Everything must be synced: the remote's history is replaced as a whole, or not at all.
        Raises InvalidInput where the notes have no history to purge.
        """
        if self._repository.is_shallow():
            raise InvalidInput(
                "This machine has the notes without their history, so it cannot be purged here.",
                hint="Run it on a machine that was set up with `anamnesis init` or `join`.",
            )
        lock = self.home.lock("sync")
        with locks.held(lock, name="sync", timeout=_COMMIT_SECONDS):
            recovery.heal(self._repository)
            return purge.purge(
                self._repository,
                ids,
                identity=Identity(self.machine_id),
                url=self.remote,
                transport=self.transport(),
                is_unwanted=is_unwanted,
            )

    def state(self) -> SyncState:
        """The sync state of this machine, without asking the network."""
        url = remote.shown(self.remote) if self.remote else None
        if not os.path.isdir(self._repository.git_dir):
            return SyncState(remote=url, detail="not set up yet; run:  anamnesis sync")
        head = self._repository.resolve(MAIN)
        remembered = recovery.remembered(self._repository.own)
        state = SyncState(
            initialized=True,
            remote=url,
            head=head[:7] if head else None,
            held=tuple(conflict.id for conflict in self._worktree.conflicts.waiting().values()),
            last_success=remembered.last_success,
            last_error=remembered.last_error,
            offline_since=remembered.offline_since,
            offline_reason=remembered.offline_reason,
        )
        try:
            state = self._measured(state, head, remembered.absent)
        except AnamnesisError as error:
            return replace(state, detail=error.message)
        return replace(state, detail=_summary(state))

    def _measured(self, state: SyncState, head: str | None, absent: dict[str, str]) -> SyncState:
        local = self._worktree.changes(absent, accept_deletions=True)
        upstream = self._repository.resolve(UPSTREAM) if self.remote else None
        if head and upstream and head != upstream:
            distance = self._repository.distance(head, upstream)
            state = replace(state, ahead=distance.waiting, behind=distance.behind)
        held_back = tuple(f"{path}: {why}" for path, why in local.held_back.items())
        return replace(state, dirty=bool(local.writes), held_back=held_back if self.remote else ())

    def _remembered(self, *, accept_deletions: bool) -> SyncResult:
        """Run a cycle and remember how it went, for `status` and the next session."""
        own = self._repository.own
        try:
            result = self._healed(accept_deletions=accept_deletions)
        except AnamnesisError as error:
            if os.path.isdir(self._repository.git_dir):
                failed = replace(recovery.remembered(own), last_error=_stamped(error.message))
                with suppress(NotWritable):  # a full disk: the first error is the one to tell
                    recovery.remember(own, failed)
            raise
        recovery.remember(own, _after(recovery.remembered(own), result))
        return result

    def _healed(self, *, accept_deletions: bool) -> SyncResult:
        """Run a cycle; where git complains of its own files, repair them and run it again."""
        try:
            result = self._cycle(accept_deletions=accept_deletions).run()
        except SyncFailed:
            # A commit may be damaged, or another git was running: check thoroughly and retry.
            try:
                result = self._cycle(accept_deletions=accept_deletions).run(thorough=True)
            except SyncFailed as failed:
                result = SyncResult(error=failed.message)
                if not self._is_damaged(failed.message):
                    raise
        if not self._is_damaged(result.error):
            return result
        from anamnesis.sync.rebuild import rebuild

        remark = rebuild(self._repository, self._transport_for)
        result = self._cycle(accept_deletions=accept_deletions).run()
        return replace(result, detail=f"{result.detail}; {remark}")

    def _is_damaged(self, complaint: str) -> bool:
        if not complaint:
            return False
        from anamnesis.sync.rebuild import is_damaged, sounds_damaged

        return sounds_damaged(complaint) and is_damaged(self._repository)

    def transport(self) -> remote.Transport | None:
        """What moves commits to the remote and back; None without a remote."""
        return self._transport_for(self._repository)

    def _transport_for(self, repository: Repository) -> remote.Transport | None:
        if not self.remote:
            return None
        url = remote.require_usable(self.remote)
        if not self._sealed:
            return remote.PlainTransport(
                repository, url=url, seconds=self._seconds, shallow=self._ephemeral
            )
        from anamnesis.sync.sealed.transport import sealed_transport

        return sealed_transport(repository, url=url, seconds=self._seconds, folder=self.home.keys)

    def _cycle(self, *, accept_deletions: bool, exchanges: bool = True) -> Cycle:
        return Cycle(
            self._repository,
            self._worktree,
            identity=Identity(self.machine_id),
            transport=self.transport() if exchanges else None,
            url=self.remote,
            accept_deletions=accept_deletions,
            hurried=self._hurried,
        )

    def _tidy(self) -> None:
        """Let git pack its objects now and then, in the background."""
        depot = os.path.join(self._repository.own, "sealed") if self._sealed else None
        for directory in filter(None, (self._directory, depot, self.remote)):
            if needs_packing(directory):
                recovery.free_gc_locks(directory)
                command.detach(directory, ["gc", "--auto", "--quiet"], settings=_PACKING)


def home_of(repository: Repository) -> Home:
    """The store that a tree of notes belongs to; a tree without a store keeps its files in .git."""
    parent, name = os.path.split(repository.directory)
    return Home(parent if name == "memory" else repository.own)


def needs_packing(repository: str) -> bool:
    """Whether there are so many small packs and loose objects that git gets slower."""
    for git_dir in (os.path.join(repository, ".git"), repository):
        objects = os.path.join(git_dir, "objects")
        if os.path.isdir(objects):
            packs = _entries(os.path.join(objects, "pack"))
            # One folder of 256 stands for all: object ids are spread evenly.
            return (
                len(packs) > 2 * _MANY_PACKS or len(_entries(f"{objects}/17")) > _MANY_LOOSE / 256
            )
    return False


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _after(before: recovery.Remembered, result: SyncResult) -> recovery.Remembered:
    """What is remembered after a sync; being offline neither is a failure nor clears one."""
    if result.offline:
        since = before.offline_since or utcnow()
        reason = result.detail.removeprefix("offline: ")
        return replace(before, offline_since=since, offline_reason=reason)
    answered = replace(before, offline_since=None, offline_reason=None)
    if result.error:
        return replace(answered, last_error=_stamped(result.error))
    return replace(answered, last_success=utcnow(), last_error=None)


def _stamped(text: str) -> str:
    return f"{utcnow()}: {text}"


def _summary(state: SyncState) -> str:
    if state.held:
        held = counted(len(state.held), "note is", "notes are")
        return f"{held} held; see:  anamnesis conflicts list"
    if state.last_error:
        return state.last_error
    if state.remote and state.offline_since:
        return f"offline since {state.offline_since}: {state.offline_reason}"
    return "ok" if state.remote else "ok; no remote is set"


def backend_of_this_machine(
    *, seconds: float = NETWORK_SECONDS, hurried: bool = False
) -> GitSyncBackend:
    """The backend that the configuration describes."""
    machine = config.resolve_machine_id()
    return backend_of(config.home_directory(), machine_id=machine, seconds=seconds, hurried=hurried)


def backend_of(
    root: str | os.PathLike[str],
    *,
    machine_id: str,
    seconds: float = NETWORK_SECONDS,
    hurried: bool = False,
) -> GitSyncBackend:
    """The backend of one store, with the remote that the configuration names."""
    home = Home(os.fspath(root))
    return GitSyncBackend(
        home.memory,
        remote=config.resolve_remote(),
        machine_id=machine_id,
        seconds=seconds,
        check=_check_for_secrets(home),
        sealed=config.is_on("sealed", default=False),
        ephemeral=config.is_ephemeral(),
        hurried=hurried,
        adopts=True,
    )


def _check_for_secrets(home: Home) -> Check:
    def why_it_stays(path: str, content: bytes) -> str:
        # Loaded for the first file that is about to be committed: most syncs commit none.
        from anamnesis.secrets import secrets_stay_here

        return secrets_stay_here(home)(path, content)

    return why_it_stays
