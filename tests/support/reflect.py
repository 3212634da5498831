"""Sessions to reflect on, and the tree as bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore

FACT = "The integration tests need a running Postgres on the default port."


def sessions(
    store: MemoryStore, number: int = 5, *, project: str = "app", body: str = ""
) -> list[Memory]:
    """Session notes that wait to be distilled."""
    return [
        store.write(
            type="episodic",
            title=f"Session {n}",
            body=body or f"**Ask:** task {n}\n\n**Outcome:** finished part {'abcdefgh'[n % 8]}.",
            project=project,
            tags=["session", "session-end"],
            prov_source="session-end",
            prov_session=f"{project}-{n}",
        )
        for n in range(number)
    ]


def durable(store: MemoryStore, title: str = "The port", **fields: Any) -> Memory:
    """A note that an earlier reflection wrote."""
    given = {"body": "The service listens on the usual port.", "project": "app",
             "prov_source": "reflection", "confidence": 0.6, "tags": ["reflection"]}  # fmt: skip
    return store.write(type="semantic", title=title, **{**given, **fields})


def files(root: Path) -> dict[str, bytes]:
    """Every file of both trees."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for tree in ("memory", "local")
        for path in sorted((root / tree).rglob("*"))
        if path.is_file()
    }
