"""What a history came from that was squashed and no longer says so.

A squash is a commit without parents, whose files are the state of many. Where a commit is known
that has the same files, git is told, on this machine only, that the squash was made of it: a
replacement has it as parent. From then on ancestry decides here as everywhere else. Only where no
such commit is known are single notes compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.notes.fields import names_an_id
from anamnesis.sync.plan import TOMBSTONES, is_note
from anamnesis.sync.repository import MAIN, STATES, UPSTREAM

if TYPE_CHECKING:
    from anamnesis.sync.repository import Distance, Repository

_RECENT = 50  # earlier positions of the remote, and commits, that are looked at


def mend(repository: Repository, ours: str, other: str, distance: Distance) -> bool:
    """Let git know which commits were squashed to a beginning that only one of two lines has.

    False if there was nothing to learn.
    """
    mended = False
    for beginning in distance.beginnings:
        if twin := _with_same_files(repository, beginning, ours, other):
            repository.ask("replace", "--graft", beginning, twin)
            mended = True
    return mended


def bases(repository: Repository, ours: str, other: str, distance: Distance) -> tuple[str, ...]:
    """What two lines come from, where the other one has a beginning that nothing is known of.

    It is looked at only if the lines share no commit, or the remote lost what was there.
    """
    new = [each for each in distance.beginnings if repository.contains(other, each)]
    if not new or (distance.bases and not _is_rewritten(repository, ours, other)):
        return distance.bases
    found = {commit for each in new for commit in origins(repository, each, ours)}
    return tuple(independent(repository, sorted({*distance.bases, *found})))


def origins(repository: Repository, state: str, ours: str) -> list[str]:
    """The newest commits of ours that a state of the other side must have had.

    It has something that was made there: a version of a file, or a note in any version. A version
    that was restored proves nothing, nor does one that two lines made, a tombstone, which is the
    same wherever a note is forgotten, or the first commit, which may be a squash itself.
    """
    there = repository.files(state)
    earlier = filter(repository.has_commit, repository.positions(MAIN, most=_RECENT))
    history = repository.history(ours, *earlier, most=STATES)
    made: dict[tuple[str, str], list[str]] = {}
    for commit, changes in history:
        for change in changes:
            if change.after and not change.path.startswith(f"{TOMBSTONES}/"):
                made.setdefault((change.path, change.after), []).append(commit)
                if names_an_id(change.path) and change.before is None:
                    made.setdefault((_name(change.path), ""), []).append(commit)
    has = {*there.items(), *((_name(path), "") for path in there)}
    met = {
        commits[-1]
        for what, commits in made.items()
        if what in has and _is_line(repository, commits)
    }
    newest = _newest(repository, met - {history[-1][0]}, ours)
    made_last: dict[tuple[str, str], int] = {}
    for number, (_, changes) in enumerate(history):
        for change in changes:
            made_last.setdefault((change.path, change.after or ""), number)

    def may_have(commit: str) -> bool:
        """Whether it has half of its notes, and none in an older version that is known here."""
        files = repository.files(commit)
        both = [path for path in files if path in there]
        return 2 * sum(map(is_note, both)) >= sum(map(is_note, files)) and not any(
            made_last.get((path, there[path]), 0) > made_last.get((path, files[path]), 0)
            for path in both
        )

    lines = (repository.history(c, most=_RECENT) for c in newest)
    found = (next((c for c, _ in line if may_have(c)), None) for line in lines)
    return list(filter(None, found))


def _newest(repository: Repository, met: set[str], ours: str) -> list[str]:
    """The newest of some commits, and of the merges whose parents are all among their past."""
    listed = repository.ask("log", "--topo-order", "--format=%H %P", ours).decode().splitlines()
    rows = [line.split() for line in listed]
    had = set(met)
    for commit, *parents in rows:
        if commit in had:
            had.update(parents)
    for commit, *parents in reversed(rows):
        if len(parents) > 1 and had.issuperset(parents):
            had.add(commit)
    older = {parent for commit, *parents in rows if commit in had for parent in parents}
    return sorted(had - older)


def _with_same_files(repository: Repository, beginning: str, *lines: str) -> str | None:
    """The newest commit of two lines with the files of one without parents, not made of it."""
    listed = repository.ask("log", "--topo-order", "--format=%T %H", *lines).decode().splitlines()
    tree = _tree(repository, beginning)
    alike = (row[1] for row in map(str.split, listed) if row[0] == tree)
    return next((c for c in alike if not repository.contains(c, beginning)), None)


def _is_rewritten(repository: Repository, ours: str, other: str) -> bool:
    """Whether the remote no longer has what this machine last took over from it."""
    before = repository.positions(UPSTREAM, most=_RECENT)
    taken = (each for each in before if each != other and repository.contains(ours, each))
    last = next(taken, None)
    return last is not None and not repository.contains(other, last)


def independent(repository: Repository, commits: list[str]) -> list[str]:
    """Those of some commits that none of the others comes after."""
    if len(commits) < 2:
        return commits
    return sorted(repository.ask("merge-base", "--independent", *commits).decode().split())


def _is_line(repository: Repository, commits: list[str]) -> bool:
    """Whether the last of some commits comes before all others, so that it made what they say."""
    return all(repository.contains(commit, commits[-1]) for commit in commits[:-1])


def _tree(repository: Repository, commit: str) -> str:
    return repository.ask("rev-parse", f"{commit}^{{tree}}").decode().strip()


def _name(path: str) -> str:
    return path.rpartition("/")[2]
