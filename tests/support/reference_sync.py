"""The same sync without git or files: what the other backends are compared with.

A machine's disk is a dictionary, the remote a list of versions. The decisions are those of
`plan` and `merge`; only the effects are simple enough to be right at a glance.
"""

from __future__ import annotations

import hashlib

from anamnesis.ground.records import record, replace
from anamnesis.sync import SyncResult, SyncState
from anamnesis.sync.merge import three_way
from anamnesis.sync.plan import Change, is_sweeping, is_syncable, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    Files = Mapping[str, bytes]


@record
class Held:
    """A note that waits for a choice."""

    base: bytes | None
    theirs: bytes


class SharedVersions:
    """The remote: every version of all files, oldest first."""

    def __init__(self) -> None:
        self.versions: list[dict[str, bytes]] = [{}]


class ReferenceSyncBackend:
    """Moves a dictionary of files through shared versions."""

    def __init__(
        self, disk: MutableMapping[str, bytes], *, remote: SharedVersions | None, machine_id: str
    ) -> None:
        self.disk = disk
        self.remote = remote
        self.machine_id = machine_id
        self.held: dict[str, Held] = {}
        self.asked: set[str] = set()  # deleted by one side, changed by the other
        self.history: list[dict[str, bytes]] = []  # all that was ever committed here
        self._seen = 0  # the shared version that our commits stand on
        self._waiting = 0  # commits that nobody else has
        self._committed: dict[str, bytes] = {}
        self._contents: dict[str, bytes] = {}

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        """Commit, join that with what is shared, write what others changed."""
        changed = self._settle()
        self._commit(accept_deletions=accept_deletions)
        if self.remote is None:
            return self._result(SyncResult(detail="committed locally; no remote is set"), changed)
        pulled = len(self.remote.versions) - 1 - self._seen
        tip = self.remote.versions[-1]
        read = self.remote.versions[self._seen]
        mine, theirs = (self._changes(read, side) for side in (self._committed, tip))
        joined = join(mine, theirs, self._contents.__getitem__)
        files = dict(tip)
        for path, written in joined.writes.items():
            data = self._contents[written] if isinstance(written, str) else written
            files.pop(path, None)
            if data is not None:
                files[path] = data
        if mine:
            self.remote.versions.append(files)
        for clash in joined.clashes:
            base = self._contents[clash.base] if clash.base else None
            if clash.mine is None or clash.theirs is None:
                self.asked.add(clash.path)
                continue
            self.held[clash.path] = Held(base, self._contents[clash.theirs])
        shared = self._shared(files)
        if shared:
            files = {**files, **shared}
            self.remote.versions.append(files)
        changed += self._land(files)
        changed += self._settle()
        self._seen, self._waiting = len(self.remote.versions) - 1, 0
        pushed = bool(mine or shared)
        result = SyncResult(pushed=pushed, pulled=pulled, detail="synced")
        return self._result(result, changed)

    def state(self) -> SyncState:
        """Where this machine stands."""
        behind = len(self.remote.versions) - 1 - self._seen if self.remote else 0
        return SyncState(
            initialized=bool(self.history),
            remote="shared versions" if self.remote else None,
            head=str(len(self.history)) if self.history else None,
            dirty=bool(self._difference()),
            detail="ok",
            ahead=self._waiting,
            behind=behind,
            held=self._conflicts(),
        )

    def _commit(self, *, accept_deletions: bool) -> None:
        changes = self._difference()
        gone = [change for change in changes if change.after is None]
        if is_sweeping(gone, notes_left=len(self.disk)) and not accept_deletions:
            self.disk.update(self._committed)
            changes = self._difference()
        if changes:
            self._waiting += 1
            self._committed = {
                **{path: data for path, data in self.disk.items() if is_syncable(path)},
                **{path: self._committed[path] for path in self.held if path in self._committed},
            }
            self.history.append(dict(self._committed))

    def _difference(self) -> list[Change]:
        found = self._changes(self._committed, self.disk)
        return [change for change in found if change.path not in self.held]

    def _changes(self, before: Files, after: Files) -> list[Change]:
        paths = [path for path in {**before, **after} if is_syncable(path)]
        found = (Change(p, self._id(before.get(p)), self._id(after.get(p))) for p in paths)
        return [change for change in found if change.before != change.after]

    def _id(self, data: bytes | None) -> str | None:
        if data is None:
            return None
        blob = hashlib.sha256(data).hexdigest()
        self._contents[blob] = data
        return blob

    def _shared(self, files: Files) -> dict[str, bytes]:
        """What the others get of held notes: all but the part in dispute."""
        found = {}
        for path, held in self.held.items():
            mine, theirs = self.disk.get(path), files.get(path)
            if mine is not None and theirs is not None:
                shared = three_way(held.base, mine, theirs).shared
                if shared is not None and shared != theirs:
                    found[path] = shared
        return found

    def _land(self, files: Files) -> list[str]:
        changes = [c for c in self._changes(self._committed, files) if c.path not in self.held]
        for change in changes:
            if change.after is None:
                self.disk.pop(change.path, None)
            else:
                self.disk[change.path] = self._contents[change.after]
        self._committed = dict(files)
        self.history.append(dict(files))
        return [change.path for change in changes]

    def _settle(self) -> list[str]:
        """End conflicts that an edit has made mergeable."""
        ended = []
        for path, held in list(self.held.items()):
            mine, theirs = self.disk.get(path), self._committed.get(path)
            if mine is not None and theirs is not None:
                merged = three_way(held.base, mine, theirs)
                assert merged.kept is not None
                self.disk[path] = merged.kept
                if merged.apart is not None:
                    all_shared = merged.apart.shared == theirs
                    base = merged.apart.base if all_shared else held.base
                    self.held[path] = replace(held, base=base, theirs=theirs)
                    ended += [path] if merged.kept != mine else []
                    continue
            elif theirs is not None:
                self.disk[path] = theirs
            del self.held[path]
            ended.append(path)
        return ended

    def _conflicts(self) -> tuple[str, ...]:
        return (*self.held, *sorted(self.asked & self.disk.keys()))

    def _result(self, result: SyncResult, changed: list[str]) -> SyncResult:
        return replace(
            result,
            conflicted=bool(self._conflicts()),
            conflicts=self._conflicts(),
            head=str(len(self.history)) if self.history else None,
            changed=tuple(changed),
        )
