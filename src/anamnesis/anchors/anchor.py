"""An anchor: the block of a file that a note speaks of, as it was at a commit."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.anchors import source
from anamnesis.anchors.blocks import Outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from anamnesis.anchors.blocks import Block

    class Tree(Protocol):
        """The files of a repository: as they lie on disk, or as a commit has them."""

        commit: str

        def read(self, path: str) -> str | None:
            """A file's text; None if there is none, or if it is no text."""

        def find(self, name: str) -> list[str]:
            """The source files whose name or path ends like this one."""

        def holders(self, name: str) -> list[str]:
            """The source files that have a word."""


_MOST_HOLDERS = 40  # a name in more files is not looked for: most only use it
_DEEPEST = 1  # `Gateway.charge`; what is defined deeper is nobody else's to name
MOST = 8  # anchors of one note; one that names more speaks of nothing in particular
_HASH = re.compile(r"[0-9a-f]{12}$")
_COMMIT = re.compile(r"(?:[0-9a-f]{7,40}|-)$")
_QUOTED = re.compile(r"`([^`\n]{2,200})`")
_PATH = re.compile(r"(?:\.{0,2}/)?(?:[\w@+.-]+/)*[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,9}$")
_LISTED = re.compile(r"(?m)^- (/?[\w.@+-]+(?:/[\w.@+-]+)+)$")
_LINES = re.compile(r"(?::(\d+)(?:-\d+)?|#L(\d+)(?:-L?\d+)?)$")
_SYMBOL = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*(?:\(.{0,60}\))?$")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A path, the block in it (empty: the file as a whole), its fingerprint, and the commit."""

    path: str
    name: str
    hash: str
    commit: str

    def __str__(self) -> str:
        place = f"{self.path}#{self.name}" if self.name else self.path
        return f"{place} {self.hash} {self.commit or '-'}"

    @property
    def place(self) -> str:
        """How a person writes it: `pay.py`, or `charge in pay.py`."""
        return f"{self.name} in {self.path}" if self.name else self.path


def parse(text: str) -> Anchor | None:
    """The anchor that a line of front matter holds; None if it is none."""
    place, _, rest = text.strip().rpartition(" ")
    place, _, digest = place.rpartition(" ")
    path, _, name = place.partition("#")
    if not (path and _HASH.match(digest) and _COMMIT.match(rest)) or not is_inside(path):
        return None
    return Anchor(path, name, digest, "" if rest == "-" else rest)


def parse_all(texts: Iterable[str]) -> list[Anchor]:
    """The anchors of a note; what is none is passed over."""
    return [anchor for text in texts if (anchor := parse(text)) is not None]


def is_inside(path: str) -> bool:
    """Whether a path stays in its repository."""
    parts = path.replace("\\", "/").split("/")
    is_named = path.isprintable() and not path.startswith(("/", "~"))
    return is_named and ".." not in parts and ".git" not in parts


def anchors_of(text: str, tree: Tree) -> list[Anchor]:
    """Anchors for the files and symbols that a text names, as a tree has them."""
    symbols = dict.fromkeys(_symbols(text))
    found: dict[tuple[str, str], Anchor] = {}
    for path, line, content in _places(text, tree):
        outline = Outline(content, path)
        named = {name: block for name in symbols if (block := _defined(outline, name))}
        blocks = list(named.values())
        if line and (around := outline.around(line - 1)):
            blocks.append(around)
        for block in blocks:
            found[path, block.name] = _anchor(path, outline, block, tree)
        if not blocks and all(path != known for known, _ in found):
            whole = source.fingerprint(source.without_comments(content, path))
            found[path, ""] = Anchor(path, "", whole, tree.commit)
        symbols = {name: None for name in symbols if name not in named}
    for name in list(symbols)[:MOST]:
        if _is_code(name) and (anchor := _only_definition(name, tree)):
            found[anchor.path, anchor.name] = anchor
    # A file name with `#` or a line break in it cannot stand in a line of front matter.
    return [each for each in found.values() if parse(str(each)) == each][:MOST]


def _only_definition(name: str, tree: Tree) -> Anchor | None:
    """The block that defines a name, if one file of the repository does."""
    last = _last_name(name)
    holders = tree.holders(last)
    if len(holders) > _MOST_HOLDERS:
        return None
    found = []
    for path in holders:
        content = None if source.is_prose(path) else tree.read(path)
        outline = Outline(content, path) if content is not None else None
        block = _defined(outline, name) if outline is not None else None
        if outline is not None and block is not None and block.name.count(".") <= _DEEPEST:
            found.append(_anchor(path, outline, block, tree))
    return found[0] if len(found) == 1 else None


def _defined(outline: Outline, name: str) -> Block | None:
    block = outline.named(name)
    return block if block is not None and block.defines else None


def _anchor(path: str, outline: Outline, block: Block, tree: Tree) -> Anchor:
    return Anchor(path, block.name, outline.fingerprint(block), tree.commit)


def _last_name(name: str) -> str:
    return re.split(r"\.|::|#", name.removesuffix("()"))[-1]


def _is_code(name: str) -> bool:
    """Whether a quoted word is a name from code and not just a word."""
    last = _last_name(name)
    return name.endswith("()") or "_" in last.strip("_") or bool(re.search(r"[a-z][A-Z]", last))


def _places(text: str, tree: Tree) -> Iterator[tuple[str, int, str]]:
    """The files that a text names: path, line or 0, content."""
    for written in dict.fromkeys(_paths(text)):
        lines = _LINES.search(written)
        path = os.path.normpath(_LINES.sub("", written)).replace(os.sep, "/")
        if not is_inside(path):
            continue
        content = tree.read(path)
        if content is None:
            candidates = tree.find(path)
            if len(candidates) != 1:  # several files have that name: which is meant is not known
                continue
            path = candidates[0]
            content = tree.read(path)
        if content is not None:
            yield path, int(lines[1] or lines[2]) if lines else 0, content


def _paths(text: str) -> Iterator[str]:
    for quoted in _QUOTED.findall(text):
        word = quoted.strip()
        if _PATH.match(_LINES.sub("", word)):
            yield word
    yield from _LISTED.findall(text)


def _symbols(text: str) -> Iterator[str]:
    for quoted in _QUOTED.findall(text):
        word = quoted.strip()
        if _SYMBOL.match(word) and not _PATH.match(word) and len(word) > 2:
            yield word.partition("(")[0] + ("()" if "(" in word else "")


def similar(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of the tokens of the longer text that the other has, too, as often."""
    from collections import Counter

    common = sum((Counter(one) & Counter(other)).values())
    return common / max(len(one), len(other), 1)
