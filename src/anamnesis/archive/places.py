"""Where the archived sessions of a project ran, for a hook: without what searches and unpacks."""

from __future__ import annotations

import os

from anamnesis.config import Home  # noqa: TC001  a hook does without typing
from anamnesis.index.database import SqliteError, connect

_PLACES = (
    "SELECT cwd, max(CAST(strftime('%s', ended) AS INTEGER)) FROM sessions "
    "WHERE project = ? AND cwd <> '' GROUP BY cwd"
)


def places_of(home: Home, project: str) -> list[tuple[str, float]]:
    """The directories of a project's sessions, and when the last session in each ended."""
    if not os.path.exists(home.sessions_db):
        return []
    db = connect(home.sessions_db)
    try:
        rows = db.execute(_PLACES, (project,)).fetchall()
    except SqliteError:  # damaged or of another version; a search makes it again
        return []
    finally:
        db.close()
    return [(cwd, float(ended)) for cwd, ended in rows if ended is not None]
