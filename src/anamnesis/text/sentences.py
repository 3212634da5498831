"""Sentences and list items of a markdown text, each with the heading that it stands under."""

from __future__ import annotations

import re
from functools import lru_cache

from anamnesis.ground.records import record, replace
from anamnesis.text.terms import UNSPACED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"^\s{0,9}(?:```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*$")
_BULLET = re.compile(r"^\s{0,40}(?:[-*+•▪◦●]|\(?\d{1,3}[.)]|[a-z][.)])\s+")
_QUOTE = re.compile(r"^\s{0,3}(?:>\s?)+")
_TABLE_RULE = re.compile(r"^[\s|:+=-]+$")
# The address of an image stays: where a picture is fetched from is what gives an order away.
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,200})\]\(([^)\s]{1,500})\)")
_EMPHASIS = re.compile(
    r"\*{2,3}|(?<![\w`])__(?=\S)|(?<=\S)__(?![\w`])|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)"
)
_BOX = re.compile(r"^\[( |x|X)\]\s+")
_ICONS = re.compile(
    "^[\\s\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff]+(?=\\S)"
)
_SENTENCE = re.compile(
    r"(?<=[^\W\d_][.!?])[\"')\]*`]{0,3}\s+(?=[\"'(\[`*]{0,3}[^\W\d_a-z])"
    r"|(?<=\d[.!?])\s+(?=[A-Z])|(?<=[\u3002\uff01\uff1f\uff1b])\s*"
    r"|(?<=[`)\]\"'][.!?])\s+(?=[`\"'(\[]?[^\W\d_a-z])"
)
# Fast typists begin sentences in lower case; none begins after a short abbreviation.
_TYPED_SENTENCE = re.compile(rf"{_SENTENCE.pattern}|(?<=[^\W\d_]{{3}}[.!?])\s+(?=[^\W\d_])")
# Pasted lines of terminals, logs and code, recognised by their shape.
_PASTED = re.compile(
    r"^\s*(?:File \"|at \S+[ (]|Traceback|\$ |\(\w+\) \w+@|\w+@[\w-]+[:~]|\d{4}-\d\d-\d\d"
    r"|\[[A-Z]+\])"
    r"|[{};]$|\t|^(?:import|from|def|class|const|let|var|return)\s|={4,}|-{4,}|^\s*[<>+|]"
    r"|\bline \d+\b|^\s*>?\s*\d+ \|"
    r"|^[\w.-]+(?:\[\d+\])?: \S+: "
)
# Source code in a fence only makes sense next to its file.
_SOURCE = re.compile(r"[,(\[]$|^\s*(?://|/\*|\*\s|#include|@\w)|:=|^[\w.]+ = |^\"[\w.-]+\": ")

QUESTION = ("?", "\uff1f")
COLON = (":", "\uff1a")
LONG_LINE = 280  # characters; a longer line is taken sentence by sentence


_LONGEST_TITLE = 40  # characters of a line above a list that has no mark of a heading
JOINED = 180  # list items are joined up to this length: a fragment alone says little


@record
class Unit:
    """One sentence or list item, with its place."""

    text: str
    heading: str = ""
    is_item: bool = False
    is_code: bool = False
    opens: bool = False  # announces a list: "What changed:"


