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
from anamnesis.git.config import current_branch, current_commit
from anamnesis.ground.clock import utcnow
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput, NotWritable
from anamnesis.history import undo
from anamnesis.index.queries import anchored, latest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from anamnesis.anchors.judge import State, Verdict
    from anamnesis.config import Home
    from anamnesis.history.units import Unit
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore

_TOLD = ("Decided and found", "Errors and fixes", "Outcome")  # what a session note states of code
_MOST_SESSIONS = 30  # more than a start ever looks at
_NAMED = 3  # blocks in one sentence
_COMMIT = 12  # characters of an id
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


def place(store: MemoryStore, note: Memory, *, cwd: str, branch: str) -> Memory:
    """A session's note with the commit that it ended at, tied to the code of what it decided."""
    if branch and current_branch(cwd) not in ("", branch):
        return note  # something else was checked out since
    told = "\n".join(_lines_of(note.body, *_TOLD))
    commit, anchors = current_commit(cwd)[:_COMMIT], tied(told, cwd)
    if (commit, anchors) in ((note.at_commit, note.anchors), ("", [])):
        return note
    placed = store.revise(note.id, lambda now: replace(now, at_commit=commit, anchors=anchors))
    return placed or note


def _lines_of(body: str, *labels: str) -> Iterator[str]:
    """The lines below some labels of a session's note."""
    is_wanted = False
    for line in body.split("\n"):
        if line.startswith("**"):
            is_wanted = line.removeprefix("**").partition(":**")[0] in labels
        if is_wanted:
            yield line


def judged_notes(store: MemoryStore, *, project: str, directory: str) -> list[JudgedNote]:
    """The notes of a project whose code moved, changed or is gone, the worst first."""
    top = standing.top_of(directory)
    if not top:
        return []
    notes = _anchored(store, project)
    judge = _judge_of(top, notes)
    found = [_judged(note, judge) for note in notes]
    not_fresh = [each for each in found if each.state != FRESH]
    return sorted(not_fresh, key=lambda each: (_ORDER.index(each.state), each.note.id))


def confirm(store: MemoryStore, ids: Sequence[NoteId], *, directory: str) -> Unit | None:
    """Tie notes to the code as it is now: they still hold. Raises InvalidInput, NoSuchNote."""
    if not standing.top_of(directory):
        raise InvalidInput(f"{directory} is not in a git repository.")
    changes = []
    for id in ids:
        before = store.require(id)
        anchors = renewed(before.note, directory)
        changes.append((before, replace(before.note, anchors=anchors, updated_at=utcnow())))
    summary = f"confirm of {counted(len(changes), 'note')}"
    done = undo.apply(store, undo.changes_of(store, changes), kind="confirm", summary=summary)
    look(store, directory=directory)
    return done


def renewed(note: Memory, directory: str) -> list[str]:
    """The anchors of a note to the code as it is now."""
    top = standing.top_of(directory)
    commit = Checkout(top).commit
    kept = [
        str(replace(each.anchor, path=each.path, name=each.name, hash=each.hash, commit=commit))
        for each in _judged(note, _judge_of(top, [note])).verdicts
        if each.state != GONE and each.hash
    ]
    return kept or tied(f"{note.title}\n{note.body}", directory)


def look(store: MemoryStore, *, directory: str, project: str = "") -> None:
    """Judge again what may have changed since the last look, for hooks to read. Asks git."""
    top = standing.top_of(directory)
    if not top:
        return
    from anamnesis.project import resolve_project_key

    project = project or resolve_project_key(directory)
    notes, sessions = _anchored(store, project), _with_commits(store, project)
    if not (notes or sessions) and not standing.is_watched(store.home, directory):
        return
    seen = standing.state_of(store.home, top, kind=".seen")
    before, known = _Seen(seen.record()), standing.standings(store.home, directory)
    after = _Seen({"head": _head_stamp(top)})
    found: dict[NoteId, Standing] = {}
    unsure = [
        note
        for note in notes
        if not before.covers(note, top, head=after.head, fresh=note.id not in known)
    ][:_MOST_AT_ONCE]
    asked = {note.id for note in unsure}
    for note in notes:
        if note.id not in asked:
            after.keep(note, before)
            if note.id in known:
                found[note.id] = known[note.id]
    judge = _judge_of(top, unsure)
    for note in unsure:
        about = _judged(note, judge)
        after.add(note, about.verdicts, top)
        if about.state != FRESH:
            found[note.id] = Standing(about.state, about.sentence)
    try:
        standing.note_standings(store.home, top, found, _not_contained(top, sessions))
        seen.write(after.value)
    except NotWritable:
        return  # the next session looks again


def look_at_code(home: Home, directory: str) -> None:
    """The same with a store of its own, for the background."""
    from anamnesis.store import MemoryStore

    with MemoryStore(home) as store:
        store.look_beside(directory)
        look(store, directory=directory)


class _Seen:
    """Which anchors were judged against which state of which files."""

    def __init__(self, value: dict[str, object]) -> None:
        self.head = str(value.get("head", ""))
        notes = value.get("notes")
        kept = notes.items() if isinstance(notes, dict) else ()
        self._notes: dict[str, list[str]] = {id: words for id, words in kept if _are_words(words)}

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
    found = store.ask_each(lambda db: anchored(db, projects=projects))
    return list({note.id: note for notes in found for note in notes}.values())


def _with_commits(store: MemoryStore, project: str) -> list[Memory]:
    """The latest sessions of a project that know at which commit they ended."""
    from anamnesis.aliases import names_of

    names = names_of(store.home, project)

    def newest(db: sqlite3.Connection) -> list[Memory]:
        kinds = ["episodic"]
        found = (latest(db, project=name, types=kinds, limit=_MOST_SESSIONS) for name in names)
        return [note for notes in found for note in notes if note.at_commit]

    return store.ask(newest)


def _not_contained(top: str, sessions: Sequence[Memory]) -> dict[str, list[NoteId]]:
    """For each commit that may be checked out next, the sessions that it does not contain."""
    checkout = Checkout(top)
    commits = list(dict.fromkeys(note.at_commit for note in sessions))
    return {
        head[:_COMMIT]: [note.id for note in sessions if note.at_commit in missing]
        for head, missing in checkout.not_contained(commits).items()
    }


def _judge_of(top: str, notes: Iterable[Memory]) -> Judge:
    checkout = Checkout(top)
    anchors = (anchor for note in notes for anchor in parse_all(note.anchors))
    checkout.expect(anchor.name.rpartition(".")[2] for anchor in anchors if anchor.name)
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


def _are_words(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _stamp(top: str, path: str) -> str:
    try:
        found = os.stat(os.path.join(top, path))
    except (OSError, ValueError):
        return "-"
    return f"{found.st_mtime_ns}:{found.st_size}"


def _head_stamp(top: str) -> str:
    """The commit that is checked out; a moved block is looked for again after each commit."""
    return Checkout(top).commit
