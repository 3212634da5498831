"""The git history of the notes."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from anamnesis.git import command
from anamnesis.ground.errors import AnamnesisError, InvalidInput
from anamnesis.sync.plan import JOINED
from anamnesis.sync.repository import one_per_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")
_SECONDS = 30.0
_AT_ONCE = 500  # ids in one command
MAIN = "refs/heads/main"
UPSTREAM = "refs/remotes/origin/main"
_HEARTBEATS = ".machines"
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


def log(memory_dir: str, *, limit: int = 20, start: str = "", machine: str = "") -> list[Version]:
    """The last changes, newest first, without their files, which would take git the longest.

    `start` is the first one to return; with `machine`, only that machine's changes.
    """
    words = ["--fixed-strings", f"--author=@{machine}>"] if machine else []
    skipped = _position(memory_dir, start, words) if start else 0
    found: list[Version] = []
    while len(found) < limit:
        most = [f"--max-count={int(limit)}", f"--skip={skipped}"]
        some = changes(memory_dir, [*most, *words], files=False)
        found += filter(_says_something, some)
        skipped += len(some)
        if len(some) < limit:
            break
    return found[:limit]


def _position(memory_dir: str, revision: str, words: Sequence[str]) -> int:
    """How many changes are listed before one; lines of work that were joined are listed together.

    Raises InvalidInput.
    """
    commit = resolve(memory_dir, revision)
    listed = git_output(memory_dir, "rev-list", *words, MAIN).decode().split()
    if commit not in listed:
        raise InvalidInput(f"Unknown version {revision}.", hint=_HINT)
    return listed.index(commit)


def _says_something(version: Version) -> bool:
    """Whether a change is more than two lines of work becoming one."""
    return not version.message.startswith(JOINED)


def fetched(memory_dir: str) -> list[Version]:
    """The changes that were fetched from the remote but not taken over, without their files."""
    found = changes(memory_dir, (), start=(UPSTREAM, f"^{MAIN}"), files=False)
    return [version for version in found if _says_something(version)]


@dataclass(frozen=True, slots=True)
class Line:
    """One commit, also one that only joins: who made it, and on top of what."""

    commit: str
    machine: str
    parents: tuple[str, ...]


def lines(memory_dir: str, *, limit: int) -> list[Line]:
    """How the latest commits hang together, newest first."""
    if is_unborn(memory_dir):
        return []
    words = ["log", f"--max-count={int(limit)}", "--format=%H %ae %P", MAIN]
    rows = (row.split(" ") for row in git_output(memory_dir, *words).decode().splitlines())
    return [
        Line(commit, address.partition("@")[2] or address, tuple(filter(None, parents)))
        for commit, address, *parents in rows
    ]


def about_notes(memory_dir: str, commits: Sequence[str]) -> set[str]:
    """Those of some changes that touch more than heartbeats of machines.

    Only the top-level folders are compared, each of which has one hash.
    """
    fresh = [commit for commit in commits if commit not in _about_notes]
    if fresh:
        words = ["diff-tree", "--stdin", "--root", "-c", "--name-only", "-z"]
        touched: dict[str, set[str]] = {commit: set() for commit in fresh}
        commit = ""
        for name in _of_commits(memory_dir, words, fresh).split("\0")[:-1]:
            if name in touched:
                commit = name
            else:
                touched[commit].add(name.partition("/")[0])
        for commit, names in touched.items():
            _keep(_about_notes, commit, names != {_HEARTBEATS})
    return {commit for commit in commits if _about_notes.get(commit)}


def of_kind(versions: Iterable[Version], what: str) -> list[Version]:
    """The changes of a kind, each with those files alone.

    `what` is A for those that added files, M for changed and D for deleted ones.
    """
    narrowed = (_narrowed(version, what) for version in versions)
    return [version for version in narrowed if version.files]


def line_counts(memory_dir: str, commits: Sequence[str]) -> dict[tuple[str, str], tuple[int, int]]:
    """How many lines each of some changes added and removed, by commit and path."""
    with _comparing:
        fresh = [commit for commit in commits if commit not in _lines]
        for commit, counts in _counted(memory_dir, fresh).items() if fresh else ():
            _keep(_lines, commit, counts)
    return {
        (commit, path): number
        for commit in commits
        for path, number in _lines.get(commit, {}).items()
    }


def _counted(memory_dir: str, commits: Sequence[str]) -> dict[str, dict[str, tuple[int, int]]]:
    counts: dict[str, dict[str, tuple[int, int]]] = {commit: {} for commit in commits}
    words = [
        *("-c", "core.quotePath=off", "diff-tree", "--stdin", "--root", "-c", "-r", "--numstat"),
        "--no-renames",
    ]
    commit = ""
    for line in _of_commits(memory_dir, words, commits).splitlines():
        added, tab, rest = line.partition("\t")
        removed, _, path = rest.partition("\t")
        if not tab:
            commit = line
        elif added.isdigit() and removed.isdigit():
            counts[commit][path] = (int(added), int(removed))
    return counts


def _of_commits(memory_dir: str, words: Sequence[str], commits: Sequence[str]) -> str:
    """What git prints about some commits, given on its standard input."""
    return git_output(memory_dir, *words, input=one_per_line(commits)).decode()


# What a recorded change did is fixed, and finding it out makes git compare whole folders: 8 ms for
# each change among 50,000 notes. So git is asked once, however often the history is shown.
_versions: dict[str, Version] = {}
_lines: dict[str, dict[str, tuple[int, int]]] = {}
_about_notes: dict[str, bool] = {}
_beginnings: set[str] = set()  # changes that have none before them
_MOST_KEPT = 2_000  # changes; more than anyone looks at
_MOST_FILES = 60_000  # of one change: the first one may have all notes
_comparing = threading.Lock()  # or two requests would make git do the same work twice


def _keep(known: dict[str, T], commit: str, fact: T) -> None:
    if len(known) >= _MOST_KEPT:
        known.clear()
    known[commit] = fact


def unknown(versions: Sequence[Version]) -> list[Version]:
    """Those of some changes whose effect has not been looked up yet, without first commits."""
    known = _versions.keys() | _beginnings
    return [each for each in versions if each.commit not in known]


def with_files(
    memory_dir: str, versions: Sequence[Version], *, first: bool = True
) -> list[Version]:
    """Changes with what each did to which files.

    Unless `first`, a change without a predecessor is left out: it only added files, often all
    notes of a store. A concurrent call waits and then uses the same result.
    """
    with _comparing:
        complete = {
            each.commit: _versions[each.commit] for each in versions if each.commit in _versions
        }
        fresh = [each.commit for each in unknown(versions)]
        for start in range(0, len(fresh), _AT_ONCE):
            some = fresh[start : start + _AT_ONCE]
            compared = changes(memory_dir, ["--no-walk=unsorted", "--min-parents=1"], start=some)
            complete |= {version.commit: version for version in compared}
        _beginnings.update(commit for commit in fresh if commit not in complete)
        listed = [each for each in versions if first or each.commit not in _beginnings]
        for each in listed:
            if each.commit not in complete:
                complete[each.commit] = _beginning(memory_dir, each)
            if each.commit not in _versions and len(complete[each.commit].files) <= _MOST_FILES:
                _keep(_versions, each.commit, complete[each.commit])
    return [complete[each.commit] for each in listed]


def _beginning(memory_dir: str, version: Version) -> Version:
    """A change without one before it, which added all its files: often all notes of a store."""
    printed = git_output(memory_dir, "ls-tree", "-r", "-z", "--full-tree", version.commit)
    listed = [line.partition("\t") for line in printed.decode("utf-8", "replace").split("\0")[:-1]]
    files = tuple(f"A {path}" for _, _, path in listed)
    return replace(version, files=files, blobs=tuple(facts[12:] for facts, _, _ in listed))


def removals(memory_dir: str, *, start: str = "", among: int) -> tuple[list[Version], str]:
    """The changes that removed files, with only those, and where to continue; empty at the end.

    `among` limits how many changes are examined: each costs as much as its folders are large.
    """
    if is_unborn(memory_dir):
        return [], ""
    first = resolve(memory_dir, start or MAIN)
    after = git_output(memory_dir, "rev-list", "--max-count=1", f"--skip={int(among)}", first)
    rest = after.decode().strip()
    until = [f"^{rest}"] if rest else []
    examined = changes(memory_dir, (), start=(first, *until), files=False)
    return of_kind(with_files(memory_dir, examined, first=False), "D"), rest


def _narrowed(version: Version, what: str) -> Version:
    """A change with the files alone that it added, changed or deleted."""
    pairs = zip(version.files, version.blobs, strict=True)
    kept = [(file, blob) for file, blob in pairs if file.startswith(f"{what} ")]
    return replace(version, files=tuple(f for f, _ in kept), blobs=tuple(b for _, b in kept))


def index_changes(memory_dir: str) -> None:
    """Let git index, in the background, which change touched which file.

    With that index, the log of one file visits only its own changes. Without it, or where it is
    out of date, git compares the folders of every change.
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
    first: bool = True,
) -> list[Version]:
    """The changes that `git log` gives for some arguments, of all lines of work that were joined.

    Where two were, the change is what none of them had: a text that was merged.

    Unless `first`, the files of the very first change are left out: it may have added all notes.
    """
    if is_unborn(memory_dir):
        return []
    raw_options = ("--raw", "-c", "--no-abbrev", "--no-renames") if files else ()
    fields = command.Fields("%H", "%aI", "%ae", "%s")
    root = () if first else ("-c", "log.showRoot=false")
    words = [
        *root,
        "log",
        "--full-history",
        fields.format,
        *raw_options,
        "--encoding=UTF-8",
        "-z",
        *start,
        *arguments,
    ]
    try:
        printed = git_output(memory_dir, "-c", "core.commitGraph=true", *words)
    except AnamnesisError:  # git's index of changes is damaged; it works without it
        printed = git_output(memory_dir, *words)
    return [_version(*commit) for commit in fields.read(printed.decode("utf-8", "replace"))]


