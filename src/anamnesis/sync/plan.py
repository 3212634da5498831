"""Which files are synced, and what becomes of those that two lines of work both changed.

Nothing here touches git or a file: contents come from a function, decisions are returned as values.
Each path is merged once, from what it was in the commit that both lines come from and what each
made of it. Where only you can choose, the part is listed as a clash. A remote may name any path:
only what `is_syncable` allows is sent or written.
"""

from __future__ import annotations

import json
import re
import time

from anamnesis.aliases import FOLDER as ALIASES
from anamnesis.ground.clock import utcnow
from anamnesis.ground.records import fresh, record
from anamnesis.notes.fields import is_valid_id, names_an_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anamnesis.sync.merge import Merged

    Blob = str  # the id of a content
    Content = Callable[[Blob], bytes]
    Merge = Callable[[bytes | None, bytes, bytes], Merged]
    Written = Blob | bytes | None  # a content that exists, a new one, or: the file is gone

DELETION = "deletion"  # what clashes where one side deleted a note that the other changed
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
class NewCommit:
    """One commit to make."""

    author: str
    message: str
    writes: dict[str, Written] = fresh(default_factory=dict)


@record
class Clash:
    """A file with a part that both sides changed and only you can reconcile.

    One that a side deleted and the other changed has no version of the first.
    """

    path: str
    base: Blob | None
    mine: Blob | None
    theirs: Blob | None
    fields: tuple[str, ...]
    formerly: str = ""  # the path before one side moved it


@record
class Joined:
    """What two lines of work become, on top of the other side's files."""

    writes: dict[str, Written] = fresh(default_factory=dict)
    clashes: tuple[Clash, ...] = ()


def join(
    mine: Iterable[Change], theirs: Iterable[Change], content: Content, merge: Merge | None = None
) -> Joined:
    """Both sides' changes since the files that both come from."""
    joining = _Joining(
        {change.path: change for change in mine},
        {change.path: change for change in theirs},
        content,
        merge or three_way,
    )
    return joining.all()


def replay(
    steps: Sequence[Step], theirs: Sequence[Change], content: Content
) -> tuple[list[NewCommit], Joined]:
    """Our commits on top of a history that has lost their ids; what both changed comes last."""
    mine = [change for change in net(steps).values() if change.before != change.after]
    joined = join(mine, theirs, content)
    decided = dict(joined.writes)
    alone = {change.path for change in mine} - {change.path for change in theirs}
    last = {change.path: number for number, step in enumerate(steps) for change in step.changes}
    commits = []
    for number, step in enumerate(steps):
        writes: dict[str, Written] = {}
        for change in step.changes:
            path = change.path
            if last[path] == number and path in decided:
                writes[path] = decided.pop(path)
            elif path in alone and path in decided:
                writes[path] = change.after
        if number == len(steps) - 1:
            writes.update(decided)
        if writes:
            commits.append(NewCommit(step.author, step.message, writes))
    return commits, joined


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


