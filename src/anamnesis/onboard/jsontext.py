"""JSON documents edited in place: only the changed values are touched.

A settings file belongs to its user. Loading it into a dictionary and writing that back would keep
the order but reindent everything. So the text is parsed with the position of each value, and only
what differs is removed or inserted.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLANK = re.compile(r"[ \t\r\n]*")
_BLANK_OR_COMMENT = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DECODER = json.JSONDecoder()
_DEEPEST = 200
_MOST_STEPS = 2_000  # far more than any set-up needs; keeps a loop from running forever


class NotJson(ValueError):
    """A text that is not the JSON document it should be."""

    def __init__(self, text: str, position: int, reason: str) -> None:
        self.line = text.count("\n", 0, position) + 1
        self.reason = reason
        super().__init__(f"line {self.line}: {reason}")


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where its text is."""

    start: int
    end: int
    value: Any
    children: tuple[Child, ...] = ()
    trailing_comma: int = -1


@dataclass(frozen=True, slots=True)
class Child:
    """A member of an object or an item of an array."""

    key: str | int
    start: int  # of the key, or of the item
    colon: str  # what stands between a key and its value
    node: Node


def parsed(text: str, *, comments: bool = False) -> Node:
    """The document with positions. Raises NotJson, also for a key that appears twice."""
    reader = _Reader(text, comments=comments)
    start = reader.skip(1 if text.startswith("\ufeff") else 0)
    node = reader.value(start, 0)
    end = reader.skip(node.end)
    if end != len(text):
        raise NotJson(text, end, "something follows the end of the document")
    return node


def amended(text: str, target: Any, *, comments: bool = False) -> str:
    """The document with the fewest changes that give it the value `target`. Raises NotJson."""
    for _ in range(_MOST_STEPS):
        step = _step(_Layout(text), parsed(text, comments=comments), target)
        if step is None:
            return text
        text = step
    raise NotJson(text, 0, "it differs too much to be edited")


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON; 1, 1.0 and true are all different."""
    return _canonical(one) == _canonical(other)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


class _Reader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text = text
        self._comments = comments
        self._blank = _BLANK_OR_COMMENT if comments else _BLANK

    def skip(self, position: int) -> int:
        match = self._blank.match(self._text, position)
        return match.end() if match else position

    def fail(self, position: int, reason: str) -> NotJson:
        return NotJson(self._text, position, reason)

    def value(self, position: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.fail(position, "it is nested too deeply")
        opening = self._text[position : position + 1]
        if opening == "{":
            return self._object(position, depth)
        if opening == "[":
            return self._array(position, depth)
        if opening == '"':
            string, end = self._string(position)
            return Node(position, end, string)
        match = _PLAIN.match(self._text, position)
        if match is None:
            raise self.fail(position, "a value is missing")
        try:
            return Node(position, match.end(), json.loads(match[0]))
        except ValueError:  # Python converts no number of thousands of digits
            raise self.fail(position, "a number is too long") from None

    def _string(self, position: int) -> tuple[str, int]:
        try:
            string, end = _DECODER.raw_decode(self._text, position)
        except json.JSONDecodeError as error:
            raise self.fail(error.pos, f"a string is broken: {error.msg.lower()}") from None
        return str(string), end

    def _object(self, position: int, depth: int) -> Node:
        def member(at: int) -> Child:
            if self._text[at : at + 1] != '"':
                raise self.fail(at, "a key in double quotes is missing")
            key, after = self._string(at)
            colon = self.skip(after)
            if self._text[colon : colon + 1] != ":":
                raise self.fail(colon, "a colon is missing")
            node = self.value(self.skip(colon + 1), depth + 1)
            if any(child.key == key for child in children):
                raise self.fail(at, f"the key {key!r} appears twice")
            return Child(key, at, self._text[after : node.start], node)

        children: list[Child] = []
        end, trailing = self._children(position + 1, "}", children, member)
        value = {child.key: child.node.value for child in children}
        return Node(position, end, value, tuple(children), trailing)

    def _array(self, position: int, depth: int) -> Node:
        def item(at: int) -> Child:
            return Child(len(children), at, "", self.value(at, depth + 1))

        children: list[Child] = []
        end, trailing = self._children(position + 1, "]", children, item)
        value = [child.node.value for child in children]
        return Node(position, end, value, tuple(children), trailing)

    def _children(
        self, position: int, closing: str, children: list[Child], read: Any
    ) -> tuple[int, int]:
        trailing = -1
        position = self.skip(position)
        while self._text[position : position + 1] != closing:
            if children and trailing < 0:
                raise self.fail(position, f"a comma or {closing} is missing")
            children.append(read(position))
            position = self.skip(children[-1].node.end)
            trailing = -1
            if self._text[position : position + 1] == ",":
                trailing = position
                position = self.skip(position + 1)
        if trailing >= 0 and not self._comments:
            raise self.fail(trailing, "trailing comma")
        return position + 1, trailing


class _Layout:
    """The style of a document: its line ends and its indentation."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.is_multiline = "\n" in text.strip() or text.strip("\ufeff \r\n\t") == "{}"
        indented = re.search(r"\n([ \t]+)\S", text)
        self.unit = indented[1] if indented else "  "

    def splice(self, start: int, end: int, new: str) -> str:
        return self.text[:start] + new + self.text[end:]

    def indentation(self, position: int) -> str:
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def gap(self, node: Node, index: int) -> str:
        """The blanks before a child."""
        child = node.children[index]
        before = self.text[node.start + 1 : child.start]
        blanks = re.search(r"[ \t\r\n]*$", before)
        return blanks[0] if blanks else ""

    def rendered(self, value: Any, *, indentation: str | None, colon: str = ": ") -> str:
        """A value's text: over several lines at an indentation, or on one."""
        ascii_only = any("\ud800" <= letter <= "\udfff" for letter in _strings(value))
        comma = "," if colon == ":" else ", "
        if indentation is None:
            return json.dumps(value, ensure_ascii=ascii_only, separators=(comma, colon))
        text = json.dumps(value, ensure_ascii=ascii_only, indent=self.unit, separators=(",", colon))
        return text.replace("\n", self.newline + indentation)


