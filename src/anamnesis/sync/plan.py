"""Which files are synced, and how local commits are replayed when the remote has moved on; pure.

The local commits are replayed on top of what the remote has, one by one, so that history stays
linear. Nothing here touches git or a file: contents come from a function, decisions are returned
as values. A file that cannot be merged is left out of the replay and listed as a clash. A remote
may name any path: only what `is_syncable` allows is sent or written.
"""

from __future__ import annotations

import json
import re

from anamnesis.ground.records import fresh, record
from anamnesis.notes.fields import is_valid_id, names_an_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from anamnesis.sync.merge import Merged

    Blob = str  # the id of a content
    Content = Callable[[Blob], bytes]
    Versions = Callable[[str], Collection[Blob]]  # what a path said on the other side
    Written = Blob | bytes | None  # a content that exists, a new one, or: the file is gone

# Notes vanishing at once look like a lost disk or an old backup: (at least, left per lost one).
_SWEEPING = ((2, 0), (5, 1), (20, 9))  # all of them, half, or a tenth


@record
class Change:
    """One file before and after; None where it is not there."""

    path: str
    before: Blob | None
    after: Blob | None


@record
class Step:
    """One commit: who made it, what it says, what it changes."""

    author: str
    message: str
    changes: tuple[Change, ...] = ()


@record
class Replayed:
    """One commit to make on top of the remote's."""

    author: str
    message: str
    writes: dict[str, Written] = fresh(default_factory=dict)


@record
class Clash:
    """A file whose two edits only you can reconcile."""

    path: str
    base: Blob | None
    mine: Blob
    theirs: Blob
    fields: tuple[str, ...]
    formerly: str = ""  # the path before one side moved it


@record
class Plan:
    """The commits to make, and the files that are left out of them."""

    commits: tuple[Replayed, ...] = ()
    clashes: tuple[Clash, ...] = ()


def replay(
    steps: Sequence[Step], theirs: Iterable[Change], content: Content,
    versions: Versions = lambda _: (),
) -> Plan:  # fmt: skip
    """The plan that puts local commits on top of what the other side changed since the base.

    `versions` gives what a path said there since. If one of ours is among them, as it was or as
    part of another, it arrived there some other way (a copied disk, a push whose end we never saw,
    a machine that had it and filled an empty remote), and the edits there build on it.
    """
    by_path = {change.path: change for change in theirs}
    mine = net(steps)
    verdicts, clashes = _Verdicts(steps, mine, by_path, content, versions).all()
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
    """Whether a side lost many of its notes at once: more likely an accident than intent."""
    gone = sum(change.after is None and is_note(change.path) for change in changes)
    return any(gone >= least and notes_left <= gone * kept for least, kept in _SWEEPING)


_AT_THE_END = -1  # in place of a commit's number: the last one that touches the path


