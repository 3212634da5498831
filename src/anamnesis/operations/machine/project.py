"""The project of a directory: which it is, why, and what you allow a repository."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import consent
from anamnesis.ground.errors import InvalidInput
from anamnesis.project import (
    deciding_marker,
    key_without_markers,
    repository_of,
    waiting_marker,
)

if TYPE_CHECKING:
    from anamnesis.config import Home
    from anamnesis.project import Marker

NOT_NEEDED, GIVEN, WAITING = "not needed", "given", "waiting"
_NO_PROJECT = "There is no .anamnesis/project here that needs to be allowed."


@dataclass(frozen=True, slots=True)
class ProjectOfDirectory:
    """Which project a directory belongs to, and why."""

    key: str
    source: str  # marker, origin, repository or directory
    repository: str  # what identifies it; empty outside of repositories
    marker: str  # the file that names a project; empty without one
    marker_key: str
    consent: str  # NOT_NEEDED, GIVEN or WAITING


def show(directory: str) -> ProjectOfDirectory:
    """The project of a directory."""
    waiting, deciding = waiting_marker(directory), deciding_marker(directory)
    marker, repository = waiting or deciding, repository_of(directory)
    named_for_repository = "repository" if repository.startswith("path:") else "origin"
    by_itself = named_for_repository if repository else "directory"
    return ProjectOfDirectory(
        key=deciding.key if deciding else key_without_markers(directory),
        source="marker" if deciding else by_itself,
        repository=repository,
        marker=marker.path if marker else "",
        marker_key=marker.key if marker else "",
        consent=WAITING if waiting else _consent(deciding),
    )


def allow(home: Home, directory: str) -> Marker:
    """Let the repository of a directory have the memory that its marker names.

    Raises InvalidInput if there is nothing to allow, and NotWritable.
    """
    marker = waiting_marker(directory)
    if marker is None:
        raise InvalidInput(_NO_PROJECT, hint="See what counts here:  anamnesis project show")
    consent.allow_project(home, marker.repository, marker.key)
    return marker


def withdraw(home: Home, directory: str) -> Marker:
    """Take back what `allow` allowed. Raises InvalidInput if that is nothing, and NotWritable."""
    marker = deciding_marker(directory)
    if marker is None or _consent(marker) != GIVEN:
        raise InvalidInput(
            f"Nothing was allowed in {os.path.abspath(directory)}.",
            hint="See what counts here:  anamnesis project show",
        )
    consent.withdraw_project(home, marker.repository, marker.key)
    return marker


def _consent(marker: Marker | None) -> str:
    is_foreign = marker is not None and marker.repository and marker.key != marker.own_key
    return GIVEN if is_foreign else NOT_NEEDED
