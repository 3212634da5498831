"""Sync through a git remote."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.git import command
from anamnesis.ground import locks
from anamnesis.ground.clock import utcnow
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError, NotWritable, StoreBusy
from anamnesis.ground.home import Home
from anamnesis.sync import conflicts, healing, journal, purge, remote
from anamnesis.sync.backend import SyncResult, SyncState
from anamnesis.sync.cycle import Cycle
from anamnesis.sync.identity import Identity
from anamnesis.sync.repository import MAIN, UPSTREAM, Repository, SyncFailed
from anamnesis.sync.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Container

    from anamnesis.sync.worktree import Check

_BRANCH = MAIN.rpartition("/")[2]
_COMMIT_SECONDS = 2.0  # for a sync that is running; its commit will do as well
NETWORK_SECONDS = 30.0  # one fetch or push; a hook must not hang on a dead network for longer
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
        lock = self.home.lock("sync")
        with ExitStack() as stack:
            try:
                stack.enter_context(locks.held(lock, name="sync", timeout=0))
            except StoreBusy as busy:
                return SyncResult(detail=f"another sync is running: {busy.holder}")
            result = self._remembered(url, accept_deletions=accept_deletions)
        self._tidy()
        return result

    def commit(self) -> SyncResult:
        """Commit what the disk has; no network, and it does not count as a sync."""
        lock = self.home.lock("sync")
        with locks.held(lock, name="sync", timeout=_COMMIT_SECONDS):
            return self._cycle(None, accept_deletions=False).run()

    def purge(self, ids: Container[str]) -> purge.Purged:
        """Take removed notes out of the whole history, here and at the remote.

        Everything must be synced: what the remote has is replaced as a whole, or not at all.
        """
        lock = self.home.lock("sync")
        with locks.held(lock, name="sync", timeout=_COMMIT_SECONDS):
            healing.heal(self._repository)
            return purge.purge(
                self._repository,
                ids,
                identity=Identity(self.machine_id),
                url=remote.require_usable(self.remote) if self.remote else None,
                seconds=self._seconds,
            )

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
            offline_since=remembered.offline_since,
            offline_reason=remembered.offline_reason,
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
        held_back = tuple(f"{path}: {why}" for path, why in local.held_back.items())
        return replace(state, dirty=bool(local.writes), held_back=held_back if self.remote else ())

    def _remembered(self, url: str | None, *, accept_deletions: bool) -> SyncResult:
        """Run a cycle and remember how it went, for `status` and the next session."""
        own = self._repository.own
        try:
            try:
                result = self._cycle(url, accept_deletions).run()
            except SyncFailed:
                # A commit may be damaged, or another git was at work: look closely, once more.
                result = self._cycle(url, accept_deletions).run(thorough=True)
        except AnamnesisError as error:
            if os.path.isdir(self._repository.git_dir):
                failed = replace(journal.load(own), last_error=_stamped(error.message))
                with suppress(NotWritable):  # a full disk: the first error is the one to tell
                    journal.save(own, failed)
            raise
        journal.save(own, _after(journal.load(own), result))
        return result

    def _cycle(self, url: str | None, accept_deletions: bool) -> Cycle:
        return Cycle(
            self._repository,
            self._worktree,
            home=self.home,
            identity=Identity(self.machine_id),
            url=url,
            seconds=self._seconds,
            accept_deletions=accept_deletions,
        )

    def _tidy(self) -> None:
        """Let git pack its objects now and then, in the background and for nobody to wait."""
        for directory in filter(None, (self._directory, self.remote)):
            if needs_packing(directory):
                command.detach(directory, ["gc", "--auto", "--quiet"], settings=_PACKING)


def home_of(repository: Repository) -> Home:
    """The store that a tree of notes belongs to; a tree of its own keeps its things in .git."""
    parent, name = os.path.split(repository.directory)
    return Home(parent if name == "memory" else repository.own)


def needs_packing(repository: str) -> bool:
    """Whether so many small packs and loose objects are there that git gets slower."""
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


def _after(before: journal.Remembered, result: SyncResult) -> journal.Remembered:
    """What is remembered after a sync; offline takes no failure back, and is none."""
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


def _in_words(state: SyncState) -> str:
    if state.held:
        those = counted(len(state.held), "note is", "notes are")
        return f"{those} held; see:  anamnesis conflicts list"
    if state.last_error:
        return state.last_error
    if state.remote and state.offline_since:
        return f"offline since {state.offline_since}: {state.offline_reason}"
    return "ok" if state.remote else "ok; no remote is set"