class _Verdicts:
    """Decides each file that both sides changed."""

    def __init__(
        self,
        steps: Sequence[Step],
        mine: Mapping[str, Change],
        theirs: Mapping[str, Change],
        content: Content,
        versions: Versions,
    ) -> None:
        self._steps = steps
        self._mine = mine
        self._theirs = theirs
        self._content = content
        self._versions = versions
        self._verdicts: dict[str, dict[int, dict[str, Written]]] = {}
        self._clashes: list[Clash] = []

    def all(self) -> tuple[dict[str, dict[int, dict[str, Written]]], list[Clash]]:
        """What each decided path's commits write; a path without a verdict stays as it is."""
        self._follow_moves()
        for path, mine in self._mine.items():
            theirs = self._theirs.get(path)
            if path in self._verdicts:
                continue
            if theirs is not None:
                self._verdicts[path] = self._decide(mine, theirs)
            elif mine.before is None and mine.after and self._was_there(path, None, mine.after):
                self._verdicts[path] = {}  # and was deleted there
        return self._verdicts, self._clashes

    def _decide(self, mine: Change, theirs: Change) -> dict[int, dict[str, Written]]:
        path = mine.path
        if mine.after is None or theirs.after is None:
            return self._decide_deletion(mine, theirs.after)
        if mine.after in (theirs.after, mine.before):
            return {}
        if not is_note(path):  # a machine's own file; of two with the same name the first stays
            return {} if mine.before is None else {_AT_THE_END: {path: mine.after}}
        ours = self._ours(path)
        seen_there = next((blob for blob in ours if self._was_there(path, mine.before, blob)), None)
        chain = self._one_by_one(path, theirs.after, since=seen_there)
        if chain is not None:
            return chain
        base = seen_there or mine.before
        merged = self._merge(base, mine.after, theirs.after)
        if merged.data is None:
            self._clashes.append(Clash(path, base, mine.after, theirs.after, merged.clashes))
            return {}
        return {_AT_THE_END: {path: merged.data}} if self._is_news(merged, theirs) else {}

    def _decide_deletion(self, mine: Change, theirs: Blob | None) -> dict[int, dict[str, Written]]:
        """An edit wins over a deletion, unless the side that deleted had seen the edit."""
        path, before = mine.path, mine.before
        if mine.after is None:
            known = theirs is not None and self._is_in(self._ours(path), before, theirs)
            return {_AT_THE_END: {path: None}} if known else {}
        known = self._was_there(path, before, mine.after)
        return {} if known else {_AT_THE_END: {path: mine.after}}

    def _was_there(self, path: str, base: Blob | None, blob: Blob) -> bool:
        """Whether the other side has had a version of ours, as it was or as part of another."""
        return self._is_in(self._versions(path), base, blob)

    def _is_in(self, versions: Collection[Blob], base: Blob | None, blob: Blob) -> bool:
        """Whether one of some versions contains everything that a blob added to the base."""
        if blob in versions or not versions:
            return blob in versions
        common = None if base is None else self._content(base)
        text = self._content(blob)
        news = _words(text) - _words(common or b"")  # cheaper to look for than to merge
        return any(
            news <= _words(there := self._content(version))
            and three_way(common, text, there).data == there
            for version in versions
        )

    def _ours(self, path: str) -> list[Blob]:
        """What a path said in our own commits, newest first."""
        return [change.after for _, change in reversed(self._edits(path)) if change.after]

    def _edits(self, path: str) -> list[tuple[int, Change]]:
        """Our own changes of a path, each with the number of its commit."""
        numbered = enumerate(self._steps)
        return [
            (n, change) for n, step in numbered for change in step.changes if change.path == path
        ]

    def _one_by_one(
        self, path: str, upstream: Blob, *, since: Blob | None
    ) -> dict[int, dict[str, Written]] | None:
        """The local edits since `since`, merged one by one; None if one clashes.

        That way history keeps them all, and a machine that has one of them recognises it.
        """
        edits = self._edits(path)
        read = [at for at, (_, edit) in enumerate(edits, 1) if since and edit.after == since]
        current = self._content(upstream)
        written: dict[int, dict[str, Written]] = {}
        for number, edit in edits[max(read, default=0) :]:
            if edit.after is None:
                return None
            base = None if edit.before is None else self._content(edit.before)
            merged = three_way(base, self._content(edit.after), current)
            if merged.data is None:
                return None
            if merged.data != current:
                written[number] = {path: merged.data}
            current = merged.data
        return written or {_AT_THE_END: {}}

    def _follow_moves(self) -> None:
        """Apply an edit to the note where the other side moved or renamed it."""
        for source, target in self._moves(self._mine, self._theirs):
            ours, theirs = self._mine[target].after, self._theirs[source].after
            if ours and theirs:
                self._move(source, target, self._mine[source].before, ours, theirs)
        for source, target in self._moves(self._theirs, self._mine):
            mine, theirs = self._mine[source], self._theirs[target].after
            if mine.after and theirs:
                self._move(source, target, mine.before, mine.after, theirs)

    def _move(self, source: str, target: str, base: Blob | None, mine: Blob, theirs: Blob) -> None:
        merged = self._merge(base, mine, theirs)
        if merged.data is None:
            self._clashes.append(Clash(target, base, mine, theirs, merged.clashes, source))
        outcome: dict[str, Written] = {source: None, target: merged.data or theirs}
        if merged.data is None and target in self._theirs:
            outcome = {}  # the remote already has it that way
        self._verdicts[source] = {_AT_THE_END: outcome}
        if target in self._mine:
            self._verdicts[target] = {_AT_THE_END: outcome}

    def _moves(
        self, changes: Mapping[str, Change], elsewhere: Mapping[str, Change]
    ) -> list[tuple[str, str]]:
        """Notes that one side moved to another folder or renamed, and the other side changed."""
        notes = [change for change in changes.values() if is_note(change.path)]
        new = {c.path: c.after for c in notes if not c.before and c.after}
        gone = {c.path: c.before for c in notes if c.before and not c.after and c.path in elsewhere}
        names = {_name(path): path for path in new if path not in elsewhere}
        renamed = any(_name(path) not in names for path in gone)
        ids = {self._id(p, new[p]): p for p in names.values()} if renamed else {}
        targets = {p: names.get(_name(p)) or ids.get(self._id(p, gone[p])) for p in gone}
        return [(source, target) for source, target in targets.items() if target]

    def _id(self, path: str, blob: Blob) -> str:
        """The id of a note; only a file that you named is read for it."""
        if names_an_id(path):
            return _name(path)[:-3]
        from anamnesis.notes.frontmatter import note_in

        note = note_in(self._content(blob))
        return note.id if note else path

    def _merge(self, base: Blob | None, mine: Blob, theirs: Blob) -> Merged:
        common = None if base is None else self._content(base)
        return three_way(common, self._content(mine), self._content(theirs))

    def _is_news(self, merged: Merged, theirs: Change) -> bool:
        return theirs.after is None or merged.data != self._content(theirs.after)


