"""What this machine and the remote last agreed on, where the remote's history was rewritten.

A history that was squashed, purged or restored from an older copy shares few commits with ours, or
none. Merged without a base, what either side deleted comes back and every edit is a conflict; with
a base that the other side never had, what it has never seen looks deleted. So the base is the
newest state that both really had: a whole commit where one is known, else file by file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.notes.fields import names_an_id
from anamnesis.sync.plan import TOMBSTONES, NewCommit, is_note
from anamnesis.sync.repository import MAIN, OUTGOING, STATES, UPSTREAM

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping, Sequence

    from anamnesis.sync.plan import Change
    from anamnesis.sync.repository import Repository

_RECENT = 50  # earlier positions of the remote that are tried as the common history
_NOBODY = "anamnesis <anamnesis@base> 0 +0000"  # signs a commit that is never sent


def is_rewritten(repository: Repository, ours: str, other: str) -> bool:
    """Whether the remote no longer has what this machine last took over from it."""
    last = _taken_over(repository, ours, other)
    return last is not None and not repository.contains(other, last)


def bases(
    repository: Repository, ours: str, other: str, *, known: Sequence[str]
) -> tuple[str, ...]:
    """The newest states that this machine and the other side both had; none if none is known.

    `known` are those that git knows of.
    """
    theirs = repository.versions(other, most=STATES)
    history = repository.history(ours, most=STATES)
    earlier = filter(repository.has_commit, repository.positions(MAIN, most=_RECENT))
    mine = repository.versions(ours, *earlier, most=STATES)
    shared = _Shared(mine, theirs)
    files = repository.files(other)
    met = [
        c for c in _newest_met(repository, history, other, theirs) if _is_ours(repository, c, files)
    ]
    found = {state for commit in met if (state := _allowed(repository, commit, shared))}
    if not found and not known and shared.newest:
        found = {_commit_of(repository, shared.newest)}
    return _newest(repository, {*known, *found})


def _is_ours(repository: Repository, commit: str, there: Container[str]) -> bool:
    """Whether the other side has half of the notes of a state; else it is another store."""
    notes = [path for path in repository.files(commit) if is_note(path)]
    return 2 * sum(path in there for path in notes) >= len(notes)


def _allowed(repository: Repository, commit: str, shared: _Shared) -> str | None:
    """The newest state before a commit, or its own, that the other side may have had."""
    before = (each for each, _ in repository.history(commit, most=STATES))
    return next((each for each in before if shared.allows(repository.files(each))), None)


def _newest(repository: Repository, commits: Collection[str]) -> tuple[str, ...]:
    """Those of some commits that none of the others comes after."""
    if len(commits) < 2:
        return tuple(commits)
    listed = repository.ask("merge-base", "--independent", *commits)
    return tuple(sorted(listed.decode().split()))


def _taken_over(repository: Repository, ours: str, other: str) -> str | None:
    """The last state of the remote that this machine took over, other than the one it has now."""
    before = repository.positions(UPSTREAM, most=_RECENT)
    earlier = (commit for commit in before if commit != other)
    return next((commit for commit in earlier if repository.contains(ours, commit)), None)


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


def _newest_met(
    repository: Repository,
    history: Sequence[tuple[str, list[Change]]],
    other: str,
    theirs: Mapping[str, list[str]],
) -> list[str]:
    """The newest commits of ours that the other side must have had: it has something made there.

    A side that has a version of a file, or a note in any version, had what that was made on top
    of. A version that was restored proves nothing, because the other side may have it from before,
    nor does one that two lines made, nor a tombstone: two machines that forget the same note write
    the same one. The first commit may be squashed from many; it counts if the other side had
    exactly its files.
    """
    made: dict[tuple[str, str], list[str]] = {}
    for commit, changes in history:
        for change in changes:
            if change.after and not change.path.startswith(f"{TOMBSTONES}/"):
                made.setdefault((change.path, change.after), []).append(commit)
                if names_an_id(change.path) and change.before is None:
                    made.setdefault((_name(change.path), ""), []).append(commit)
    versions_there = {(path, blob) for path, blobs in theirs.items() for blob in blobs}
    versions_there |= {(_name(path), "") for path in theirs}
    first = history[-1][0]
    met = {
        commits[-1]
        for what, commits in made.items()
        if what in versions_there and _is_line(repository, commits)
    }
    if newest := [commit for commit, _ in history if commit in met - {first}][:_RECENT]:
        return list(_newest(repository, newest))
    trees = repository.ask("log", f"-{STATES}", "--format=%T", other).splitlines()
    return [first] if _tree(repository, first) in trees else []


def _is_line(repository: Repository, commits: Sequence[str]) -> bool:
    """Whether the last of some commits comes before all others, so that it made what they say."""
    return all(repository.contains(commit, commits[-1]) for commit in commits[:-1])


def _tree(repository: Repository, commit: str) -> bytes:
    return repository.ask("rev-parse", f"{commit}^{{tree}}").strip()


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _commit_of(repository: Repository, files: Mapping[str, str]) -> str:
    step = NewCommit(_NOBODY, "what both sides had", dict(files))
    return repository.commit(OUTGOING, None, [step], committer=_NOBODY)
