"""What the verbs need from whatever moves notes between machines."""

from __future__ import annotations

from anamnesis.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from anamnesis.store import MemoryStore

    class State(Protocol):
        """How the synced tree stands."""

        @property
        def initialized(self) -> bool:
            """Whether anything was ever synced."""
            ...

        @property
        def remote(self) -> str | None:
            """Where notes travel over."""
            ...

        @property
        def head(self) -> str | None:
            """The short commit id."""
            ...

        @property
        def dirty(self) -> bool:
            """Whether changes wait for the next sync."""
            ...

        @property
        def detail(self) -> str:
            """The same in words."""
            ...

    class Result(Protocol):
        """What one sync did."""

        @property
        def pushed(self) -> bool:
            """Whether anything was sent."""
            ...

        @property
        def pulled(self) -> int:
            """How many commits came in."""
            ...

        @property
        def conflicted(self) -> bool:
            """Whether a note needs a person."""
            ...

        @property
        def head(self) -> str | None:
            """The short commit id."""
            ...

        @property
        def detail(self) -> str:
            """The same in words."""
            ...

    class SyncBackend(Protocol):
        """Moves notes between machines; git is the one that is built in."""

        def sync(self) -> Result:
            """Run one cycle."""
            ...

        def state(self) -> State:
            """Say how things stand, without the network."""
            ...


@record
class _NoState:
    initialized: bool = False
    remote: str | None = None
    head: str | None = None
    dirty: bool = False
    detail: str = "sync is not part of this build"


@record
class _NoResult:
    pushed: bool = False
    pulled: int = 0
    conflicted: bool = False
    head: str | None = None
    detail: str = "sync is not part of this build; no remote was contacted"


class _NoBackend:
    def sync(self) -> _NoResult:
        return _NoResult()

    def state(self) -> _NoState:
        return _NoState()


def backend_of(store: MemoryStore, *, machine_id: str) -> SyncBackend:  # noqa: ARG001
    """The backend that this store is synced with."""
    return _NoBackend()
