"""The remote: setting it, creating it, testing that it works."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.git import command as gitcmd
from anamnesis.ground import atomic, process
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError, InvalidInput
from anamnesis.notes import tree
from anamnesis.operations.machine import settings
from anamnesis.sync import admission, recovery, remote
from anamnesis.sync.remote import shown
from anamnesis.sync.repository import MAIN, Repository

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Remote", "RemoteNotUsable", "Switch", "address", "create", "current", "name", "prove", "reach",
    "shown", "switch_to",
]  # fmt: skip

_SECONDS = 60.0
_LOCKED_TRIES, _LOCKED_SECONDS = 15, 0.3  # until the lock of a killed git is old enough to be freed
# What a killed `git init` may have left.
_IN_A_REPOSITORY = {
    "branches", "config", "config.lock", "description", "HEAD.lock", "hooks", "info", "objects",
    "refs",
}  # fmt: skip


class RemoteNotUsable(AnamnesisError):
    """The remote cannot be used for sync."""

    def __init__(self, trouble: remote.Trouble) -> None:
        super().__init__(f"{trouble.message}.", hint=trouble.hint)


@dataclass(frozen=True, slots=True)
class Remote:
    """The remote in use and where it is set."""

    url: str | None
    named_by: str  # the variable or the file


def current() -> Remote:
    """The remote that a sync would use."""
    url = config.resolve_remote()
    if not url:
        return Remote(None, "")
    from_variable = bool(os.environ.get("ANAMNESIS_GIT_REMOTE", "").strip())
    source = "ANAMNESIS_GIT_REMOTE" if from_variable else config.config_path()
    return Remote(shown(url), source)


def address(url: str) -> str:
    """The URL as it is stored: checked, and with an absolute path for a folder."""
    remote.require_usable(url)
    if remote.is_ssh(url) or "://" in url:
        return url
    return os.path.abspath(os.path.expanduser(url))


@dataclass(frozen=True, slots=True)
class Switch:
    """Another remote for a machine that has one, and how many notes would be sent there."""

    old: str
    new: str
    notes: int

    def __str__(self) -> str:
        """What will be sent where, as text."""
        return (
            f"This machine syncs with {self.old}.\n"
            f"The next sync would send {counted(self.notes, 'note')} from here to {self.new}\n"
            f"and bring its notes to this machine. {self.old} keeps what it has."
        )


def switch_to(url: str) -> Switch | None:
    """What setting a remote would change; None if it is the first one, or already in use.

    Raises InvalidInput if the URL cannot be used.
    """
    known, wanted = config.resolve_remote(), address(url)
    if not known or wanted in (known, os.path.abspath(os.path.expanduser(known))):
        return None
    home = config.home_directory()
    files = tree.scan(home, ["memory"]).files if os.path.isdir(home) else ()
    return Switch(shown(known), shown(wanted), len(files))


def name(url: str | None) -> None:
    """Set the remote of this machine, or remove it."""
    settings.change("remote", None if url is None else address(url))


def create(url: str) -> str:
    """Create a bare repository unless there is one; returns the URL to use. Raises InvalidInput."""
    remote.require_usable(url)
    if remote.is_ssh(url):
        _create_over_ssh(url)
        return url
    if "://" in url and not url.startswith("file://"):
        raise InvalidInput(
            "A repository at an https address is created on its site.",
            hint=f"Create it there, then run:  anamnesis remote set {remote.quoted(url)}",
        )
    path = address(url.removeprefix("file://"))
    if not os.path.exists(os.path.join(path, "HEAD")):
        if os.path.isdir(path) and not _IN_A_REPOSITORY.issuperset(os.listdir(path)):
            raise InvalidInput(f"{path} exists and is not a git repository.")
        atomic.make_directory(path)
    recovery.free_dead_locks(path)  # left by a command that was killed here
    for command in _commands():
        _checked(gitcmd.git(command, cwd=path, timeout=_SECONDS), url)
    return path


def prove(url: str, *, seconds: float = _SECONDS, may_be_sealed: bool = False) -> bool:
    """Push a commit to the remote, fetch it and remove it; whether a sealed store is there.

    Raises RemoteNotUsable if that does not work, or if it holds something other than notes.
    """
    probe = f"refs/anamnesis/probe-{os.urandom(6).hex()}"
    with tempfile.TemporaryDirectory(prefix="anamnesis-probe-") as directory:
        repository = Repository(directory)
        made = gitcmd.git(["init", "--quiet", "--template=", "."], cwd=directory, timeout=seconds)
        _checked(made, url)
        who = "anamnesis <anamnesis@probe> 0 +0000"
        stream = f"commit {probe}\ncommitter {who}\ndata 5\nprobe\n\ndone\n".encode()
        _checked(repository.git("fast-import", "--quiet", "--done", input=stream), url)
        remote.configure(repository, url)
        environment = remote.unattended_environment(repository, url)
        foreign = _foreign_files(repository, environment, seconds)
        sealed = may_be_sealed and admission.is_sealed(foreign)
        if foreign and not sealed:
            raise RemoteNotUsable(remote.Trouble(*admission.refusal(shown(url), foreign)))
        for step in (
            ("push", "--quiet", "--no-verify", "origin", f"{probe}:{probe}"),
            ("fetch", "--quiet", "--no-tags", "origin", f"+{probe}:refs/back"),
            ("push", "--quiet", "--no-verify", "origin", f":{probe}"),
        ):
            for _ in range(_LOCKED_TRIES):
                finished = repository.git(*step, timeout=seconds, env=environment)
                if b".lock': File exists" not in finished.err or not os.path.isdir(url):
                    break
                recovery.free_dead_locks(url)  # left by a command that was killed, maybe just now
                time.sleep(_LOCKED_SECONDS)
            _checked(finished, url)
    return sealed


def reach(url: str) -> bool:
    """Test a remote, after creating it if there is none; whether it was created.

    Raises InvalidInput and RemoteNotUsable.
    """
    remote.require_usable(url)
    try:
        prove(url)
    except RemoteNotUsable as error:
        if "there is no git repository" not in error.message:
            raise
        create(url)
        prove(url)
        return True
    return False


def _foreign_files(
    repository: Repository, environment: dict[str, str], seconds: float
) -> list[str]:
    """Files that show that the remote is an ordinary project and not a store."""
    words = ("fetch", "--quiet", "--no-tags", "--depth=1", "--filter=blob:none", "origin")
    for branch in (MAIN, "HEAD"):  # a project may have another branch instead
        fetched = repository.git(*words, f"+{branch}:refs/theirs", timeout=seconds, env=environment)
        if fetched.code == 0:
            return admission.foreign_files(repository, "refs/theirs")
        if b"couldn't find remote ref" not in fetched.err:
            break
    return []


def _commands() -> Sequence[Sequence[str]]:
    """The commands that create a bare repository whose history no push can rewrite."""
    return (
        ("init", "--quiet", "--bare", "."),
        ("symbolic-ref", "HEAD", "refs/heads/main"),
        ("config", "receive.denyNonFastForwards", "true"),
        ("config", "gc.auto", "200"),
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
        environment = remote.unattended_environment(Repository(directory), url)
    ssh = shlex.split(environment["GIT_SSH_COMMAND"])
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