def _words(note: bytes) -> set[bytes]:
    return set(re.findall(rb"[^\W_]+", note.partition(b"\n---\n")[2]))


def three_way(base: bytes | None, mine: bytes, theirs: bytes) -> Merged:
    """Two versions of a file merged; the merge is loaded only when it is needed."""
    from anamnesis.sync import merge

    return merge.three_way(base, mine, theirs)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


MACHINES = ".machines"  # one small JSON file per machine, written only by that machine
TOMBSTONES = ".tombstones"  # one JSON file per forgotten note, all with the same bytes
_MAX_DEPTH = 8
_MAX_PART_BYTES = 255  # what common file systems take
# Control characters and what Windows refuses or reads as a special path.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\\ud800-\udfff]')
# With any suffix, and in upper or lower case, these are not files on Windows.
_DEVICES = frozenset(
    ("CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(1, 10)))
)


def is_syncable(path: str) -> bool:
    """Whether a path, relative to the tree of portable notes, may be sent or written."""
    parts = path.split("/")
    if len(parts) == 2 and parts[0] in (MACHINES, TOMBSTONES):
        return parts[1].endswith(".json") and is_valid_id(parts[1].removesuffix(".json"))
    if not path.endswith(".md") or len(parts) > _MAX_DEPTH or _folder_like_a_note(parts):
        return False
    return all(_is_safe(part) for part in parts)


def why_not(path: str) -> str:
    """Why a file that looks like a note is not synced; nothing for other files."""
    if path.endswith("/"):
        return "it is a separate git repository"
    parts = path.split("/")
    if not is_note(path) or any(part.startswith(".") for part in parts):
        return ""
    if len(parts) > _MAX_DEPTH:
        return f"it is more than {_MAX_DEPTH - 1} folders deep"
    if folder := _folder_like_a_note(parts):
        return f"its folder {folder} is named like a note; rename it"
    return "its name is not valid on every system; rename it"


def why_not_json(data: bytes) -> str:
    """Why the content of a tombstone or heartbeat is not synced, or nothing."""
    try:
        return "" if isinstance(json.loads(data), dict) else "it is not a JSON object"
    except (ValueError, RecursionError):
        return "it is not JSON"


def printable(path: str) -> str:
    """A path as one printable line, whatever it contains."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _folder_like_a_note(parts: Sequence[str]) -> str:
    """A folder that would displace the note of that name on another machine, or nothing."""
    return next((part for part in parts[:-1] if part.endswith(".md")), "")


def is_note(path: str) -> bool:
    """Whether a synced path holds a note."""
    return path.endswith(".md")


def by_folded_name(paths: Iterable[str]) -> dict[str, str]:
    """The paths by what a file system that ignores case takes them for."""
    return {_folded(path): path for path in paths}


def collides(path: str, present: Mapping[str, str]) -> bool:
    """Whether such a file system would confuse this path with another one present."""
    return present.get(_folded(path), path) != path


def _folded(path: str) -> str:
    from unicodedata import normalize  # seldom needed: Linux tells all names apart

    # The disks of macOS also ignore whether an accent is a separate character.
    return normalize("NFC", normalize("NFC", path).casefold())


def _is_safe(part: str) -> bool:
    """Whether one part of a path is an ordinary visible name on every system."""
    if not part or part.startswith((".", "-")) or part.endswith((".", " ")):
        return False
    if part.partition(".")[0].rstrip().upper() in _DEVICES:
        return False
    return not _UNSAFE.search(part) and len(part.encode()) <= _MAX_PART_BYTES
