"""A repository's origin, read from its files where that provably gives git's own answer."""

from __future__ import annotations

import os

from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ASK_GIT = "\0ask git"  # not a URL: the files use something that only git resolves
_MAX_CONFIG_BYTES = 256 * 1024
_DEEPEST_INCLUDE = 4


@record
class Repository:
    """A working tree, its git directory, the one its worktrees share, and the repository's name."""

    top: str
    own: str
    common: str
    name: str


def find_repository(directory: str) -> Repository | None:
    """The repository that a directory is in, found as git finds it but without a process."""
    device = _device(directory)
    while _device(directory) == device:
        git_directory = _git_directory(os.path.join(directory, ".git"))
        if git_directory and os.path.exists(os.path.join(git_directory, "HEAD")):
            return _describe(directory, git_directory)
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent
    return None  # like git, do not look beyond a mount point


def read_origin(repository: Repository) -> str | None:
    """The URL of origin, None if there is none, or ASK_GIT if only git can tell."""
    own = _read(os.path.join(repository.common, "config"))
    if own is None or not _is_owned_by_user(repository):
        return ASK_GIT
    surrounding = [text for text in map(_read, _outer_configs()) if text is not None]
    if _needs_git(own) or any(_needs_git(text) or _names_remote(text) for text in surrounding):
        return ASK_GIT
    return _origin_in(own)


def current_branch(directory: str) -> str:
    """The branch that is checked out in a directory; empty outside a repository."""
    repository = find_repository(os.path.abspath(directory))
    head = _read(os.path.join(repository.own, "HEAD")) if repository else None
    return (head or "").strip().partition("ref: refs/heads/")[2]


def current_commit(directory: str) -> str:
    """The commit that is checked out in a directory; empty if its files do not say which."""
    repository = find_repository(os.path.abspath(directory))
    head = (_read(os.path.join(repository.own, "HEAD")) or "").strip() if repository else ""
    if repository is None or not head.startswith("ref: "):
        return head if _is_object_id(head) else ""
    ref = head.removeprefix("ref: ")
    loose = (_read(os.path.join(repository.common, ref)) or "").strip()
    if _is_object_id(loose):
        return loose
    packed = _read(os.path.join(repository.common, "packed-refs")) or ""
    at = packed.find(f" {ref}\n")
    found = packed[packed.rfind("\n", 0, at) + 1 : at] if at > 0 else ""
    return found if _is_object_id(found) else ""


