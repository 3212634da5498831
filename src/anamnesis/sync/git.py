"""Sync through a git remote."""

from __future__ import annotations

import os

from anamnesis import locks
from anamnesis.clock import utcnow
from anamnesis.errors import AnamnesisError, StoreBusy
from anamnesis.records import replace
from anamnesis.sync import conflicts, journal, remote
from anamnesis.sync.backend import SyncResult, SyncState
from anamnesis.sync.cycle import Cycle, Identity
from anamnesis.sync.repository import MAIN, UPSTREAM, Repository
from anamnesis.sync.worktree import WorkTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.sync.worktree import Check

_BRANCH = MAIN.rpartition("/")[2]
NETWORK_SECONDS = 30.0  # one fetch or push; a hook must not hang on a dead network for longer


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
    ) -> None:
        """`check` names, for a file about to be committed, the reason why it must stay here."""
        self._directory = os.path.abspath(os.fspath(memory_dir))
        self._repository = Repository(self._directory)
        self.remote = remote or None
        self.machine_id = machine_id
        self._seconds = seconds
        self.home = home_of(self._repository)
        self._worktree = WorkTree(self._repository, self.home, check)

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        """Commit, fetch, replay, push, then write what others changed."""
        url = remote.require_usable(self.remote) if self.remote else None
        lock = os.path.join(self.home, "locks", "sync.lock")
        held = locks.held(lock, name="sync", timeout=0)
        try:
            held.__enter__()
        except StoreBusy as busy:
            return SyncResult(detail=f"another sync is running: {busy.holder}")
        try:
            cycle = Cycle(
                self._repository, self._worktree, home=self.home,
                identity=Identity(self.machine_id), url=url, seconds=self._seconds,
                accept_deletions=accept_deletions,
            )  # fmt: skip
            result = self._remembered(cycle)
        finally:
            held.__exit__(None, None, None)
        return result

    def state(self) -> SyncState:
        """Where this machine stands, without asking the network."""
        shown = remote.shown(self.remote) if self.remote else None
        if not os.path.isdir(self._repository.git_dir):
            return SyncState(remote=shown, detail="not set up yet; run:  anamnesis sync")
        head = self._repository.resolve(MAIN)
        remembered = journal.load(self._repository.own)
        state = SyncState(
            initialized=True,
            remote=shown,
            head=head[:7] if head else None,
            held=tuple(conflict.id for conflict in conflicts.held(self.home).values()),
            last_success=remembered.last_success,
            last_error=remembered.last_error,
        )
        try:
            state = self._measured(state, head, remembered.absent)
        except AnamnesisError as error:
            return replace(state, detail=error.message)
        return replace(state, detail=_in_words(state))

    def _measured(self, state: SyncState, head: str | None, absent: dict[str, str]) -> SyncState:
        local = self._worktree.changes(absent, accept_deletions=True)
        upstream = self._repository.resolve(UPSTREAM) if self.remote else None
        if head and upstream and head != upstream:
            distance = self._repository.distance(head, upstream)
            state = replace(state, ahead=len(distance.ahead), behind=distance.behind)
        return replace(state, dirty=bool(local.writes))

    def _remembered(self, cycle: Cycle) -> SyncResult:
        """Run a cycle and remember how it went, for `status` and the next session."""
        own = self._repository.own
        try:
            result = cycle.run()
        except AnamnesisError as error:
            if os.path.isdir(self._repository.git_dir):
                journal.save(own, replace(journal.load(own), last_error=_stamped(error.message)))
            raise
        before = journal.load(own)
        if result.error or result.offline:
            said = result.error or result.detail
            after = replace(before, last_error=_stamped(said))
        else:
            after = replace(before, last_success=utcnow(), last_error=None)
        journal.save(own, after)
        return result


def home_of(repository: Repository) -> str:
    """The store that a tree of notes belongs to; a tree of its own keeps its things in .git."""
    parent, name = os.path.split(repository.directory)
    return parent if name == "memory" else repository.own


def _stamped(text: str) -> str:
    return f"{utcnow()}: {text}"


def _in_words(state: SyncState) -> str:
    if state.held:
        return f"{len(state.held)} notes are held; see:  anamnesis conflicts list"
    if state.last_error:
        return state.last_error
    return "ok" if state.remote else "ok; no remote is set"