def folded(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def extent(text: str) -> int:
    """The length of a text in alphabetic characters: a Chinese one counts as about three."""
    return len(text) if text.isascii() else len(text) + 2 * sum(map(len, UNSPACED.findall(text)))


def plain(text: str) -> str:
    """A line without markdown's marks; code keeps its backticks."""
    if "[" in text:
        text = _LINK.sub(_link_text, text)
    if "*" in text or "__" in text:
        text = _EMPHASIS.sub("", text)
    return folded(_ICONS.sub("", _BOX.sub("", text)))


@lru_cache(maxsize=2_048)
def is_pasted(line: str) -> bool:
    """Whether a line has the shape of a log, a terminal or code."""
    return _PASTED.search(line) is not None


def is_source(unit: Unit) -> bool:
    """Whether a unit is a line of source code, as opposed to a command, a path or a diagram."""
    return unit.is_code and (is_pasted(unit.text) or _SOURCE.search(unit.text) is not None)


@lru_cache(maxsize=256)
def units(text: str) -> tuple[Unit, ...]:
    """The sentences and list items of a markdown text."""
    result: list[Unit] = []
    for line in _lines(text):
        if len(line.text) <= LONG_LINE or line.is_code:
            result.append(line)
        else:
            result += [replace(line, text=piece) for piece in sentences(line.text)]
    return tuple(result)


@lru_cache(maxsize=1_024)
def statements(text: str) -> tuple[Unit, ...]:
    """The units of a text, short neighbours of a list joined, with the heading they stand under."""
    result: list[Unit] = []
    for unit in units(text):
        if unit.opens:
            continue
        last = result[-1] if result else None
        if (
            last is not None
            and unit.is_item
            and last.is_item
            and last.heading == unit.heading
            and len(last.text) + len(unit.text) + 2 <= JOINED
        ):
            result[-1] = replace(last, text=f"{last.text.rstrip('.;,')}; {unit.text}")
        else:
            result.append(unit)
    return tuple(_with_heading(unit) for unit in result)


def _with_heading(unit: Unit) -> Unit:
    heading = unit.heading
    if not unit.is_item or not heading or len(heading) > 50:
        return unit
    if heading.lower() in unit.text.lower():
        return unit
    return replace(unit, text=f"{heading}: {unit.text}")


def sentences(text: str) -> list[str]:
    """The sentences of a line."""
    return [piece.strip() for piece in _SENTENCE.split(text) if piece and piece.strip()]


def typed_sentences(text: str) -> list[str]:
    """The sentences of a typed line, whatever they begin with."""
    return [piece.strip() for piece in _TYPED_SENTENCE.split(text) if piece and piece.strip()]


def _lines(text: str) -> Iterator[Unit]:
    """Paragraphs, list items, table rows and lines of code, each with its heading."""
    heading, fenced, paragraph = "", False, ""
    lines = [*text.split("\n"), ""]
    for number, quoted in enumerate(lines):
        raw = _QUOTE.sub("", quoted) if ">" in quoted else quoted
        if _FENCE.match(raw):
            fenced, raw = not fenced, ""
        elif fenced:
            if raw.strip():
                yield Unit(raw.strip(), heading, is_code=True)
            continue
        if paragraph and (_starts_anew(raw) or _ends_a_title(paragraph)):
            unit = _paragraph(paragraph, heading)
            if not unit.opens and _is_title(unit, lines, number):
                unit = replace(unit, opens=True)
            heading = unit.text.rstrip(": \uff1a") if unit.opens else heading
            yield unit
            paragraph = ""
        if head := _HEADING.match(raw):
            heading = plain(head[1])
        elif _is_row(raw):
            yield from _row(raw, heading)
        elif raw.strip():
            paragraph = f"{paragraph} {raw.strip()}" if paragraph else raw


def _is_title(unit: Unit, lines: list[str], number: int) -> bool:
    """Whether a paragraph is a few words above a list: "What's next"."""
    if unit.is_item or len(unit.text) > _LONGEST_TITLE or not unit.text[-1:].isalnum():
        return False
    below = lines[number] or lines[min(number + 1, len(lines) - 1)]
    return _BULLET.match(below) is not None


def _ends_a_title(paragraph: str) -> bool:
    """Whether an item is a title with its text on the next line: "8. Current work:"."""
    is_short = len(paragraph) < _LONGEST_TITLE and paragraph.rstrip().endswith(COLON)
    return is_short and _BULLET.match(paragraph) is not None


def _starts_anew(line: str) -> bool:
    return not line.strip() or _is_row(line) or bool(_HEADING.match(line) or _BULLET.match(line))


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _row(line: str, heading: str) -> Iterator[Unit]:
    if not _TABLE_RULE.match(line):
        cells = [plain(cell) for cell in line.strip().strip("|").split("|")]
        yield Unit(": ".join(cell for cell in cells if cell), heading, is_item=True)


def _paragraph(text: str, heading: str) -> Unit:
    item = _BULLET.match(text)
    body = plain(text[item.end() :] if item else text)
    whole_bold = not item and text.strip().startswith("**") and text.strip().endswith("**")
    opens = (body.endswith(COLON) and len(body) < 120) or (whole_bold and len(body) < 80)
    return Unit(body, heading, is_item=item is not None, opens=opens)


def _link_text(link: re.Match[str]) -> str:
    return link[1]
