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
from anamnesis.secrets import findings
from anamnesis.store import MemoryStore
from benchmarks import corpus, secrets
from benchmarks.measure import (
    Sample,
    Table,
    adopt_orphans,
    sample,
    sample_each,
    sample_with_children,
    wait_for_orphans,
)

NOTES = 2_000
STORES = 3  # each import is into an empty store


def run() -> None:
    """Print the table."""
    table = Table("Bulk work")
    with tempfile.TemporaryDirectory() as directory:
        _import_rows(table, Path(directory))
    # Each time another: a text that was found harmless is not looked through again.
    texts = [secrets.transcript(megabytes=2, seed=seed) for seed in range(1, 4)]
    megabyte = sample_each([partial(findings, text) for text in texts]).per(2)
    spread = f"{megabyte.median:.3g} to {megabyte.most:.3g}"
    table.figure(f"redaction of a transcript ({spread})", megabyte.best, "s per MB", most=0.06)
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
    behind: list[Sample] = []
    again: list[Sample] = []
    first = [_import_into(directory / str(at), exported, behind, again) for at in range(STORES)]
    table.per_note(f"import of {NOTES:,} notes", _joined(first), most=0.4)
    table.per_note("  files of the same size, created and nothing else", _bare_files(directory))
    table.per_note("  understood behind it", _joined(behind))
    table.per_note("the same import again", _joined(again), most=0.05)


def _import_into(home: Path, exported: Path, behind: list[Sample], again: list[Sample]) -> Sample:
    """Import into an empty store; the others learn what runs behind it, and what it costs again."""
    # What an import starts in the background looks for its store there.
    os.environ["ANAMNESIS_HOME"] = str(home)
    with MemoryStore(home) as store:

        def take_in() -> None:
            import_.import_notes(store, str(exported), format="mcp-memory")

        first = sample(take_in, repeats=1).per(NOTES)
        assert store.stats()["total"] == NOTES
        behind.append(sample_with_children(wait_for_orphans, repeats=1).per(NOTES))
        again.append(sample(take_in, repeats=3).per(NOTES))
    del os.environ["ANAMNESIS_HOME"]
    return first


def _bare_files(directory: Path) -> Sample:
    """What the kernel takes for the files of an import alone."""
    data = b"some words " * 150

    def create(at: int) -> None:
        folder = directory / f"bare-{at}"
        folder.mkdir()
        for number in range(NOTES):
            descriptor = os.open(folder / str(number), os.O_WRONLY | os.O_CREAT, 0o600)
            os.write(descriptor, data)
            os.close(descriptor)

    return sample_each([partial(create, at) for at in range(STORES)]).per(NOTES)


def _joined(samples: list[Sample]) -> Sample:
    return Sample(tuple(seconds for each in samples for seconds in each.seconds))


def _encoder_row(table: Table) -> None:
    from anamnesis.operations.machine import embed

    with tempfile.TemporaryDirectory() as directory, MemoryStore(Path(directory)) as store:
        report = embed.report(store.home)
    is_there = report["on"] and not report["problem"]
    table.note("embed, a note", str(report) if is_there else "the extra [semantic] is not in use")


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
