"""The record of one note, and what is none."""

from __future__ import annotations

from anamnesis.ground.errors import AnamnesisError
from anamnesis.notes.fields import Memory, MemoryType, NoteId, Scope

__all__ = [
    "SCOPES", "SOURCES", "TYPES", "Memory", "MemoryType", "NoteId", "Scope", "UnreadableNote"
]  # fmt: skip

TYPES: tuple[MemoryType, ...] = ("procedural", "semantic", "episodic")
SCOPES: tuple[Scope, ...] = ("portable", "machine-local")
SOURCES = ("human", "session-end", "reflection", "import")


class UnreadableNote(AnamnesisError, ValueError):
    """A file that cannot be taken as a note, and why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason, hint="The file is left as it is; correct it by hand.")
