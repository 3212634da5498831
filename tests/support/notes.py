"""What several tests need: the index as a value, and notes written by hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from anamnesis.config import Home
from anamnesis.index import database, rebuild

if TYPE_CHECKING:
    from pathlib import Path

_TABLES = {
    "memories": "id, type, title, body_path, project, machine_id, scope, created_at, updated_at, "
    "prov_source, prov_model, prov_session, confidence, supersedes, tags, superseded",
    "memory_tags": "memory_id, tag",
    "memories_fts": "id, title, body, tags, parts",
    "fixes": "signature, memory_id, line",
    "supersessions": "memory_id, target",
    "files": "path, size, hash, note_id, problem",
    "cells WHERE notes": "type, project, scope, machine_id, prov_source, superseded, day, notes",
    "tags WHERE notes": "tag, notes",
}


def content(db: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that an index says, in an order that does not depend on how it came about."""
    return {
        table: sorted(map(tuple, db.execute(f"SELECT {columns} FROM {table}")), key=repr)
        for table, columns in _TABLES.items()
    }


def index_content(root: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What the index of a store says."""
    with closing(database.connect(str(root / "index.db"))) as db:
        db.execute("INSERT INTO memories_fts(memories_fts) VALUES ('integrity-check')")
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return content(db)


def content_of_files(root: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What an index of the files must say."""
    database = rebuild.in_memory(Home(root))
    with database.reading() as db:
        found = content(db)
    database.close()
    return found


def write_file(root: Path, path: str, text: str | bytes) -> Path:
    """Put a file into the store as a person with an editor would."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode() if isinstance(text, str) else text)
    return target


def hand_written(
    note_id: str, *, type: str = "semantic", title: str = "A title", **keys: str
) -> str:
    """The text of a minimal note."""
    lines = [f"id: {note_id}", f"type: {type}", f"title: {title}"]
    lines += [f"{key}: {value}" for key, value in keys.items() if key != "body"]
    return "---\n" + "\n".join(lines) + "\n---\n" + keys.get("body", "A body.") + "\n"
