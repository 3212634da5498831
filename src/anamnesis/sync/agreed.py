"""What this machine and the remote last agreed on, where the remote's history was rewritten.

A history that was squashed, purged or restored from an older copy shares few commits with ours, or
none. Merged without a base, what either side deleted comes back and every edit is a conflict; with
a base that the other side never had, what it has never seen looks deleted. So the base is the
newest state that both really had: a whole commit where one is known, else file by file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.ground.records import replace
from anamnesis.notes.fields import names_an_id
from anamnesis.sync.plan import TOMBSTONES, NewCommit, is_note
from anamnesis.sync.repository import MAIN, OUTGOING, STATES, UPSTREAM, Distance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anamnesis.sync.plan import Change
    from anamnesis.sync.repository import Repository

_RECENT = 50  # earlier positions of the remote that are tried as the common history
_MAKING = "%an %ae %at %cn %ce %ct %s"  # what a purge leaves unchanged
_NOBODY = "anamnesis <anamnesis@base> 0 +0000"  # signs a commit that is never sent


def across_a_rewrite(repository: Repository, ours: str, other: str, *, behind: int) -> Distance:
    """What only we have, on the other side of a history that was rewritten."""
    theirs = repository.versions(other, most=STATES)
    history = repository.history(ours, most=STATES)
    earlier = filter(repository.has_commit, repository.positions(MAIN, most=_RECENT))
    shared = _Shared(repository.versions(ours, *earlier, most=STATES), theirs)
    start = _newest_met(repository, history, other, theirs)
    last = _taken_over(repository, ours, other)
    if last and not _continues(repository, ours, other) and shared.allows(repository.files(last)):
        start = last  # squashed since: nothing there is older than what we took over
    notes = set(filter(is_note, repository.files(start))) if start else set()
    if 2 * len(notes.intersection(repository.files(other))) < len(notes):
        start = None  # another store with some of our notes: it takes none away
    for commit, _ in repository.history(start, most=STATES) if start else ():
        if shared.allows(repository.files(commit)):
            return replace(repository.distance(ours, commit), behind=behind, bases=(commit,))
    if not shared.newest:
        return Distance((), behind, (), linear=False)
    base = _commit_of(repository, shared.newest)
    return replace(repository.distance(ours, base), behind=behind, bases=(base,), bridged=True)


def _taken_over(repository: Repository, ours: str, other: str) -> str | None:
    """The last state of the remote that this machine took over, other than the one it has now."""
    before = repository.positions(UPSTREAM, most=_RECENT)
    earlier = (commit for commit in before if commit != other)
    return next((commit for commit in earlier if _is_inside(repository, commit, ours)), None)


class _Shared:
    """The newest version of each file that both histories have."""

    def __init__(self, mine: Mapping[str, list[str]], theirs: Mapping[str, list[str]]) -> None:
        self._mine = mine
        shared = {
            path: next(filter(theirs[path].__contains__, blobs), "")
            for path, blobs in mine.items()
            if path in theirs
        }
        self.newest = {path: blob for path, blob in shared.items() if blob}

    def allows(self, state: Mapping[str, str]) -> bool:
        """Whether the other side may have had a state of ours: none of its files is newer."""
        return not any(map(self._is_newer, state, state.values()))

    def _is_newer(self, path: str, blob: str) -> bool:
        shared_blob = self.newest.get(path, blob)
        if shared_blob == blob:
            return False
        versions = self._mine[path]
        return blob in versions and versions.index(blob) < versions.index(shared_blob)


def _continues(repository: Repository, ours: str, other: str) -> bool:
    """Whether the other history still has a commit of ours, as it was or as a purge left it."""
    both = (
        repository.ask("log", f"-{STATES}", f"--format={_MAKING}", tip) for tip in (ours, other)
    )
    mine, theirs = (set(lines.splitlines()) for lines in both)
    return not mine.isdisjoint(theirs)


def _newest_met(
    repository: Repository,
    history: Sequence[tuple[str, list[Change]]],
    other: str,
    theirs: Mapping[str, list[str]],
) -> str | None:
    """The newest commit of ours that the other side must have had: it has something made there.

    Machines only ever add to what the others have, so a side that has a version of a file, or a
    note in any version, had everything before it. A version that was restored proves nothing,
    because the other side may have it from before, and neither does a tombstone: two machines
    that forget the same note write the same one. The first commit may be squashed from many; it
    counts if the other side had exactly its files.
    """
    made: dict[tuple[str, str], str] = {}
    for commit, changes in history:
        for change in changes:
            if change.after and not change.path.startswith(f"{TOMBSTONES}/"):
                made[change.path, change.after] = commit
                if names_an_id(change.path):
                    made[_name(change.path), ""] = commit
    versions_there = {(path, blob) for path, blobs in theirs.items() for blob in blobs}
    versions_there |= {(_name(path), "") for path in theirs}
    met_commits = {commit for what, commit in made.items() if what in versions_there}
    first = history[-1][0]
    met = next((commit for commit, _ in history if commit in met_commits and commit != first), None)
    if (
        met is None
        and _tree(repository, first)
        in repository.ask("log", f"-{STATES}", "--format=%T", other).splitlines()
    ):
        return first
    return met


def _tree(repository: Repository, commit: str) -> bytes:
    return repository.ask("rev-parse", f"{commit}^{{tree}}").strip()


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _commit_of(repository: Repository, files: Mapping[str, str]) -> str:
    step = NewCommit(_NOBODY, "what both sides had", dict(files))
    return repository.commit(OUTGOING, None, [step], committer=_NOBODY)


def _is_inside(repository: Repository, commit: str, history: str) -> bool:
    return repository.git("merge-base", "--is-ancestor", commit, history).code == 0
