"""What became of an anchored block: it is as it was, it moved, it changed, or it is gone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.anchors import source
from anamnesis.anchors.anchor import Anchor, similar
from anamnesis.anchors.blocks import Outline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Literal, Protocol

    from anamnesis.anchors.anchor import Tree

    State = Literal["fresh", "moved", "changed", "gone"]

    class Past(Protocol):
        """What the history of a repository tells of an anchor's commit and of what came since."""

        def text_at(self, commit: str, path: str) -> str | None:
            """What a file said at a commit; None if it was not there, or nobody knows."""

        def renamed(self, commit: str, path: str) -> str:
            """What a file of that commit is called now; empty if it was not renamed."""

        def holders(self, name: str) -> list[str]:
            """The files that have a word."""

        def changes(self, commit: str, path: str) -> list[tuple[str, str]]:
            """Commits that touched a file since that commit: id and time, the latest first."""

    Reader = Callable[[str], Outline | None]

FRESH: State = "fresh"
MOVED: State = "moved"
CHANGED: State = "changed"
GONE: State = "gone"
_ALIKE = 0.6  # of a block's tokens: below that it is another block, and not this one changed
_SAME_FILE = 0.5  # of a file's lines that are left: a note on a whole file survives small edits
_MOST_HOLDERS = 20
_LEAST_TOKENS = 6  # a shorter block, such as `name = 5`, is not known again by its tokens


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of an anchor, where its block is now, and by which commit it changed."""

    anchor: Anchor
    state: State
    path: str
    name: str
    hash: str = ""  # of the block as it is now
    commit: str = ""  # that changed it, empty if it is not committed yet or not known
    at: str = ""


class Judge:
    """Judges the anchors of one tree; each file is read and taken apart once."""

    def __init__(self, tree: Tree, past: Past) -> None:
        self._tree, self._past = tree, past
        self._outlines: dict[str, Outline | None] = {}
        self._texts: dict[str, str | None] = {}

    def judge(self, anchor: Anchor) -> Verdict:
        """What became of one anchor."""
        return self._judge_block(anchor) if anchor.name else self._judge_file(anchor)

    def line_of(self, verdict: Verdict) -> int:
        """Where the block begins now, counted from 1; 1 for what is gone or a whole file."""
        outline = self._outline(verdict.path)
        block = outline.named(verdict.name) if outline and verdict.name else None
        return block.start + 1 if block else 1

    def _judge_block(self, anchor: Anchor) -> Verdict:
        here = self._block(anchor.path, anchor.name, anchor.hash)
        if here is not None and here[1] == anchor.hash:
            return _verdict(anchor, FRESH, anchor.path, here)
        renamed = "" if self._text(anchor.path) is not None else self._renamed(anchor)
        if renamed:
            there = self._block(renamed, anchor.name, anchor.hash)
            if there is not None:
                state = MOVED if there[1] == anchor.hash else CHANGED
                return self._dated(_verdict(anchor, state, renamed, there))
        moved = self._elsewhere(anchor, {anchor.path, renamed})
        if moved is not None and moved.state == MOVED:
            return moved
        if here is not None:
            return self._dated(_verdict(anchor, CHANGED, anchor.path, here))
        return self._without_its_name(anchor, renamed or anchor.path, moved)

    def _without_its_name(self, anchor: Anchor, path: str, moved: Verdict | None) -> Verdict:
        """What became of a block where no block of its file has its name."""
        alike = self._alike(anchor, path)
        if alike is not None and alike.hash == anchor.hash:  # what is around it has a new name
            return replace(alike, state=FRESH if alike.path == anchor.path else MOVED)
        if self._is_said(anchor):
            return Verdict(anchor, FRESH, anchor.path, anchor.name, anchor.hash)
        return self._dated(alike or moved or Verdict(anchor, GONE, anchor.path, anchor.name))

    def _judge_file(self, anchor: Anchor) -> Verdict:
        text = self._text(anchor.path)
        path = anchor.path if text is not None else self._renamed(anchor)
        if text is None and path:
            text = self._text(path)
        if text is None:
            return self._dated(Verdict(anchor, GONE, anchor.path, ""))
        digest = source.fingerprint(source.without_comments(text, path))
        state: State = FRESH if path == anchor.path else MOVED
        if digest != anchor.hash:
            before = self._past.text_at(anchor.commit, anchor.path)
            if before is not None and _kept(before, text) < _SAME_FILE:
                return self._dated(Verdict(anchor, CHANGED, path, "", digest))
        return Verdict(anchor, state, path, "", digest)

    def _block(self, path: str, name: str, digest: str) -> tuple[str, str] | None:
        """The block of that name in a file, the one with that fingerprint first: name and hash."""
        outline = self._outline(path)
        if outline is None:
            return None
        same = [block for block in outline.blocks if block.name == name]
        for block in same:
            if outline.fingerprint(block) == digest:
                return name, digest
        found = outline.named(name)
        return (found.name, outline.fingerprint(found)) if found is not None else None

    def _elsewhere(self, anchor: Anchor, seen: set[str]) -> Verdict | None:
        """The block in another file: as it was, or the only definition of its name."""
        last = anchor.name.rpartition(".")[2]
        found = []
        for path in self._past.holders(last)[:_MOST_HOLDERS]:
            if path in seen:
                continue
            there = self._block(path, last, anchor.hash)
            if there is None:
                continue
            if there[1] == anchor.hash:
                return _verdict(anchor, MOVED, path, there)
            found.append(_verdict(anchor, CHANGED, path, there))
        before = self._before(anchor)
        close = [each for each in found if self._likeness(each, before) >= _ALIKE]
        return close[0] if len(close) == 1 else None

    def _alike(self, anchor: Anchor, path: str) -> Verdict | None:
        """The block under another name: the one in the file that says most of what it said."""
        before, outline = self._before(anchor), self._outline(path)
        if outline is None or len(before) < _LEAST_TOKENS:
            return None
        likely = [
            (similar(before, list(source.tokens(outline.code(block)))), -block.start, block)
            for block in outline.blocks
            if block.defines
        ]
        share, _, block = max(likely, default=(0.0, 0, None), key=lambda each: each[:2])
        if block is None or share < _ALIKE:
            return None
        digest = outline.fingerprint(block)
        return Verdict(anchor, CHANGED, path, block.name, digest)

    def _likeness(self, verdict: Verdict, before: list[str]) -> float:
        outline = self._outline(verdict.path)
        block = outline.named(verdict.name) if outline else None
        if outline is None or block is None:
            return 0.0
        return similar(before, list(source.tokens(outline.code(block))))

    def _before(self, anchor: Anchor) -> list[str]:
        """The tokens of the block as it was; none if the history does not know."""
        text = self._past.text_at(anchor.commit, anchor.path)
        if text is None:
            return []
        outline = Outline(text, anchor.path)
        block = outline.named(anchor.name)
        return list(source.tokens(outline.code(block))) if block else []

    def _is_said(self, anchor: Anchor) -> bool:
        """Whether the file still says what the block said, laid out so that it is none."""
        before, text = self._before(anchor), self._text(anchor.path)
        if text is None or len(before) < _LEAST_TOKENS:
            return False
        now = " ".join(source.tokens(source.without_comments(text, anchor.path)))
        return f" {' '.join(before)} " in f" {now} "

    def _renamed(self, anchor: Anchor) -> str:
        return self._past.renamed(anchor.commit, anchor.path) if anchor.commit else ""

    def _dated(self, verdict: Verdict) -> Verdict:
        """The verdict with the commit that changed the block last."""
        if verdict.state not in (CHANGED, GONE):
            return verdict
        anchor = verdict.anchor
        touched = self._past.changes(anchor.commit, verdict.path)
        later = verdict.hash
        for number, (commit, at) in enumerate(touched):
            before = touched[number + 1][0] if number + 1 < len(touched) else anchor.commit
            was = self._hash_at(before, verdict.path, verdict.name, later)
            if was != later:
                if (
                    number == 0
                    and self._hash_at(commit, verdict.path, verdict.name, later) != later
                ):
                    return verdict  # what is on disk is not committed yet
                return replace(verdict, commit=commit, at=at)
        return verdict

    def _hash_at(self, commit: str, path: str, name: str, digest: str) -> str:
        text = self._past.text_at(commit, path)
        if text is None:
            return ""
        if not name:
            return source.fingerprint(source.without_comments(text, path))
        outline = Outline(text, path)
        hashes = [outline.fingerprint(each) for each in outline.blocks if each.name == name]
        if digest in hashes:
            return digest
        return hashes[0] if hashes else ""

    def _outline(self, path: str) -> Outline | None:
        if path not in self._outlines:
            text = self._text(path)
            self._outlines[path] = Outline(text, path) if text is not None else None
        return self._outlines[path]

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = self._tree.read(path)
        return self._texts[path]


def judge_all(anchors: Iterable[Anchor], judge: Judge) -> list[Verdict]:
    """The verdicts on a note's anchors; of several on one block the mildest counts."""
    best: dict[tuple[str, str], Verdict] = {}
    for anchor in anchors:
        verdict = judge.judge(anchor)
        key = anchor.path, anchor.name
        if key not in best or _SEVERITY[verdict.state] < _SEVERITY[best[key].state]:
            best[key] = verdict
    return list(best.values())


_SEVERITY = {FRESH: 0, MOVED: 1, CHANGED: 2, GONE: 3}


def _verdict(anchor: Anchor, state: State, path: str, block: tuple[str, str]) -> Verdict:
    return Verdict(anchor, state, path, *block)


def _kept(before: str, after: str) -> float:
    """The share of a text's lines that another one still has."""
    old = [line.strip() for line in before.split("\n") if line.strip()]
    new = {line.strip() for line in after.split("\n")}
    return sum(line in new for line in old) / max(len(old), 1)
