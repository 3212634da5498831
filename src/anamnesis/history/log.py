"""The git history of the notes."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.git import command
from anamnesis.ground.errors import AnamnesisError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 30.0
MAIN = "refs/heads/main"
# A commit id, and nothing that git could take for an option or a range.
_REVISION = re.compile(r"[0-9A-Za-z][0-9A-Za-z_/.@{}~^-]{0,199}")


class NoHistory(AnamnesisError):
    """Nothing has been recorded yet."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} has no history yet.", hint="Versions are recorded by:  anamnesis sync"
        )


@dataclass(frozen=True, slots=True)
class Version:
    """One recorded change."""

    commit: str
    at: str
    machine: str
    message: str
    files: tuple[str, ...]  # `A path`, `M path` or `D path`
    blobs: tuple[str, ...] = ()  # the content of each file; of a removed one, its last content

    @property
    def deleted(self) -> bool:
        """Whether the note is gone in this version."""
        return bool(self.files) and all(line.startswith("D ") for line in self.files)


def log(
    memory_dir: str, *, limit: int = 20, start: str = "", machine: str = "", what: str = ""
) -> list[Version]:
    """The last changes of all notes, newest first; `start` is the first that is given.

    Only those of a machine, or of a kind: `what` is A for added, M for changed, D for deleted.
    """
    first = (resolve(memory_dir, start),) if start else (MAIN,)
    only = ["--fixed-strings", f"--author=@{machine}>"] if machine else []
    if what in ("A", "M", "D"):
        only.append(f"--diff-filter={what}")
    return changes(memory_dir, [f"--max-count={int(limit)}", *only], start=first)


def line_counts(memory_dir: str, commits: Sequence[str]) -> dict[tuple[str, str], tuple[int, int]]:
    """How many lines each of some changes added to which file and removed: by commit and path."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    if not commits:
        return found
    words = ["-c", "core.quotePath=off", "diff-tree", "--stdin", "--root", "-r", "--numstat"]
    given = "".join(f"{commit}\n" for commit in commits).encode()
    commit = ""
    for line in asked(memory_dir, *words, "--no-renames", input=given).decode().splitlines():
        added, tab, rest = line.partition("\t")
        removed, _, path = rest.partition("\t")
        if not tab:
            commit = line
        elif added.isdigit() and removed.isdigit():
            found[commit, path] = (int(added), int(removed))
    return found


def commits(memory_dir: str, *, limit: int) -> list[Version]:
    """The last changes without their files, which are most of the work of a log."""
    return changes(memory_dir, [f"--max-count={int(limit)}"], files=False)


def removals(memory_dir: str, *, start: str = "", among: int) -> tuple[list[Version], str]:
    """The changes that removed files, with only those, and where to continue; empty at the end.

    `among` limits how many changes are examined: each costs as much as its folders are large.
    """
    if is_unborn(memory_dir):
        return [], ""
    first = resolve(memory_dir, start or MAIN)
    after = asked(memory_dir, "rev-list", "--max-count=1", f"--skip={int(among)}", first)
    rest = after.decode().strip()
    until = [f"^{rest}"] if rest else []
    return changes(memory_dir, ["--diff-filter=D"], start=(first, *until)), rest


def index_changes(memory_dir: str) -> None:
    """Let git index, in the background, which change touched which file.

    With that the log of one file looks at its own changes only. Without it, or where it is not
    up to date, git compares the folders of every change.
    """
    if os.path.isdir(os.path.join(memory_dir, ".git")):
        words = ["commit-graph", "write", "--reachable", "--changed-paths", "--split"]
        command.detach(memory_dir, words, settings={"core.commitGraph": "true"})


def resolve(memory_dir: str, revision: str) -> str:
    """The commit for a revision. Raises InvalidInput."""
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise InvalidInput(f"{revision[:80]!r} is not a version.", hint=_HINT)
    words = ["rev-parse", "--quiet", "--verify", f"{revision}^{{commit}}"]
    answer = command.git_in(_checked(memory_dir), words, timeout=_SECONDS)
    if answer.code != 0:
        raise InvalidInput(f"Unknown version {revision}.", hint=_HINT)
    return answer.text


_HINT = "To list the versions of a note:  anamnesis history NOTE"


class NoSuchVersion(AnamnesisError):
    """The note did not exist in this version."""

    def __init__(self, note_id: str, revision: str) -> None:
        super().__init__(f"Note {note_id} is not in version {revision}.", hint=_HINT)


def changes(
    memory_dir: str,
    arguments: Sequence[str],
    *,
    start: Sequence[str] = (MAIN,),
    files: bool = True,
) -> list[Version]:
    """The changes that `git log` gives for some arguments."""
    if is_unborn(memory_dir):
        return []
    shown = ("--raw", "--no-abbrev", "--no-renames") if files else ()
    fields = command.Fields("%H", "%aI", "%ae", "%s")
    words = ["log", fields.format, *shown, "--encoding=UTF-8", "-z", *start, *arguments]
    try:
        printed = asked(memory_dir, "-c", "core.commitGraph=true", *words)
    except AnamnesisError:  # git's index of changes is damaged; it works without it
        printed = asked(memory_dir, *words)
    return [_version(*found) for found in fields.read(printed.decode("utf-8", "replace"))]


def _version(commit: str, at: str, address: str, message: str, rest: str) -> Version:
    fields = [field for field in rest.strip("\n\0").split("\0") if field]
    raw = [fact.split() for fact in fields[::2]]
    files = tuple(f"{fact[4]} {path}" for fact, path in zip(raw, fields[1::2], strict=True))
    blobs = tuple(fact[2] if fact[4] == "D" else fact[3] for fact in raw)
    return Version(commit, at, address.partition("@")[2] or address, message, files, blobs)


def is_unborn(memory_dir: str) -> bool:
    """Whether nothing has been recorded yet."""
    words = ["rev-parse", "--quiet", "--verify", MAIN]
    return command.git_in(_checked(memory_dir), words, timeout=_SECONDS).code != 0


def _checked(memory_dir: str) -> str:
    if not os.path.isdir(os.path.join(memory_dir, ".git")):
        raise NoHistory("This store")
    return memory_dir


def asked(memory_dir: str, *args: str, input: bytes | None = None) -> bytes:
    """What a git command prints about the history. Raises AnamnesisError."""
    finished = command.git_in(_checked(memory_dir), args, timeout=_SECONDS, input=input)
    if finished.code != 0:
        raise AnamnesisError(f"git {' '.join(args)[:60]} failed: {finished.complaint}")
    return finished.out
