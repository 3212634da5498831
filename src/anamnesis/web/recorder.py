"""Committing saved notes to the local history, a moment later and once for several saves."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.history.commit import record_locally

if TYPE_CHECKING:
    from anamnesis.store import MemoryStore

_SECONDS = 0.7  # a person who tags ten notes makes one version of it


class Recorder:
    """Records changes in the background; `trouble` says why the last time failed."""

    def __init__(self, store: MemoryStore, *, machine_id: str) -> None:
        self.trouble = ""
        self._store = store
        self._machine_id = machine_id
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
        """Record what waits, before somebody looks at the history, syncs, or ends the server."""
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
                record_locally(self._store, machine_id=self._machine_id)
                self.trouble = ""
            except StoreBusy:
                self.soon()  # a sync is at work; it may have seen the files before the last save
            except AnamnesisError as error:
                self.trouble = error.message
            except OSError as error:  # nobody would see it: this is a thread of its own
                self.trouble = f"Not recorded in the history: {error}."
