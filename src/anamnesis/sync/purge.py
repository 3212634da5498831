"""Taking notes out of the whole history, and following a history that was purged elsewhere.

A purge writes every commit again without the notes and ends with a commit that says so. A machine
that meets this mark on the other side of a fork does not merge its own past back in: it takes
what it last had in common with the others for the base, and puts only its own later changes on top.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.git.command import git
from anamnesis.ground.errors import AnamnesisError
from anamnesis.sync import forgotten, remote
from anamnesis.sync.plan import Replayed
from anamnesis.sync.repository import (
    MAIN,
    OUTGOING,
    SECONDS,
    UPSTREAM,
    Distance,
    SyncFailed,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from anamnesis.sync.identity import Identity
    from anamnesis.sync.plan import Change, Step
    from anamnesis.sync.repository import Repository

MARK = "History-Purged:"
PURGED = "refs/anamnesis/purged"
# By force: a sync of a moment ago may have left one at work that keeps what it found.
_CLEAR = ("gc", "--quiet", "--force", "--prune=now")
_RECENT = 50  # earlier positions of the remote that are tried as the common past


class PurgeRefused(AnamnesisError):
    """The history cannot be rewritten now; nothing was changed."""

    def __init__(self, why: str, *, hint: str = "") -> None:
        super().__init__(f"The history was not rewritten: {why}.", hint=hint)


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge did."""

    texts: int = 0  # versions that are gone from the history
    cleared: bool = True  # whether git's copies of them are gone from this disk
    remote_cleared: bool = True  # whether the remote's own copies of them are gone too
    other_refs: tuple[str, ...] = ()  # of a person's, here; they may still name old commits


def purge(
    repository: Repository, ids: Container[str], *, identity: Identity, url: str | None,
    seconds: float,
) -> Purged:  # fmt: skip
    """Rewrite the history without some notes that were removed, first at the remote, then here.

    Killed after the push, this machine follows at its next sync like every other one.
    """
    tip = repository.resolve(MAIN)
    if tip is None:
        return Purged()
    if url is not None and repository.resolve(UPSTREAM) != tip:
        raise PurgeRefused("not everything is synced", hint="Run first:  anamnesis sync")
    unwanted = set(_texts_of(repository, tip, ids))
    if not unwanted:
        return Purged()
    new = _rewritten(repository, tip, unwanted, identity=identity)
    if url is not None:
        pushed = remote.replace_history(repository, new, old=tip, url=url, seconds=seconds)
        if pushed.trouble:
            raise PurgeRefused(pushed.trouble.message, hint=pushed.trouble.hint)
        repository.ask("update-ref", "-m", "anamnesis: purge", UPSTREAM, new)
    if not repository.move_main(new, old=tip):
        raise SyncFailed("moving main", "another git process moved it meanwhile")
    others = forget_past(repository)
    return Purged(
        texts=len(unwanted),
        cleared=not _still_there(repository, unwanted),
        remote_cleared=url is None or _clear_remote(url),
        other_refs=tuple(others),
    )


def _rewritten(repository: Repository, tip: str, unwanted: set[str], *, identity: Identity) -> str:
    """The tip of a history that never held some texts; its last files must be the same."""
    stream = repository.ask(
        "fast-export", "--no-data", "--reencode=no", "--signed-tags=strip", "--use-done-feature",
        f"--refspec={MAIN}:{PURGED}", MAIN,
    )  # fmt: skip
    filtered = b"".join(_without(stream, {oid.encode() for oid in unwanted}))
    repository.git("update-ref", "-d", PURGED)
    repository.ask("fast-import", "--quiet", "--done", "--force", input=filtered)
    plain = repository.resolve(PURGED)
    signature = identity.signature()
    mark = Replayed(signature, f"{identity.message()}\n\n{MARK} {tip}", {})
    new = repository.commit(PURGED, plain, [mark], committer=signature)
    _require_equal(repository, tip, new, unwanted)
    return new


