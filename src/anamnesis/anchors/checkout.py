"""The files of a checkout and of its commits, as anchors ask for them."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from anamnesis.anchors.anchor import is_inside
from anamnesis.anchors.source import LARGEST, readable
from anamnesis.git.command import git
from anamnesis.ground.errors import AnamnesisError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SECONDS = 20.0
_MOST_COMMITS = 2_000  # that are looked through for renames
_MOST_BRANCHES = 20  # that may be checked out next
_MOST_CHANGES = 40  # commits of one file that are looked through for the one that changed a block
_MOST_NAMES = 50  # that one run of git looks for
_HIT = re.compile(r"([^\0]+)\0([^\n]*)\n")  # a file and a word in it, as `git grep -z -o` prints
# Nothing of the repository's own configuration may run.
_CALM = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "color.ui=false",
         "-c", "core.quotePath=false", "-c", "log.showSignature=false")  # fmt: skip


class Checkout:
    """A repository as it lies on disk (`commit` is then HEAD), or as one of its commits has it."""

    def __init__(self, top: str, *, at: str = "") -> None:
        self.top, self._at = top, at
        self.commit = self._ask("rev-parse", "--verify", "--quiet", at or "HEAD").strip()[:12]
        self._names: list[str] | None = None
        self._texts: dict[tuple[str, str], str | None] = {}
        self._renames: dict[str, dict[str, str]] = {}
        self._holders: dict[str, list[str]] = {}
        self._expected: list[str] = []
        self._changes: dict[tuple[str, str], list[tuple[str, str]]] = {}

    def read(self, path: str) -> str | None:
        """A file's text; None if there is none, or if it is no text."""
        if self._at:
            return self.text_at(self._at, path)
        if not is_inside(path):
            return None
        try:
            place = os.path.realpath(os.path.join(self.top, path))
            if place != os.path.join(os.path.realpath(self.top), os.path.normpath(path)):
                return None  # a symbolic link, which may lead out of the repository
            if not os.path.isfile(place) or os.path.getsize(place) > LARGEST:
                return None
            with open(place, "rb") as stream:
                return readable(stream.read())
        except (OSError, ValueError):
            return None

    def find(self, name: str) -> list[str]:
        """The tracked files whose path ends like this one."""
        if self._names is None:
            words = (
                ["ls-tree", "-r", "--name-only", "-z", self._at] if self._at else ["ls-files", "-z"]
            )
            self._names = [each for each in self._ask(*words).split("\0") if each]
        return [each for each in self._names if each == name or each.endswith(f"/{name}")]

    def text_at(self, commit: str, path: str) -> str | None:
        """What a file said at a commit; None if it was not there, or nobody knows."""
        key = commit, path
        if key not in self._texts:
            finished = self._run("cat-file", "blob", f"{commit}:{path}") if commit else None
            found = finished is not None and finished[0] == 0
            self._texts[key] = readable(finished[1]) if finished and found else None
        return self._texts[key]

    def renamed(self, commit: str, path: str) -> str:
        """What a file of that commit is called now; empty if it was not renamed."""
        if commit not in self._renames:
            self._renames[commit] = self._all_renames(commit)
        return self._renames[commit].get(path, "")

    def _all_renames(self, commit: str) -> dict[str, str]:
        """Each renamed file's name now: commit by commit, and what is not committed yet."""
        words = ["--no-ext-diff", "-M", "--diff-filter=R", "--name-status", "-z"]
        span = f"{commit}..{self._at or 'HEAD'}"
        steps = self._ask("log", *words, "--format=", "--reverse", f"-n{_MOST_COMMITS}", span)
        fields = steps.replace("\n", "").split("\0")
        if not self._at:
            fields[-1:] = self._ask("diff", *words, "HEAD").split("\0")
        now: dict[str, str] = {}
        before: dict[str, str] = {}  # the name now -> the name then
        for old, new in zip(fields[1::3], fields[2::3], strict=False):
            first = before.pop(old, old)
            now[first], before[new] = new, first
        return now

    def holders(self, name: str) -> list[str]:
        """The tracked files that have a word."""
        if name not in self._holders:
            names = [name, *(each for each in self._expected if each not in self._holders)]
            self._expected = names[_MOST_NAMES:]
            self._look_for(dict.fromkeys(names[:_MOST_NAMES]))
        return self._holders[name]

    def expect(self, names: Iterable[str]) -> None:
        """Look for these names, too, once one is looked for: git reads all files each time."""
        self._expected = list(dict.fromkeys(names))

    def _look_for(self, names: Iterable[str]) -> None:
        found: dict[str, dict[str, None]] = {name: {} for name in names}
        words = ["grep", "-o", "-z", "-I", "-w", "-F", *(f"-e{name}" for name in found)]
        prefix = f"{self._at}:" if self._at else ""
        lines = self._ask(*words, *([self._at] if self._at else []), "--")
        for path, name in _HIT.findall(lines):
            if name in found:
                found[name][path.removeprefix(prefix)] = None
        self._holders |= {name: list(paths) for name, paths in found.items()}

    def fork_of(self, base: str) -> str:
        """The commit at which this line of work left another; empty if git knows none."""
        if base.startswith("-"):
            return ""
        return self._ask("merge-base", base, self._at or "HEAD").strip()

    def not_contained(self, commits: Sequence[str]) -> dict[str, set[str]]:
        """For what is checked out and each branch: which of these commits it does not contain."""
        if not commits:
            return {}
        words = ["for-each-ref", f"--count={_MOST_BRANCHES}", "--sort=-committerdate"]
        tips = self._ask(*words, "--format=%(objectname)", "refs/heads").split()
        asked = "\n".join(commits).encode()
        lines = self._ask("cat-file", "--batch-check=%(objectname) %(objecttype)", input=asked)
        full = [line.partition(" ") for line in lines.splitlines()]
        pairs = zip(commits, full, strict=False)
        known = {each: id for each, (id, _, kind) in pairs if kind == "commit"}
        there, head_now = list(known.values()), self._ask("rev-parse", "HEAD").split()
        found = {}
        for head in dict.fromkeys([*head_now, *tips]):
            beyond = set(self._ask("rev-list", *there, "--not", head).split()) if there else set()
            found[head] = {each for each in commits if known.get(each, "") in ("", *beyond)}
        return found

    def changes(self, commit: str, path: str) -> list[tuple[str, str]]:
        """Commits that touched a file since that commit: id and time, the latest first."""
        key = commit, path
        if key not in self._changes:
            words = [
                "log",
                f"-n{_MOST_CHANGES}",
                "--format=%h %cI",
                f"{commit}..{self._at or 'HEAD'}",
            ]
            lines = self._ask(*words, "--", path).splitlines() if commit else []
            self._changes[key] = [tuple(line.split(" ", 1)) for line in lines]  # type: ignore[misc]
        return self._changes[key]

    def _ask(self, *words: str, input: bytes | None = None) -> str:
        """What git prints; nothing where it fails."""
        finished = self._run(*words, input=input)
        return finished[1].decode("utf-8", "replace") if finished and finished[0] in (0, 1) else ""

    def _run(self, *words: str, input: bytes | None = None) -> tuple[int, bytes] | None:
        try:
            finished = git([*_CALM, *words], cwd=self.top, timeout=_SECONDS, input=input)
        except (AnamnesisError, OSError, ValueError):
            return None
        return finished.code, finished.out
