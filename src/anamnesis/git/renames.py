"""Former names of a repository's files, from its history.

Asking git takes a process and, the first time, up to several seconds. So it is asked in the
background when the repository has changed, and its answer is cached.
"""

from __future__ import annotations

import os
from threading import Thread

from anamnesis.git.command import git_in
from anamnesis.ground import atomic, quickjson
from anamnesis.ground.errors import AnamnesisError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.git.config import Repository

_MOST_COMMITS = 2_000
_MOST_RENAMES = 20_000
_SECONDS = 20.0
_asked: dict[str, Thread] = {}  # repository -> the thread that asks about it


def former_names(folder: str, repository: Repository, path: str) -> list[str]:
    """What a file was called before, the latest name first; nothing until git has answered.

    `folder` is where git's answers are cached.
    """
    file, stamp = os.path.join(folder, _name(repository)), _stamp(repository)
    cached = _cached(file)
    if cached is None or cached[0] != stamp:
        _ask_in_background(file, repository, stamp)
    names = [path]
    for old, new in cached[1] if cached else ():  # the latest rename first
        if new == names[-1] and old not in names:
            names.append(old)
    return names[1:]


def wait(repository: Repository, seconds: float) -> None:
    """Wait for git's answer, if one is under way."""
    if thread := _asked.get(repository.top):
        thread.join(seconds)


def _ask_in_background(file: str, repository: Repository, stamp: str) -> None:
    running = _asked.get(repository.top)
    if running is not None and running.is_alive():
        return
    thread = Thread(target=_ask, args=(file, repository, stamp), daemon=True)
    _asked[repository.top] = thread
    thread.start()


def _ask(file: str, repository: Repository, stamp: str) -> None:
    words = ["log", "-M", "--diff-filter=R", "--name-status", "--format=", "-z"]
    try:
        finished = git_in(repository.top, [*words, f"-n{_MOST_COMMITS}", "HEAD"], timeout=_SECONDS)
        output = finished.out.decode("utf-8", "replace") if finished.code == 0 else ""
        content = {"stamp": stamp, "renames": _pairs(output)}
        atomic.write_text(file, quickjson.dumps(content))
    except (AnamnesisError, OSError, UnicodeError):
        return  # notes are then found by today's name only


def _pairs(output: str) -> list[list[str]]:
    fields = output.strip("\0\n").split("\0")
    pairs = [
        fields[at + 1 : at + 3]
        for at in range(0, len(fields) - 2, 3)
        if fields[at].strip().startswith("R")
    ]
    return pairs[:_MOST_RENAMES]


def _cached(file: str) -> tuple[str, list[tuple[str, str]]] | None:
    try:
        with open(file, "rb") as stream:
            content = quickjson.loads(stream.read())
        return str(content["stamp"]), [(str(old), str(new)) for old, new in content["renames"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _stamp(repository: Repository) -> str:
    """What changes when something is committed, pulled or checked out."""
    try:
        return str(os.stat(os.path.join(repository.own, "logs", "HEAD")).st_mtime_ns)
    except OSError:
        return ""


def _name(repository: Repository) -> str:
    from hashlib import blake2b

    top = repository.top.encode("utf-8", "surrogateescape")
    return f"{blake2b(top, digest_size=8).hexdigest()}.json"