def _is_object_id(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def resolve_ssh_alias(url: str) -> str:
    """The URL with an alias from `~/.ssh/config` replaced by its host."""
    if ("://" in url and not url.startswith("ssh://")) or url.startswith("/"):
        return url
    rest = url.removeprefix("ssh://")
    user, at, after = rest.partition("@")
    rest = after if at and user and "/" not in user else rest
    alias = rest.partition("/")[0].partition(":")[0]
    if not alias or "@" in alias or alias == rest:
        return url
    host = _ssh_host_name(os.path.expanduser(os.path.join("~", ".ssh", "config")), alias)
    head = url[: len(url) - len(rest)]
    return f"{head}{host}{rest.removeprefix(alias)}" if host else url


def _git_directory(dot_git: str) -> str | None:
    if os.path.isdir(dot_git):
        return dot_git
    text = _read(dot_git)
    if text is None or not text.startswith("gitdir:"):
        return None
    target = text.removeprefix("gitdir:").strip()
    return os.path.normpath(os.path.join(os.path.dirname(dot_git), target))


def _describe(top: str, git_directory: str) -> Repository:
    shared = _read(os.path.join(git_directory, "commondir"))
    if shared is None:
        return Repository(top, git_directory, git_directory, os.path.basename(top))
    common = os.path.normpath(os.path.join(git_directory, shared.strip()))
    main = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    return Repository(top, git_directory, common, os.path.basename(main).removesuffix(".git"))


def _device(directory: str) -> int | None:
    try:
        return os.stat(directory).st_dev
    except OSError:
        return None


def _is_owned_by_user(repository: Repository) -> bool:
    """Whether git would trust the repository without asking safe.directory."""
    if os.name == "nt":
        return True
    owners = {os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdigit():
        owners.add(int(os.environ["SUDO_UID"]))
    try:
        return all(os.stat(path).st_uid in owners for path in (repository.top, repository.common))
    except OSError:
        return False


def _outer_configs() -> Iterator[str]:
    yield "/etc/gitconfig"
    yield os.path.expanduser(os.path.join("~", ".gitconfig"))
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser(os.path.join("~", ".config"))
    yield os.path.join(base, "git", "config")


def _needs_git(config: str) -> bool:
    lowered = config.lower()
    return any(word in lowered for word in ("[include", "insteadof", "worktreeconfig", "\\\n"))


def _names_remote(config: str) -> bool:
    return "[remote" in config.lower()


def stamps(repository: Repository) -> tuple[object, ...]:
    """What changes when one of the files changes that say where a repository comes from."""
    return (
        repository.top,
        *map(_stamp, (os.path.join(repository.common, "config"), *_outer_configs())),
    )


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def read_upstream(repository: Repository) -> tuple[str, str]:
    """Where the checked out branch comes from: the URL of its remote, and the ref there.

    Empty if it follows origin, or nothing.
    """
    head = _read(os.path.join(repository.own, "HEAD")) or ""
    branch = head.strip().partition("ref: refs/heads/")[2]
    own = _read(os.path.join(repository.common, "config")) or ""
    if not branch or "[branch" not in own:
        return "", "refs/heads/"
    remote = _value_in(own, "branch", branch, "remote") or ""
    merged = _value_in(own, "branch", branch, "merge") or "refs/heads/"
    if remote in ("", ".", "origin"):
        return "", merged
    return _value_in(own, "remote", remote, "url") or remote, merged


def _origin_in(config: str) -> str | None:
    return _value_in(config, "remote", "origin", "url")


def _value_in(config: str, kind_of_section: str, name_of_section: str, wanted: str) -> str | None:
    section = ""
    for line in config.splitlines():
        stripped = line.strip()
        if stripped.startswith("[") and "]" in stripped:
            section, _, stripped = stripped[1:].partition("]")
        kind, _, name = section.strip().replace("\t", " ").partition(" ")
        if kind.lower() != kind_of_section or name.strip() != f'"{name_of_section}"':
            continue
        key, equals, value = stripped.partition("=")
        if equals and key.strip().lower() == wanted:
            plain = value.strip() and not any(mark in value for mark in '"\\;#')
            return value.strip() if plain else ASK_GIT
    return None


def _ssh_host_name(path: str, alias: str, depth: int = 0) -> str | None:
    applies = True
    for line in (_read(path) or "").splitlines():
        keyword, _, value = line.strip().replace("=", " ", 1).partition(" ")
        keyword, value = keyword.lower(), value.strip().strip('"')
        if keyword == "match":
            applies = False
        elif keyword == "host":
            applies = alias in value.split()
        elif keyword == "hostname" and applies and value:
            return value.replace("%h", alias)
        elif keyword == "include" and applies and depth < _DEEPEST_INCLUDE:
            hosts = (_ssh_host_name(file, alias, depth + 1) for file in _included(value))
            if host := next(filter(None, hosts), None):
                return host
    return None


def _included(patterns: str) -> Iterator[str]:
    """The files that an Include names; relative ones are in `~/.ssh`."""
    from glob import glob

    folder = os.path.expanduser(os.path.join("~", ".ssh"))
    for pattern in patterns.split():
        yield from sorted(glob(os.path.join(folder, os.path.expanduser(pattern))))


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            text = stream.read(_MAX_CONFIG_BYTES + 1)
    except (OSError, ValueError):
        return None
    return text if len(text) <= _MAX_CONFIG_BYTES else None
