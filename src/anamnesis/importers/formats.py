"""Which program wrote a file or a directory, and the drafts in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.importers import exports, markdown
from anamnesis.index import visiting
from anamnesis.project import GLOBAL, resolve_project_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.importers.draft import Draft

FORMATS = ("instructions", "basic-memory", "mcp-memory", "claude-mem", "mem0")
_INSTRUCTIONS = ("claude.md", "agents.md", "claude.local.md", "gemini.md")


def drafts(path: str, format: str) -> Iterator[Draft]:
    """The drafts in a file or directory of a known format."""
    if format == "instructions":
        return markdown.sections(path, project=_project_of(path))
    if format == "basic-memory":
        return markdown.basic_memory(path)
    if format == "mcp-memory":
        return exports.mcp_memory(path)
    return exports.claude_mem(path) if format == "claude-mem" else exports.mem0(path)


def detected(path: str) -> str:
    """The format of a file or directory, by its name and its first characters."""
    name = os.path.basename(path).lower()
    if name in _INSTRUCTIONS and not os.path.isdir(path):
        return "instructions"
    if os.path.isdir(path) or name.endswith(".md"):
        return "basic-memory"
    if name.endswith(".jsonl"):
        return "mcp-memory"
    found = _by_content(path)
    if not found:
        raise InvalidInput(
            f"Cannot tell which program wrote {path}.",
            hint=f"Say it with --from: {', '.join(FORMATS)}",
        )
    return found


def _by_content(path: str) -> str:
    if visiting.is_database(path):
        tables = {"observations": "claude-mem", "history": "mem0"}
        return next((tables[name] for name in tables if visiting.rows(path, name)), "")
    start = _start(path)
    if ('"observations"' in start and '"exportedAt"' in start) or '"summaries"' in start:
        return "claude-mem"
    return "mem0" if '"memory"' in start or '"results"' in start else ""


def _start(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as stream:
            return stream.read(20_000)
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {(error.strerror or '').lower()}.") from error


def _project_of(path: str) -> str:
    directory = os.path.dirname(os.path.abspath(path))
    home = os.path.expanduser("~")
    # The person's own instructions hold for every project.
    own = directory == home or (
        os.path.dirname(directory) == home and os.path.basename(directory).startswith(".")
    )
    return GLOBAL if own else resolve_project_key(directory)
