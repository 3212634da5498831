"""Markdown that other programs and people keep: instruction files, and basic-memory's notes."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from anamnesis.importers.draft import Draft, markdown_files, read_text, timestamp, title_of
from anamnesis.notes import foreign

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"^[ \t]{0,3}(```|~~~)")
_SHORTEST_SECTION = 20


def sections(path: str, *, project: str) -> Iterator[Draft]:
    """Each section of a CLAUDE.md or AGENTS.md that says something."""
    name = os.path.basename(path)
    seen: dict[str, int] = {}
    for trail, body in _sections(foreign.split(read_text(path))[1]):
        if len(body) < _SHORTEST_SECTION:
            continue
        seen[trail] = seen.get(trail, 0) + 1
        number = f"#{seen[trail]}" if seen[trail] > 1 else ""
        yield Draft(
            key=f"{project}/{name}/{trail}{number}",
            title=(trail.rpartition(" > ")[2] or title_of(body))[:120],
            body=body,
            type="procedural",
            project=project,
            tags=["import", name.lower().removesuffix(".md")],
        )


def basic_memory(path: str) -> Iterator[Draft]:
    """Each note of a basic-memory project: a directory of markdown with front matter."""
    for file in [path] if os.path.isfile(path) else markdown_files(path):
        front, body = foreign.split(read_text(file))
        if not body:
            continue
        relative = os.path.relpath(file, path) if file != path else os.path.basename(file)
        yield Draft(
            key=foreign.text_of(front, "permalink") or relative.replace(os.sep, "/"),
            title=foreign.text_of(front, "title") or title_of(body),
            body=body,
            tags=["import", "basic-memory", *foreign.words_of(front, "tags")],
            at=timestamp(foreign.text_of(front, "modified", "updated", "created", "date"))
            or timestamp(os.path.getmtime(file)),
        )


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """The headings above and the text of each section; `#` inside of a fence is no heading."""
    trail: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and fence in ("", mark.group(1)):
            fence = "" if fence else mark.group(1)
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        yield " > ".join(name for _, name in trail), "\n".join(lines).strip()
        depth = len(heading.group(1))
        trail = [*(step for step in trail if step[0] < depth), (depth, heading.group(2))]
        lines = []
    yield " > ".join(name for _, name in trail), "\n".join(lines).strip()
