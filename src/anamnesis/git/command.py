"""Running git so that neither its environment nor a prompt can interfere."""

from __future__ import annotations

import os

from anamnesis.ground import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def clean_environment() -> dict[str, str]:
    """The environment without the variables that a git hook or a linked worktree sets.

    With an inherited GIT_DIR or GIT_INDEX_FILE, every command would silently work on your
    repository instead of the one it is given.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**inherited, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


# Passed with every command on the store's repository, because your configuration is for your own
# work: it may sign with a program that prompts, run hooks, convert line endings or start background
# work. And nothing that a remote contains may ever run.
CALM = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.ignoreStat": "false",
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.eol": "lf",
    "core.symlinks": "true",
    "core.precomposeUnicode": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.logAllRefUpdates": "true",
    "core.fsync": "objects,reference",
    "core.commitGraph": "false",
    "color.ui": "false",
    "commit.gpgSign": "false",
    "push.gpgSign": "false",
    "push.followTags": "false",
    "log.showSignature": "false",
    "fastimport.unpackLimit": "1",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.prune": "false",
    "fetch.writeCommitGraph": "false",
    "push.recurseSubmodules": "no",
    "submodule.recurse": "false",
    "protocol.ext.allow": "never",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "20",
}


def git(
    args: Sequence[str],
    *,
    cwd: str,
    timeout: float,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> process.Finished:
    """Run one git command in a directory."""
    environment = {**clean_environment(), **(env or {})}
    return process.run(["git", *args], cwd=cwd, env=environment, timeout=timeout, input=input)


def git_in(
    repository: str,
    args: Sequence[str],
    *,
    timeout: float,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> process.Finished:
    """Run one git command on the repository in a directory, whatever you configured.

    The repository is named explicitly: git never searches upwards for another one.
    """
    settings = [word for key, value in CALM.items() for word in ("-c", f"{key}={value}")]
    place = [f"--git-dir={os.path.join(repository, '.git')}", f"--work-tree={repository}"]
    return git([*settings, *place, *args], cwd=repository, timeout=timeout, input=input, env=env)


class Fields:
    """Fields of commits, requested from `git log` in a format that no commit can forge."""

    def __init__(self, *fields: str) -> None:
        self._mark = os.urandom(8).hex()
        self._width = len(fields) + 1
        self.format = f"--format={self._mark}{self._mark.join(fields)}{self._mark}"

    def read(self, printed: str) -> Iterator[list[str]]:
        """The fields of each commit, and what git printed after them."""
        pieces = printed.split(self._mark)[1:]
        return (pieces[at : at + self._width] for at in range(0, len(pieces), self._width))


def detach(repository: str, args: Sequence[str], *, settings: Mapping[str, str]) -> None:
    """Start a git command in a directory in the background."""
    words = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    process.detach(["git", *words, *args], cwd=repository, env=clean_environment())