class _Joining:
    """Decides each file that either side changed."""

    def __init__(
        self,
        mine: Mapping[str, Change],
        theirs: Mapping[str, Change],
        content: Content,
        merge: Merge,
    ) -> None:
        self._mine = mine
        self._theirs = theirs
        self._content = content
        self._three_way = merge
        self._writes: dict[str, Written] = {}
        self._clashes: list[Clash] = []
        self._decided: set[str] = set()
        added = (c.path for side in (mine, theirs) for c in side.values() if c.after)
        self._forgotten = forgotten_ids(added)

    def all(self) -> Joined:
        """What the other side's files become."""
        self._follow_moves()
        for path, mine in self._mine.items():
            if path not in self._decided:
                self._decide(mine, self._theirs.get(path))
        return Joined(self._writes, tuple(self._clashes))

    def _decide(self, mine: Change, theirs: Change | None) -> None:
        path = mine.path
        if theirs is None:
            self._writes[path] = mine.after
        elif mine.after == theirs.after:
            return
        elif mine.after is None or theirs.after is None:
            self._decide_deletion(path, mine.before, mine.after, theirs.after)
        elif is_note(path):
            self._merge(path, mine.before, mine.after, theirs.after)
        elif mine.before is not None:  # a machine's own file; of two that are new the first stays
            self._writes[path] = mine.after

    def _decide_deletion(
        self, path: str, base: Blob | None, mine: Blob | None, theirs: Blob | None,
        *, formerly: str = "",
    ) -> None:  # fmt: skip
        """A changed note outlives its deletion by a side that had not read the change.

        One that was only moved has no such change.
        """
        changed = mine or theirs
        if not is_note(path) or changed == base or self._is_forgotten(path, changed):
            self._put(path, None)
            return
        self._put(path, changed)
        self._clashes.append(Clash(path, base, mine, theirs, (DELETION,), formerly))

    def _is_forgotten(self, path: str, blob: Blob | None) -> bool:
        return bool(self._forgotten and blob) and self._id(path, blob or "") in self._forgotten

    def _merge(
        self, path: str, base: Blob | None, mine: Blob, theirs: Blob, *, formerly: str = ""
    ) -> None:
        own, other = self._content(mine), self._content(theirs)
        merged = self._three_way(None if base is None else self._content(base), own, other)
        if merged.data is None:
            self._clashes.append(Clash(path, base, mine, theirs, merged.clashes, formerly))
        known = {own: mine, other: theirs}
        self._put(path, known.get(merged.shared or other, merged.shared))

    def _put(self, path: str, written: Written) -> None:
        """Let a path be something, unless the other side has it that way."""
        there = self._theirs.get(path)
        if written != (there.after if there else None):
            self._writes[path] = written

    def _follow_moves(self) -> None:
        """Let a note that a side moved or renamed have one place, with the edits of both."""
        here, there = self._moves(self._mine, self._theirs), self._moves(self._theirs, self._mine)
        for source in dict.fromkeys((*here, *there)):
            at = [moves.get(source, source) for moves in (here, there)]
            crossed = zip(at, (self._theirs, self._mine), strict=True)
            if at[0] != at[1] and any(p != source and p in side for p, side in crossed):
                continue  # another note has that place
            mine, theirs = self._mine[at[0]].after, self._theirs[at[1]].after
            place = min(at) if source not in at else at[0] if at[1] == source else at[1]
            self._decided.update((source, *at))
            for path in {source, *at} - {place}:
                self._put(path, None)
            base = self._mine[source].before
            if mine and theirs:
                self._merge(place, base, mine, theirs, formerly=source)
            else:
                self._decide_deletion(place, base, mine, theirs, formerly=source)

    def _moves(
        self, changes: Mapping[str, Change], elsewhere: Mapping[str, Change]
    ) -> dict[str, str]:
        """Where one side moved the notes, by where they were, that the other side changed too."""
        notes = [change for change in changes.values() if is_note(change.path)]
        gone = {c.path: c.before for c in notes if c.before and not c.after and c.path in elsewhere}
        new = {c.path: c.after for c in notes if not c.before and c.after} if gone else {}
        names = {_name(path): path for path in new}
        renamed = any(_name(path) not in names for path in gone)
        ids = {self._id(p, new[p]): p for p in names.values()} if renamed else {}
        targets = {p: names.get(_name(p)) or ids.get(self._id(p, gone[p])) for p in gone}
        return {source: target for source, target in targets.items() if target}

    def _id(self, path: str, blob: Blob) -> str:
        """The id of a note; only a file that you named is read for it."""
        if names_an_id(path):
            return _name(path)[:-3]
        from anamnesis.notes.frontmatter import note_in

        note = note_in(self._content(blob))
        return note.id if note else path


def three_way(base: bytes | None, mine: bytes, theirs: bytes) -> Merged:
    """Two versions of a file merged; the merge is loaded only when it is needed."""
    from anamnesis.sync import merge

    return merge.three_way(base, mine, theirs)


def forgotten_ids(paths: Iterable[str]) -> set[str]:
    """The ids whose tombstones are among some paths."""
    stones = (path for path in paths if path.startswith(f"{TOMBSTONES}/"))
    return {path.rpartition("/")[2].removesuffix(".json") for path in stones}


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
    if len(parts) == 2 and parts[0] in (MACHINES, TOMBSTONES, ALIASES):
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
    """Why the content of a tombstone, heartbeat or alias is not synced, or nothing."""
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


def is_alias(path: str) -> bool:
    """Whether a synced path holds an alias, a file that is never removed."""
    return path.startswith(f"{ALIASES}/")


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


JOINED = "anamnesis: joined by "  # how a commit begins that only joins two lines of work


@record
class Identity:
    """Who commits."""

    machine_id: str

    def signature(self) -> str:
        """Name, address and time as git writes them."""
        return f"anamnesis <{self.address}> {int(time.time())} +0000"

    @property
    def address(self) -> str:
        """What git has in place of a mail address: it names the machine."""
        machine = "".join(c for c in self.machine_id if c.isprintable() and c not in "<>\\")
        return f"anamnesis@{machine.strip() or 'unknown'}"

    def message(self) -> str:
        """What a commit says."""
        return f"anamnesis: sync from {self.machine_id} at {utcnow()}"

    def joined(self) -> str:
        """What a commit says that only joins two lines of work."""
        return f"{JOINED}{self.machine_id} at {utcnow()}"
