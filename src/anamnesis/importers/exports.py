"""Readers for other programs' notes, instruction files such as CLAUDE.md, and our own exports."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.importers.import_draft import (
    ImportDraft,
    markdown_files,
    read_text,
    timestamp,
    title_of,
)
from anamnesis.index import foreign_databases
from anamnesis.notes import tree, yamlfront
from anamnesis.notes.derived import derived_id
from anamnesis.notes.fields import FIELDS, NUMBER, WORDS, Memory, UnreadableNote, is_valid_id
from anamnesis.notes.frontmatter import deserialize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_START = 20_000  # characters that show which program wrote a file
_OF_BASIC_MEMORY = ("title", "type", "permalink")  # it writes all three into every note
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"^[ \t]{0,3}(```|~~~)")
_SHORTEST_SECTION = 5  # "Use tabs." is a rule; "-", "TBD" and "TODO" are not


def is_basic_memory(path: str) -> bool:
    """Whether basic-memory wrote a markdown file, or one of those in a directory."""
    fronts = (yamlfront.split(_start(file))[0] for file in _markdown_in(path))
    return any(all(yamlfront.text_of(front, name) for name in _OF_BASIC_MEMORY) for front in fronts)


def basic_memory(path: str) -> Iterator[ImportDraft]:
    """Each note of a basic-memory project: a directory of markdown with front matter."""
    for draft in markdown(path):
        own, *others = draft.tags
        yield replace(draft, tags=[own, "basic-memory", *others])


def markdown(path: str) -> Iterator[ImportDraft]:
    """A markdown file as one note, or each of those in a directory."""
    for file in _markdown_in(path):
        front, body = yamlfront.split(read_text(file))
        if not body:
            continue
        relative = os.path.relpath(file, path) if file != path else os.path.basename(file)
        key = yamlfront.text_of(front, "permalink") or relative.replace(os.sep, "/")
        yield ImportDraft(
            key=key,
            title=yamlfront.text_of(front, "title") or title_of(body),
            body=body,
            tags=["import", *yamlfront.words_of(front, "tags")],
            at=timestamp(yamlfront.text_of(front, "modified", "updated", "created", "date"))
            or timestamp(os.path.getmtime(file)),
            # Earlier versions took every markdown file for basic-memory's; it stays the same note.
            id=derived_id("import", "basic-memory", "", key, at=""),
        )


def _markdown_in(path: str) -> Iterable[str]:
    return [path] if os.path.isfile(path) else markdown_files(path)


def mcp_memory(path: str) -> Iterator[ImportDraft]:
    """Each entity of the reference server's memory.jsonl, with its observations and relations."""
    entities: dict[str, dict[str, Any]] = {}
    relations: dict[str, list[str]] = {}
    for line in read_text(path).split("\n"):
        entry = _object(line)
        if entry.get("type") == "relation":
            relation = f"{entry.get('relationType')} {entry.get('to')}"
            relations.setdefault(str(entry.get("from")), []).append(relation)
        elif entry.get("type") == "entity" and isinstance(entry.get("name"), str):
            entity = entities.setdefault(entry["name"], {"type": "", "observations": []})
            entity["type"] = str(entry.get("entityType") or entity["type"])
            entity["observations"] += _texts(entry.get("observations"))
    for name, entity in entities.items():
        lines = [*entity["observations"], *relations.get(name, [])]
        if lines:
            yield ImportDraft(
                key=name,
                title=title_of(name),
                body="\n".join(f"- {' '.join(line.split())}" for line in dict.fromkeys(lines)),
                tags=_tags("mcp-memory", [entity["type"]]),
            )


def is_claude_mem(path: str) -> bool:
    """Whether a file is claude-mem's database or its JSON export."""
    if foreign_databases.is_database(path):
        return bool(foreign_databases.rows(path, "observations"))
    start = _start(path)
    return ('"observations"' in start and '"exportedAt"' in start) or '"summaries"' in start


