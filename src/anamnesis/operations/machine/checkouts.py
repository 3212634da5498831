"""What is learned of this machine's repositories while nobody waits: `<home>/state/checkouts.json`.

One record for each directory: the project's key, its first commit, the keys it had before, and
which branches were never merged. A hook reads it and asks git nothing.
"""

from __future__ import annotations

import os

from anamnesis.aliases import names_of
from anamnesis.git.config import Repository, find_repository
from anamnesis.ground.errors import AnamnesisError, NotWritable, StoreBusy
from anamnesis.ground.records import record
from anamnesis.project import key_without_markers, repository_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from anamnesis.config import Home

_FILE = "checkouts.json"
_SECONDS = 20.0
_MOST_KEYS = 10  # of one directory; one that had more is a place for tries
_MOST_BRANCHES = 500


@record
class Checkout:
    """What is known of a repository."""

    key: str = ""
    first: str = ""  # the id of its first commit
    earlier: tuple[str, ...] = ()  # keys that it had before, the latest first
    unmerged: tuple[str, ...] = ()  # branches with commits that the main branch has not


def known(home: Home, directory: str) -> Checkout:
    """What was learned of the repository of a directory; empty if that is nothing."""
    records = home.state_file(_FILE).record()
    repository = find_repository(os.path.abspath(directory)) if records else None
    return _checkout(records, repository) if repository else Checkout()


def names_before(home: Home, directory: str) -> list[str]:
    """What the repository of a directory was called before, as far as that is not decided yet."""
    learned = known(home, directory)
    if not learned.earlier or learned.key != key_without_markers(directory):
        return []
    from anamnesis import consent  # few repositories move

    declined = consent.declined(home, repository_of(directory))
    decided = {*names_of(home, learned.key), *declined}
    return [each for each in learned.earlier if each not in decided]


def learn(home: Home, directory: str) -> None:
    """Ask git about the repository of a directory. Not for hooks: this starts processes.

    What cannot be saved now is learned by the next command or session.
    """
    repository = find_repository(os.path.abspath(directory))
    if repository is None:
        return
    key, first, unmerged = (
        key_without_markers(directory),
        _first_commit(repository),
        _unmerged(repository),
    )

    def changed(records: dict[str, Any]) -> dict[str, Any]:
        before = _checkout(records, repository)
        earlier: tuple[str, ...] = ()
        if first and before.first == first:  # the same repository as last time
            keys = dict.fromkeys([before.key, *before.earlier])
            earlier = tuple(each for each in keys if each != key)[:_MOST_KEYS]
        value = {"key": key, "first": first, "earlier": list(earlier), "unmerged": unmerged}
        return {**records, _place(repository): value}

    try:
        home.state_file(_FILE).change(changed)
    except (NotWritable, StoreBusy):
        return


def _first_commit(repository: Repository) -> str:
    """The id of the oldest commit; empty if that is unknown."""
    if os.path.exists(os.path.join(repository.common, "shallow")):
        return ""
    lines = _ask(repository, "rev-list", "--max-parents=0", "HEAD")
    return lines[-1] if lines else ""


def _unmerged(repository: Repository) -> list[str]:
    """The branches that have commits which the main branch has not."""
    heads = _ask(
        repository, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes/origin"
    )
    usual = ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "refs/heads/trunk")
    main = next((each for each in usual if each in heads), "")
    if not main:
        return []
    refs = _ask(
        repository, "for-each-ref", f"--no-merged={main}", "--format=%(refname)",
        "refs/heads", "refs/remotes/origin",
    )  # fmt: skip
    names = (ref.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/") for ref in refs)
    return list(dict.fromkeys(names))[:_MOST_BRANCHES]


def _ask(repository: Repository, *words: str) -> list[str]:
    from anamnesis.git.command import git_in

    try:
        finished = git_in(repository.top, words, timeout=_SECONDS)
    except (AnamnesisError, OSError):
        return []  # without git, nothing is learned
    return finished.text.split("\n") if finished.code == 0 and finished.text else []


def _place(repository: Repository) -> str:
    """What all worktrees of a repository have in common."""
    return os.path.realpath(repository.common)


def _checkout(records: Mapping[str, Any], repository: Repository) -> Checkout:
    value = records.get(_place(repository))
    if not isinstance(value, dict):
        return Checkout()
    return Checkout(
        str(value.get("key", "")), str(value.get("first", "")),
        _texts(value.get("earlier")), _texts(value.get("unmerged")),
    )  # fmt: skip


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
