"""Claude Code's own memory: one draft for each topic file of each project on this machine."""

from __future__ import annotations

import json
import os
import re
import stat

from anamnesis import config
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.config import Home
    from anamnesis.importers.import_draft import ImportDraft
    from anamnesis.notes.fields import MemoryType

_INDEX = "MEMORY.md"  # a list of the topic files, loaded by the client itself
_STATE = "native-import.json"
_LARGEST = 512 * 1024
_LINES_LOOKED_AT = 50
_LONGEST_TAG = 60
# How you want things done; the rest are facts.
_TYPES: dict[str, MemoryType] = {"feedback": "procedural"}


@record
class NativeFile:
    """One topic file, with its size and time to see whether it changed."""

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
    """Whether a sync imports Claude Code's own memory."""
    return config.is_on("import_native", default=True)


def changed(home: Home) -> bool:
    """Whether Claude Code wrote something since the last import; a few `stat` calls."""
    now = {file.path: file.stamp for file in files()}
    return bool(now) and not now.items() <= seen(home).items()


def seen(home: Home) -> dict[str, list[int]]:
    """The stamps of the files as they were at the last import."""
    return home.state_file(_STATE).record()


def remember(home: Home, stamps: dict[str, list[int]]) -> None:
    """Keep the stamps for the next import."""
    home.state_file(_STATE).write(stamps)


def draft(file: NativeFile, *, project: str) -> ImportDraft | None:
    """A topic file as a draft; None if it says nothing."""
    from anamnesis.importers.import_draft import ImportDraft, timestamp, title_of
    from anamnesis.notes import yamlfront

    try:
        with open(file.path, encoding="utf-8", errors="replace", newline="") as stream:
            front, body = yamlfront.split(stream.read())
    except OSError:
        return None
    metadata = front.get("metadata")
    about = metadata if isinstance(metadata, dict) else front
    description = yamlfront.text_of(front, "description")
    name = os.path.basename(file.path)
    if not body and not description:
        return None
    kind = yamlfront.text_of(about, "type")
    called = yamlfront.text_of(front, "name", "title")
    return ImportDraft(
        key=f"{project}/{name}",
        title=description or called or title_of(body or name),
        body=body or description,
        type=_TYPES.get(kind, "semantic"),
        project=project,
        tags=["import", "claude-code", *_tags(kind, called or name.removesuffix(".md"))],
        at=timestamp(yamlfront.text_of(about, "modified")) or timestamp(file.mtime_ns / 1e9),
        session=yamlfront.text_of(about, "originSessionId"),
    )


def _tags(kind: str, called: str) -> list[str]:
    slug = re.sub(r"[^a-z0-9]+", "-", called.lower()).strip("-")
    return [tag for tag in (kind, slug[:_LONGEST_TAG]) if re.fullmatch(r"[a-z0-9-]{1,60}", tag)]


def first_id(file: NativeFile) -> str:
    """The id that version 0.1.3 gave to the note of a file: it followed from folder and name."""
    from hashlib import sha256

    from anamnesis.notes.fields import encode_id

    stem = os.path.basename(file.path).removesuffix(".md")
    digest = sha256(f"{file.slug}/{stem}".encode("utf-8", "surrogateescape")).digest()
    return encode_id(int.from_bytes(digest[:6]), int.from_bytes(digest[6:16]))


def project_of(slug: str, directory: str | None = None) -> tuple[str, bool]:
    """The project key behind a folder, and whether the project's own directory is here.

    The directory is the one in the folder's transcripts, or the one that its name stands for.
    """
    from anamnesis.project import GLOBAL, resolve_project_key

    folder = os.path.join(directory or config_directory(), "projects", slug)
    transcripts = [name for name in _listed(folder) if name.endswith(".jsonl")]
    paths = (_cwd_of(os.path.join(folder, name)) for name in reversed(transcripts))
    found = next(filter(None, paths), "") or _directory_named(slug)
    if found:
        return resolve_project_key(found), os.path.isdir(found)
    return slug.strip("-").lower() or GLOBAL, False


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
