"""What a session of a project would start with, shown before it starts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.hooks import receipts
from anamnesis.inject import clip, plan, render, select
from anamnesis.operations.sessions import inject
from anamnesis.operations.sessions.prompt import preview as for_prompt
from anamnesis.text import clipping

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore

__all__ = [
    "EXCLUDED", "FORMS", "LIMIT", "SLOTS", "BlockPiece", "GivenNotes", "PastGiving", "Preview",
    "PreviewedNote", "for_prompt", "given_since", "past_giving", "preview",
]  # fmt: skip

LIMIT = clip.LIMIT
EXCLUDED = select.EXCLUDED
SLOTS = {  # in the order in which they are shown
    select.LAID: "What you laid down",
    select.RULE: "Pinned",
    select.LAST: "Where the last session stopped",
    select.BEFORE: "The session before",
    select.ELSEWHERE: "News from other machines",
    select.KNOWN: "What the project knows",
    select.REST: "To review, and earlier sessions",
    select.ALWAYS: "For all projects",
}
_LABELS = {  # form of a note in the plan -> in words
    plan.WHOLE: "whole",
    plan.CLIPPED: "in part",
    plan.LINE: "a line",
    plan.TITLE: "title only",
    plan.OUT: "left out",
}
FORMS = tuple(_LABELS.values())


@dataclass(frozen=True, slots=True)
class PreviewedNote:
    """One note of the working set, in which form, and why."""

    note: Memory
    form: str
    label: str  # the form in words
    why: str
    units: int
    slot: str


@dataclass(frozen=True, slots=True)
class BlockPiece:
    """A part of the block and its note; empty for the frame around the notes."""

    note_id: str
    text: str


@dataclass(frozen=True, slots=True)
class PastGiving:
    """How often sessions were given each note, and which notes the last one started with."""

    times: dict[str, int]  # note id -> receipts that name it
    last: dict[str, Any] | None  # the latest receipt of a start of the project

    @property
    def last_ids(self) -> list[str]:
        """The notes that the last session started with."""
        return [str(note["id"]) for note in self.last["notes"]] if self.last else []


@dataclass(frozen=True, slots=True)
class Preview:
    """The text that a session would be given, and the notes that it was made from."""

    text: str
    used: int  # units of the text
    notes: tuple[PreviewedNote, ...]

    @property
    def with_text(self) -> list[PreviewedNote]:
        """The notes that are given whole or clipped."""
        return [each for each in self.notes if each.form in (plan.WHOLE, plan.CLIPPED)]

    @property
    def pieces(self) -> list[BlockPiece]:
        """The block, cut where one note ends and the next begins."""
        return list(_pieces(self.text, [each.note.id for each in self.with_text]))

    @property
    def titles(self) -> int:
        """How many notes are given as a line."""
        return sum(each.form in (plan.LINE, plan.TITLE) for each in self.notes)


def preview(
    store: MemoryStore, *, project: str, k: int | None = None, limit: int = LIMIT
) -> Preview:
    """What a new session of the project would be given now; leaves no trace."""
    start = inject.preview(store, project=project, k=k, limit=limit)
    notes = (
        PreviewedNote(
            entry.note,
            entry.form,
            _LABELS[entry.form],
            entry.candidate.why,
            entry.units,
            entry.candidate.slot,
        )
        for entry in start.entries
    )
    return Preview(start.text, clipping.units(start.text), tuple(notes))


def past_giving(home: Home, *, project: str) -> PastGiving:
    """What past sessions were given, according to receipts."""
    times: Counter[str] = Counter()
    last = None
    for receipt in receipts.latest(home):
        times.update(str(note["id"]) for note in receipt["notes"])
        is_start = receipt["event"] == "inject" and receipt["project"] == project
        last = receipt if last is None and is_start else last
    return PastGiving(times, last)


@dataclass(frozen=True, slots=True)
class GivenNotes:
    """What sessions were given since a day."""

    moments: dict[str, int]  # event -> how often notes were given
    notes: list[tuple[str, int]]  # id, how often it was given


def given_since(home: Home, since: str) -> GivenNotes:
    """What sessions since a day were given, the most frequent notes first."""
    moments: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for receipt in receipts.latest(home):
        if receipt["at"] < since:
            break
        moments[receipt["event"]] += bool(receipt["notes"])
        given.update(str(note["id"]) for note in receipt["notes"])
    return GivenNotes(dict(moments), sorted(given.items(), key=lambda each: (-each[1], each[0])))


def _pieces(text: str, ids: Sequence[NoteId]) -> Iterator[BlockPiece]:
    """Sections are in the order of the plan; a note in one line ends with its id.

    The text of a note cannot look like a heading of the block: headings in it are escaped.
    """
    sections = iter(ids)
    note_id, lines = "", list[str]()
    for line in text.splitlines(keepends=True):
        begins = _begins(line)
        if begins or line.startswith("- "):
            in_list = line.startswith("- ") and note_id not in ids
            if begins or in_list:
                if lines:
                    yield BlockPiece(note_id, "".join(lines))
                lines = []
                note_id = (
                    _line_id(line) if in_list else next(sections, "") if begins == "## [" else ""
                )
        lines.append(line)
    if lines:
        yield BlockPiece(note_id, "".join(lines))


def _begins(line: str) -> str:
    """The beginning of a line that starts a new piece; empty for other lines."""
    frames = (render.LAID_DOWN, render.FRAME, render.END)
    ours = ("## [", *render.HEADINGS.values(), "## Not shown in full", *frames)
    return next((start for start in ours if line.startswith(start)), "")


def _line_id(line: str) -> str:
    """The id at the end of a line about one note."""
    head, mark, note_id = line.rstrip().rpartition("(")
    return note_id.removesuffix(")") if head and mark and note_id.endswith(")") else ""
