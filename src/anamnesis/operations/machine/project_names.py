"""The key of a project from what is typed for it, and from where a note is written."""

from __future__ import annotations

import os

from anamnesis.aliases import aliases
from anamnesis.config import home_directory
from anamnesis.ground.errors import InvalidInput
from anamnesis.index import queries
from anamnesis.project import (
    GLOBAL,
    deciding_marker,
    keys_named,
    repository_of,
    resolve_project_key,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.store import MemoryStore


class AmbiguousProject(InvalidInput):
    """A short name that stands for several projects."""

    def __init__(self, typed: str, keys: list[str]) -> None:
        self.keys = keys
        super().__init__(
            f"{typed} may be any of {len(keys)} projects: {', '.join(keys)}.",
            hint="Type more of its key.",
        )


def key_named(store: MemoryStore, typed: str) -> str:
    """The key of the project that a typed name stands for; the name itself if that is unknown.

    A name may be the last parts of one key: `shop` for `github.com/ada/shop`. Raises
    AmbiguousProject.
    """
    named = (name for alias in aliases(store.home) for name in (alias.name, alias.earlier))
    known = [*store.ask(queries.projects), *named, *_key_here(), GLOBAL]
    found = keys_named(known, typed)
    if len(found) > 1:
        raise AmbiguousProject(typed, found)
    return found[0] if found else typed


def project_of(
    typed: str | None, *, store: MemoryStore | None = None, hurried: bool = False
) -> str | None:
    """The project key that an option names; None for none.

    `.` and paths stand for the project of a directory, the end of a key for the one project whose
    key ends so. A `hurried` caller waits for no index: what is typed is the key then. Raises
    AmbiguousProject.
    """
    if typed is None:
        return None
    if typed == "." or typed.startswith(("./", "../", os.sep)):
        return resolve_project_key(typed)
    if store is not None:
        return key_named(store, typed)
    home = home_directory()
    if not os.path.isdir(home):
        return typed
    from anamnesis.store import IndexBroken, MemoryStore

    try:
        with MemoryStore(home, hurried=hurried) as opened:
            return key_named(opened, typed)
    except IndexBroken:
        return typed


def key_for_notes_of(directory: str) -> str:
    """Where a note goes that is written in a directory: its project, or all outside of any."""
    try:
        has_own = repository_of(directory) or deciding_marker(directory)
    except FileNotFoundError:  # the current directory was deleted
        return GLOBAL
    return resolve_project_key(directory) if has_own else GLOBAL


def _key_here() -> list[str]:
    here = key_for_notes_of(".")
    return [here] if here != GLOBAL else []
