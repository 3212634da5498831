"""Notes that mention a file: found by its name, then compared path by path."""

from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.index import vocabulary
from anamnesis.text import words
from anamnesis.trust.policy import condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

_LOOKED_AT = 60  # notes, the latest ones
_FEW = 3  # notes; with more, a bare file name is ambiguous
_LONGEST_BODY = 20_000
# A session that only touched the file says nothing about it.
_TOUCHED = r"(?ms)^\*\*Files touched[^*\n]*:\*\*.*?(?=^\*\*[^*\n]{1,60}:\*\*|\Z)"


@record
class Mention:
    """A note that names a file, and the line in which it does."""

    id: str
    type: str
    title: str
    line: str
    parts: int  # how many parts of the path the note gives


def naming(
    db: sqlite3.Connection, paths: Sequence[str], *, projects: Sequence[str], session: str
) -> list[Mention]:
    """The active notes that name a file, those that name it most exactly first.

    `paths` are the file's path in its repository and the ones that it had before it was renamed.
    `session` is the one that asks, which knows what it wrote itself.
    """
    by_note: dict[str, Mention] = {}
    for path in paths:
        rows = _rows(db, path.rpartition("/")[2], projects, session)
        mentions = [mention for row in rows if (mention := _mention(row, path)) is not None]
        bare = sum(mention.parts == 1 for mention in mentions)
        for mention in mentions:
            if mention.parts > 1 or bare <= _FEW:
                by_note.setdefault(mention.id, mention)
    return sorted(by_note.values(), key=lambda each: (each.type == "episodic", -each.parts))


def _rows(
    db: sqlite3.Connection, name: str, projects: Sequence[str], session: str
) -> Iterable[Sequence[str]]:
    phrase = " ".join(words.tokens(name))
    if not phrase:
        return []
    facets = " OR ".join(f'"{vocabulary.facet(project)}"' for project in projects)
    keys = ",".join("?" * len(projects))
    return db.execute(
        "SELECT m.id, m.type, f.title, substr(f.body, 1, ?) FROM memories_fts f "  # noqa: S608
        "JOIN memories m ON m.rowid = f.rowid "
        f"WHERE memories_fts MATCH ? AND m.project IN ({keys}) AND m.superseded = 0 "
        f"AND {condition()} AND (m.prov_session IS NULL OR m.prov_session <> ?) "
        "ORDER BY m.updated_at DESC LIMIT ?",
        (
            _LONGEST_BODY,
            f'{{title body}}: "{phrase}" AND ({facets})',
            *projects,
            session,
            _LOOKED_AT,
        ),
    )


def _mention(row: Sequence[str], path: str) -> Mention | None:
    id, type, title, body = row
    if type == "episodic":
        body = re.sub(_TOUCHED, "", body)
    name = path.rpartition("/")[2]
    pattern = re.compile(rf"[\w@+./~-]*(?<![\w-]){re.escape(name)}(?![\w/-]|\.\w)", re.IGNORECASE)
    best: tuple[int, str] = (0, "")
    for line in (title, *body.splitlines()):
        for named in pattern.findall(line) if name.lower() in line.lower() else ():
            best = max(best, (shared_parts(named, path), line.strip()), key=lambda each: each[0])
    return Mention(id, type, title, best[1], best[0]) if best[0] else None


def shared_parts(named: str, path: str) -> int:
    """How many parts two paths share from the end; 0 if they mean different files."""
    mentioned = [part for part in named.lower().split("/") if part not in ("", ".", "..", "~")]
    own = path.lower().split("/")
    shorter = min(len(mentioned), len(own))
    return shorter if mentioned[-shorter:] == own[-shorter:] else 0
