"""Sentences and list items of a text, the words in them, and cues for what a sentence is for."""

from __future__ import annotations

import re
from functools import lru_cache

from anamnesis.capture.privacy import SOLID
from anamnesis.ground.records import record, replace

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
_WORD = re.compile(r"[^\W_][\w.+#/@:-]*[^\W_]|[^\W_]")
_PLAIN_WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
# Scripts that do not put spaces between words; two characters stand in for one.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
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


JOINED = 180  # list items are joined up to this length: a fragment alone says little
_CUE_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_HEAD = 3  # letters; the beginnings that cues have are longer
_FIRST_UNSPACED = "\u3040"  # the first character of the scripts that put no spaces between words


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
    return len(text) if text.isascii() else len(text) + 2 * sum(map(len, _UNSPACED.findall(text)))


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


def clipped(text: str, most: int) -> str:
    """A text of at most `most` characters, cut between words and marked with "…"."""
    text = text.strip()
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ")
    if space > most // 2 and not _UNSPACED.search(cut[space:]):
        cut = cut[:space]
    elif text[most - 1] in SOLID:
        cut = cut.rstrip(SOLID)
    if cut.count("`") % 2:
        cut = cut[: cut.rfind("`")] if cut.rfind("`") > most // 2 else cut + "`"
    return cut.rstrip(" ,;:.-\u2013\u2014(") + "…"


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


def words(text: str) -> list[str]:
    """The words of a text in lower case; pairs of characters where words are not spaced."""
    found = []
    for word in _WORD.findall(text.lower()):
        runs = [] if word.isascii() else _UNSPACED.findall(word)
        if not runs:
            found.append(word)
            if not word.isalpha() and len(parts := _PLAIN_WORD.findall(word)) > 1:
                found.extend(part for part in parts if len(part) > 2)
        for run in runs:
            found.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    return found


def _lines(text: str) -> Iterator[Unit]:
    """Paragraphs, list items, table rows and lines of code, each with its heading."""
    heading, fenced, paragraph = "", False, ""
    for quoted in [*text.split("\n"), ""]:
        raw = _QUOTE.sub("", quoted) if ">" in quoted else quoted
        if _FENCE.match(raw):
            fenced, raw = not fenced, ""
        elif fenced:
            if raw.strip():
                yield Unit(raw.strip(), heading, is_code=True)
            continue
        if paragraph and _starts_anew(raw):
            unit = _paragraph(paragraph, heading)
            heading = unit.text.rstrip(": \uff1a") if unit.opens else heading
            yield unit
            paragraph = ""
        if head := _HEADING.match(raw):
            heading = plain(head[1])
        elif _is_row(raw):
            yield from _row(raw, heading)
        elif raw.strip():
            paragraph = f"{paragraph} {raw.strip()}" if paragraph else raw


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


@record
class Sentence:
    """A sentence prepared for looking up cues."""

    text: str  # in lower case
    words: frozenset[str]
    spaced: str  # the words between spaces, one before the first and one after the last
    heads: frozenset[str]  # the first letters of the words
    is_ascii: bool


@lru_cache(maxsize=512)
def sentence(text: str) -> Sentence:
    """The words of a sentence."""
    lowered = text.lower().replace("\u2019", "'")
    words = _CUE_WORD.findall(lowered)
    heads = frozenset([word[:_HEAD] for word in words])
    return Sentence(lowered, frozenset(words), f" {' '.join(words)} ", heads, lowered.isascii())


class Cue:
    """One kind of hint."""

    __slots__ = ("_anywhere", "_beginnings", "_heads", "_phrases", "_words")

    def __init__(self, *lists: str) -> None:
        entries = [entry.strip() for each in lists for entry in each.split(",")]
        unspaced = {entry for entry in entries if max(entry) >= _FIRST_UNSPACED}
        phrases = {entry for entry in entries if " " in entry} - unspaced
        beginnings = {entry for entry in entries if entry.endswith("*")} - phrases
        self._anywhere = tuple(sorted(unspaced))
        self._phrases = tuple(f" {entry} ".replace("* ", "") for entry in sorted(phrases))
        self._beginnings = tuple(entry[:-1] for entry in sorted(beginnings))
        self._heads = frozenset(entry[:_HEAD] for entry in self._beginnings)
        self._words = frozenset(entries) - unspaced - phrases - beginnings

    def is_in(self, sentence: Sentence) -> bool:
        """Whether the sentence has one of the words."""
        # Asked of every sentence of a session: loops, because a generator costs more than it finds.
        if not self._words.isdisjoint(sentence.words):
            return True
        spaced, text = sentence.spaced, sentence.text
        for phrase in self._phrases:
            if phrase in spaced:
                return True
        if not sentence.is_ascii:
            for characters in self._anywhere:
                if characters in text:
                    return True
        return not self._heads.isdisjoint(sentence.heads) and any(
            word.startswith(self._beginnings) for word in sentence.words
        )

    def opens(self, sentence: Sentence) -> bool:
        """Whether one of the phrases is what the sentence begins with."""
        return sentence.spaced.startswith(self._phrases or ("\0",))

    def ends(self, sentence: Sentence) -> bool:
        """Whether one of the words or phrases is the last of the sentence."""
        last = sentence.spaced.rsplit(maxsplit=1)
        return bool(last) and (
            last[-1] in self._words or sentence.spaced.endswith(self._phrases or ("\0",))
        )

    def precedes(self, other: Cue, sentence: Sentence) -> bool:
        """Whether the sentence has both, this one first."""
        if not self.is_in(sentence) or not other.is_in(sentence):
            return False
        return self._place(sentence) < other._place(sentence)

    def _place(self, sentence: Sentence) -> int:
        found = [sentence.spaced.find(phrase) for phrase in self._phrases]
        found += [sentence.spaced.find(f" {word} ") for word in self._words & sentence.words]
        found += [sentence.spaced.find(characters) for characters in self._anywhere]
        return min((place for place in found if place >= 0), default=len(sentence.spaced))
