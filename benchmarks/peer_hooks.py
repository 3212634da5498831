"""Runs inside the published package's environment: an index for its inject, and its parser.

Usage: peer_hooks.py fill HOME | peer_hooks.py parse TRANSCRIPT
"""

# mypy: ignore-errors
import json
import sys
import time
from pathlib import Path

from anamnesis.capture import parse_transcript
from anamnesis.store import MemoryStore, _deserialize


def fill(home):
    store = MemoryStore(home)
    for path in sorted((home / "memory").rglob("*.md")):
        note = _deserialize(path.read_text())
        store._db.execute(
            "INSERT INTO memories (id, type, title, body_path, project, machine_id, scope,"
            " created_at, updated_at, confidence) VALUES (?,?,?,?,?,?,?,?,?,?)",
            (note.id, note.type, note.title, str(path.relative_to(home / "memory")), note.project,
             note.machine_id, note.scope, note.created_at, note.updated_at, 1.0),
        )  # fmt: skip
    store._db.commit()
    return {}


def parse(path):
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        parse_transcript(path)
        seconds.append(time.process_time() - begin)
    return {"seconds": min(seconds)}


if __name__ == "__main__":
    print(json.dumps({"fill": fill, "parse": parse}[sys.argv[1]](Path(sys.argv[2]))))
