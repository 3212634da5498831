"""What a note said before: read from the git history of its tree."""

from __future__ import annotations

import os
import re

from anamnesis import gitcmd
from anamnesis.errors import AnamnesisError, InvalidInput
from anamnesis.notes.ids import is_valid_id
from anamnesis.notes.tree import MAX_NOTE_BYTES
from anamnesis.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 30.0
_FORMAT = "--format=%x01%H%x02%aI%x02%ae%x02%s%x03"
# What git takes for a commit, and nothing that it could take for an option or a range.
_REVISION = re.compile(r"[0-9A-Za-z][0-9A-Za-z_/.@{}~^-]{0,199}")


class NoHistory(AnamnesisError):
    """There is nothing in git about this yet."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} has no history yet.", hint="A version is recorded by:  anamnesis sync"
        )


@record
class Version:
    """One recorded change."""

    commit: str
    at: str
    machine: str
    message: str
    files: tuple[str, ...]  # `A path`, `M path` or `D path`

    @property
    def deleted(self) -> bool:
        """Whether the note is gone in this version."""
        return bool(self.files) and all(line.startswith("D ") for line in self.files)


def log(memory_dir: str, *, limit: int = 20) -> list[Version]:
    """The last changes of all notes, newest first."""
    return _log(memory_dir, [f"--max-count={int(limit)}"])


def versions(memory_dir: str, note_id: str, *, limit: int = 100) -> list[Version]:
    """The changes of one note, newest first, whatever folder it was in."""
    return _log(memory_dir, [f"--max-count={int(limit)}", "--", *_pathspecs(note_id)])


def text_at(memory_dir: str, note_id: str, revision: str) -> bytes:
    """What a note said in a version."""
    commit = resolve(memory_dir, revision)
    listed = _git(memory_dir, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    for line in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, _, blob, size = facts.split()
        if path.rpartition("/")[2] == f"{note_id}.md" and mode.startswith("100"):
            if int(size) > MAX_NOTE_BYTES:
                raise InvalidInput(f"{path} is larger than 1 MiB in {revision}.")
            return _git(memory_dir, "cat-file", "blob", blob)
    raise NoSuchVersion(note_id, revision)


def resolve(memory_dir: str, revision: str) -> str:
    """The commit that a person means."""
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise InvalidInput(f"{revision[:80]!r} is not a version.", hint=_HINT)
    asked = ["rev-parse", "--quiet", "--verify", f"{revision}^{{commit}}"]
    found = gitcmd.git_in(_checked(memory_dir), asked, timeout=_SECONDS)
    if found.code != 0:
        raise InvalidInput(f"There is no version {revision}.", hint=_HINT)
    return found.text


_HINT = "List the versions of a note with:  anamnesis history NOTE"


class NoSuchVersion(AnamnesisError):
    """The note did not exist in this version."""

    def __init__(self, note_id: str, revision: str) -> None:
        super().__init__(f"Note {note_id} is not in version {revision}.", hint=_HINT)


def _pathspecs(note_id: str) -> list[str]:
    if not is_valid_id(note_id):
        raise InvalidInput(f"{note_id[:80]!r} is not a note id.")
    return [f":(glob)**/{note_id}.md"]


def _log(memory_dir: str, arguments: list[str]) -> list[Version]:
    if _is_unborn(memory_dir):
        return []
    printed = _git(
        memory_dir, "log", _FORMAT, "--name-status", "--no-renames", "--encoding=UTF-8", "-z",
        "refs/heads/main", *arguments,
    )  # fmt: skip
    return list(_versions(printed.decode("utf-8", "replace")))


def _versions(printed: str) -> Iterator[Version]:
    for entry in printed.split("\x01")[1:]:
        head, _, rest = entry.partition("\x03")
        commit, at, address, message = head.split("\x02")
        fields = rest.strip("\n\0").split("\0")
        pairs = zip(fields[::2], fields[1::2], strict=False)
        files = tuple(f"{letter.strip()} {path}" for letter, path in pairs)
        yield Version(commit, at, address.partition("@")[2] or address, message, files)


def _is_unborn(memory_dir: str) -> bool:
    asked = ["rev-parse", "--quiet", "--verify", "refs/heads/main"]
    return gitcmd.git_in(_checked(memory_dir), asked, timeout=_SECONDS).code != 0


def _checked(memory_dir: str) -> str:
    if not os.path.isdir(os.path.join(memory_dir, ".git")):
        raise NoHistory("This store")
    return memory_dir


def _git(memory_dir: str, *args: str) -> bytes:
    finished = gitcmd.git_in(_checked(memory_dir), args, timeout=_SECONDS)
    if finished.code != 0:
        raise AnamnesisError(f"git {args[0]} failed: {finished.complaint}")
    return finished.out
