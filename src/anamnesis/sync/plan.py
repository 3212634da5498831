"""What becomes of local commits when the other machines moved on; pure.

The local commits are replayed on top of what the remote has, one by one, so that history stays
a line. Nothing here touches git or a file: contents come from a function, decisions go out as
values. A file that cannot be merged is left out of the replay and named as a clash.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.sync.merge import Merged, three_way
from anamnesis.sync.paths import is_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Blob = str  # the id of a content
    Content = Callable[[Blob], bytes]
    Written = Blob | bytes | None  # a content that exists, a new one, or: the file is gone

SWEEPING = 2  # so many notes deleted at once, with none left, look like a lost disk


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after; None where it is not there."""

    path: str
    before: Blob | None
    after: Blob | None


@dataclass(frozen=True, slots=True)
class Step:
    """One commit: who made it, what it says, what it changes."""

    author: str
    message: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """One commit to make on top of the remote's."""

    author: str
    message: str
    writes: dict[str, Written] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Clash:
    """A file whose two edits only a person can bring together."""

    path: str
    base: Blob | None
    mine: Blob
    theirs: Blob
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The commits to make, and the files that are left out of them."""

    commits: tuple[Replayed, ...] = ()
    clashes: tuple[Clash, ...] = ()


def replay(steps: Sequence[Step], theirs: Iterable[Change], content: Content) -> Plan:
    """Bring local commits on top of what the other side changed since the common commit."""
    others = {change.path: change for change in theirs}
    mine = net(steps)
    verdicts, clashes = _Verdicts(steps, mine, others, content).all()
    last = {change.path: number for number, step in enumerate(steps) for change in step.changes}
    commits = []
    for number, step in enumerate(steps):
        writes: dict[str, Written] = {}
        for change in step.changes:
            verdict = verdicts.get(change.path)
            if verdict is None:
                writes[change.path] = change.after
            elif number in verdict:
                writes.update(verdict[number])
            elif number == last[change.path]:
                writes.update(verdict.get(_AT_THE_END, {}))
        if writes:
            commits.append(Replayed(step.author, step.message, writes))
    return Plan(tuple(commits), tuple(clashes))


def net(steps: Iterable[Step]) -> dict[str, Change]:
    """What several commits changed together."""
    changed: dict[str, Change] = {}
    for step in steps:
        for change in step.changes:
            first = changed.get(change.path, change)
            changed[change.path] = Change(change.path, first.before, change.after)
    return changed


def is_sweeping(changes: Iterable[Change], *, notes_left: int) -> bool:
    """Whether a side lost all its notes at once: a lost disk more likely than a wish."""
    gone = [change for change in changes if change.after is None and is_note(change.path)]
    return notes_left == 0 and len(gone) >= SWEEPING


_AT_THE_END = -1  # in place of a commit's number: the last one that touches the path


class _Verdicts:
    """Decides each file that both sides changed."""

    def __init__(
        self,
        steps: Sequence[Step],
        mine: Mapping[str, Change],
        theirs: Mapping[str, Change],
        content: Content,
    ) -> None:
        self._steps = steps
        self._mine = mine
        self._theirs = theirs
        self._content = content
        self._verdicts: dict[str, dict[int, dict[str, Written]]] = {}
        self._clashes: list[Clash] = []

    def all(self) -> tuple[dict[str, dict[int, dict[str, Written]]], list[Clash]]:
        """For each decided path what its commits write; a path without one is kept as it is."""
        self._follow_moves()
        for path, mine in self._mine.items():
            theirs = self._theirs.get(path)
            if theirs is not None and path not in self._verdicts:
                self._verdicts[path] = self._decide(mine, theirs)
        return self._verdicts, self._clashes

    def _decide(self, mine: Change, theirs: Change) -> dict[int, dict[str, Written]]:
        path = mine.path
        if mine.after in (theirs.after, mine.before, None):
            return {}  # the same on both sides, or an edit of theirs: it wins over a deletion
        if theirs.after is None:
            return {_AT_THE_END: {path: mine.after}}
        if not is_note(path):  # a machine's own file; of two that have one name the first keeps it
            return {} if mine.before is None else {_AT_THE_END: {path: mine.after}}
        chain = self._one_by_one(path, theirs.after)
        if chain is not None:
            return chain
        merged = self._merge(mine.before, mine.after, theirs.after)
        if merged.data is None:
            base = mine.before
            self._clashes.append(Clash(path, base, mine.after, theirs.after, merged.clashes))
            return {}
        return {_AT_THE_END: {path: merged.data}} if self._is_news(merged, theirs) else {}

    def _one_by_one(self, path: str, upstream: Blob) -> dict[int, dict[str, Written]] | None:
        """Each local edit merged in turn, so that history keeps them; None if one clashes."""
        current = self._content(upstream)
        written: dict[int, dict[str, Written]] = {}
        for number, step in enumerate(self._steps):
            for change in step.changes:
                if change.path != path:
                    continue
                if change.after is None:
                    return None
                base = None if change.before is None else self._content(change.before)
                merged = three_way(base, self._content(change.after), current)
                if merged.data is None:
                    return None
                if merged.data != current:
                    written[number] = {path: merged.data}
                current = merged.data
        return written or {_AT_THE_END: {}}

    def _follow_moves(self) -> None:
        """An edit goes with a file that the other side moved to another folder."""
        for source, target in _moves(self._mine.values()):
            theirs = self._theirs.get(source)
            if theirs is not None and theirs.after is not None and target not in self._theirs:
                moved = self._mine[target].after
                self._move(source, target, self._mine[source].before, moved, theirs.after)
        for source, target in _moves(self._theirs.values()):
            mine = self._mine.get(source)
            if mine is not None and mine.after is not None and target not in self._mine:
                moved = self._theirs[target].after
                self._move(source, target, mine.before, mine.after, moved)

    def _move(
        self, source: str, target: str, base: Blob | None, mine: Blob | None, theirs: Blob | None
    ) -> None:
        if mine is None or theirs is None:
            return
        merged = self._merge(base, mine, theirs)
        if merged.data is None:
            return  # both files are kept; `status` names the id that they share
        outcome: dict[str, Written] = {source: None, target: merged.data}
        self._verdicts[source] = {_AT_THE_END: outcome}
        if target in self._mine:
            self._verdicts[target] = {_AT_THE_END: outcome}

    def _merge(self, base: Blob | None, mine: Blob, theirs: Blob) -> Merged:
        common = None if base is None else self._content(base)
        return three_way(common, self._content(mine), self._content(theirs))

    def _is_news(self, merged: Merged, theirs: Change) -> bool:
        return theirs.after is None or merged.data != self._content(theirs.after)


def _moves(changes: Iterable[Change]) -> list[tuple[str, str]]:
    """Files that vanished in one folder and turned up in another under the same name."""
    changes = list(changes)
    gone = {
        change.path.rpartition("/")[2]: change.path
        for change in changes
        if change.after is None and change.before is not None
    }
    return [
        (gone[name], change.path)
        for change in changes
        if change.before is None
        and change.after is not None
        and (name := change.path.rpartition("/")[2]) in gone
    ]
