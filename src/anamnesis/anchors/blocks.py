"""The named blocks of a source file: functions, classes, sections, keys, in any language.

Nothing here knows a grammar. A block begins with a line that opens one, by a bracket that a later
line closes or by deeper lines that follow it, and is named by the word that its line defines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.anchors import source

if TYPE_CHECKING:
    from collections.abc import Iterator

# Words that open a block or stand before a name without being one, in many languages.
_BEFORE = frozenset({"pub", "func", "function", "async", "export", "default"})
_CONTROL = _BEFORE | frozenset({
    "if", "else", "elif", "elsif", "elseif", "unless", "for", "foreach", "while", "until", "do",
    "loop", "switch", "case", "match", "when", "try", "catch", "except", "finally", "with",
    "using", "begin", "select", "return", "await", "yield", "raise", "throw", "new", "not",
    "and", "or", "in", "is", "go", "defer", "assert", "del", "print", "import", "from",
    "include", "require", "lock", "synchronized", "then", "super", "this", "end", "goto",
})  # fmt: skip
_CALLED = re.compile(r"(?<![\w$@.:])([\w$@.:]*[\w$?!])\s*(?:<[^()]*>\s*)?\(")
_RECEIVER = re.compile(r"\(\s*\w*\s*\*?(\w+)[^()]*\)$")  # func (g *Gateway) Name(
_FIRST = re.compile(r"\w+")
_LAST = re.compile(r"(\w+)[\s*&>\]?]*$")
_WORD = re.compile(r"[\w$@.:]*[\w$?!]")
_QUOTED = re.compile(r"(?:(?<=[\s(=,])|^)(?:\"([^\"\n]+)\"|'([^'\n]+)')")
_ASSIGNED = re.compile(r"(?<![=!<>+\-*/%&|^~:])(?::=|=)(?![=>~])")
_HEIR = re.compile(r"\s(?:extends|implements|with|where|does|is)\b|[:<({]|\s=")
_TYPE = re.compile(r"(?:export\s+)?type\s+(\w+)")
_CLOSING = re.compile(r"\s*(?:[)\]}]+[;,)]*|end\b|fi\b|done\b|esac\b)")
_ATTACHED = re.compile(r"\s*(?:@[\w.]|#\[|\[\w+\b.*\]\s*$)")  # decorators, attributes
_HEADING = re.compile(r"(#{1,6}|={1,6}|\*{1,6})\s+(\S.*?)\s*#*$")
_UNDERLINE = re.compile(r"([=\-~^\"'+*#])\1{2,}\s*$")
_TABLE = re.compile(r"\s*\[+([^\[\]]+)\]+\s*$")  # [section] of TOML and its like
_SECTIONED = frozenset({"toml", "ini", "cfg", "conf"})
_BRACKET = re.compile(r"[()\[\]{}]")
_HEAD = 240  # characters of a line that may name a block; what is longer was not written by hand
_DEEPEST = 30  # blocks in one another; the time that a file takes grows with it


@dataclass(frozen=True, slots=True)
class Block:
    """A named part of a file: its lines from `start` up to, not including, `end`."""

    name: str  # with the names of the blocks around it: `Gateway.charge`
    start: int
    end: int
    defines: bool = True  # whether its line defines the name, and does not merely use it


class Outline:
    """The blocks of one file."""

    def __init__(self, text: str, path: str) -> None:
        self._code = source.without_comments(text, path).split("\n")
        if source.is_prose(path):
            self.blocks = _sections(text.split("\n"), _headings)
        elif source.kind_of(path) in _SECTIONED:
            self.blocks = _sections(self._code, _tables)
        else:
            self.blocks = list(_nested(source.skeleton(text, path).split("\n"), self._code))

    def named(self, name: str) -> Block | None:
        """The block that defines a name, which may be given with the names around it."""
        wanted = _plain(name)
        last = wanted.rpartition(".")[2]
        found = [
            block
            for block in self.blocks
            if block.name == wanted
            or block.name.endswith(f".{wanted}")
            or (block.name == last and wanted == last)
        ]
        return min(found, key=_preference, default=None)

    def around(self, line: int) -> Block | None:
        """The innermost block that defines something and has this line, counted from 0."""
        found = [each for each in self.blocks if each.start <= line < each.end and each.defines]
        return min(found, key=lambda block: block.end - block.start, default=None)

    def code(self, block: Block) -> str:
        """The code of a block, its comments blanked."""
        return "\n".join(self._code[block.start : block.end])

    def fingerprint(self, block: Block) -> str:
        """What a block says, blind to white space and comments."""
        return source.fingerprint(self.code(block))


def _preference(block: Block) -> tuple[bool, int, int]:
    """Definitions before uses, outer before inner, earlier before later."""
    return not block.defines, block.name.count("."), block.start


def _plain(name: str) -> str:
    return name.removesuffix("()").replace("::", ".").replace("#", ".").strip(".")


def _nested(lines: list[str], code: list[str]) -> Iterator[Block]:
    """The blocks that brackets and indentation give, each with the names around it."""
    around: list[tuple[int, str]] = []  # where the blocks end that are open here, their names
    opened: list[int] = []  # where those end, and what is merely called
    structure = [_Line(line) for line in lines]
    for at, line in enumerate(lines):
        if not structure[at].text:
            continue
        while around and around[-1][0] <= at:
            around.pop()
        while opened and opened[-1] <= at:
            opened.pop()
        named = _name(line, code[at][:_HEAD])
        if named is None or len(opened) == _DEEPEST:
            continue
        name, defines = named
        end = _end(structure, at)
        if end == at + 1 and not (_ASSIGNED.search(line) and _is_constant(name, structure[at])):
            continue
        whole = f"{around[-1][1]}.{name}" if around else name
        opened.append(end)
        yield Block(whole, _with_attached(structure, lines, at), end, defines)
        if end > at + 1 and defines:
            around.append((end, whole))


def _with_attached(structure: list[_Line], lines: list[str], at: int) -> int:
    """Where the decorators and attributes above a line begin, each on one line or on several."""
    start = at
    while start:
        first = start - 1
        if structure[first].closes:
            first -= 1
            while (
                first > 0
                and start - first < _HEAD
                and (
                    not structure[first].text
                    or structure[first].indent > structure[start - 1].indent
                )
            ):
                first -= 1
        if first < 0 or not _ATTACHED.match(lines[first]):
            break
        start = first
    return start


def _is_constant(name: str, line: _Line) -> bool:
    """Whether a line on its own defines something that others speak of, and no local variable."""
    return line.indent == 0 or name.isupper()


def _name(line: str, code: str) -> tuple[str, bool] | None:
    """The name that a line gives to what it opens, and whether it defines it."""
    head = line.strip()[:_HEAD]
    if not (head[0].isalpha() or head[0] in "_$@\"'."):
        return None
    first = _FIRST.match(head)
    if first and first[0] in _CONTROL - _BEFORE:
        return None
    call, equals = _CALLED.search(head), _ASSIGNED.search(head)
    if equals and (call is None or equals.start() < call.start()):
        return _left_of(head[: equals.start()])
    return _called(head) or _quoted(head, code) or _titled(head)


def _called(head: str) -> tuple[str, bool] | None:
    """The name before the parentheses of a line, `def charge(self):`, or of a mere call."""
    for each in _CALLED.finditer(head):
        name = each[1].replace("::", ".").removeprefix("self.").removeprefix("$").strip(":.@")
        if not name or name.rpartition(".")[2] in _CONTROL:
            continue
        before = head[: each.start()].rstrip()
        if receiver := _RECEIVER.search(before):
            return f"{receiver[1]}.{name}", True
        word = _LAST.search(before)
        if word:
            return name, word[1] not in _CONTROL - _BEFORE
        is_closed = head.count("(") == head.count(")")  # a call would still be open
        return name, not before and is_closed and head.endswith(("{", ":"))
    return None


def _quoted(head: str, code: str) -> tuple[str, bool] | None:
    """The name that stands in quotes: `resource "type" "name" {`, or a key of JSON."""
    names = [one or two for one, two in _QUOTED.findall(code)]
    if names and head.endswith("{"):
        return names[-1], True
    return (names[0], True) if names and head[0] in "\"'" else None


def _left_of(left: str) -> tuple[str, bool] | None:
    """The name that an assignment defines: `const charge: Handler = …`."""
    words = _WORD.findall(left.partition(":")[0] or left)
    if not words or "[" in left.partition(":")[0]:
        return None
    name = words[-1].removeprefix("self.").removeprefix("$")
    return (name, True) if name not in _CONTROL else None


def _titled(head: str) -> tuple[str, bool] | None:
    """The name in a line without brackets: `class Gateway extends Base {`, `target: …`, `key:`."""
    if named := _TYPE.match(head):
        return named[1], True
    if head.startswith("impl") and " for " in head:
        head = head.partition(" for ")[2]
    stem = _HEIR.split(head, maxsplit=1)[0]
    words = [word for word in _WORD.findall(stem) if word not in ("do", "then", "begin")]
    if not words or words[-1] in _CONTROL:
        return None
    is_opened = len(words) > 1 or head.rstrip().endswith((":", "{")) or ":" in head
    return words[-1].replace("::", "."), is_opened


class _Line:
    """What a line contributes to the structure: its depth, and the brackets that it leaves open."""

    __slots__ = ("closes", "indent", "lowest", "net", "opens", "text")

    def __init__(self, line: str) -> None:
        self.text = line.strip()
        self.indent = _indent(line)
        self.opens = self.text.startswith("{")
        self.closes = bool(_CLOSING.match(line))
        self.net = self.lowest = 0
        for sign in _BRACKET.findall(line):
            self.net += 1 if sign in "([{" else -1
            self.lowest = min(self.lowest, self.net)


def _end(lines: list[_Line], at: int) -> int:
    """Where the block that a line opens ends: brackets closed, no deeper line left."""
    depth, indent, end = 0, lines[at].indent, at + 1
    for number in range(at, len(lines)):
        line = lines[number]
        if not line.text:
            continue
        if number > at and depth <= 0 and line.indent <= indent:
            if line.opens and end == number:  # the brace below its line
                pass
            else:
                is_last = line.closes and line.indent == indent and end > at + 1
                return number + 1 if is_last else end
        end = number + 1
        if number > at and depth + line.lowest < 0:
            return number  # the line closes what an outer block opened
        depth += line.net
    return end


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Each heading of a text: its line, its level, what it says."""
    fenced = False
    levels: dict[str, int] = {}
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if fenced:
            continue
        if heading := _HEADING.match(line):
            yield at, len(heading[1]), heading[2]
        elif (
            at + 1 < len(lines)
            and line.strip()
            and (under := _UNDERLINE.match(lines[at + 1]))
            and not line.lstrip().startswith(("-", "|", ">"))
            and not (at and lines[at - 1].strip())
        ):
            yield at, levels.setdefault(under[1], len(levels) + 1), line.strip()


def _tables(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    for at, line in enumerate(lines):
        if table := _TABLE.match(line):
            name = table[1].strip()
            yield at, name.count(".") + 1, name


def _sections(lines: list[str], find: object) -> list[Block]:
    """Sections from each heading to the next one of its level or above."""
    found = list(find(lines))  # type: ignore[operator]
    blocks = []
    after: list[tuple[int, int]] = []  # the headings below that may end a section: line, level
    for start, level, name in reversed(found):
        while after and after[-1][1] > level:
            after.pop()
        blocks.append(Block(name, start, after[-1][0] if after else len(lines)))
        after.append((start, level))
    return blocks[::-1]
