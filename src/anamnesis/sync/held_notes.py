"""Held notes in a sync: everything but the disputed part is still synced, both ways.

A held note is three texts: the file here, what main has, and what both started from. Each sync
merges them again. What merges cleanly is committed for the others and written here; the part that
clashes stays as it is in main and as it is in the file. Whatever makes the three mergeable, here or
elsewhere, ends the conflict.
"""

from __future__ import annotations

from contextlib import suppress

from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.notes.fields import names_an_id
from anamnesis.notes.frontmatter import note_in
from anamnesis.sync.conflicts import HERE, THERE
from anamnesis.sync.junction import MAX_MERGE_BYTES
from anamnesis.sync.plan import NewCommit, forgotten_ids, is_note, three_way
from anamnesis.sync.repository import MAIN
from anamnesis.sync.worktree import Irregular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.sync.conflicts import Conflict
    from anamnesis.sync.plan import Clash, Identity
    from anamnesis.sync.repository import Repository
    from anamnesis.sync.worktree import WorkTree


class HeldNotes:
    """The held notes of one machine while it syncs."""

    def __init__(self, repository: Repository, worktree: WorkTree) -> None:
        self._repository = repository
        self._worktree = worktree
        self._conflicts = worktree.conflicts

    def hold(self, clashes: Sequence[Clash], *, other: str) -> None:
        """Keep both sides of notes that cannot be merged as a whole; `other` is their commit."""
        known = self._conflicts.waiting() if clashes else {}
        blobs = [blob for c in clashes for blob in (c.base, c.mine, c.theirs) if blob]
        contents = self._repository.contents(blobs, limit=MAX_MERGE_BYTES)
        for clash in clashes:
            changed = contents.get(clash.theirs or clash.mine or "", b"")
            if clash.mine is None and self._worktree.is_local(changed):
                continue  # it was not deleted here: this machine keeps it for itself
            if clash.path in known and clash.mine in contents:
                # The file has a third version: what main had is nowhere else any more.
                self._conflicts.keep(known[clash.path], contents[clash.mine])
            machine, written = self._writer(other, clash.path, clash.formerly)
            self._conflicts.hold(
                clash.path,
                base=contents.get(clash.base) if clash.base else None,
                theirs=changed, machine=machine, written=written, fields=clash.fields, known=known,
                deleted=HERE if clash.mine is None else THERE if clash.theirs is None else "",
            )  # fmt: skip
            if clash.formerly and clash.mine and clash.theirs:
                self._follow_move(clash.path, contents.get(clash.mine))

    def _follow_move(self, path: str, mine: bytes | None) -> None:
        """Put our version where the others moved the note; the landing removes the former file."""
        with self._worktree.locked(), suppress(Irregular):
            if mine is not None and self._worktree.read(path) is None:
                self._worktree.write(path, mine, over=None)

    def news(self, commit: str) -> dict[str, bytes]:
        """What the other machines get of held notes, on top of a commit."""
        held = self._conflicts.held()
        texts = self._texts(commit, list(held))
        shareable = {path: self._shareable(path, held[path].base, texts[path]) for path in texts}
        for path in held.keys() - texts.keys():
            if self._is_gone(held[path], commit):
                shareable[path] = self._shareable(path, None, None)
        return {path: data for path, data in shareable.items() if data is not None}

    def reopen(self, head: str | None, identity: Identity) -> str | None:
        """Put the other side back into main for conflicts whose resolution was undone.

        Returns the commit that main then names. Otherwise the resolution, which may be committed by
        now, would pass for the other machine's version.
        """
        reopened = self._conflicts.reopened()
        texts = self._texts(head, list(reopened)) if reopened and head else {}
        writes = {
            p: each.theirs
            for p, each in reopened.items()
            if not each.deleted and each.theirs != texts.get(p)
        }
        if writes and self._repository.head_ref() == MAIN:
            step = NewCommit(identity.signature(), identity.message(), dict(writes))
            head = self._repository.commit(MAIN, head, [step], committer=identity.signature())
        for conflict in reopened.values():
            self._conflicts.unmark(conflict)
        return head

    def resolve(self, commit: str | None) -> list[str]:
        """End the conflicts that can be merged by now; returns the files that this changed.

        The remaining ones get a new base: all that both sides have by now but the disputed part.
        """
        waiting = self._conflicts.waiting()
        held = {path: each for path, each in waiting.items() if not each.deleted}
        for conflict in waiting.values():
            if conflict.deleted and not self._worktree.place_of(conflict):
                self._conflicts.resolve(conflict, mine=None)  # it was deleted after all
        texts = self._texts(commit, list(held)) if held and commit else {}
        changed = []
        for path, conflict in held.items():
            # Anything but a regular file cannot be merged: it stays held until you choose.
            with self._worktree.locked(), suppress(Irregular):
                moved = self._moved(conflict, commit) if commit and path not in texts else ""
                if moved:
                    changed += self._move(
                        conflict, moved, self._texts(commit or "", [moved])[moved]
                    )
                elif self._resolve_one(self._named(conflict, commit), texts.get(path)):
                    changed.append(path)
        return changed

    def _moved(self, conflict: Conflict, commit: str) -> str:
        """Where a commit has a held note whose former place it no longer has; empty if nowhere."""
        note = note_in(conflict.theirs)
        if note is None:
            return ""
        paths = [
            path
            for path in self._repository.files(commit)
            if is_note(path) and (not names_an_id(path) or path.endswith(f"/{note.id}.md"))
        ]
        for path, text in self._texts(commit, paths).items():
            found = note_in(text)
            if found is not None and found.id == note.id:
                return path
        return ""

    def _move(self, conflict: Conflict, path: str, theirs: bytes) -> list[str]:
        """Hold a note where the others moved it, with our version in its file there.

        Returns the files that this changed. The conflict names the former place until both are
        written: a sync that was killed in between is completed by the next.
        """
        mine, there = self._worktree.read(conflict.path), self._worktree.read(path)
        if mine is not None and (
            there not in (None, theirs, mine)
            or not self._worktree.write(path, mine, over=there)
            or not self._worktree.write(conflict.path, None, over=mine)
        ):
            return []  # saved just now: the next sync moves it
        moved = self._conflicts.renew(conflict, replace(conflict, path=path))
        self._resolve_one(moved, theirs)
        return [conflict.path, path]

    def _resolve_one(self, conflict: Conflict, theirs: bytes | None) -> bool:
        mine = self._worktree.read(conflict.path)
        if theirs is not None and mine is not None:
            if self._worktree.why_held_back(conflict.path, mine):
                return False  # half edited, or with a secret: not for the others as it is
            merged = three_way(conflict.base, mine, theirs)
            if not self._worktree.write(conflict.path, merged.kept, over=mine):
                return False  # saved just now: the next sync merges that
            if merged.apart is not None:
                # Only once main has it all: the base is what both sides are known to have.
                base = merged.apart.base if merged.apart.shared == theirs else conflict.base
                now = replace(conflict, base=base, theirs=theirs, fields=merged.clashes)
                self._conflicts.renew(conflict, now)
                return merged.kept != mine
        elif theirs is not None:
            place = self._worktree.place_of(conflict)
            if place.startswith("memory/"):  # one id has one file: it stays held until you choose
                self._conflicts.renew(conflict, replace(conflict, theirs=theirs))
                return False
            if not place and not self._worktree.write(conflict.path, theirs, over=None):
                return False
        self._conflicts.resolve(conflict, mine=mine)
        return True

    def _is_gone(self, conflict: Conflict, commit: str) -> bool:
        """Whether a commit has a held note no more, and nobody forgot it on purpose."""
        files, note = self._repository.files(commit), note_in(conflict.theirs)
        if note is None or conflict.path in files or note.id in forgotten_ids(files):
            return False
        return not self._moved(conflict, commit)

    def _shareable(self, path: str, base: bytes | None, theirs: bytes | None) -> bytes | None:
        """What the others get of a note; None if they have it all, or must not have it.

        If the others no longer have it, they get it as it is here.
        """
        mine = None
        with suppress(Irregular):
            mine = self._worktree.read(path)
        if mine is None or self._worktree.why_held_back(path, mine):
            return None
        if theirs is None:
            return mine
        shared = three_way(base, mine, theirs).shared
        if shared in (None, theirs) or self._worktree.why_held_back(path, shared or b""):
            return None
        return shared

    def _texts(self, commit: str, paths: Sequence[str]) -> dict[str, bytes]:
        """What a commit has for some paths."""
        if not paths:
            return {}
        files = self._repository.files(commit)
        blobs = {path: files[path] for path in paths if path in files}
        contents = self._repository.contents(blobs.values(), limit=tree.MAX_NOTE_BYTES)
        return {path: contents[blob] for path, blob in blobs.items() if blob in contents}

    def _named(self, conflict: Conflict, commit: str | None) -> Conflict:
        """The conflict with the other machine's name, which a clash while landing does not know."""
        if conflict.machine or commit is None:
            return conflict
        machine, written = self._writer(commit, conflict.path)
        named = replace(conflict, machine=machine, written=written)
        return self._conflicts.renew(conflict, named)

    def _writer(self, commit: str, *paths: str) -> tuple[str, str]:
        """Which machine wrote a version of a file, and when."""
        words = ("log", "-1", "--format=%ae %aI", commit, "--", *filter(None, paths))
        log = self._repository.git(*words)
        address, _, when = log.text.partition(" ") if log.code == 0 else ("", "", "")
        return address.partition("@")[2], when
