"""The remote that the notes travel over: naming it, creating it, proving that it works."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.git import command as gitcmd
from anamnesis.ground import atomic, process
from anamnesis.ground.errors import AnamnesisError, InvalidInput
from anamnesis.operations.machine import settings
from anamnesis.sync import foreign, remote
from anamnesis.sync.repository import MAIN, Repository

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 60.0


class RemoteNotUsable(AnamnesisError):
    """The remote does not do what a sync needs."""

    def __init__(self, trouble: remote.Trouble) -> None:
        super().__init__(f"{trouble.message}.", hint=trouble.hint)


@dataclass(frozen=True, slots=True)
class Remote:
    """The remote in use and who named it."""

    url: str | None
    named_by: str  # the variable or the file


def current() -> Remote:
    """The remote that a sync would use."""
    url = config.resolve_remote()
    if not url:
        return Remote(None, "")
    from_variable = bool(os.environ.get("ANAMNESIS_GIT_REMOTE", "").strip())
    source = "ANAMNESIS_GIT_REMOTE" if from_variable else config.config_path()
    return Remote(remote.shown(url), source)


def address(url: str) -> str:
    """The URL as it may be remembered: usable, and a folder named from the root."""
    remote.require_usable(url)
    if remote.is_ssh(url) or "://" in url:
        return url
    return os.path.abspath(os.path.expanduser(url))


def name(url: str | None) -> None:
    """Remember the remote for this machine, or forget it."""
    settings.change("remote", None if url is None else address(url))


def create(url: str) -> str:
    """Make a bare repository where there is none; gives the URL to use."""
    remote.require_usable(url)
    if remote.is_ssh(url):
        _create_over_ssh(url)
        return url
    if "://" in url and not url.startswith("file://"):
        raise InvalidInput(
            "A repository behind https is created on its own site.",
            hint=f"Create it there, then run:  anamnesis remote set {remote.shown(url)}",
        )
    path = address(url.removeprefix("file://"))
    if not os.path.exists(os.path.join(path, "HEAD")):
        if os.path.isdir(path) and os.listdir(path):
            raise InvalidInput(f"{path} exists and is not a git repository.")
        atomic.make_directory(path)
    for command in _commands():
        _checked(gitcmd.git(command, cwd=path, timeout=_SECONDS), url)
    return path


def prove(url: str, *, seconds: float = _SECONDS) -> None:
    """Send a commit to the remote, get it back and remove it; raises RemoteNotUsable if not."""
    probe = f"refs/anamnesis/probe-{os.urandom(6).hex()}"
    with tempfile.TemporaryDirectory(prefix="anamnesis-probe-") as directory:
        repository = Repository(directory)
        made = gitcmd.git(["init", "--quiet", "--template=", "."], cwd=directory, timeout=seconds)
        _checked(made, url)
        who = "anamnesis <anamnesis@probe> 0 +0000"
        stream = f"commit {probe}\ncommitter {who}\ndata 5\nprobe\n\ndone\n".encode()
        _checked(repository.git("fast-import", "--quiet", "--done", input=stream), url)
        remote.configure(repository, url)
        around = remote.surroundings(repository, url)
        _require_memory(repository, url, around, seconds)
        for step in (
            ("push", "--quiet", "--no-verify", "origin", f"{probe}:{probe}"),
            ("fetch", "--quiet", "--no-tags", "origin", f"+{probe}:refs/back"),
            ("push", "--quiet", "--no-verify", "origin", f":{probe}"),
        ):
            _checked(repository.git(*step, timeout=seconds, env=around), url)


def _require_memory(
    repository: Repository, url: str, around: dict[str, str], seconds: float
) -> None:
    """Refuse somebody's project, before anything is sent there."""
    words = ("fetch", "--quiet", "--no-tags", "--depth=1", "--filter=blob:none", "origin")
    fetched = repository.git(*words, f"+{MAIN}:refs/theirs", timeout=seconds, env=around)
    if fetched.code == 0 and (found := foreign.strangers(repository, "refs/theirs")):
        raise RemoteNotUsable(remote.Trouble(*foreign.refusal(remote.shown(url), found)))


def _commands() -> Sequence[Sequence[str]]:
    """What makes a repository that nobody can push history away from."""
    return (
        ("init", "--quiet", "--bare", "."),
        ("symbolic-ref", "HEAD", "refs/heads/main"),
        ("config", "receive.denyNonFastForwards", "true"),
        ("config", "gc.auto", "2000"),
    )


def _create_over_ssh(url: str) -> None:
    match = re.fullmatch(r"(?:git\+)?ssh://([^/:]+)(?::(\d+))?(/.+)|([^/:]+):(.+)", url)
    if match is None:
        raise InvalidInput(f"{url!r} is not an ssh address.", hint="Write user@host:path.git")
    host, port, path = match[1] or match[4], match[2], match[3] or match[5]
    if host.startswith("-"):
        raise InvalidInput(f"{url!r} is not an ssh address.")
    quoted = shlex.quote(path.removeprefix("/~/").removeprefix("~/"))
    there = " && ".join(f"git -C {quoted} {shlex.join(command)}" for command in _commands())
    with tempfile.TemporaryDirectory(prefix="anamnesis-ssh-") as directory:
        around = remote.surroundings(Repository(directory), url)
    ssh = shlex.split(around["GIT_SSH_COMMAND"])
    chosen = ["-p", port] if port else []
    command = f"mkdir -p {quoted} && {there}"
    finished = process.run(
        [*ssh, *chosen, "--", host, command],
        timeout=_SECONDS,
        env={**gitcmd.clean_environment(), "SSH_ASKPASS": "false"},
    )
    _checked(finished, url)


def _checked(finished: process.Finished, url: str) -> None:
    if finished.code != 0:
        raise RemoteNotUsable(remote.explain(finished, url, _SECONDS))