def claude_mem(path: str) -> Iterator[ImportDraft]:
    """The observations and session summaries in claude-mem's database, or in its JSON export.

    Raises InvalidInput.
    """
    if foreign_databases.is_database(path):
        tables = {"observations": "observations", "summaries": "session_summaries"}
        export: object = {
            name: foreign_databases.rows(path, table) for name, table in tables.items()
        }
    else:
        export = _document(path)
    if not isinstance(export, dict):
        raise InvalidInput(f"{path} is not an export of claude-mem.")
    for row in _rows(export.get("observations")):
        if draft := _observation(row):
            yield draft
    for row in _rows(export.get("summaries")):
        if draft := _summary(row):
            yield draft


def is_mem0(path: str) -> bool:
    """Whether a file is mem0's history.db or JSON of its own."""
    if foreign_databases.is_database(path):
        return bool(foreign_databases.rows(path, "history"))
    start = _start(path)
    return '"memory"' in start or '"results"' in start


def mem0(path: str) -> Iterator[ImportDraft]:
    """Each memory of mem0: its JSON as `get_all` and its export give it, or its history.db."""
    memories = _mem0_history(path) if foreign_databases.is_database(path) else _document(path)
    if isinstance(memories, dict):
        memories = (
            memories.get("results")
            or memories.get("memories")
            or memories.get("data")
            or [memories]
        )
    for row in _rows(memories):
        text = _first(row, "memory", "text", "content")
        if not text:
            continue
        metadata = row.get("metadata")
        about = metadata if isinstance(metadata, dict) else {}
        yield ImportDraft(
            key=_first(row, "id", "hash") or text[:200],
            title=title_of(text),
            body=text,
            project=_first(about, "project"),
            tags=_tags("mem0", _texts(row.get("categories"))),
            at=timestamp(row.get("updated_at") or row.get("created_at")),
        )


def _mem0_history(path: str) -> list[dict[str, Any]]:
    """What each memory last said, in the shape of `get_all`; deleted ones are skipped."""
    latest: dict[str, dict[str, Any]] = {}
    for row in foreign_databases.rows(path, "history"):
        memory_id = str(row.get("memory_id") or "")
        latest.pop(memory_id, None)
        if row.get("event") != "DELETE" and not row.get("is_deleted"):
            latest[memory_id] = {**row, "id": memory_id, "memory": row.get("new_memory")}
    return list(latest.values())


def _observation(row: dict[str, Any]) -> ImportDraft | None:
    parts = [_first(row, "subtitle"), _first(row, "narrative", "text")]
    parts.append("\n".join(f"- {fact}" for fact in _texts(row.get("facts"))))
    parts.append(_files(row, "files_modified", "files_read"))
    body = "\n\n".join(part for part in parts if part)
    title = _first(row, "title") or title_of(body)
    if not body:
        return None
    return ImportDraft(
        key=f"observation/{_session(row)}/{title}/{row.get('created_at_epoch', '')}",
        title=title[:120],
        body=body,
        project=_first(row, "merged_into_project", "project"),
        tags=_tags("claude-mem", [_first(row, "type"), *_texts(row.get("concepts"))]),
        at=timestamp(row.get("created_at_epoch") or row.get("created_at")),
        session=_session(row),
    )


def _summary(row: dict[str, Any]) -> ImportDraft | None:
    named = ("request", "investigated", "learned", "completed", "next_steps", "notes")
    parts = [
        f"**{name.replace('_', ' ').capitalize()}:** {row[name]}" for name in named if row.get(name)
    ]
    if not parts:
        return None
    return ImportDraft(
        key=f"summary/{_session(row)}/{row.get('created_at_epoch', '')}",
        title=title_of(_first(row, "request", "completed", "learned") or "Session summary"),
        body="\n\n".join(part for part in [*parts, _files(row, "files_edited")] if part),
        type="episodic",
        project=_first(row, "merged_into_project", "project"),
        tags=_tags("claude-mem", []),
        at=timestamp(row.get("created_at_epoch") or row.get("created_at")),
        session=_session(row),
    )


