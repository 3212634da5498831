"""Removing notes from the whole history, and following a history that was purged elsewhere.

A purge rewrites every commit without the notes and ends with a commit that says so. A machine that
finds this mark on the other side of a fork does not merge its old history back in: the base is what
it last had in common with the others, and only its own later changes go on top.
"""

from __future__ import annotations

import os

from anamnesis.git import command
from anamnesis.git.command import git
from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import record, replace
from anamnesis.notes import tree
from anamnesis.notes.fields import names_an_id
from anamnesis.notes.frontmatter import note_in
from anamnesis.sync import recovery
from anamnesis.sync.plan import NewCommit, Step, forgotten_ids
from anamnesis.sync.repository import (
    GRAFTS,
    MAIN,
    OUTGOING,
    SECONDS,
    UPSTREAM,
    SyncFailed,
    one_per_line,
    read_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from anamnesis.config import Home
    from anamnesis.notes.fields import NoteId
    from anamnesis.sync import remote
    from anamnesis.sync.plan import Change, Identity
    from anamnesis.sync.repository import Repository

MARK = "History-Purged:"
PURGED = "refs/anamnesis/purged"
# By force: a recent sync may have left a gc running that keeps what it found.
_CLEAR = ("gc", "--quiet", "--force", "--prune=now")
# Others may be pushing there: younger objects may belong to a push under way.
_CLEAR_REMOTE = ("gc", "--quiet", "--prune=10.minutes.ago")


class PurgeRefused(AnamnesisError):
    """The history cannot be rewritten now; nothing was changed."""

    def __init__(self, why: str, *, hint: str = "") -> None:
        super().__init__(f"The history was not rewritten: {why}.", hint=hint)


class PurgeRaced(PurgeRefused):
    """Another machine was faster; it may work after another sync."""


@record
class Purged:
    """What a purge did."""

    texts: int = 0  # versions that are gone from the history
    cleared: bool = True  # whether git's copies of them are gone from this disk
    remote_cleared: bool = True  # whether the remote's own copies of them are gone too
    other_refs: tuple[str, ...] = ()  # made by hand, here; they may still name old commits


def purge(
    repository: Repository, ids: Container[NoteId], *, identity: Identity, url: str | None,
    transport: remote.Transport | None, is_unwanted: Callable[[bytes], bool] | None = None,
) -> Purged:  # fmt: skip
    """Rewrite the history without some notes that were removed, first at the remote, then here.

    Earlier versions of other notes, and notes that were deleted, go too if they are unwanted.
    Killed after the push, this machine follows at its next sync like any other.

    Raises PurgeRefused, PurgeRaced or SyncFailed.
    """
    tip = repository.resolve(MAIN)
    if tip is None:
        return Purged()
    if transport is not None and repository.resolve(UPSTREAM) != tip:
        raise PurgeRaced("not everything is synced", hint="Run first:  anamnesis sync")
    unwanted = set(_texts_of(repository, tip, ids))
    if is_unwanted is not None:
        unwanted |= set(_earlier_texts(repository, tip, is_unwanted))
    if not unwanted:
        before = remembered(repository)
        return _cleared(repository, before, before, url)
    remember(repository, unwanted)
    new = _rewritten(repository, tip, unwanted, identity=identity)
    gone_there = unwanted
    if transport is not None:
        pushed = transport.replace(new)
        if pushed.trouble:
            kind = PurgeRaced if pushed.raced else PurgeRefused
            raise kind(pushed.trouble.message, hint=pushed.trouble.hint)
        repository.ask("update-ref", "-m", "anamnesis: purge", UPSTREAM, new)
        gone_there = set(pushed.replaced) or unwanted
    if not repository.move_main(new, old=tip):
        raise SyncFailed("moving main", "another git process moved it meanwhile")
    purged = _cleared(repository, unwanted, gone_there, url)
    return replace(purged, texts=len(unwanted))


def _cleared(
    repository: Repository, gone: set[str], gone_there: set[str], url: str | None
) -> Purged:
    """Remove git's own copies; also after a purge that was killed before it got here.

    Raises SyncFailed where a ref of ours still names them; running the command again resumes here.
    """
    others = forget_past(repository)
    undeletable = [ref for ref in others if ref in (OUTGOING, PURGED) or ref.startswith(GRAFTS)]
    if undeletable:
        raise SyncFailed("removing the old history", f"{', '.join(undeletable)} cannot be deleted")
    return Purged(
        cleared=not _still_there(repository, gone),
        remote_cleared=url is None or clear_remote(url, gone_there),
        other_refs=tuple(others),
    )


def remember(repository: Repository, texts: Iterable[str]) -> None:
    """Record the ids of purged texts, not their content, to notice one that comes back."""
    known = remembered(repository) | set(texts)
    atomic.write_text(_list_of_purged(repository), "".join(f"{oid}\n" for oid in sorted(known)))


def remembered(repository: Repository) -> set[str]:
    """The ids of the texts that this machine purged."""
    return set(read_text(_list_of_purged(repository)).split())


def returned(repository: Repository) -> bool:
    """Whether a purged text is in the history again, pushed by a machine with an older version."""
    known = remembered(repository)
    if not known or not _still_there(repository, known):
        return False
    reached = repository.ask("rev-list", "--objects", "--no-object-names", MAIN).decode()
    return not known.isdisjoint(reached.split())


def _list_of_purged(repository: Repository) -> str:
    return os.path.join(repository.own, "purged")


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
    mark = NewCommit(signature, f"{identity.message()}\n\n{MARK} {tip}", {})
    new = repository.commit(PURGED, plain, [mark], committer=signature)
    _require_equal(repository, tip, new, unwanted)
    return new


def follow(repository: Repository, *, home: Home) -> None:
    """Forget the past after a purge elsewhere; the index may have words of it until a burial."""
    tree.note_burial(home, tree.NEVER)
    forget_past(repository)


def forget_past(repository: Repository) -> list[str]:
    """Remove every unreachable commit; returns the other refs, which may name old ones."""
    import shutil

    grafts = repository.git("for-each-ref", "--format=%(refname)", GRAFTS).text.split()
    for ref in (OUTGOING, PURGED, *grafts):
        repository.git("update-ref", "-d", ref)
    repository.refresh_index(())
    shutil.rmtree(os.path.join(repository.own, "set-aside"), ignore_errors=True)
    recovery.free_gc_locks(repository.directory)
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git(*_CLEAR)
    listed = repository.git("for-each-ref", "--format=%(refname)").text.splitlines()
    return [ref for ref in listed if ref not in (MAIN, UPSTREAM)]


def clear_remote(url: str, texts: Iterable[str]) -> bool:
    """Remove the old commits from a remote on this disk; False if they may still be there."""
    if not os.path.isdir(url):
        return False
    recovery.free_gc_locks(url)
    for words in (("reflog", "expire", "--expire=now", "--all"), _CLEAR_REMOTE):
        git(words, cwd=url, timeout=SECONDS)
    words = ("cat-file", "--batch-check", "--buffer")
    answer = git(words, cwd=url, timeout=SECONDS, input=one_per_line(texts))
    return answer.code == 0 and _all_missing(answer.out)


def _still_there(repository: Repository, texts: Iterable[str]) -> bool:
    answer = repository.ask("cat-file", "--batch-check", "--buffer", input=one_per_line(texts))
    return not _all_missing(answer)


def _all_missing(answer: bytes) -> bool:
    return all(line.endswith(b" missing") for line in answer.splitlines())


def is_purged(repository: Repository, other: str, *, since: str | None) -> bool:
    """Whether a line of history, since it left ours, says that it was purged."""
    reach = f"{since}..{other}" if since else other
    return bool(repository.ask("log", "-1", "--format=%H", f"--grep=^{MARK} ", reach))


def sides(repository: Repository, ours: str, other: str) -> set[str]:
    """Which of two lines of history, since they parted, say that they were purged."""
    words = ("log", "--left-right", "--format=%m", f"--grep=^{MARK} ", f"{ours}...{other}")
    marks = repository.ask(*words).decode().split()
    return {line for sign, line in (("<", ours), (">", other)) if sign in marks}


def bases(repository: Repository, ours: str, other: str) -> tuple[str, ...]:
    """Our newest commits that the other line has too, where one of the two was purged.

    A purge gives a commit another id, but leaves who made it, when, and what it says. Of several
    that are alike in that, the first of one line is the first of the other.
    """
    there: dict[str, int] = {}
    for _, _, who in _signed(repository, other):
        there[who] = there.get(who, 0) + 1
    shared: dict[str, list[str]] = {}
    for commit, parents, who in _signed(repository, ours):
        there[who] = there.get(who, 0) - 1
        if there[who] >= 0:
            shared[commit] = parents
    older = {parent for parents in shared.values() for parent in parents}
    return tuple(sorted(shared.keys() - older))


def _signed(repository: Repository, line: str) -> Iterator[tuple[str, list[str], str]]:
    """The commits of a line, oldest first: the id, the parents, and all that a purge keeps."""
    fields = command.Fields("%H", "%P", "%an %ae %at %cn %ce %ct", "%B")
    words = ("log", "--topo-order", "--reverse", fields.format, line)
    printed = repository.ask(*words).decode("utf-8", "surrogateescape")
    for commit, parents, who, message, _ in fields.read(printed):
        yield commit, parents.split(), f"{who}\n{message}"


def own_steps(
    repository: Repository, ours: str, base: str | None, identity: Identity
) -> Sequence[Step]:
    """Our commits since the base; where lines were joined since, they become one."""
    distance = repository.distance(ours, base) if base else None
    if distance and distance.ahead and distance.linear and distance.base == base:
        return repository.steps(distance.ahead)
    changes = tuple(repository.diff(base, ours))
    return [Step(identity.signature(), identity.message(), changes)]


def without_forgotten(repository: Repository, steps: Sequence[Step], other: str) -> list[Step]:
    """Our commits without notes that are forgotten on the other side: they stay forgotten."""
    gone = forgotten_ids(repository.files(other))
    changes = [change for step in steps for change in step.changes]
    texts = [(change.after, change.path) for change in changes if change.after]
    unwanted = set(forgotten_texts(repository, texts, gone))

    def stays(change: Change) -> bool:
        return change.after is None or change.after not in unwanted

    return [replace(step, changes=tuple(filter(stays, step.changes))) for step in steps]


def _texts_of(repository: Repository, tip: str, ids: Container[NoteId]) -> Iterator[str]:
    """Every text in a history that is one of the notes, by its name or by what it says."""
    return forgotten_texts(repository, _all_texts(repository, tip), ids)


def _earlier_texts(
    repository: Repository, tip: str, is_unwanted: Callable[[bytes], bool]
) -> Iterator[str]:
    """The unwanted texts in a history that its last state does not have."""
    current = set(repository.files(tip).values())
    earlier = [oid for oid, _ in _all_texts(repository, tip) if oid not in current]
    for start in range(0, len(earlier), _BATCH):
        contents = repository.contents(earlier[start : start + _BATCH], limit=_LARGEST)
        yield from (oid for oid, data in contents.items() if is_unwanted(data))


def _all_texts(repository: Repository, tip: str) -> list[tuple[str, str]]:
    """Every text in a history, with a path that it had."""
    listed = repository.ask("rev-list", "--objects", tip).decode("utf-8", "surrogateescape")
    rows = (line.split(" ", 1) for line in listed.splitlines())
    return [(row[0], row[1]) for row in rows if len(row) == 2 and row[1].endswith(".md")]


def _without(stream: bytes, unwanted: Container[bytes]) -> Iterator[bytes]:
    """What `git fast-export` printed, with a deletion in place of every unwanted text."""
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
        raise SyncFailed("rewriting the history", "it would still hold what is to be removed")


_LARGEST = 16 * 1024 * 1024
_BATCH = 5_000  # texts that are read at once


def forgotten_texts(
    repository: Repository, candidates: Iterable[tuple[str, str]], gone: Container[str]
) -> Iterator[str]:
    """Those of some texts, each with its path, that belong to one of the notes.

    A file's name says which note it is or, if it was named by hand, its front matter does.
    """
    unsure = []
    for oid, path in candidates:
        if path.rpartition("/")[2].removesuffix(".md") in gone:
            yield oid
        elif not names_an_id(path):
            unsure.append(oid)
    for start in range(0, len(unsure), _BATCH):
        contents = repository.contents(unsure[start : start + _BATCH], limit=_LARGEST)
        notes = ((oid, note_in(data)) for oid, data in contents.items())
        yield from (oid for oid, note in notes if note is not None and note.id in gone)
