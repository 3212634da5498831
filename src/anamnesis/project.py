"""Which project a directory belongs to: one key for all its clones, worktrees and machines."""

from __future__ import annotations

import os

from anamnesis.git import config
from anamnesis.ground.errors import ToolMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

GLOBAL = "global"
_GIT_SECONDS = 5.0


def resolve_project_key(cwd: str | PathLike[str]) -> str:
    """The key of a working directory: marker file, origin, repository name, directory name."""
    directory = os.path.abspath(os.path.expanduser(os.fspath(cwd)))
    marker = _read_marker(directory)
    if marker:
        return marker
    repository = config.find_repository(directory)
    if repository is None:
        return os.path.basename(directory).lower() or GLOBAL
    origin = config.read_origin(repository)
    if origin is config.ASK_GIT:
        origin = _ask_git_for_origin(directory)
    key = _normalize_remote(config.resolve_ssh_alias(origin)) if origin else ""
    return key or repository.name.lower() or GLOBAL


def short_names(keys: Iterable[str]) -> dict[str, str]:
    """Each project key shortened to the last parts that make it unique."""
    ends: dict[str, list[str]] = {}
    shared: dict[str, int] = {}
    for key in dict.fromkeys(keys):
        parts = key.split("/")
        ends[key] = ["/".join(parts[at:]) for at in reversed(range(len(parts)))]
        for end in ends[key]:
            shared[end] = shared.get(end, 0) + 1
    return {key: next((end for end in ends[key] if shared[end] == 1), key) for key in ends}


def _read_marker(cwd: str | PathLike[str]) -> str | None:
    """The first non-empty line of the nearest `.anamnesis/project`, searched upwards.

    The home directory and the root are skipped, so that a stray marker there cannot claim
    every project.
    """
    home = _identity(os.path.expanduser("~"))
    directory = os.path.abspath(os.fspath(cwd))
    while os.path.dirname(directory) != directory and (_identity(directory) or ()) != home:
        line = _first_line(os.path.join(directory, ".anamnesis", "project"))
        if line:
            return line
        directory = os.path.dirname(directory)
    return None


def _identity(directory: str) -> tuple[int, int] | None:
    """What identifies a directory, whatever links lead to it."""
    try:
        status = os.stat(directory)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as stream:
            text = stream.read(4096)
    except OSError:
        return ""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _normalize_remote(url: str) -> str:
    """A remote as `host/path`, the same however it is reached.

    The scheme, the user, a port and a trailing `.git` are about access, not identity.
    """
    scheme, separator, rest = url.strip().partition("://")
    if not separator:
        rest = scheme
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2]
    if separator:
        name, colon, port = host.rpartition(":")
        host = name if colon and (not port or port.isdecimal()) else host
        rest = host + slash + path
    elif ":" in host and not _has_drive_letter(rest):
        rest = host.replace(":", "/", 1) + slash + path
        first, slash, path = rest.partition("/")
        rest = first + slash + path.lstrip("/") if first else rest
    else:
        rest = host + slash + path
    return rest.rstrip("/").removesuffix(".git").rstrip("/").lower()


def _has_drive_letter(path: str) -> bool:
    """Whether a path begins with a Windows drive letter."""
    return path[:1].isascii() and path[:1].isalpha() and path[1:3] in (":\\", ":/")


def _ask_git_for_origin(directory: str) -> str | None:
    from anamnesis.git import command

    try:
        finished = command.git(["remote", "get-url", "origin"], cwd=directory, timeout=_GIT_SECONDS)
    except (ToolMissing, OSError):
        return None
    url = finished.text.partition("\n")[0] if finished.code == 0 else ""
    # For a remote without a URL git prints its name, which identifies no project.
    return url if url not in ("", "origin") else None
