"""Computing the vectors of notes, for search by meaning; each text is encoded once."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground import locks
from anamnesis.ground.errors import InvalidInput, NotWritable
from anamnesis.hooks import background, runs
from anamnesis.search import encoder, vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.config import Home
    from anamnesis.search.encoder import Encoder
    from anamnesis.store import MemoryStore

_EVERY_SECONDS = 60.0  # at most: starting Python and loading the model takes a while
_RETRY_SECONDS = 3600.0  # a broken set-up is not fixed within a minute
_LOCK_SECONDS = 5.0
_BATCH = (
    32  # notes lost at worst if killed; after each batch, searching processes reload everything
)


class SwitchedOff(InvalidInput):
    """Search by meaning is off, so vectors would not be used."""

    def __init__(self) -> None:
        super().__init__(
            "Search by meaning is switched off.",
            hint="Switch it on:  anamnesis config set semantic 1",
        )


@dataclass(frozen=True, slots=True)
class Embedded:
    """What a run did."""

    encoded: int  # notes that the model read
    known: int  # notes whose text it had read before
    dropped: int  # notes that are gone
    total: int  # notes that have vectors now


def embed(store: MemoryStore, progress: Callable[[int, int], None] | None = None) -> Embedded:
    """Compute the vectors of all notes that have none.

    Raises SwitchedOff, and StoreBusy if another process is doing so.
    """
    if not config.encoder_is_on():
        raise SwitchedOff
    store.refresh()
    root = store.home
    with locks.held(_lock(root), name="embedding", timeout=0), runs.Watched(root, "embed"):
        result = _embed(store, root, progress)
    runs.worked(root, "embed")
    return result


def remove(store: MemoryStore) -> None:
    """Delete all vectors; they can be computed again."""
    root = store.home
    with locks.held(_lock(root), name="embedding", timeout=_LOCK_SECONDS):
        vectors.remove(root)


def keep_up(root: Home) -> None:
    """Start `embed` in the background if notes have changed since; returns at once."""
    if not config.encoder_is_on() or encoder.problem() or not _lags(root):
        return
    fails = any(failing.area == "embed" for failing in runs.failing(root))
    every = _RETRY_SECONDS if fails else _EVERY_SECONDS
    with suppress(NotWritable, OSError):  # a read-only store has other problems
        background.start_now_and_then(root, ["embed", "--idle"], every=every)


def report(root: Home) -> dict[str, object]:
    """The state of search by meaning, for `status`."""
    return {
        "on": config.encoder_is_on(),
        "notes": vectors.count(root),
        "problem": encoder.problem(),
    }


def _embed(store: MemoryStore, root: Home, progress: Callable[[int, int], None] | None) -> Embedded:
    started = time.time_ns()
    model = encoder.load()
    known = store.ask(vectors.files_of_notes)
    with vectors.Shelf(root, model.model) as shelf:
        before = shelf.files()
        shelf.drop(before.keys() - known.keys())
        missing = [id for id, file in known.items() if before.get(id) != file]
        encoded = 0
        for first in range(0, len(missing), _BATCH):
            some = missing[first : first + _BATCH]
            encoded += _shelve(store, shelf, model, {id: known[id] for id in some})
            if progress is not None:
                progress(first + len(some), len(missing))
    # The time of the vectors: notes written in the meantime are left to the next run.
    os.utime(root.vectors_db, ns=(started, started))
    dropped = len(before.keys() - known.keys())
    return Embedded(encoded, len(missing) - encoded, dropped, len(known))


def _shelve(store: MemoryStore, shelf: vectors.Shelf, model: Encoder, files: dict[str, str]) -> int:
    """Store the vectors of some notes; returns how many had to be encoded."""
    from anamnesis.search.matrix import stored

    texts = store.ask(lambda db: vectors.texts_of_notes(db, list(files)))
    fresh: dict[str, bytes] = {}
    for text in texts.values():
        if text not in fresh and shelf.vectors_of(text) is None:
            fresh[text] = stored(model.passages(text))
    shelf.keep([vectors.EmbeddedNote(id, files[id], text) for id, text in texts.items()], fresh)
    return len(fresh)


def _lock(root: Home) -> str:
    return root.lock("embed")


def _lags(root: Home) -> bool:
    """Whether the index has changed since the vectors were computed."""
    try:
        made = os.stat(root.vectors_db).st_mtime_ns
    except OSError:
        return True
    for name in ("index.db", "index.db-wal"):
        with suppress(OSError):
            if os.stat(os.path.join(root, name)).st_mtime_ns > made:
                return True
    return False
