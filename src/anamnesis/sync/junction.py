"""One history out of two: a merge commit whose tree is decided in memory.

Local commits stay as they are. The parents of the merge say who had read what, and each file that
both lines changed is merged once, from what it was where they parted. Where a history was purged,
or shares no commit with ours, ids say nothing: there, our own changes go on top of the other one.
"""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.sync.plan import NewCommit, join, replay, three_way
from anamnesis.sync.repository import OUTGOING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.sync.merge import Merged
    from anamnesis.sync.plan import Change, Clash, Identity, Joined, Step
    from anamnesis.sync.repository import Distance, Repository

MAX_MERGE_BYTES = 16 * 1024 * 1024  # no note written by hand is that large
_NOBODY = "anamnesis <anamnesis@base> 0 +0000"  # signs a commit that is never sent


@record
class Integration:
    """One history out of two: the commit to go to, and the parts that only you can decide."""

    commit: str
    clashes: tuple[Clash, ...] = ()
    pulled: int = 0
    other: str = ""  # the commit that has the other side of the clashes


class Junction:
    """Joins two lines of work, as often as a race asks for it."""

    def __init__(self, repository: Repository, identity: Identity) -> None:
        self._repository = repository
        self._identity = identity
        self._contents = _Contents(repository)
        self._merged: dict[tuple[bytes | None, bytes, bytes], Merged] = {}

    def base(self, bases: Sequence[str]) -> str | None:
        """What two lines come from; several commits, as copied disks make them, become one.

        The same one on every machine: it is made of the commits alone.
        """
        if not bases:
            return None
        first, *rest = bases
        for each in rest:
            first = self._common(first, each)
        return first

    def _common(self, one: str, other: str) -> str:
        before = self.base(self._repository.distance(one, other).bases)
        joined = self._joined(before, one, self._repository.diff(before, other))
        # A part that the two disagree on is as it was before: then neither side's counts as read.
        undecided = {clash.path: self._undecided(clash) for clash in joined.clashes}
        step = NewCommit(_NOBODY, "what both sides had", {**joined.writes, **undecided})
        return self._repository.commit(OUTGOING, other, [step], committer=_NOBODY, joins=one)

    def _undecided(self, clash: Clash) -> bytes | None:
        base = None if clash.base is None else self._contents(clash.base)
        if clash.mine is None or clash.theirs is None:
            return base
        merged = self._merge(base, self._contents(clash.mine), self._contents(clash.theirs))
        return merged.apart.base if merged.apart else merged.data

    def join(
        self, ours: str, other: str, distance: Distance, *, base: str | None,
        theirs: Sequence[Change],
    ) -> Integration:  # fmt: skip
        """A merge of both lines, with the other one as its first parent."""
        joined = self._joined(base, ours, theirs)
        signature = self._identity.signature()
        has_news = any(isinstance(written, bytes) for written in joined.writes.values())
        message = self._identity.message() if has_news else self._identity.joined()
        step = NewCommit(signature, message, joined.writes)
        commit = self._repository.commit(OUTGOING, other, [step], committer=signature, joins=ours)
        return self._integration(commit, joined, other, distance)

    def clashes(self, ours: str, other: str) -> tuple[Clash, ...]:
        """What a merge of ours, which was sent and then killed, left to be held here.

        Nobody else holds it: for all others, what the merge has is the next version.
        """
        base = self.base(self._repository.distance(ours, other).bases)
        return self._joined(base, ours, self._repository.diff(base, other)).clashes

    def put_on_top(
        self, steps: Sequence[Step], theirs: Sequence[Change], other: str, distance: Distance
    ) -> Integration:
        """Our own changes on top of a history that lost their ids; ours leaves no parent there."""
        changes = [change for step in steps for change in step.changes]
        self._contents.load(changes, theirs)
        commits, joined = replay(steps, theirs, self._contents)
        commit = other
        if commits:
            signature = self._identity.signature()
            commit = self._repository.commit(OUTGOING, other, commits, committer=signature)
        return self._integration(commit, joined, other, distance)

    def _joined(self, base: str | None, ours: str, theirs: Sequence[Change]) -> Joined:
        mine = self._repository.diff(base, ours)
        self._contents.load(mine, theirs)
        return join(mine, theirs, self._contents, self._merge)

    def _integration(
        self, commit: str, joined: Joined, other: str, distance: Distance
    ) -> Integration:
        return Integration(commit, joined.clashes, distance.news, other)

    def _merge(self, base: bytes | None, mine: bytes, theirs: bytes) -> Merged:
        """Each three contents once: after a lost race, only what changed meanwhile is merged."""
        key = (base, mine, theirs)
        if key not in self._merged:
            self._merged[key] = three_way(*key)
        return self._merged[key]


class _Contents:
    """Contents by id; one that is too large to merge is equal to no other."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: dict[str, bytes] = {}

    def load(self, mine: Iterable[Change], theirs: Iterable[Change]) -> None:
        """Read at once what a merge compares: the files that both sides touched."""
        sides = [{_name(c.path): c for c in side} for side in (mine, theirs)]
        both = sides[0].keys() & sides[1].keys()
        touched = [c for side in (mine, theirs) for c in side if _name(c.path) in both]
        self._read(blob for change in touched for blob in (change.before, change.after) if blob)

    def __call__(self, blob: str) -> bytes:
        if blob not in self._known:
            self._read([blob])
        return self._known.setdefault(blob, f"\0{blob}".encode())

    def _read(self, blobs: Iterable[str]) -> None:
        news = [blob for blob in blobs if blob not in self._known]
        self._known.update(self._repository.contents(news, limit=MAX_MERGE_BYTES))


def _name(path: str) -> str:
    return path.rpartition("/")[2]