def _version(commit: str, at: str, address: str, message: str, rest: str) -> Version:
    fields = [field for field in rest.strip("\n\0").split("\0") if field]
    raw = [fact.split() for fact in fields[::2]]  # modes, ids and letters, per parent and after
    letters = [fact[-1][0] if len(set(fact[-1])) == 1 else "M" for fact in raw]
    files = tuple(f"{letter} {path}" for letter, path in zip(letters, fields[1::2], strict=True))
    ids = [fact[len(fact) // 2 : -1] for fact in raw]
    blobs = tuple(i[0] if letter == "D" else i[-1] for i, letter in zip(ids, letters, strict=True))
    return Version(commit, at, address.partition("@")[2] or address, message, files, blobs)


def is_unborn(memory_dir: str) -> bool:
    """Whether nothing has been recorded yet."""
    return not head(memory_dir)


def head(memory_dir: str) -> str:
    """The latest change; empty if nothing has been recorded yet."""
    words = ["rev-parse", "--quiet", "--verify", MAIN]
    answer = command.git_in(_checked(memory_dir), words, timeout=_SECONDS)
    return answer.text if answer.code == 0 else ""


def _checked(memory_dir: str) -> str:
    if not os.path.isdir(os.path.join(memory_dir, ".git")):
        raise NoHistory("This store")
    return memory_dir


def git_output(memory_dir: str, *args: str, input: bytes | None = None) -> bytes:
    """What a git command prints about the history. Raises AnamnesisError."""
    finished = command.git_in(_checked(memory_dir), args, timeout=_SECONDS, input=input)
    if finished.code != 0:
        raise AnamnesisError(f"git {' '.join(args)[:60]} failed: {finished.complaint}")
    return finished.out
