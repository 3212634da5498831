"""Which project a directory belongs to: one key for all its clones, worktrees and machines."""

from __future__ import annotations

import os

from anamnesis.git import config as git_config
from anamnesis.ground.errors import NoHome, ToolMissing
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

GLOBAL = "global"
_GIT_SECONDS = 5.0


@record
class Marker:
    """A file that names the project of a directory, and the repository that it lies in."""

    path: str
    key: str
    repository: str = ""  # its origin, or else its path; empty outside of repositories
    own_key: str = ""  # of that repository

    @property
    def counts(self) -> bool:
        """Whether it decides: it is yours, it says nothing new, or you allowed it.

        A marker in a repository may be another person's, and names whatever project it likes.
        """
        return self.key == self.own_key or not self.repository or self._is_allowed

    @property
    def _is_allowed(self) -> bool:
        from anamnesis import config, consent

        try:
            home = config.home_directory()
        except NoHome:
            return False
        return self.key in consent.allowed_projects(home, self.repository)


def resolve_project_key(cwd: str | PathLike[str]) -> str:
    """The key of a working directory: marker file, origin, repository name, directory name."""
    directory = _absolute(cwd)
    return _read_marker(directory) or key_without_markers(directory)


def key_without_markers(cwd: str | PathLike[str]) -> str:
    """The key of a working directory whatever markers say."""
    directory = _absolute(cwd)
    repository = git_config.find_repository(directory)
    if repository is None:
        return os.path.basename(directory).lower() or GLOBAL
    return _own_key(repository)


def waiting_marker(cwd: str | PathLike[str]) -> Marker | None:
    """The nearest marker that does not count before you allow it, unless a nearer one counts."""
    found = next(_markers(_absolute(cwd)), None)
    return found if found is not None and not found.counts else None


def deciding_marker(cwd: str | PathLike[str]) -> Marker | None:
    """The nearest marker that counts."""
    return next((marker for marker in _markers(_absolute(cwd)) if marker.counts), None)


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


def keys_named(keys: Iterable[str], typed: str) -> list[str]:
    """The keys that a typed name stands for: itself, else those that end in it."""
    wanted = typed.strip("/").lower()
    every = list(dict.fromkeys(keys))
    same = [key for key in every if key == typed] or [key for key in every if key.lower() == wanted]
    return same[:1] or [key for key in every if wanted and key.lower().endswith(f"/{wanted}")]


def _read_marker(cwd: str | PathLike[str]) -> str | None:
    """The first non-empty line of the nearest `.anamnesis/project` that counts."""
    marker = deciding_marker(cwd)
    return marker.key if marker else None


def _markers(directory: str) -> Iterator[Marker]:
    """The markers of a directory and of those above it, the nearest first.

    The home directory and the root are skipped, so that a stray marker there cannot claim
    every project. A link is no marker: it could lead to any file.
    """
    home = _identity(os.path.expanduser("~"))
    while os.path.dirname(directory) != directory and (_identity(directory) or ()) != home:
        folder = os.path.join(directory, ".anamnesis")
        path = os.path.join(folder, "project")
        if not os.path.islink(folder) and not os.path.islink(path) and (key := _first_line(path)):
            yield _placed(path, key, directory)
        directory = os.path.dirname(directory)


def _placed(path: str, key: str, directory: str) -> Marker:
    repository = git_config.find_repository(directory)
    if repository is None:
        return Marker(path, key)
    return Marker(path, key, _repository_id(repository), _own_key(repository))


def repository_of(directory: str) -> str:
    """What identifies the repository that a directory is in: its origin or else its path."""
    repository = git_config.find_repository(_absolute(directory))
    return _repository_id(repository) if repository else ""


def source_of(directory: str) -> str:
    """What identifies the repository whose commits are checked out in a directory.

    That is `repository_of`, unless the branch follows another remote (a fork), or a request to
    merge that others sent to this one.
    """
    repository = git_config.find_repository(_absolute(directory))
    if repository is None:
        return ""
    remote, merged = git_config.read_upstream(repository)
    other = _normalize_remote(git_config.resolve_ssh_alias(remote)) if remote else ""
    request = "" if merged.startswith("refs/heads/") else merged  # refs/pull/12/head
    return " ".join(filter(None, (other or _repository_id(repository), request)))


def _repository_id(repository: git_config.Repository) -> str:
    return _origin_key(repository) or f"path:{os.path.realpath(repository.common)}"


def _absolute(cwd: str | PathLike[str]) -> str:
    return os.path.abspath(os.path.expanduser(os.fspath(cwd)))


def _own_key(repository: git_config.Repository) -> str:
    return _origin_key(repository) or repository.name.lower() or GLOBAL


_answers: dict[tuple[object, ...], str | None] = {}  # of git, while its files stay as they are


def _origin_key(repository: git_config.Repository) -> str:
    origin = git_config.read_origin(repository)
    if origin is git_config.ASK_GIT:
        stamps = git_config.stamps(repository)
        if stamps not in _answers:  # each look at a directory asks several times
            _answers[stamps] = _ask_git_for_origin(repository.top)
        origin = _answers[stamps]
    return _normalize_remote(git_config.resolve_ssh_alias(origin)) if origin else ""


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
