"""Committing saved notes to the local history, a moment later and once for several saves."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.operations.notes.history import record_changes

if TYPE_CHECKING:
    from anamnesis.store import MemoryStore

_SECONDS = 0.7  # tagging ten notes in a row makes one version


class Recorder:
    """Records changes in the background; `trouble` says why the last time failed."""

    def __init__(self, store: MemoryStore) -> None:
        self.trouble = ""
        self._store = store
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._at_work = threading.Lock()

    def soon(self) -> None:
        """Record shortly; further changes until then come along."""
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(_SECONDS, self._record)
                self._timer.daemon = True
                self._timer.start()

    def now(self) -> None:
        """Record what waits, before the history is shown, a sync, or the end of the server."""
        if (timer := self._timer) is not None:
            timer.cancel()
        self._record()

    def _record(self) -> None:
        with self._at_work:  # one at a time; who comes second finds that nothing waits any more
            with self._lock:
                waiting, self._timer = self._timer, None
            if waiting is None:
                return
            try:
                record_changes(self._store)
                self.trouble = ""
            except StoreBusy:
                self.soon()  # a sync is at work; it may have seen the files before the last save
            except AnamnesisError as error:
                self.trouble = error.message
            except OSError as error:  # in a thread of its own: nothing would show it
                self.trouble = f"Not recorded in the history: {error}."
