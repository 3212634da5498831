"""Notes tied to the code that they speak of, and what became of that code."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.anchors import standing
from anamnesis.anchors.anchor import anchors_of, parse_all
from anamnesis.anchors.checkout import Checkout
from anamnesis.anchors.judge import CHANGED, FRESH, GONE, MOVED, Judge, judge_all
from anamnesis.anchors.standing import Standing
from anamnesis.ground.clock import utcnow
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput, NotWritable
from anamnesis.history import undo
from anamnesis.index.queries import anchored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.anchors.judge import State, Verdict
    from anamnesis.config import Home
    from anamnesis.history.units import Unit
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore

_NAMED = 3  # blocks in one sentence
_DAY = 10  # characters of a time stamp
_MOST_AT_ONCE = 200  # notes whose code is looked at in one run; the next run goes on


@dataclass(frozen=True, slots=True)
class JudgedNote:
    """A note and what became of each block that it speaks of."""

    note: Memory
    verdicts: tuple[Verdict, ...]

    @property
    def state(self) -> State:
        """Gone if nothing is left of what it speaks of, else the worst that befell a block."""
        states = {verdict.state for verdict in self.verdicts}
        if not states or states == {FRESH}:
            return FRESH
        if states == {GONE}:
            return GONE
        return CHANGED if states & {CHANGED, GONE} else MOVED

    @property
    def sentence(self) -> str:
        """What a reader should know: `charge in pay.py changed in 3f2a9c1 on 2026-11-02`."""
        told = [_told(verdict) for verdict in self.verdicts if verdict.state != FRESH]
        more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
        return "; ".join(told[:_NAMED]) + more


def tied(text: str, directory: str) -> list[str]:
    """The anchors for what a text names in the checkout of a directory, as a note keeps them."""
    top = standing.top_of(directory)
    if not top or ("`" not in text and "\n- " not in text):
        return []
    return [str(anchor) for anchor in anchors_of(text, Checkout(top))]


def judged_notes(store: MemoryStore, *, project: str, directory: str) -> list[JudgedNote]:
    """The notes of a project whose code moved, changed or is gone, the worst first."""
    top = standing.top_of(directory)
    if not top:
        return []
    judge = _judge_of(top)
    found = [_judged(note, judge) for note in _anchored(store, project)]
    not_fresh = [each for each in found if each.state != FRESH]
    return sorted(not_fresh, key=lambda each: (_ORDER.index(each.state), each.note.id))


def confirm(store: MemoryStore, ids: Sequence[NoteId], *, directory: str) -> Unit | None:
    """Tie notes to the code as it is now: they still hold. Raises InvalidInput, NoSuchNote."""
    top = standing.top_of(directory)
    if not top:
        raise InvalidInput(f"{directory} is not in a git repository.")
    judge, checkout = _judge_of(top), Checkout(top)
    changes = []
    for id in ids:
        before = store.require(id)
        renewed = [
            str(replace(verdict.anchor, path=verdict.path, name=verdict.name, hash=verdict.hash,
                        commit=checkout.commit))
            for verdict in _judged(before.note, judge).verdicts
            if verdict.state != GONE and verdict.hash
        ]  # fmt: skip
        anchors = renewed or tied(f"{before.note.title}\n{before.note.body}", directory)
        changes.append((before, replace(before.note, anchors=anchors, updated_at=utcnow())))
    summary = f"confirm of {counted(len(changes), 'note')}"
    done = undo.apply(store, undo.changes_of(store, changes), kind="confirm", summary=summary)
    look(store, directory=directory)
    return done


def look(store: MemoryStore, *, directory: str, project: str = "") -> None:
    """Judge again what may have changed since the last look, for hooks to read. Asks git."""
    top = standing.top_of(directory)
    if not top:
        return
    from anamnesis.project import resolve_project_key

    notes = _anchored(store, project or resolve_project_key(directory))
    if not notes and not standing.is_watched(store.home, directory):
        return
    seen = standing.state_of(store.home, top, kind=".seen")
    before, known = _Seen(seen.record()), standing.standings(store.home, directory)
    after = _Seen({"head": _head_stamp(top)})
    found: dict[NoteId, Standing] = {}
    judge: Judge | None = None
    looked = 0
    for note in notes:
        is_same = before.covers(note, top, head=after.head, fresh=note.id not in known)
        if is_same or looked == _MOST_AT_ONCE:
            after.keep(note, before)
            if note.id in known:
                found[note.id] = known[note.id]
            continue
        looked += 1
        judge = judge or _judge_of(top)
        about = _judged(note, judge)
        after.add(note, about.verdicts, top)
        if about.state != FRESH:
            found[note.id] = Standing(about.state, about.sentence)
    try:
        standing.note_standings(store.home, top, found)
        seen.write(after.value)
    except NotWritable:
        return  # the next session looks again


def look_at_code(home: Home, directory: str) -> None:
    """The same with a store of its own, for the background."""
    from anamnesis.store import MemoryStore

    with MemoryStore(home) as store:
        look(store, directory=directory)


class _Seen:
    """Which anchors were judged against which state of which files."""

    def __init__(self, value: dict[str, object]) -> None:
        self.head = str(value.get("head", ""))
        notes = value.get("notes")
        self._notes: dict[str, list[str]] = notes if isinstance(notes, dict) else {}

    @property
    def value(self) -> dict[str, object]:
        """What is kept of it."""
        return {"head": self.head, "notes": self._notes}

    def covers(self, note: Memory, top: str, *, head: str, fresh: bool) -> bool:
        """Whether nothing has changed that a note was judged by."""
        was = self._notes.get(note.id)
        if not was or was[0] != "\n".join(note.anchors) or (head != self.head and not fresh):
            return False
        return all(
            stamp == _stamp(top, path) for path, stamp in zip(was[1::2], was[2::2], strict=False)
        )

    def keep(self, note: Memory, before: _Seen) -> None:
        """Take over what was seen of a note."""
        if note.id in before._notes:
            self._notes[note.id] = before._notes[note.id]

    def add(self, note: Memory, verdicts: Iterable[Verdict], top: str) -> None:
        """Remember what a note was judged by."""
        paths = {path: None for each in verdicts for path in (each.anchor.path, each.path)}
        stamps = [word for path in paths for word in (path, _stamp(top, path))]
        self._notes[note.id] = ["\n".join(note.anchors), *stamps]


_ORDER = (GONE, CHANGED, MOVED)


def _anchored(store: MemoryStore, project: str) -> list[Memory]:
    from anamnesis.aliases import names_of

    projects = set(names_of(store.home, project))
    return store.ask(lambda db: anchored(db, projects=projects))


def _judge_of(top: str) -> Judge:
    checkout = Checkout(top)
    return Judge(checkout, checkout)


def _judged(note: Memory, judge: Judge) -> JudgedNote:
    return JudgedNote(note, tuple(judge_all(parse_all(note.anchors), judge)))


def _told(verdict: Verdict) -> str:
    place = verdict.anchor.place
    if verdict.state == MOVED:
        return f"{place} is now in {verdict.path}"
    by = f" in {verdict.commit} on {verdict.at[:_DAY]}" if verdict.commit else ""
    if verdict.state == GONE:
        return f"{place} was removed{by}" if by else f"{place} no longer exists"
    now = "" if verdict.name == verdict.anchor.name else f" and is now {verdict.name}"
    return f"{place} changed{by}{now}" if by else f"{place} has uncommitted changes{now}"


def _stamp(top: str, path: str) -> str:
    try:
        found = os.stat(os.path.join(top, path))
    except (OSError, ValueError):
        return "-"
    return f"{found.st_mtime_ns}:{found.st_size}"


def _head_stamp(top: str) -> str:
    """The commit that is checked out; a moved block is looked for again after each commit."""
    return Checkout(top).commit
