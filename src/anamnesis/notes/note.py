"""The record of one note, and what is none."""

from __future__ import annotations

from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import fresh, record

MemoryType = str  # "procedural" | "semantic" | "episodic"
Scope = str  # "portable" | "machine-local"

TYPES = ("procedural", "semantic", "episodic")
SCOPES = ("portable", "machine-local")
SOURCES = ("human", "session-end", "reflection", "import")
KNOWN_KEYS = frozenset(
    [
        "id",
        "type",
        "title",
        "project",
        "machine_id",
        "scope",
        "prov_source",
        "confidence",
        "prov_model",
        "prov_session",
        "supersedes",
        "created_at",
        "updated_at",
        "tags",
    ]
)


class UnreadableNote(AnamnesisError, ValueError):
    """A file that cannot be taken as a note, and why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason, hint="The file is left as it is; correct it by hand.")


@record
class Memory:
    """One note: what its front matter says, and its body."""

    id: str
    type: MemoryType
    title: str
    body: str
    project: str = "global"
    machine_id: str = "unknown"
    scope: Scope = "portable"
    tags: list[str] = fresh(default_factory=list)
    created_at: str = ""
    updated_at: str = ""
    prov_source: str = "human"
    prov_model: str = ""
    prov_session: str = ""
    confidence: float = 1.0
    supersedes: str = ""  # one id; several are separated by a space
    extra: str = ""  # YAML lines of keys that this version does not know, kept word for word

    @property
    def supersedes_ids(self) -> tuple[str, ...]:
        """The ids of the notes that this one replaces."""
        return tuple(self.supersedes.split())
