"""Session notes in the room there is: where the work stopped, and what is left."""

from __future__ import annotations

from anamnesis.text.clipping import GAP, by_paragraph, units, within

_MARK, _MARKED = "**", ":**"  # around the label of a block
_LONGEST_LABEL = 60
# What you need first to continue: what is open, what fails, what was reached and why.
_NEEDED = (
    "Open", "Failing", "Next", "Last results", "Errors and fixes", "Outcome", "Done",
    "Asked and answered later", "Decided and found", "Commits", "Ask", "Commands", "Subagents",
    "Branch", "Files touched",
)  # fmt: skip
_SHARE = 3  # a block takes at most a third of the room at first, so that others fit
_LEAST = 60  # units of a block; less says nothing
LIMIT = 9_500  # units; 500 below the cut, for what a client may put around it


def stopped(body: str, room: int) -> str:
    """Where the work stopped, according to a session note, in a limited number of units.

    Blocks are chosen by usefulness and printed in the order of the note.
    """
    if units(body) <= room:
        return body.strip("\n")
    blocks = [block.strip("\n") for block in _blocks(body) if block.strip()]
    order = sorted(range(len(blocks)), key=lambda at: (_rank(blocks[at]), at))
    if len(blocks) < 2:
        return by_paragraph(body, room)
    kept: dict[int, str] = {}
    free = room
    for most in (room // _SHARE, room):
        for at in order:
            before = units(kept[at]) + 2 if at in kept else 0
            part = by_paragraph(blocks[at], min(most, free + before - 2))
            if units(part) >= min(_LEAST, units(blocks[at])) and units(part) + 2 > before:
                kept[at] = part
                free += before - units(part) - 2
    return "\n\n".join(kept[at] for at in sorted(kept))


def in_one_line(body: str, room: int) -> str:
    """What a session left open, else its outcome, as one line; empty if it has neither."""
    blocks = {_label(block): block for block in _blocks(body)}
    for label in ("Open", "Outcome"):
        if label in blocks:
            points = [line.strip(" -\t") for line in _unlabelled(blocks[label]).splitlines()]
            return _cut(f"{label}: {'; '.join(filter(None, points))}", room)
    return ""


def branch_of(body: str) -> str:
    """The branch that a session worked on, according to its note; empty if it does not say."""
    at = body.find(f"{_MARK}Branch{_MARKED}")
    return _unlabelled(body[at:].partition("\n")[0]).strip() if at >= 0 else ""


def _blocks(body: str) -> list[str]:
    """A text cut before each line that begins with a label: `**Open:**`, `**Commits (3):**`."""
    cuts = [0]
    at = body.find(_MARK)
    while at >= 0:
        if (not at or body[at - 1] == "\n") and _labelled(body, at):
            cuts.append(at)
        at = body.find(_MARK, at + 1)
    return [body[start:end] for start, end in zip(cuts, [*cuts[1:], len(body)], strict=True)]


def _labelled(text: str, at: int) -> str:
    """The text of a label; empty if there is none."""
    start = at + len(_MARK)
    end = text.find(_MARKED, start, start + _LONGEST_LABEL + len(_MARKED))
    label = text[start:end] if end >= 0 else ""
    return "" if "*" in label or "\n" in label else label


def _label(block: str) -> str:
    """The label of a block without the number of its lines."""
    marked = _labelled(block, 0) if block.startswith(_MARK) else ""
    label, number, count = marked.partition(" (")
    return label if not number or (count.endswith(")") and count[:-1].isdecimal()) else ""


def _unlabelled(block: str) -> str:
    return block.partition(_MARKED)[2]


def _rank(block: str) -> int:
    label = _label(block)
    return _NEEDED.index(label) if label in _NEEDED else len(_NEEDED)


def _cut(line: str, room: int) -> str:
    return line if units(line) <= room else within(line, room - 2).rpartition(" ")[0] + f" {GAP}"
