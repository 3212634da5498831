"""Curation of large stores: previews and migrations in seconds, memory flat."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from benchmarks import corpus
from benchmarks.measure import Row, print_table

SIZES = (1_000, 5_000)
_CHILD = """
import json, resource, sys, time
from anamnesis.store import MemoryStore
from anamnesis.operations.curate import dedup, import_, migrate, reflect
root, what = sys.argv[1:]
with MemoryStore(root) as store:
    store.refresh()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu, wall = time.process_time(), time.monotonic()
    if what == "dedup":
        found = len(dedup.find_duplicates(store))
    elif what == "preview":
        found = len(migrate.project_changes(store, {"app": "other"}))
    elif what == "migrate":
        rows = migrate.project_changes(store, {"app": "other"})
        migrate.migrate(store, rows)
        found = len(rows)
    else:
        found = sum(len(each.added) for each in reflect.propose(store))
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([found, cpu, wall, (peak - before) / 1024]))
"""


def session_notes(count: int) -> list[Memory]:
    """Session notes of one project; one in fifty was captured twice, one in fifty nearly so."""
    chance = random.Random(5)
    made: list[Memory] = []
    for number, note in enumerate(corpus.notes(count)):
        body = f"**Ask:** {note.title}\n\n**Branch:** main\n\n**Outcome:** {note.body}"
        if number % 50 == 1:
            body = made[-1].body
        elif number % 50 == 3:
            body = f"{made[-1].body} {chance.choice(corpus.COMMON[:20])}"
        made.append(
            Memory(
                id=note.id, type="episodic", title=note.title, body=body, project="app",
                created_at=note.created_at, updated_at=note.updated_at, tags=["session"],
                prov_source="session-end",
            )
        )  # fmt: skip
    return made


def run() -> None:
    rows = []
    for count in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "memory" / "episodic").mkdir(parents=True)
            for note in session_notes(count):
                (root / "memory" / "episodic" / f"{note.id}.md").write_text(serialize(note))
            for what in ("dedup", "preview", "reflect", "migrate"):
                found, cpu, wall, grown = _measured(root, what)
                said = f"{cpu:.2f} s CPU, {wall:.1f} s, +{grown:.0f} MB ({found} found)"
                rows.append(Row(f"{what}, {count} session notes", said))
    print_table("Curation", rows)


def _measured(root: Path, what: str) -> tuple[int, float, float, float]:
    argv = [sys.executable, "-c", _CHILD, str(root), what]
    printed = subprocess.run(argv, capture_output=True, check=True).stdout
    found, cpu, wall, grown = json.loads(printed)
    return found, cpu, wall, grown