def forget_past(repository: Repository) -> list[str]:
    """Remove every commit that no ref names; gives the refs of a person that may name old ones."""
    for ref in (OUTGOING, PURGED):
        repository.git("update-ref", "-d", ref)
    repository.refresh_index(())
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git(*_CLEAR)
    listed = repository.git("for-each-ref", "--format=%(refname)").text.splitlines()
    return [ref for ref in listed if ref not in (MAIN, UPSTREAM)]


def _clear_remote(url: str) -> bool:
    """Remove the old commits from a remote on this disk; False if it is elsewhere."""
    if not os.path.isdir(url):
        return False
    steps = (("reflog", "expire", "--expire=now", "--all"), _CLEAR)
    return all(git(words, cwd=url, timeout=SECONDS).code == 0 for words in steps)


def _still_there(repository: Repository, texts: Iterable[str]) -> bool:
    asked = "".join(f"{oid}\n" for oid in texts).encode()
    said = repository.ask("cat-file", "--batch-check", "--buffer", input=asked)
    return any(not line.endswith(b" missing") for line in said.splitlines())


def is_purged(repository: Repository, other: str, *, since: str | None) -> bool:
    """Whether a line of history, since it left ours, says that it was purged."""
    reach = f"{since}..{other}" if since else other
    return bool(repository.ask("log", "-1", "--format=%H", f"--grep=^{MARK} ", reach))


def own_part(repository: Repository, ours: str, *, behind: int) -> Distance:
    """What only we have: all since the last state of the remote that we took over."""
    for known in _positions(repository):
        inside = repository.git("merge-base", "--is-ancestor", known, ours)
        if inside.code == 0:
            return replace(repository.distance(ours, known), behind=behind, base=known)
    # Nothing in common is known: our files as they are now, and nothing of our past.
    return Distance((), behind, None, linear=False)


def without_forgotten(repository: Repository, steps: Sequence[Step], other: str) -> list[Step]:
    """Our commits without notes that are forgotten on the other side: they stay forgotten."""
    gone = forgotten.ids(repository.files(other))
    changes = [change for step in steps for change in step.changes]
    texts = [(change.after, change.path) for change in changes if change.after]
    unwanted = set(forgotten.texts(repository, texts, gone))

    def stays(change: Change) -> bool:
        return change.after is None or change.after not in unwanted

    return [replace(step, changes=tuple(filter(stays, step.changes))) for step in steps]


def _texts_of(repository: Repository, tip: str, ids: Container[str]) -> Iterator[str]:
    """Every text in a history that is one of the notes, by its name or by what it says."""
    listed = repository.ask("rev-list", "--objects", tip).decode("utf-8", "surrogateescape")
    rows = (line.split(" ", 1) for line in listed.splitlines())
    texts = [(row[0], row[1]) for row in rows if len(row) == 2 and row[1].endswith(".md")]
    return forgotten.texts(repository, texts, ids)


def _without(stream: bytes, unwanted: Container[bytes]) -> Iterator[bytes]:
    """What `git fast-export` said, with a deletion in place of every unwanted text."""
    position = 0
    while position < len(stream):
        end = stream.index(b"\n", position) + 1
        line = stream[position:end]
        if line.startswith(b"data "):
            end += int(line[5:])
            line = stream[position:end]
        elif line.startswith(b"M ") and (words := line.split(b" ", 3))[2] in unwanted:
            line = b"D " + words[3]
        yield line
        position = end


def _require_equal(repository: Repository, old: str, new: str, unwanted: set[str]) -> None:
    trees = [repository.ask("rev-parse", f"{commit}^{{tree}}") for commit in (old, new)]
    if trees[0] != trees[1]:
        raise SyncFailed("rewriting the history", "its last state would not be the same")
    reached = repository.ask("rev-list", "--objects", new).decode("utf-8", "surrogateescape")
    if unwanted & {line[: len(new)] for line in reached.splitlines()}:
        raise SyncFailed("rewriting the history", "it would still hold what shall go")


def _positions(repository: Repository) -> Iterable[str]:
    """Where the remote was, newest first, as git recorded it."""
    now = repository.resolve(UPSTREAM)
    before = repository.positions(UPSTREAM, most=_RECENT)
    return filter(repository.has_commit, dict.fromkeys([*([now] if now else []), *before]))
