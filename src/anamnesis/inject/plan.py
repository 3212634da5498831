"""The plan of a session's start: which note gets how much of the room, in which form, and why.

Notes claim room in the order of their slots. Each slot has a share, so that none starves the
next; what is left over is shared again, until the room is used up or nothing is left to show.
"""

from __future__ import annotations

from anamnesis.ground.clock import age
from anamnesis.ground.counting import counted
from anamnesis.ground.records import record
from anamnesis.inject import clip, render
from anamnesis.inject.clip import LIMIT
from anamnesis.inject.select import (
    ALWAYS,
    BEFORE,
    ELSEWHERE,
    KNOWN,
    LAID,
    LAST,
    REST,
    RULE,
    SELF,
)
from anamnesis.text.clipping import by_paragraph, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from anamnesis.inject.select import Candidate
    from anamnesis.notes.fields import Memory

    Read = Callable[[str], Memory | None]

# How a note is shown; OUT: it is only counted.
WHOLE, CLIPPED, LINE, TITLE, OUT = "whole", "clipped", "line", "title", "out"

_RULES_SHARE = 0.35  # of the room, while notes of the project wait for theirs
_TITLES_SHARE = 0.15  # of the room, for the titles of what does not fit
_RULE_LENGTH = 700  # units; a longer rule is a document
_KNOWN_LENGTH = 1_000
_ALWAYS_SHARE = 0.2  # of the room, for global notes while others wait
_LAST_SHARE = 0.35  # of the room, and at least the next figure
_LAST_LENGTH = 1_400  # with its heading; 1,200 of the note itself
_LINE_LENGTH = 200
_MOST_NEWS = 10  # lines about what other machines did
_LEAST = 250  # units of a clipped note with its heading; less is not worth reading
_SMALLEST = 60  # units of the shortest section; more notes than that cannot all be whole
_COUNTED = 40  # notes that are not even candidates; the number of more is an estimate
_FURTHER = "**Also said in it:**"
_GAP = 2  # the blank line between two parts
_TOLD = {
    SELF: "what this session has done so far",
    LAST: "where the last session stopped",
    ELSEWHERE: "new since you were last here",
}
_SHOWN = {
    WHOLE: "whole",
    CLIPPED: "in part",
    LINE: "a line",
    TITLE: "title",
    OUT: "counted",
}


@record
class PlannedNote:
    """One note of the plan, and how it is shown."""

    candidate: Candidate
    form: str
    units: int

    @property
    def note(self) -> Memory:
        """The note, without its body."""
        return self.candidate.note


@record
class Plan:
    """The start of a session: its text, and how each note is shown, in the order of claim."""

    text: str
    entries: list[PlannedNote]
    limit: int
    beyond: int  # notes that were not even candidates

    def shown(self, *forms: str) -> list[PlannedNote]:
        """The notes that are shown in one of these forms."""
        return [entry for entry in self.entries if entry.form in forms]

    def has_room_for_more(self, most: int) -> bool:
        """Whether every note of a kind got room although only `most` were looked at."""
        for slots in ((ALWAYS,), (KNOWN, ELSEWHERE)):
            looked_at = (*slots, LAID, RULE)
            forms = [entry.form for entry in self.entries if entry.candidate.slot in looked_at]
            if len(forms) >= most and OUT not in forms:
                return True
        return False


def make_plan(
    candidates: Sequence[Candidate],
    *,
    read: Read,
    limit: int = LIMIT,
    notices: Sequence[str] = (),
    beyond: int = 0,
    project: str = "",
    unmerged: Container[str] = (),
    fits: bool = True,
    remarks: Mapping[str, str] | None = None,
    further: Callable[[Memory], str] | None = None,
    not_here: Container[str] | None = None,
) -> Plan:
    """The plan for these candidates, for a session of a project, within a limit.

    Only notes that are shown are read, and a few more. `beyond` is the number of notes that were
    not even candidates; they are counted. `remarks` on notes, by id, stand in their headings. Of a
    session that is `not_here`, on a commit that is not contained, that is said; of one whose commit
    is not known, if it is on an `unmerged` branch. `fits` tells that all may fit whole, which takes
    time to try. `further` gives what the latest session is to tell besides its note if there is
    room in the end.
    """
    by_slot = {slot: [each for each in candidates if each.slot == slot] for slot in _ORDER}
    ordered = [each for group in by_slot.values() for each in group]
    about = beyond > _COUNTED
    first, laid = ([""] if by_slot[slot] else [] for slot in (SELF, LAID))

    def room_beside(unlisted: int) -> int:
        frame = render.framed(
            (), (), first=first, laid=laid, notices=notices, unlisted=unlisted, about=about
        )
        return limit - units(frame)

    room = room_beside(beyond)
    sheet = _Sheet(read, project, unmerged, remarks or {}, not_here)
    if not fits or not _all_whole(sheet, ordered, room):
        room = room_beside(beyond + len(candidates))
        sheet.clear()
        _share(sheet, by_slot, room)
    if further is not None:
        for each in (*by_slot[SELF], *by_slot[LAST])[:1]:
            sheet.extend(each, room, further)
    entries = [each for each in map(sheet.entry, ordered) if each is not None]
    text = _rendered(sheet, entries, notices, beyond) if sheet.forms or notices else ""
    if units(text) > limit:  # the notices alone are too long
        return Plan("", [PlannedNote(each, OUT, 0) for each in ordered], limit, beyond)
    return Plan(text, entries, limit, beyond)


