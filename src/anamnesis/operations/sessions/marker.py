"""The project of a session, where a repository names another one than its own.

Markers that worked before you were asked keep working: one counts if a session of this repository
was captured under its key since the file was last changed. Nobody else can bring that about: where
a marker does not count, sessions are captured under the repository's own key, and the moment of a
file's last change cannot be chosen.
"""

from __future__ import annotations

import os

from anamnesis.project import repository_of, resolve_project_key, waiting_marker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.config import Home
    from anamnesis.project import Marker


def project_of(home: Home, cwd: str) -> str:
    """The key of a working directory; a marker under which sessions were captured is accepted."""
    waiting = waiting_marker(cwd)
    if waiting is not None and _was_in_use(home, waiting):
        _accept(home, waiting)
    return resolve_project_key(cwd)


def _accept(home: Home, marker: Marker) -> None:
    from anamnesis import consent
    from anamnesis.ground.errors import NotWritable

    try:
        consent.allow_project(home, marker.repository, marker.key)
    except NotWritable:
        return  # tried again by the next session; a read-only store is reported elsewhere


def _was_in_use(home: Home, marker: Marker) -> bool:
    try:
        changed = os.lstat(marker.path).st_ctime
    except OSError:
        return False
    from anamnesis.archive import ask

    return any(
        ended > changed and repository_of(cwd) == marker.repository
        for cwd, ended in ask.places_of(home, marker.key)
    )