def _strings(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _step(layout: _Layout, node: Node, target: Any) -> str | None:
    """The text after one change towards `target`; None if there is nothing to change."""
    if same(node.value, target):
        return None
    opening = layout.text[node.start]
    if opening == "{" and isinstance(target, dict):
        return _object_step(layout, node, target)
    if opening == "[" and isinstance(target, list):
        return _array_step(layout, node, target)
    indentation = layout.indentation(node.start) if layout.is_multiline else None
    return layout.splice(node.start, node.end, layout.rendered(target, indentation=indentation))


def _object_step(layout: _Layout, node: Node, target: dict[str, Any]) -> str | None:
    present = {str(child.key): child for child in node.children}
    for index, child in enumerate(node.children):
        if child.key not in target:
            return _without(layout, node, index)
    for key, child in present.items():
        if (step := _step(layout, child.node, target[key])) is not None:
            return step
    missing = next(key for key in target if key not in present)
    return _with(layout, node, len(node.children), target[missing], key=missing)


def _array_step(layout: _Layout, node: Node, target: list[Any]) -> str | None:
    """Change the first item that differs; items that occur later in `target` stay in place."""
    old = [_canonical(item) for item in node.value]
    new = [_canonical(item) for item in target]
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    rest, missing = old[first : len(old) - last], new[first : len(new) - last]
    if missing and (not rest or rest[0] in missing):
        return _with(layout, node, first, target[first])
    if len(rest) == len(missing) and missing[0] not in rest:
        return _step(layout, node.children[first].node, target[first])
    return _without(layout, node, first)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the common beginning of two lists."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _without(layout: _Layout, node: Node, index: int) -> str:
    children = node.children
    if len(children) == 1:
        return layout.splice(node.start + 1, node.end - 1, "")
    if index < len(children) - 1:
        start, end = children[index].start, children[index + 1].start
        kept = _comments(layout.text[children[index].node.end : end])
        return layout.splice(start, end, kept.lstrip())
    start, end = children[index - 1].node.end, children[index].node.end
    kept = _comments(layout.text[start : children[index].start])
    return layout.splice(start, end, kept.rstrip())


def _comments(gap: str) -> str:
    """What stands between two children if that holds a comment, without the comma."""
    comma = re.search(r"(?:[^,/]|//[^\n]*|/\*.*?\*/)*", gap, re.DOTALL)
    if comma is None or not gap.strip(", \t\r\n"):
        return ""
    return gap[: comma.end()] + gap[comma.end() + 1 :]


def _with(layout: _Layout, node: Node, index: int, value: Any, *, key: str | None = None) -> str:
    if not node.children:
        return _with_first(layout, node, value, key)
    beside = min(index, len(node.children) - 1)
    gap = layout.gap(node, beside)
    indentation = gap.rpartition("\n")[2] if "\n" in gap else None
    colon = node.children[beside].colon if key is not None else ": "
    new = _labelled(layout, value, key, indentation=indentation, colon=colon)
    if index < len(node.children):
        return layout.splice(node.children[index].start, node.children[index].start, f"{new},{gap}")
    blank = gap or ("" if colon == ":" else " ")
    if node.trailing_comma >= 0:
        return layout.splice(node.trailing_comma + 1, node.trailing_comma + 1, f"{blank}{new},")
    end = node.children[-1].node.end
    return layout.splice(end, end, f",{blank}{new}")


def _with_first(layout: _Layout, node: Node, value: Any, key: str | None) -> str:
    if not layout.is_multiline:
        colon = ":" if re.search(r'":[^\s]', layout.text) else ": "
        new = _labelled(layout, value, key, indentation=None, colon=colon)
        return layout.splice(node.start + 1, node.end - 1, new)
    outer = layout.indentation(node.start)
    inner = outer + layout.unit
    new = _labelled(layout, value, key, indentation=inner, colon=": ")
    comment = layout.text[node.start + 1 : node.end - 1].rstrip()
    around = f"{comment}{layout.newline}{inner}{new}{layout.newline}{outer}"
    return layout.splice(node.start + 1, node.end - 1, around)


def _labelled(
    layout: _Layout, value: Any, key: str | None, *, indentation: str | None, colon: str
) -> str:
    colon = colon if re.fullmatch(r"[ \t]*:[ \t]*", colon) else ": "
    rendered = layout.rendered(value, indentation=indentation, colon=colon)
    return rendered if key is None else f"{layout.rendered(key, indentation=None)}{colon}{rendered}"
