"""One sync: commit, fetch, join, push, land. The next sync recovers from any step.

The working tree is not touched before the result is decided, and a result is written file by
file with a journal, so a kill at any instant costs nothing but the time until the next sync.
"""

from __future__ import annotations

import time

from anamnesis.ground.counting import counted
from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.notes.frontmatter import note_in
from anamnesis.sync import SyncResult, admission, purge, recovery, remote
from anamnesis.sync.held_notes import HeldNotes
from anamnesis.sync.junction import Integration, Junction
from anamnesis.sync.plan import Change, NewCommit, forgotten_ids, is_note, is_sweeping
from anamnesis.sync.repository import MAIN, OUTGOING, UPSTREAM, Repository, SyncFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.sync.plan import Identity
    from anamnesis.sync.repository import Distance
    from anamnesis.sync.worktree import LocalChanges, WorkTree

_AT_ONCE = 2000  # files; a tenth of a second, and a session gets a few dozen of them
_NAMED = 3  # of the notes that were removed by hand
_MAX_LOCKED = 20  # tries at a ref that is kept locked: some five seconds
_PURGED_IS_BACK = (
    "a text that was purged is in the history again, brought by a machine with an older version; "
    "update that machine, then run: anamnesis forget --purge-history"
)
_REWRITTEN = "the remote has a different history than before; the notes of both were kept"
ACCEPTED = "Deletions-Accepted: all"  # in a commit that deletes every note on purpose


