"""An updated note keeps what it said before.

A long session says more than a note can hold, and a client may rewrite its transcript. Lines of the
earlier text that the new one lacks are carried over while there is room, the latest first. A block
that describes a state is carried only if the new text has no such block. Open items and files are
carried if the transcript no longer mentions them; if it does, it decides.
"""

from __future__ import annotations

import re

from anamnesis.capture.extract.left_open import UNCOMMITTED
from anamnesis.capture.extract.outcome import REPORT
from anamnesis.capture.extract.prompts import says_something
from anamnesis.text.sentences import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 6_000  # characters of an updated note
_LABEL = re.compile(r"\*\*([A-Z][^*\n]{1,40}):\*\*")
_COUNT = re.compile(r" \(\d+\)$")
_LATER, _FOUND, _OUTCOME, _ASK = "Asked and answered later", "Decided and found", "Outcome", "Ask"
_OPEN, _FILES = "Open", "Files touched"
_MORE = re.compile(r" and \d+ more$")
# Blocks whose lines stay true, and blocks that are carried whole if the new text lacks them.
_LASTING = (_LATER, _FOUND, "Commits", "Errors and fixes")
_WHOLE = ("Last results", "Commands", "Subagents")
_ORDER = (
    _ASK, _LATER, "Branch", _FOUND, "Commits", "Errors and fixes", "Last results", "Commands",
    "Subagents", _OPEN, _FILES, _OUTCOME, "Runs",
)  # fmt: skip


def _anything(_text: str) -> bool:
    return True


def carried(
    new: str,
    *,
    old: str,
    is_told: Callable[[str], bool] = _anything,
    is_listed: Callable[[str], bool] = _anything,
) -> str:
    """The new text of a note with what only the old one says.

    `is_told` says whether the transcript still knows an open item, `is_listed` whether it knows a
    file, or the file is to be left out.
    """
    if not old.startswith(f"**{_ASK}:**"):
        return new  # written by a model or by hand
    pieces, before = _pieces(new), _merged(_pieces(old))
    blocks = dict(pieces)  # of a label that several tasks have, the last
    known = folded(new)
    room = MOST - len(new)
    for label in _WHOLE:
        if label not in blocks and label in before and len(before[label]) + 2 <= room:
            blocks[label] = before[label]
            room -= len(before[label]) + 2
    lost = _missing(before, known)
    items = before.get(_OPEN, "").split("\n")[1:]
    lost[_OPEN] = [
        each
        for each in items
        if not each.startswith(f"- {UNCOMMITTED}") and not _is_in(known, each) and not is_told(each)
    ]
    for label, lines in lost.items():
        kept = _fitting(lines, room - len(label) - 10)
        room -= sum(len(line) + 1 for line in kept)
        if kept:
            head, *rest = blocks.get(label, f"**{label}:**").split("\n")
            blocks[label] = "\n".join(
                [head, *rest, *kept] if label == _OPEN else [head, *kept, *rest]
            )
    if files := _lost_files(before.get(_FILES, ""), is_listed):
        _carry_files(blocks, files, room)
    return "\n\n".join(_in_order(pieces, blocks))


def _in_order(pieces: list[tuple[str, str]], blocks: dict[str, str]) -> list[str]:
    """The pieces of a note as they stand now, with the blocks that it had not in their place."""
    last = {label: number for number, (label, _) in enumerate(pieces)}
    told = [
        (label, blocks[label] if last[label] == number else text)
        for number, (label, text) in enumerate(pieces)
    ]
    for label in sorted(blocks.keys() - last.keys(), key=_place):
        at = len(told)
        while at and _place(told[at - 1][0]) > _place(label):
            at -= 1
        told.insert(at, (label, blocks[label]))
    return [text for _, text in told]


def _pieces(body: str) -> list[tuple[str, str]]:
    """The blocks of a note in order, each with its label without the count of files."""
    pieces: list[tuple[str, str]] = []
    for piece in body.split("\n\n"):
        if match := _LABEL.match(piece):
            pieces.append((_COUNT.sub("", match[1]), piece))
        elif pieces:
            label, text = pieces[-1]
            pieces[-1] = label, f"{text}\n\n{piece}"
    return pieces


def _merged(pieces: list[tuple[str, str]]) -> dict[str, str]:
    """The blocks by their label; those of several tasks are one, and later asks are requests."""
    blocks: dict[str, str] = {}
    for label, text in pieces:
        if label not in blocks:
            blocks[label] = text
        elif label == _ASK:
            later = blocks.get(_LATER, f"**{_LATER}:**")
            blocks[_LATER] = f"{later}\n{_as_item(text)}"
        else:
            blocks[label] += "\n" + text.partition("\n")[2]
    return blocks


def _lost_files(block: str, is_listed: Callable[[str], bool]) -> dict[str, list[str]]:
    """The files of a block that are not listed any more, by their folder."""
    by_folder: dict[str, list[str]] = {}
    for line in block.split("\n")[1:]:
        folder, colon, names = line.removeprefix("- ").rpartition("/: ")
        paths = [
            f"{folder}{'/' if colon else ''}{name}" for name in _MORE.sub("", names).split(", ")
        ]
        if lost := [path for path in paths if not path.startswith("and ") and not is_listed(path)]:
            by_folder.setdefault(folder, []).extend(path.rpartition("/")[2] for path in lost)
    return by_folder


def _carry_files(blocks: dict[str, str], files: dict[str, list[str]], room: int) -> None:
    """Add files to the block of files, and to its count, while there is room."""
    head, *lines = blocks.get(_FILES, f"**{_FILES} (0):**").split("\n")
    count = int(re.sub(r"\D", "", head) or 0)
    for folder, names in files.items():
        line = f"- {folder}/: {', '.join(names)}" if folder else f"- {', '.join(names)}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
        count += len(names)
    if lines:
        blocks[_FILES] = "\n".join([f"**{_FILES} ({count}):**", *lines])


def _missing(before: dict[str, str], known: str) -> dict[str, list[str]]:
    """The lines to carry, by the block that they belong to."""
    lines = {label: before[label].split("\n")[1:] for label in _LASTING if label in before}
    if says_something(before[_ASK]):
        lines.setdefault(_LATER, []).append(_as_item(before[_ASK]))
    if len(outcome := before.get(_OUTCOME, "")) > REPORT:
        lines.setdefault(_FOUND, []).extend(map(_as_item, outcome.split("\n")))
    return {
        label: [each for each in items if each and not _is_in(known, each)]
        for label, items in lines.items()
    }


def _as_item(line: str) -> str:
    text = _LABEL.sub("", line, count=1).strip().removeprefix("- ")
    return f"- {folded(text)}" if text and not text.startswith("(no ") else ""


def _is_in(known: str, line: str) -> bool:
    text = folded(line.removeprefix("- ").rstrip("…"))
    return not text or text in known


def _fitting(lines: list[str], room: int) -> list[str]:
    """The last lines that fit, in their order."""
    kept: list[str] = []
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]


def _place(label: str) -> int:
    return _ORDER.index(label) if label in _ORDER else len(_ORDER)
