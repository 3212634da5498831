"""Runs inside the published package's environment: its store on the same notes.

Usage: peer_store.py ROOT QUESTIONS.json [reindex]
Its own reindex takes time quadratic in the notes, so beyond a small store the rows are inserted
directly and only search and write are measured.
"""

# mypy: ignore-errors
import json
import statistics
import sys
import time
from pathlib import Path

from anamnesis.store import MemoryStore, _deserialize


def cpu(work):
    begin = time.process_time()
    work()
    return time.process_time() - begin


def fill(store, root):
    for path in sorted((root / "memory").rglob("*.md")):
        note = _deserialize(path.read_text())
        store._db.execute(
            "INSERT INTO memories (id, type, title, body_path, project, machine_id, scope,"
            " created_at, updated_at, confidence) VALUES (?,?,?,?,?,?,?,?,?,?)",
            (note.id, note.type, note.title, str(path.relative_to(root / "memory")), note.project,
             note.machine_id, note.scope, note.created_at, note.updated_at, 1.0),
        )  # fmt: skip
        store._db.execute(
            "INSERT INTO memories_fts (id, title, body, tags) VALUES (?,?,?,?)",
            (note.id, note.title, note.body, " ".join(note.tags)),
        )
    store._db.commit()


def main(root, questions, *options):
    root = Path(root)
    store = MemoryStore(root)
    figures = {}
    if "reindex" in options:
        figures["reindex"] = cpu(store.reindex)
    else:
        fill(store, root)
    asked = json.loads(Path(questions).read_text())
    found = sorted(cpu(lambda q=q: store.search(q)) for q in asked)
    figures["search_p50"] = statistics.median(found)
    figures["search_p95"] = found[int(len(found) * 0.95)]
    written = sorted(
        cpu(lambda: store.write(type="semantic", title="a new note", body="some words " * 100))
        for _ in range(15)
    )
    figures["write_p50"] = statistics.median(written)
    print(json.dumps(figures))


main(*sys.argv[1:])
