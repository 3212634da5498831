"""What the tools of one server work on: a store, its sync, this machine, this project."""

from __future__ import annotations

import os
from threading import RLock

from anamnesis.ground.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.operations.travel.sync import SyncBackend
    from anamnesis.store import MemoryStore

CURRENT_PROJECT = "."


class Binding:
    """Resolved once and then fixed; callers of tools cannot choose any of it.

    What is not passed in is resolved when a tool first needs it: most sessions start a server that
    they never call, and need no database.
    """

    def __init__(
        self,
        store: MemoryStore | None = None,
        *,
        machine_id: str | None = None,
        backend: SyncBackend | None = None,
    ) -> None:
        self._lock = RLock()
        self._store = store
        self._machine_id = machine_id
        self._backend = backend
        self._project = ""
        self.client = ""  # the program that calls the tools, as it names itself

    @property
    def store(self) -> MemoryStore:
        """The store of this user."""
        with self._lock:
            if self._store is None:
                from anamnesis.config import home_directory
                from anamnesis.store import MemoryStore

                self._store = MemoryStore(home_directory())
            from anamnesis.operations.repository.attached_notes import look_beside

            return look_beside(self._store)

    @property
    def machine_id(self) -> str:
        """The machine that every written note comes from."""
        with self._lock:
            if not self._machine_id:
                from anamnesis.config import resolve_machine_id

                self._machine_id = resolve_machine_id()
            return self._machine_id

    @property
    def backend(self) -> SyncBackend:
        """The sync backend."""
        with self._lock:
            if self._backend is None:
                from anamnesis.operations.travel.sync import backend_of

                self._backend = backend_of(self.store.home, machine_id=self.machine_id)
            return self._backend

    def project_key(self, asked: str) -> str:
        """The key that an argument names: `.` is the project that the server was started in.

        The end of one project's key stands for it. Raises AmbiguousProject.
        """
        if asked != CURRENT_PROJECT:
            from anamnesis.operations.machine.project_names import key_named

            return key_named(self.store, asked)
        with self._lock:
            if not self._project:
                self._project = _project_here()
            return self._project

    def hand_over(self) -> None:
        """On an ephemeral machine, push what was written before it is acknowledged."""
        from anamnesis.hooks import background

        background.push_if_ephemeral()

    def close(self) -> None:
        """Close the store if it was opened."""
        with self._lock:
            if self._store is not None:
                self._store.close()


def _project_here() -> str:
    from anamnesis.project import resolve_project_key

    try:
        return resolve_project_key(os.getcwd())
    except FileNotFoundError:
        raise InvalidInput(
            "The directory that the server was started in is gone.", hint="Give the project's key."
        ) from None


def client_name(name: object) -> str:
    """The name that a client gives itself, if it is a usable one."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in str(name or "").lower())
    return kept.strip("-")[:40]
