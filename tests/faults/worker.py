"""Works on a store in a process of its own; prints a line only for what is acknowledged."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

from anamnesis.ground.records import replace
from anamnesis.store import MemoryStore


def say(*words: str) -> None:
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def writes(store: MemoryStore, name: str, count: int) -> None:
    for number in range(count):
        note = store.write(
            type="semantic", title=f"{name} {number}", body=f"words of {name} " * 40, tags=[name]
        )
        say("wrote", note.id)


def changes(store: MemoryStore) -> None:
    """Every kind of change, for as long as we live."""
    kept: list[str] = []
    for number in itertools.count():
        note = store.write(type="semantic", title=f"note {number}", body="first " * 50)
        say("wrote", note.id)
        kept.append(note.id)
        read = store.read(kept[number // 2])
        if read is not None:
            body = f"version {number} " * 30
            store.update(replace(read.note, body=body), expected_hash=read.hash)
            say("updated", read.note.id, str(number))
        store.put(replace(note, type="procedural", body="put " * 30))
        say("wrote", note.id)
        store.move(note.id, ("machine-local", "portable")[number % 2])
        if number % 5 == 4:
            store.reindex()


def searches(store: MemoryStore) -> None:
    for number in itertools.count():
        for note in store.search("words of writer"):
            if not note.body:
                raise AssertionError("a note was read half")
        store.list(limit=5)
        if number == 0:
            say("searching")


def reindexes(store: MemoryStore) -> None:
    say("reindexing")
    while True:
        store.reindex()


def main(work: str, root: str, *rest: str) -> None:
    with MemoryStore(root) as store:
        if work == "writes":
            writes(store, rest[0], int(rest[1]))
        else:
            {"changes": changes, "searches": searches, "reindexes": reindexes}[work](store)


def acknowledged(lines: Iterator[bytes]) -> set[str]:
    """The ids that a worker's output promises to be there."""
    words = (line.decode().split() for line in lines if line.endswith(b"\n"))
    return {parts[1] for parts in words if len(parts) > 1}


if __name__ == "__main__":
    main(*sys.argv[1:])