_ORDER = (SELF, LAID, RULE, LAST, BEFORE, ELSEWHERE, KNOWN, REST, ALWAYS)


def _all_whole(sheet: _Sheet, ordered: Sequence[Candidate], room: int) -> bool:
    if len(ordered) * _SMALLEST > room:
        return False
    return all(sheet.whole(each, room) or sheet.is_gone(each) for each in ordered)


def _share(sheet: _Sheet, by_slot: Mapping[str, Sequence[Candidate]], room: int) -> None:
    """Give each slot its share, list the rest by title, and hand out what is left over."""
    own, laid, pinned, last, before, news, known, rest, always = (by_slot[each] for each in _ORDER)
    rules, stopped = (*laid, *pinned), max(_LAST_LENGTH, int(room * _LAST_SHARE))
    others = own or last or before or news or known or rest
    below = room - int(room * _TITLES_SHARE)
    sheet.take(rules, int(room * _RULES_SHARE) if others else below, longest=_RULE_LENGTH)
    sheet.take(own, below, longest=stopped)
    sheet.take(last, below, longest=stopped)
    sheet.lines(before, below)
    sheet.lines(news[:_MOST_NEWS], below)
    sheet.brief(always, min(below, sheet.used + int(room * _ALWAYS_SHARE)))
    sheet.take(known, below, longest=_KNOWN_LENGTH)
    again = (*own, *last, *rules, *before, *news, *known, *rest)
    sheet.grow(again, below)
    for each in (*news, *known, *rest, *before, *last, *rules, *always):
        if not sheet.title(each, room):
            break
    sheet.grow((*again, *always), room)


@record
class _Form:
    kind: str
    text: str
    size: int  # with what separates it from others


