"""The programs whose notes can be imported: how their files are recognised and read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.importers import exports
from anamnesis.project import GLOBAL, resolve_project_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anamnesis.importers.import_draft import ImportDraft

_INSTRUCTIONS = ("claude.md", "agents.md", "claude.local.md", "gemini.md")


@dataclass(frozen=True, slots=True)
class Program:
    """One program: its name for `--from`, how its files are recognised, and how they are read."""

    name: str
    wrote: Callable[[str], bool]
    drafts: Callable[[str], Iterator[ImportDraft]]


def _is_instructions(path: str) -> bool:
    return os.path.basename(path).lower() in _INSTRUCTIONS and not os.path.isdir(path)


def _is_markdown(path: str) -> bool:
    return os.path.isdir(path) or path.lower().endswith(".md")


def _is_basic_memory(path: str) -> bool:
    return _is_markdown(path) and exports.is_basic_memory(path)


def _is_json_lines(path: str) -> bool:
    return path.lower().endswith(".jsonl")


def _sections(path: str) -> Iterator[ImportDraft]:
    return exports.sections(path, project=_project_of(path))


# The first that recognises a file reads it: names are checked before contents.
PROGRAMS = {
    program.name: program
    for program in (
        Program("instructions", _is_instructions, _sections),
        Program("basic-memory", _is_basic_memory, exports.basic_memory),
        Program("file", _is_markdown, exports.markdown),
        Program("mcp-memory", _is_json_lines, exports.mcp_memory),
        Program("claude-mem", exports.is_claude_mem, exports.claude_mem),
        Program("mem0", exports.is_mem0, exports.mem0),
    )
}


def program_of(path: str, name: str | None = None) -> Program:
    """The named program, or else the one that wrote a file or directory.

    Raises InvalidInput if the file cannot be read or no program is known to write such a file.
    """
    if name is not None:
        return PROGRAMS[name]
    for program in PROGRAMS.values():
        if program.wrote(path):
            return program
    raise InvalidInput(
        f"Cannot tell which program wrote {path}.",
        hint=f"Say it with --from: {', '.join(PROGRAMS)}",
    )


def _project_of(path: str) -> str:
    directory = os.path.dirname(os.path.abspath(path))
    home = os.path.expanduser("~")
    # Your own instructions hold for every project.
    own = directory == home or (
        os.path.dirname(directory) == home and os.path.basename(directory).startswith(".")
    )
    return GLOBAL if own else resolve_project_key(directory)
