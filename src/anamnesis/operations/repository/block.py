"""The block of a repository's notes in a file such as AGENTS.md: rules whole, others by title.

Each rule says in its heading which note it is and what the text was when it was written, so that
an edit inside of the block is known without any record beside it, on every clone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from anamnesis.carried import BLOCK_BEGIN, BLOCK_END
from anamnesis.secrets import redact
from anamnesis.text.display import displayed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.operations.repository.reading import CarriedNote

SIZE = 8_000  # characters; a file of instructions is read at every start of a session
_HEADING = "## Project memory"
_ABOUT = "Kept by `anamnesis bridge` from the notes in `.anamnesis/memory`."
_TITLES = "### More notes in .anamnesis/memory"
_TITLES_SHARE = 0.25  # of the size is left to titles
_LONGEST_TITLE = 120
_BEGIN = re.compile(rf"^{re.escape(BLOCK_BEGIN)}(?: (\d{{1,9}}))? -->$")
_RULE = re.compile(r"^### (.*) <!-- ([\w-]{1,64}) ([0-9a-f]{8}) -->$")
_TITLE = re.compile(r"^- .* \(\w[\w-]*/[^/]+\.md\)$|^- and \d+ more$")


@dataclass(frozen=True, slots=True)
class Section:
    """A rule as it stands in a block."""

    id: str
    title: str
    body: str
    written: str  # the digest of what was written there last

    @property
    def is_edited(self) -> bool:
        """Whether somebody has changed it since it was written."""
        return _digest(self.title, self.body) != self.written

    @property
    def text(self) -> str:
        """The section as it stands."""
        return f"### {self.title} <!-- {self.id} {self.written} -->\n\n{self.body}"

    @property
    def own_title(self) -> str:
        """The title as a note has it."""
        return _free(self.title)

    @property
    def own_body(self) -> str:
        """The body as a note has it."""
        return _free(self.body)


@dataclass(frozen=True, slots=True)
class Block:
    """A block as a file has it, and what is around it."""

    before: str
    after: str
    size: int
    sections: tuple[Section, ...]
    strays: tuple[str, ...]  # lines that belong to no note

    @property
    def edited(self) -> tuple[Section, ...]:
        """The rules that somebody has changed."""
        return tuple(each for each in self.sections if each.is_edited)


def find(text: str) -> Block | None:
    """The block of a file whose lines end in LF; None without one, or if it has no end."""
    lines = text.split("\n")
    begin = next((at for at, line in enumerate(lines) if _BEGIN.match(line)), None)
    if begin is None or BLOCK_END not in lines[begin:]:
        return None
    end = lines.index(BLOCK_END, begin)
    size = int((_BEGIN.match(lines[begin]) or [""])[1] or SIZE)
    sections, strays = _read(lines[begin + 1 : end])
    before = "\n".join([*lines[:begin], ""]) if begin else ""
    return Block(before, "\n".join(lines[end + 1 :]), size, tuple(sections), tuple(strays))


def render(notes: Sequence[CarriedNote], *, size: int, keep: Iterable[Section] = ()) -> str:
    """The block for some notes; edited rules in `keep` stay as they stand.

    In the order in which the notes were made, so that a new one changes nothing above it.
    """
    kept = {each.id: each for each in keep}
    rules, titles, used = [], [], 0
    for each in notes:
        note = each.note
        text = kept.pop(note.id).text if note.id in kept else section(each).text.rstrip()
        if note.type == "procedural" and used + len(text) <= size * (1 - _TITLES_SHARE):
            rules.append(text)
            used += len(text)
        else:
            titles.append(each)
    rules += [each.text for each in kept.values()]  # their notes are gone
    parts = [_HEADING, _ABOUT, *rules]
    if titles:
        parts.append(_titles(titles, size - used))
    marker = BLOCK_BEGIN if size == SIZE else f"{BLOCK_BEGIN} {size}"
    return "\n".join([f"{marker} -->", "\n\n".join(parts), BLOCK_END])


def section(each: CarriedNote) -> Section:
    """A note as a rule of the block."""
    title, body = _short(each), _bound(redact(each.note.body.strip()))
    return Section(each.note.id, title, body, _digest(title, body))


def _titles(notes: Sequence[CarriedNote], room: int) -> str:
    lines: list[str] = []
    used = 0
    for each in notes:
        line = f"- {_short(each)} ({each.path.partition('/memory/')[2]})"
        if used + len(line) > room:
            lines.append(f"- and {len(notes) - len(lines)} more")
            break
        lines.append(line)
        used += len(line) + 1
    return "\n".join([_TITLES, "", *lines])


def _read(lines: Sequence[str]) -> tuple[list[Section], list[str]]:
    sections: list[Section] = []
    strays: list[str] = []
    current: re.Match[str] | None = None
    body: list[str] = []

    def close() -> None:
        if current is not None:
            text = "\n".join(body).strip()
            sections.append(Section(current[2], current[1], text, current[3]))

    is_after_titles = False
    for line in lines:
        if (heading := _RULE.match(line)) is not None or line == _TITLES:
            close()
            current, body, is_after_titles = heading, [], heading is None
        elif current is not None:
            body.append(line)
        elif line.strip() and not _is_ours(line, is_after_titles=is_after_titles):
            strays.append(line)
    close()
    return sections, strays


def _is_ours(line: str, *, is_after_titles: bool) -> bool:
    return bool(_TITLE.match(line)) if is_after_titles else line in (_HEADING, _ABOUT)


def _short(each: CarriedNote) -> str:
    title = _bound(" ".join(redact(each.note.title).split()))
    return title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE].rstrip()}…"


def _bound(text: str) -> str:
    """A text that ends no block and begins none; the marks of ours are comments."""
    return displayed(text).replace("<!--", "&lt;!--")


def _free(text: str) -> str:
    return text.replace("&lt;!--", "<!--")


def _digest(title: str, body: str) -> str:
    return blake2b(f"{title}\n{body}".encode("utf-8", "replace"), digest_size=4).hexdigest()