class _Sheet:
    """What has room so far."""

    def __init__(
        self,
        read: Read,
        project: str,
        unmerged: Container[str],
        remarks: Mapping[str, str],
        not_here: Container[str] | None,
    ) -> None:
        self.forms: dict[str, _Form] = {}
        self.used = 0
        self._read = read
        self._project = project
        self._unmerged = unmerged
        self._remarks = remarks
        self._not_here = not_here
        self._notes: dict[str, Memory | None] = {}
        self._sections: dict[str, str] = {}

    def clear(self) -> None:
        """Put everything back."""
        self.forms.clear()
        self.used = 0

    def is_gone(self, each: Candidate) -> bool:
        """Whether a note is in the index but its file is gone or unreadable."""
        return self._note(each) is None

    def entry(self, each: Candidate) -> PlannedNote | None:
        """How a note is shown; None if it is gone."""
        if each.note.id in self._notes and self._notes[each.note.id] is None:
            return None
        form = self.forms.get(each.note.id)
        return PlannedNote(each, form.kind, units(form.text)) if form else PlannedNote(each, OUT, 0)

    def whole(self, each: Candidate, up_to: int) -> bool:
        """Show a note in full, if there is room."""
        note = self._note(each)
        if note is None:
            return False
        text = self._sections.get(note.id)
        if text is None:
            text = self._sections[note.id] = self._section(each, note)
        return self._put(each, WHOLE, text, up_to)

    def clipped(self, each: Candidate, up_to: int, *, longest: int) -> bool:
        """Show what fits of a note, if that is more than is shown already."""
        note, form = self._note(each), self.forms.get(each.note.id)
        if note is None:
            return False
        size = min(longest, up_to - self._without(each) - _GAP)
        if size < max(_LEAST, form.size + _LEAST if form else 0):
            return False
        text = render.part(note, size, also=self._also(each, note), project=self._project)
        return bool(text) and self._put(each, CLIPPED, text, up_to)

    def lines(self, candidates: Sequence[Candidate], up_to: int) -> None:
        """Show sessions in two lines each, or what other machines did in one each."""
        if candidates:
            self.used += units(render.HEADINGS[candidates[0].slot]) + _GAP
        for each in candidates:
            note = self._note(each)
            if note is None:
                continue
            line = clip.in_one_line(note.body, _LINE_LENGTH) if each.slot == BEFORE else ""
            text = render.dated_line(note, line, where=self._where(note))
            if not self._put(each, LINE, text, up_to):
                return

    def title(self, each: Candidate, up_to: int) -> bool:
        """List a note by its title, unless it is shown already; whether there was room."""
        if each.note.id in self.forms or self._notes.get(each.note.id, each) is None:
            return True
        return self._put(each, TITLE, render.line(each.note), up_to)

    def take(self, candidates: Iterable[Candidate], up_to: int, *, longest: int) -> None:
        """Show notes, long ones in part, while there is room for more."""
        for each in candidates:
            if up_to - self.used < _LEAST:
                return
            if not self._fits(each, longest) or not self.whole(each, up_to):
                self.clipped(each, up_to, longest=longest)

    def extend(self, each: Candidate, up_to: int, further: Callable[[Memory], str]) -> None:
        """Add what a session tells besides its note, as far as there is room."""
        note, form = self._note(each), self.forms.get(each.note.id)
        left = up_to - self.used - units(_FURTHER) - _GAP
        if note is None or form is None or form.kind != WHOLE or left < _LEAST:
            return
        if text := by_paragraph(render.as_data(further(note)), left):
            self._put(each, WHOLE, f"{form.text}\n\n{_FURTHER}\n{text}", up_to)

    def brief(self, candidates: Iterable[Candidate], up_to: int) -> None:
        """Show short notes, and others by their titles, while there is room for more."""
        for each in candidates:
            if not (each.is_short and self.whole(each, up_to)) and not self.title(each, up_to):
                return

    def grow(self, candidates: Iterable[Candidate], up_to: int) -> None:
        """Show more of each, in this order, while there is room."""
        for each in candidates:
            if up_to - self.used < _LEAST:
                return
            form = self.forms.get(each.note.id)
            if not (form and form.kind == WHOLE) and not self.whole(each, up_to):
                self.clipped(each, up_to, longest=up_to)

    def _fits(self, each: Candidate, longest: int) -> bool:
        note = self._note(each)
        return note is not None and units(note.body) <= longest

    def _note(self, each: Candidate) -> Memory | None:
        id = each.note.id
        if id not in self._notes:
            self._notes[id] = self._read(id)
        return self._notes[id]

    def _section(self, each: Candidate, note: Memory) -> str:
        return render.section(note, also=self._also(each, note), project=self._project)

    def _also(self, each: Candidate, note: Memory) -> str:
        """What the heading of a note says of it besides its origin."""
        told, remark = _TOLD.get(each.slot, ""), render.inline(self._remarks.get(note.id, ""))
        if each.slot in (LAST, SELF):
            when = (render.day(note), age(note.updated_at), self._where(note))
            told = f"{told}: {', '.join(filter(None, when))}"
            return " | ".join(filter(None, (told, remark)))
        return " | ".join(filter(None, (render.day(note), told, self._where(note), remark)))

    def _where(self, note: Memory) -> str:
        """The branch that a session worked on, if it was never merged."""
        branch = clip.branch_of(note.body) if note.type == "episodic" else ""
        if note.at_commit and self._not_here is not None:
            if note.id not in self._not_here:
                return ""
            return f"from branch {render.inline(branch) or '?'}, not merged here"
        return f"branch {render.inline(branch)}, never merged" if branch in self._unmerged else ""

    def _without(self, each: Candidate) -> int:
        form = self.forms.get(each.note.id)
        return self.used - (form.size if form else 0)

    def _put(self, each: Candidate, kind: str, text: str, up_to: int) -> bool:
        size = units(text) + (_GAP if kind in (WHOLE, CLIPPED) else 1)
        if self._without(each) + size > up_to:
            return False
        self.used = self._without(each) + size
        self.forms[each.note.id] = _Form(kind, text, size)
        return True


def _rendered(
    sheet: _Sheet, entries: Sequence[PlannedNote], notices: Sequence[str], beyond: int
) -> str:
    def texts(*forms: str, slots: Sequence[str] = _ORDER) -> list[str]:
        return [
            sheet.forms[entry.note.id].text
            for entry in entries
            if entry.form in forms and entry.candidate.slot in slots
        ]

    parts: list[str] = []
    for slot in _ORDER[2:]:
        parts += texts(WHOLE, CLIPPED, slots=(slot,))
        if lines := texts(LINE, slots=(slot,)):
            parts.append("\n".join([render.HEADINGS[slot], *lines]))
    # Titles of what waits for room come before rules: those are shown in part at least.
    titles = texts(TITLE, slots=_ORDER[3:]) + texts(TITLE, slots=_ORDER[:3])
    unlisted = sum(entry.form == OUT for entry in entries) + beyond
    about = beyond > _COUNTED
    return render.framed(
        parts, titles, first=texts(WHOLE, CLIPPED, slots=(SELF,)),
        laid=texts(WHOLE, CLIPPED, slots=(LAID,)), notices=notices, unlisted=unlisted, about=about,
    )  # fmt: skip


def explained(start: Plan) -> str:
    """One line for each note: how it is shown, its units, why, and which it is."""
    lines = [f"{units(start.text):,} of {start.limit:,} units"]
    for entry in start.entries:
        size = f"{entry.units:,}" if entry.units else ""
        about = f"{entry.candidate.why}: {' '.join(entry.note.title.split())} ({entry.note.id})"
        lines.append(f"{_SHOWN[entry.form]:8}{size:>6}  {about}")
    if start.beyond:
        lines.append(f"{counted(start.beyond, 'note')} beyond these, found by search")
    return "\n".join(lines) + "\n"