class Cycle:
    """The state of one sync while it runs."""

    def __init__(
        self, repository: Repository, worktree: WorkTree, *, identity: Identity,
        transport: remote.Transport | None, url: str | None, accept_deletions: bool,
        hurried: bool = False,
    ) -> None:  # fmt: skip
        self._repository = repository
        self._worktree = worktree
        self._held = HeldNotes(repository, worktree)
        self._junction = Junction(repository, identity)
        self._identity = identity
        self._transport = transport
        self._url = url
        self._accept_deletions = accept_deletions
        self._hurried = hurried  # whether a session waits for the newest of very many notes
        self._remarks: list[str] = []
        self._changed: dict[str, None] = {}
        self._stale: dict[str, None] = {}  # paths whose index entry is out of date
        self._held_back: dict[str, str] = {}
        self._committed: tuple[str, ...] = ()
        self._follows = False  # whether the remote's history was purged since the last sync
        self._main: str | None = None  # where the branch has to be in the end

    def run(self, *, thorough: bool = False) -> SyncResult:
        """Carry the sync out. Raises SyncFailed."""
        self._remarks.extend(recovery.heal(self._repository, thorough=thorough))
        self._finish_landing()
        parent = self._repository.resolve(MAIN)
        tip = self._main = self._commit_disk()
        result = self._exchange(tip, parent) if self._transport else self._without_remote()
        if self._repository.resolve(MAIN) != self._main:
            # A git process of a killed sync, or one of yours, was at work: start again.
            raise SyncFailed("moving main", "another git process moved it meanwhile")
        if not self._hurried:  # a cache, which the next sync makes
            self._repository.refresh_index(self._stale)
        if self._follows:
            purge.follow(self._repository, home=self._worktree.home)
            self._remarks.append("the history was purged on another machine, and now here too")
        if result.pulled and purge.returned(self._repository):
            self._remarks.append(_PURGED_IS_BACK)
        return self._completed(result)

    def _without_remote(self) -> SyncResult:
        outcome = "committed locally" if self._committed else "nothing to commit"
        return SyncResult(detail=f"{outcome}; no remote is set")

    def _exchange(self, tip: str | None, parent: str | None) -> SyncResult:
        """Fetch, join and push until the remote accepts it; then write the files."""
        assert self._transport is not None  # noqa: S101  for the type checker; run() asked
        locked = 0
        for pause in remote.pauses():
            time.sleep(pause)
            pushed = remote.Pushed()
            known = self._repository.resolve(UPSTREAM)
            fetched = self._transport.fetch()
            if fetched.remark:
                self._remarks.append(fetched.remark)
            if fetched.trouble:
                return self._troubled(fetched.trouble, tip)
            if self._is_new(known, fetched) and (refused := self._refused(fetched.commit)):
                return refused
            target = self._integrate(tip, fetched.commit, parent=parent)
            if target is not None:
                target = self._with_held(target)
            if target is None or (target.commit == fetched.commit and not fetched.repair):
                break
            pushed = self._transport.push(target.commit)
            locked += pushed.locked
            if not pushed.raced or locked > _MAX_LOCKED:
                break
        if target is None:
            return SyncResult(detail="synced; there are no notes yet")
        # Even if the push failed: others' changes arrive, and ours wait in the branch.
        self._land(tip, target, main=tip)
        self._resolve_conflicts(target.commit)
        if pushed.trouble:
            return replace(self._troubled(pushed.trouble, target.commit), pulled=target.pulled)
        sent = self._notes_sent(fetched.commit, target.commit, parent) if pushed.done else 0
        return SyncResult(pushed=pushed.done, pulled=target.pulled, sent=sent, detail="synced")

    def _notes_sent(self, old: str | None, new: str, parent: str | None) -> int:
        """How many notes the remote did not have; asks git only where that is unknown."""
        if old == parent:
            return sum(map(is_note, self._committed))
        return sum(is_note(change.path) for change in self._repository.diff(old, new))

    def _commit_disk(self) -> str | None:
        """Commit what the disk has; returns the commit that main then names."""
        repository = self._repository
        base = self._held.reopen(repository.head_commit(), self._identity)
        self._resolve_conflicts(base)
        absent = self._retry_absent(base)
        local = self._worktree.changes(absent, accept_deletions=self._accept_deletions)
        self._held_back.update(local.held_back)
        self._stale.update(dict.fromkeys([*local.same, *local.writes]))
        if local.unwritten:
            self._apply(local.unwritten)
        on_main = repository.head_ref() == MAIN
        tip = base
        if local.writes:
            tip = repository.commit(
                MAIN if on_main else OUTGOING, base, [self._step(local)],
                committer=self._identity.signature(),
            )  # fmt: skip
            self._committed = tuple(local.writes)
            self._forget_absent(local.writes)
            self._name_removed(local)
        if local.swept:
            self._put_back(local.swept, tip)
        return tip if on_main else self._return_to_main(tip)

    def _name_removed(self, local: LocalChanges) -> None:
        """Say which notes nobody but a hand removed: that deletes them on all machines."""
        gone = [path for path, data in local.writes.items() if data is None and is_note(path)]
        if not gone or self._accept_deletions:
            return
        ids = forgotten_ids(local.writes)
        written = (note_in(data) for path, data in local.writes.items() if data and is_note(path))
        ids.update(note.id for note in written if note)  # renamed, it is still here
        meant = {*self._worktree.placed(), *(f"{each}.md" for each in ids)}
        commanded = self._worktree.deleted_here()
        by_hand = [p for p in gone if p not in commanded and p.rpartition("/")[2] not in meant]
        before = {path: local.edits[path] for path in by_hand}
        texts = self._repository.contents(before.values(), limit=tree.MAX_NOTE_BYTES)
        notes = {path: note_in(texts.get(blob, b"")) for path, blob in before.items()}
        by_hand = [path for path, note in notes.items() if note is None or note.id not in ids]
        if by_hand:
            number = counted(len(by_hand), "note was", "notes were")
            named = ", ".join(by_hand[:_NAMED]) + (", …" if len(by_hand) > _NAMED else "")
            self._remarks.append(
                f"{number} removed from this disk by hand and deleted everywhere: {named}; "
                "to bring one back: anamnesis restore ID REV"
            )

    def _retry_absent(self, base: str | None) -> dict[str, str]:
        """Write the files that could not be written before; returns those that still cannot."""
        absent = recovery.remembered(self._repository.own).absent
        if absent and base:
            files = self._repository.files(base)
            self._apply([Change(path, None, files.get(path)) for path in absent])
        return recovery.remembered(self._repository.own).absent

    def _step(self, local: LocalChanges) -> NewCommit:
        message = self._identity.message()
        if self._accept_deletions and any(data is None for data in local.writes.values()):
            message = f"{message}\n\n{ACCEPTED}"
        return NewCommit(self._identity.signature(), message, dict(local.writes))

    def _return_to_main(self, tip: str | None) -> str | None:
        """Bring what was done on another branch, or on none, into main."""
        main = self._repository.resolve(MAIN)
        self._remarks.append("another branch or commit was checked out; its notes are now in main")
        if tip is not None and tip != main:
            target = self._integrate(tip, main)
            if target is not None:
                self._land(tip, target, main=main)
                return target.commit
        self._repository.point_head_to_main()
        return main

    def _put_back(self, swept: Sequence[Change], tip: str | None) -> None:
        restored = [Change(change.path, None, change.before) for change in swept]
        self._apply(restored)
        known = sum(map(is_note, self._repository.files(tip))) if tip else 0
        number = sum(is_note(change.path) for change in swept)
        share = f"all {number}" if number == known else f"{number} of {known}"
        self._remarks.append(
            f"{share} notes were gone from this machine and were put back; "
            "to delete them everywhere: anamnesis sync --accept-deletions"
        )

    def _resolve_conflicts(self, commit: str | None) -> None:
        changed = self._held.resolve(commit)
        self._changed.update(dict.fromkeys(changed))
        self._stale.update(dict.fromkeys(changed))

    def _with_held(self, target: Integration) -> Integration:
        """The target and, on top of it, the undisputed changes of held notes."""
        news = self._held.news(target.commit)
        if not news:
            return target
        signature = self._identity.signature()
        step = NewCommit(signature, self._identity.message(), dict(news))
        commit = self._repository.commit(OUTGOING, target.commit, [step], committer=signature)
        self._committed = tuple(dict.fromkeys((*self._committed, *news)))
        return replace(target, commit=commit)

    def _integrate(
        self, ours: str | None, other: str | None, *, parent: str | None = None
    ) -> Integration | None:
        """One history out of ours and the other one; None if there is none at all."""
        if ours is None or other is None or other in (ours, parent):
            known = ours or other
            pulled = self._repository.count(other) if other and ours is None else 0
            return Integration(known, pulled=pulled) if known else None
        distance = self._repository.distance(ours, other)
        if not distance.behind:
            return Integration(ours)
        bases = distance.bases
        if distance.ahead:
            purged = purge.sides(self._repository, ours, other)
            if distance.beginnings and not self._repository.is_shallow():
                from anamnesis.sync import grafts  # a history that was rewritten is rare

                if grafts.mend(self._repository, ours, other, distance):
                    return self._integrate(ours, other, parent=parent)
                bases = grafts.bases(self._repository, ours, other, distance)
            if purged:
                bases = purge.bases(self._repository, ours, other) or bases
            if other in purged:
                return self._follow(ours, other, self._junction.base(bases), distance)
        base = self._junction.base(bases)
        theirs = self._repository.diff(base, other)
        if self._sweeps(theirs, other, since=base):
            return self._refill(ours, other, distance)
        unseen = [
            clash
            for merge, mine, theirs in distance.unseen
            if self._repository.author(merge) == self._identity.address
            for clash in self._junction.clashes(mine, theirs)
        ]
        joined = Integration(other, pulled=distance.news, other=other)
        if distance.ahead:
            joined = self._junction.join(ours, other, distance, base=base, theirs=theirs)
        paths = {clash.path for clash in joined.clashes}
        more = [clash for clash in unseen if clash.path not in paths]
        return replace(joined, clashes=(*joined.clashes, *more))

    def _follow(self, ours: str, other: str, base: str | None, distance: Distance) -> Integration:
        """Our own changes on top of a purged history, without anything of our old one."""
        self._follows = True
        self._remarks = [remark for remark in self._remarks if remark != _REWRITTEN]
        steps = purge.own_steps(self._repository, ours, base, self._identity)
        steps = purge.without_forgotten(self._repository, steps, other)
        theirs = self._repository.diff(base, other)
        return self._junction.put_on_top(steps, theirs, other, distance)

    def _sweeps(self, theirs: Sequence[Change], other: str, *, since: str | None) -> bool:
        """Whether the other side lost all notes although no commit says so on purpose."""
        if self._accept_deletions or not is_sweeping(theirs, notes_left=0):
            return False
        files = self._repository.files(other)
        if any(map(is_note, files)):
            return False
        texts = [(change.before, change.path) for change in theirs if change.before]
        meant = set(purge.forgotten_texts(self._repository, texts, forgotten_ids(files)))
        if not is_sweeping([c for c in theirs if c.before not in meant], notes_left=0):
            return False
        messages = self._repository.ask(
            "log", "--format=%B", f"{since}..{other}" if since else other
        )
        return ACCEPTED.encode() not in messages

    def _refill(self, ours: str, other: str, distance: Distance) -> Integration:
        """Put our notes on top of a remote that lost all of them."""
        files = self._repository.files(ours)
        self._remarks.append(f"the remote had lost all notes; {len(files)} were put back")
        again = NewCommit(self._identity.signature(), self._identity.message(), dict(files))
        commit = self._repository.commit(
            OUTGOING, other, [again], committer=again.author,
            joins=ours if distance.ahead else None,
        )  # fmt: skip
        return Integration(commit, pulled=distance.news)

    def _land(self, before: str | None, target: Integration, *, main: str | None) -> None:
        """Write the result to disk and let main name it."""
        repository = self._repository
        self._held.hold(target.clashes, other=target.other or target.commit)
        self._main = target.commit
        if before != target.commit or main != target.commit:
            landing = recovery.Landing(before, target.commit, main)
            recovery.begin_landing(repository.own, landing)
            self._finish_landing(at_once=_AT_ONCE if self._hurried else None)

    def _finish_landing(self, *, at_once: int | None = None) -> None:
        """Carry a landing out, also one that a killed sync began; in part only at a sync's end."""
        repository = self._repository
        landing = recovery.unfinished_landing(repository.own)
        later: Sequence[Change] = ()
        if landing is not None and repository.has_commit(landing.after):
            differing = repository.diff(landing.before, landing.after)
            changes, later = landing.shares(differing, at_once)
            self._apply(changes)
            if repository.resolve(MAIN) != landing.after:
                repository.move_main(landing.after, old=landing.main)
            if repository.head_ref() != MAIN:
                repository.point_head_to_main()
        if landing is not None and later:  # the next sync carries out what is left of it
            recovery.begin_landing(repository.own, replace(landing, older_than=changes[-1].path))
            self._remarks.append(counted(len(later), "older file follows", "older files follow"))
        elif landing is not None:
            recovery.finish_landing(repository.own)

    def _apply(self, changes: Sequence[Change]) -> None:
        applied = self._worktree.apply(changes)
        self._changed.update(dict.fromkeys(applied.changed))
        self._stale.update(dict.fromkeys(applied.changed))
        remembered = recovery.remembered(self._repository.own)
        kept = {p: r for p, r in remembered.absent.items() if p not in {c.path for c in changes}}
        recovery.remember(
            self._repository.own, replace(remembered, absent={**kept, **applied.absent})
        )

    def _forget_absent(self, paths: Iterable[str]) -> None:
        remembered = recovery.remembered(self._repository.own)
        kept = {path: why for path, why in remembered.absent.items() if path not in set(paths)}
        recovery.remember(self._repository.own, replace(remembered, absent=kept))

    def _is_new(self, known: str | None, fetched: remote.Fetched) -> bool:
        """Whether this remote is new here, or does not continue from where it was."""
        if known is None or known == fetched.commit:
            return known is None
        if fetched.commit is None:
            self._remarks.append("the remote was empty; all notes were sent again")
            return True
        if self._repository.contains(fetched.commit, known):
            return False
        self._remarks.append(fetched.remark or _REWRITTEN)  # if the transport knows no better
        return True

    def _refused(self, commit: str | None) -> SyncResult | None:
        """Nothing is exchanged with someone's project; what was fetched of it is dropped."""
        foreign = admission.foreign_files(self._repository, commit) if commit else []
        if not foreign:
            return None
        self._repository.git("update-ref", "-d", UPSTREAM)
        reason, hint = admission.refusal(remote.shown(self._url or ""), foreign)
        return SyncResult(detail=f"{reason}; committed locally", error=reason, hint=hint)

    def _troubled(self, trouble: remote.Trouble, tip: str | None) -> SyncResult:
        known = self._repository.resolve(UPSTREAM)
        waiting = self._repository.distance(tip, known).waiting if tip and known else 0
        kept = "committed locally"
        if waiting:
            kept = f"{counted(waiting, 'commit waits', 'commits wait')} for the next sync"
        if trouble.offline:
            detail = f"offline: {trouble.message}; {kept}"
            return SyncResult(detail=detail, offline=True, hint=trouble.hint)
        detail = f"{trouble.message}; {kept}"
        return SyncResult(detail=detail, error=trouble.message, hint=trouble.hint)

    def _completed(self, result: SyncResult) -> SyncResult:
        head = self._repository.resolve(MAIN)
        absent = recovery.remembered(self._repository.own).absent
        waiting = self._worktree.conflicts.waiting().values()
        ids = tuple(conflict.id for conflict in waiting)
        remarks = list(dict.fromkeys(self._remarks))  # a race may repeat one
        kept = [conflict.path for conflict in waiting if conflict.deleted]
        held = [conflict.id for conflict in waiting if not conflict.deleted]
        if kept:
            remarks.append(
                f"deleted on one machine, changed on another and kept: {', '.join(kept)}"
            )
        if held:
            remarks.append(f"edited on two machines and held: {', '.join(held)}")
        return replace(
            result,
            conflicted=bool(ids),
            conflicts=ids,
            head=head[:7] if head else None,
            changed=tuple(f"{self._repository.name}/{path}" for path in self._changed),
            committed=tuple(f"{self._repository.name}/{path}" for path in self._committed),
            held_back=tuple(f"{p}: {why}" for p, why in {**absent, **self._held_back}.items()),
            detail="; ".join([result.detail, *remarks]),
            unfinished=recovery.unfinished_landing(self._repository.own) is not None,
        )
