"""Giving every note its vectors, for recall by what notes say; each text is read once."""

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

_EVERY_SECONDS = 60.0  # at most: starting Python and loading the model has a price too
_RETRY_SECONDS = 3600.0  # what is broken is not mended by the minute
_LOCK_SECONDS = 5.0
_BATCH = (
    32  # notes that a kill can cost; each batch makes searching processes read everything again
)


class SwitchedOff(InvalidInput):
    """Vectors that would not be used are not computed."""

    def __init__(self) -> None:
        super().__init__(
            "Recall by what notes say is switched off.",
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
    """Make the vectors of all notes that have none yet; what is there is kept.

    Raises SwitchedOff, and StoreBusy if another process is at it.
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
    """Delete all vectors; they can be made again."""
    root = store.home
    with locks.held(_lock(root), name="embedding", timeout=_LOCK_SECONDS):
        vectors.remove(root)


def keep_up(root: Home) -> None:
    """Start that in the background if notes changed since it last ran; returns at once."""
    if not config.encoder_is_on() or encoder.problem() or not _lags(root):
        return
    fails = any(failing.area == "embed" for failing in runs.failing(root))
    every = _RETRY_SECONDS if fails else _EVERY_SECONDS
    with suppress(NotWritable, OSError):  # a store that cannot be written has other troubles
        background.start_now_and_then(root, ["embed", "--idle"], every=every)


def report(root: Home) -> dict[str, object]:
    """How recall by what notes say stands, for `status`."""
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
    # As of when the vectors are: what was written meanwhile is for the next run.
    os.utime(os.path.join(root, vectors.FILE), ns=(started, started))
    dropped = len(before.keys() - known.keys())
    return Embedded(encoded, len(missing) - encoded, dropped, len(known))


def _shelve(store: MemoryStore, shelf: vectors.Shelf, model: Encoder, files: dict[str, str]) -> int:
    """Put some notes on the shelf; gives how many had to be read by the model."""
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
    """Whether the index changed since the vectors were made."""
    try:
        made = os.stat(os.path.join(root, vectors.FILE)).st_mtime_ns
    except OSError:
        return True
    for name in ("index.db", "index.db-wal"):
        with suppress(OSError):
            if os.stat(os.path.join(root, name)).st_mtime_ns > made:
                return True
    return False
