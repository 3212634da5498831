"""Claude Code's own memory: one draft for each topic file of each project on this machine."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground import atomic
from anamnesis.importers.draft import Draft, timestamp, title_of
from anamnesis.notes import foreign
from anamnesis.project import GLOBAL, resolve_project_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.notes.note import MemoryType

_INDEX = "MEMORY.md"  # a list of the topic files, loaded by the client itself
_STATE = ("state", "native-import.json")
_LARGEST = 512 * 1024
_LINES_LOOKED_AT = 50
# How the person wants things done; the rest are facts.
_TYPES: dict[str, MemoryType] = {"feedback": "procedural"}


@dataclass(frozen=True, slots=True)
class NativeFile:
    """One topic file, and what tells whether it changed."""

    path: str
    slug: str
    size: int
    mtime_ns: int

    @property
    def stamp(self) -> list[int]:
        """What is remembered of it, to see whether it changed."""
        return [self.size, self.mtime_ns]


def config_directory() -> str:
    """Where Claude Code keeps its files."""
    named = os.environ.get("CLAUDE_CONFIG_DIR", "").strip()
    return os.path.expanduser(named or os.path.join("~", ".claude"))


def files(directory: str | None = None) -> Iterator[NativeFile]:
    """The topic files of all projects."""
    projects = os.path.join(directory or config_directory(), "projects")
    for slug in _listed(projects):
        memory = os.path.join(projects, slug, "memory")
        for name in _listed(memory):
            path = os.path.join(memory, name)
            if name.endswith(".md") and name != _INDEX and (file := _regular(path, slug)):
                yield file


def is_wanted() -> bool:
    """Whether a sync takes in Claude Code's own memory."""
    return config.is_on("import_native", default=True)


def changed(root: str) -> bool:
    """Whether Claude Code wrote something since the last import; a few `stat` calls."""
    before = seen(root)
    return any(before.get(file.path) != file.stamp for file in files())


def seen(root: str) -> dict[str, list[int]]:
    """The stamps of the files as they were at the last import."""
    try:
        with open(os.path.join(root, *_STATE), encoding="utf-8") as stream:
            found = json.load(stream)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def remember(root: str, stamps: dict[str, list[int]]) -> None:
    """Keep the stamps for the next time."""
    atomic.write_text(os.path.join(root, *_STATE), json.dumps(stamps))


def draft(file: NativeFile, *, project: str) -> Draft | None:
    """A topic file as a draft; None if it says nothing."""
    try:
        with open(file.path, encoding="utf-8", errors="replace", newline="") as stream:
            front, body = foreign.split(stream.read())
    except OSError:
        return None
    metadata = front.get("metadata")
    about = metadata if isinstance(metadata, dict) else front
    description = foreign.text_of(front, "description")
    name = os.path.basename(file.path)
    if not body and not description:
        return None
    kind = foreign.text_of(about, "type")
    return Draft(
        key=f"{project}/{name}",
        title=foreign.text_of(front, "name", "title") or title_of(body or name),
        body=body if not description or description in body else f"{description}\n\n{body}".strip(),
        type=_TYPES.get(kind, "semantic"),
        project=project,
        tags=["import", "claude-code", *([kind] if re.fullmatch(r"[a-z]{1,20}", kind) else [])],
        at=timestamp(foreign.text_of(about, "modified")) or timestamp(file.mtime_ns / 1e9),
        session=foreign.text_of(about, "originSessionId"),
    )


def project_of(slug: str, directory: str | None = None) -> str:
    """The project key behind a folder: by the directory in its transcripts, or by its name."""
    folder = os.path.join(directory or config_directory(), "projects", slug)
    transcripts = [name for name in _listed(folder) if name.endswith(".jsonl")]
    for name in reversed(transcripts):
        cwd = _cwd_of(os.path.join(folder, name))
        if cwd:
            return resolve_project_key(cwd)
    found = _directory_named(slug)
    if found:
        return resolve_project_key(found)
    return slug.strip("-").lower() or GLOBAL


def _regular(path: str, slug: str) -> NativeFile | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None  # removed since it was listed
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        return None
    return NativeFile(path, slug, status.st_size, status.st_mtime_ns)


def _cwd_of(transcript: str) -> str:
    try:
        with open(transcript, encoding="utf-8", errors="replace") as stream:
            for _, line in zip(range(_LINES_LOOKED_AT), stream, strict=False):
                if '"cwd"' in line and (cwd := _cwd_in(line)):
                    return cwd
    except OSError:
        return ""
    return ""


def _cwd_in(line: str) -> str:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    cwd = found.get("cwd") if isinstance(found, dict) else None
    return cwd if isinstance(cwd, str) else ""


def _directory_named(slug: str) -> str:
    """The existing directory whose path, with `-` for every other character, is the slug."""
    waiting = [(os.sep, slug.removeprefix("-"))]
    while waiting:
        directory, rest = waiting.pop()
        for name in _listed(directory):
            written = re.sub(r"[^A-Za-z0-9]", "-", name)
            path = os.path.join(directory, name)
            if rest == written and os.path.isdir(path):
                return path
            if rest.startswith(f"{written}-") and os.path.isdir(path):
                waiting.append((path, rest[len(written) + 1 :]))
    return ""


def _listed(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []
