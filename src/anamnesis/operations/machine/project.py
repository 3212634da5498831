"""The project of a directory: which it is, why, and what you allow a repository."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import carried, consent
from anamnesis.aliases import Alias, aliases, names_of, set_alias
from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.operations.machine import checkouts
from anamnesis.project import (
    GLOBAL,
    deciding_marker,
    key_without_markers,
    repository_of,
    resolve_project_key,
    waiting_marker,
)

if TYPE_CHECKING:
    from anamnesis.config import Home
    from anamnesis.project import Marker

NOT_NEEDED, GIVEN, WAITING = "not needed", "given", "waiting"
NONE, TRUSTED, NOT_TRUSTED = "none", "trusted", "not trusted"
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
    notes: str  # that the repository carries: NONE, TRUSTED or NOT_TRUSTED
    also: tuple[str, ...] = ()  # its other names
    before: tuple[str, ...] = ()  # what it was called before, which is not decided yet


def show(home: Home, directory: str) -> ProjectOfDirectory:
    """The project of a directory. Asks git about its repository."""
    checkouts.learn(home, directory)
    waiting, deciding = waiting_marker(directory), deciding_marker(directory)
    marker, repository = waiting or deciding, repository_of(directory)
    named_for_repository = "repository" if repository.startswith("path:") else "origin"
    by_itself = named_for_repository if repository else "directory"
    key = deciding.key if deciding else key_without_markers(directory)
    return ProjectOfDirectory(
        key=key,
        source="marker" if deciding else by_itself,
        repository=repository,
        marker=marker.path if marker else "",
        marker_key=marker.key if marker else "",
        consent=WAITING if waiting else _consent(deciding),
        notes=notes_of(home, directory),
        also=names_of(home, key)[1:],
        before=tuple(checkouts.names_before(home, directory)),
    )


def add_name(home: Home, directory: str, earlier: str) -> Alias:
    """Let the memory of an earlier name go on under the project of a directory, on all machines.

    Raises InvalidInput for a name that it has already, and NotWritable.
    """
    key = resolve_project_key(directory)
    if GLOBAL in (key, earlier) or not earlier.strip():
        raise InvalidInput("The notes of all projects cannot be those of one.")
    if earlier in names_of(home, key):
        raise InvalidInput(f"{earlier} is a name of {key} already.")
    set_alias(home, alias := Alias(key, earlier))
    return alias


def remove_name(home: Home, directory: str, earlier: str) -> Alias:
    """Take that back. Raises InvalidInput if they are two projects, and NotWritable."""
    key = resolve_project_key(directory)
    ended = [alias for alias in aliases(home) if {alias.name, alias.earlier} == {key, earlier}]
    if not ended:
        raise InvalidInput(
            f"{earlier} is no other name of {key}.", hint="See what counts:  anamnesis project show"
        )
    for alias in ended:
        set_alias(home, replace(alias, active=False))
    return ended[0]


def keep_apart(home: Home, directory: str, earlier: str) -> None:
    """Do not ask again whether an earlier name is one of this project. Raises NotWritable."""
    consent.decline(home, repository_of(directory), earlier)


def notes_of(home: Home, directory: str) -> str:
    """Whether the repository of a directory carries notes: NONE, TRUSTED or NOT_TRUSTED."""
    if not carried.notes_root(directory):
        return NONE
    return TRUSTED if carried.trusted(home, directory) else NOT_TRUSTED


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
