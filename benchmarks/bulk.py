"""Bulk work: importing many notes and importing them again, redaction, encoding, the install."""

from __future__ import annotations

import json
import os
import re
import tempfile
from functools import partial
from importlib import metadata
from pathlib import Path

from anamnesis.operations.curate import import_
from anamnesis.redact import findings
from anamnesis.store import MemoryStore
from benchmarks import corpus, redact
from benchmarks.measure import (
    Table,
    adopt_orphans,
    sample,
    sample_each,
    sample_with_children,
    wait_for_orphans,
)

NOTES = 5_000


def run() -> None:
    """Print the table."""
    table = Table("Bulk work")
    with tempfile.TemporaryDirectory() as directory:
        _import_rows(table, Path(directory))
    # Each time another: a text that was found harmless is not looked through again.
    texts = [redact.transcript(megabytes=2, seed=seed) for seed in range(1, 4)]
    megabyte = sample_each([partial(findings, text) for text in texts]).per(2)
    table.figure("redaction of a transcript", megabyte.best, "s per MB", most=0.1)
    _encoder_row(table)
    _install_rows(table)


def _import_rows(table: Table, directory: Path) -> None:
    exported = directory / "export.jsonl"
    with exported.open("w") as file:
        for note in corpus.notes(NOTES):
            entity = {"type": "entity", "name": f"{note.id} {note.title}", "entityType": "fact",
                      "observations": [note.body]}  # fmt: skip
            file.write(json.dumps(entity) + "\n")
    adopt_orphans()
    # What an import starts in the background looks for its store there.
    os.environ["ANAMNESIS_HOME"] = str(directory / "store")
    with MemoryStore(directory / "store") as store:

        def take_in() -> None:
            import_.import_notes(store, str(exported), format="mcp-memory")

        first = sample(take_in, repeats=1).per(NOTES)
        assert store.stats()["total"] == NOTES
        table.figure(f"import of {NOTES:,} notes", first.best * 1000, "ms a note", most=0.4)
        behind = sample_with_children(wait_for_orphans, repeats=1).per(NOTES)
        table.figure("  scanned and understood behind it", behind.best * 1000, "ms a note")
        again = sample(take_in, repeats=3).per(NOTES)
        table.figure("the same import again", again.best * 1000, "ms a note", most=0.05)
    del os.environ["ANAMNESIS_HOME"]


def _encoder_row(table: Table) -> None:
    from anamnesis.operations.machine import embed

    with tempfile.TemporaryDirectory() as directory, MemoryStore(Path(directory)) as store:
        report = embed.report(store.home)
    table.note("embed, a note", str(report.get("state") or report))


def _install_rows(table: Table) -> None:
    """What `pip install` brings by default: this package and what it requires."""
    seen: dict[str, int] = {}
    waiting = ["anamnesis-memory"]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        seen[name] = sum(_size(found, file) for file in found.files or ())
        waiting += [
            re.split(r"[^\w.-]", requirement)[0]
            for requirement in found.requires or ()
            if "extra ==" not in requirement
        ]
    own = sum(file.stat().st_size for file in Path(import_.__file__).parents[2].rglob("*.*"))
    table.figure("default install", (sum(seen.values()) + own) / 1e6, "MB", most=40)
    table.figure("default install", len(seen), "packages", most=25)


def _size(found: metadata.Distribution, file: metadata.PackagePath) -> int:
    path = Path(str(found.locate_file(file)))
    return path.stat().st_size if path.is_file() else 0