def _files(row: dict[str, Any], *names: str) -> str:
    files = dict.fromkeys(file for name in names for file in _texts(row.get(name)))
    return "Files: " + ", ".join(f"`{file}`" for file in files) if files else ""


def _session(row: dict[str, Any]) -> str:
    return _first(row, "memory_session_id", "sdk_session_id", "session_id")


def _tags(source: str, words: list[str]) -> list[str]:
    return ["import", source, *(word.lower()[:40] for word in words if word)]


def _first(row: dict[str, Any], *names: str) -> str:
    values = (row.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")


def _texts(value: object) -> list[str]:
    """Texts in a list, or in a list that was written as a JSON text."""
    items = value
    if isinstance(value, str):
        try:
            items = json.loads(value)
        except (ValueError, RecursionError):
            return [value] if value else []
    return [item for item in items if isinstance(item, str)] if isinstance(items, list) else []


def _rows(value: object) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _object(line: str) -> dict[str, Any]:
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _start(path: str) -> str:
    return read_text(path, most=_START)


def _document(path: str) -> object:
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not JSON.") from error


def sections(path: str, *, project: str) -> Iterator[ImportDraft]:
    """Each section of a CLAUDE.md or AGENTS.md that says something."""
    name = os.path.basename(path)
    seen: dict[str, int] = {}
    for trail, body in _sections(yamlfront.split(read_text(path))[1]):
        if len(body) < _SHORTEST_SECTION:
            continue
        seen[trail] = seen.get(trail, 0) + 1
        number = f"#{seen[trail]}" if seen[trail] > 1 else ""
        yield ImportDraft(
            key=f"{project}/{name}/{trail}{number}",
            title=(trail.rpartition(" > ")[2] or title_of(body))[:120],
            body=body,
            type="procedural",
            project=project,
            tags=["import", name.lower().removesuffix(".md")],
        )


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """The headings above and the text of each section; `#` in a fence is not a heading."""
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


def own_export(path: str) -> Iterator[Memory]:
    """The notes of an export of Anamnesis: a folder or JSON lines. Raises InvalidInput."""
    if os.path.isdir(path):
        for file in markdown_files(path):
            try:
                note = deserialize(read_text(file))
            except UnreadableNote:
                continue
            top = os.path.relpath(file, path).split(os.sep)[0]
            yield replace(note, scope=tree.TREES.get(top, note.scope))
        return
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield _from_json(line, f"{path}, line {number}")


def _from_json(line: str, where: str) -> Memory:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise _not_a_note(where, "it is not JSON") from None
    if not isinstance(fields, dict):
        raise _not_a_note(where, "it is not a JSON object")
    for name, about in FIELDS.items():
        if about.default is None and name not in fields:
            raise _not_a_note(where, f"it has no {name}")
        if name in fields and not _fits(fields[name], about.kind):
            raise _not_a_note(where, f"its {name} has the wrong type")
    note = Memory(**{name: fields[name] for name in FIELDS if name in fields})
    try:
        tree.encode(note)
    except ValueError as error:
        raise _not_a_note(where, "it cannot be stored") from error
    if not is_valid_id(note.id):
        raise _not_a_note(where, f"its id {note.id[:80]!r} is not valid")
    if not tree.is_safe_type(note.type):
        raise _not_a_note(where, f"its type {note.type[:80]!r} is not valid")
    return note


def _fits(value: object, kind: str) -> bool:
    """Whether a JSON value can be the value of a kind of field."""
    if kind == WORDS:
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    if kind == NUMBER:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str)


def _not_a_note(where: str, reason: str) -> InvalidInput:
    return InvalidInput(f"{where} is not a note: {reason}.", hint="Nothing was imported.")
