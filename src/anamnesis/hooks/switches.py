"""What is switched off: everything, a project, or a part of one.

`anamnesis pause` writes `<home>/paused`; `anamnesis pause --project` adds a line to
`<home>/paused-projects`; a repository can opt out for everyone who works in it with
`.anamnesis/ignore`: entirely (an empty file), or for the paths that it lists.

What counts is how the switches are set when a hook is called, not when its background process runs.
A session in which something was said while they were off is not captured from then on.
"""

from __future__ import annotations

import os

from anamnesis.aliases import names_of
from anamnesis.ground import atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.config import Home

PAUSED = "paused"
_IGNORE_BYTES = 64 * 1024


def pause(home: Home, *, project: str | None = None) -> None:
    """Switch everything off, or one project."""
    if project is None:
        atomic.write_text(home.paused, "")
    else:
        _write_projects(home, [*_projects(home), project])


def resume(home: Home, *, project: str | None = None) -> None:
    """Switch everything on again, or one project; what happened meanwhile is not captured."""
    atomic.write_text(sweep_marker(home), "")
    if project is None:
        atomic.remove(home.paused)
    else:
        _write_projects(home, (other for other in _projects(home) if other != project))


def sweep_marker(home: Home) -> str:
    """The file whose time is the start of the sweep for sessions without a hook."""
    return home.state("sweep-from")


def is_paused(home: Home, *, project: str | None = None) -> bool:
    """Whether one project is switched off by name, or without one everything."""
    return os.path.exists(home.paused) if project is None else project in _projects(home)


def paused(home: Home) -> str:
    """What is switched off on this machine, in words; empty if nothing is."""
    if os.path.exists(home.paused):
        return "everywhere"
    return ", ".join(paused_projects(home))


def paused_projects(home: Home) -> list[str]:
    """The projects that are switched off on this machine."""
    return sorted(_projects(home))


def why_off(home: Home, *, project: str, cwd: str) -> str:
    """Why a project is switched off here, in words; empty if it is not."""
    if os.environ.get("ANAMNESIS_NESTED"):
        return "a session that Anamnesis started"
    if os.path.exists(home.paused):
        return PAUSED
    if (paused := _projects(home)) and not paused.isdisjoint(names_of(home, project)):
        return f"{PAUSED} for {project}"
    patterns = ignore_patterns(cwd) if cwd else None
    if patterns is not None and patterns.covers(cwd):
        return "ignored by .anamnesis/ignore"
    return ""


def why_off_now(home: Home, cwd: str) -> str:
    """The same for a directory; its project is resolved only if one is switched off."""
    from anamnesis.project import resolve_project_key

    project = resolve_project_key(cwd) if cwd and _projects(home) else ""
    return why_off(home, project=project, cwd=cwd)


def stand_back(home: Home, session: str) -> None:
    """Record that a session ran while memory was switched off."""
    if session:
        atomic.write_text(_off_mark(home, session), "")


def stood_back(home: Home, session: str) -> bool:
    """Whether a session ran while memory was switched off."""
    return bool(session) and os.path.exists(_off_mark(home, session))


def _off_mark(home: Home, session: str) -> str:
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in session)
    return home.state("off", name[:120])


class IgnorePatterns:
    """The paths that a project's `.anamnesis/ignore` names."""

    def __init__(self, root: str, patterns: Iterable[str]) -> None:
        self.root = root
        self._patterns = [pattern.strip("/") for pattern in patterns]

    def covers(self, path: str) -> bool:
        """Whether a path is named, or lies below one that is; no pattern at all names them all."""
        relative = os.path.relpath(path, self.root).replace(os.sep, "/")
        if relative == ".." or relative.startswith("../"):
            return False
        parts = relative.split("/")
        above = ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
        return not self._patterns or any(_matches(each, self._patterns) for each in above)


def ignore_patterns(cwd: str) -> IgnorePatterns | None:
    """The nearest `.anamnesis/ignore` at or above a directory, or None."""
    directory = os.path.abspath(cwd)
    home = os.path.expanduser("~")
    while True:
        file = os.path.join(directory, ".anamnesis", "ignore")
        # `~/.anamnesis` is the store itself, never a project.
        if directory != home and os.path.isfile(file):
            return IgnorePatterns(directory, _lines(file))
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def _matches(path: str, patterns: list[str]) -> bool:
    from fnmatch import fnmatchcase

    name = path.rpartition("/")[2]
    return any(fnmatchcase(path, each) or fnmatchcase(name, each) for each in patterns)


def _projects(home: Home) -> set[str]:
    return set(_lines(home.paused_projects))


def _write_projects(home: Home, projects: Iterable[str]) -> None:
    lines = "".join(f"{project}\n" for project in sorted(set(projects)))
    atomic.write_text(home.paused_projects, lines)


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            text = file.read(_IGNORE_BYTES)
    except OSError:
        return []
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
