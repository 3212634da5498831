"""Markers that were in use before you were asked about them keep working.

One counts if a session of its repository was captured under its key since the file was last
changed. Nobody else can bring that about: where a marker does not count, sessions are captured
under the repository's own key, and the moment of a file's last change cannot be chosen.
"""

from __future__ import annotations

import os

from anamnesis import consent
from anamnesis.archive.places import places_of
from anamnesis.config import Home  # noqa: TC001  a hook does without typing
from anamnesis.ground.errors import NotWritable
from anamnesis.project import Marker, repository_of, waiting_marker


def accept_if_in_use(home: Home, cwd: str) -> None:
    """Let the marker that waits here count from now on, if sessions were captured under it."""
    marker = waiting_marker(cwd)
    if marker is None or not _was_in_use(home, marker):
        return
    try:
        consent.allow_project(home, marker.repository, marker.key)
    except NotWritable:
        return  # tried again by the next session; a read-only store is reported elsewhere


def _was_in_use(home: Home, marker: Marker) -> bool:
    try:
        changed = os.lstat(marker.path).st_ctime
    except OSError:
        return False
    return any(
        ended > changed and repository_of(cwd) == marker.repository
        for cwd, ended in places_of(home, marker.key)
    )
