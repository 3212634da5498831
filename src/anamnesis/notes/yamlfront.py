"""Front matter through the YAML library: for hand-written notes and unusual values.

YAML 1.1 turns `12:30` into 750 and `no` into False. Only null keeps its meaning here; every
other plain scalar stays the text that was written.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from anamnesis.notes.fields import IDS, KEYS, WORDS, UnreadableNote

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_FRONT = 64 * 1024  # far beyond any real front matter


class _TextLoader(_Base):  # type: ignore[misc]
    """Reads every plain scalar but null as text."""


_NULL = "tag:yaml.org,2002:null"
_TextLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == _NULL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Dumper(yaml.SafeDumper):
    """Writes as `yaml.safe_dump` does, except for line breaks that it would not read back."""


def _represent_text(dumper: _Dumper, text: str) -> Any:
    style = '"' if any(mark in text for mark in "\x85\u2028\u2029") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def dump(fields: dict[str, Any]) -> str:
    """The fields as `yaml.safe_dump` writes them, in the order given."""
    text: str = yaml.dump(fields, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text


def load(front: str) -> tuple[dict[str, Any], str]:
    """The known fields as text or lists of text, and the lines of all other keys as they are.

    Raises UnreadableNote.
    """
    if len(front) > _MAX_FRONT:
        raise UnreadableNote("its front matter is longer than 64 KiB")
    node = _compose(front)
    if not isinstance(node, yaml.MappingNode):
        raise UnreadableNote("its front matter is not a list of `key: value` lines")
    fields: dict[str, Any] = {}
    extra: list[str] = []
    lines = front.splitlines(keepends=True)
    starts = [key.start_mark.line for key, _ in node.value] + [len(lines)]
    for (key, value), start, end in zip(node.value, starts, starts[1:], strict=False):
        if key.value in KEYS:
            fields[key.value] = _plain_value(key.value, value)
        elif node.flow_style:
            raise UnreadableNote("its front matter is in one {…} line with unknown keys")
        else:
            extra.extend(lines[start:end])
    text = "".join(extra)
    if "*" in text and not _stands_alone(text):
        text = _without_borrowing(front)
    return fields, text if not text or text.endswith("\n") else f"{text}\n"


def _stands_alone(extra: str) -> bool:
    """Whether unknown keys refer to no known key (as in `title: &t x`, `mine: *t`)."""
    try:
        _compose(extra)
    except UnreadableNote:
        return False
    return True


def _without_borrowing(front: str) -> str:
    """The unknown keys with what they refer to spelled out: known keys lose their anchors."""
    node = _compose(front, yaml.SafeLoader)
    unknown = [pair for pair in node.value if pair[0].value not in KEYS]
    alone = yaml.MappingNode(node.tag, unknown, flow_style=False)
    text: str = yaml.serialize(alone, Dumper=_Dumper, allow_unicode=True)
    return text


def _compose(front: str, loader: Any = _TextLoader) -> Any:
    try:
        return yaml.compose(front, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        place = getattr(error, "problem_mark", None)
        where = f" (line {place.line + 2})" if place else ""
        problem = re.sub(r"\s+", " ", str(getattr(error, "problem", None) or error))
        raise UnreadableNote(f"its front matter is not valid YAML: {problem}{where}") from None


def _plain_value(key: str, node: Any) -> str | list[str] | None:
    if isinstance(node, yaml.SequenceNode):
        if KEYS[key].kind not in (WORDS, IDS):
            raise UnreadableNote(f"its {key} is a list")
        return [item.value for item in node.value if isinstance(item, yaml.ScalarNode)]
    if not isinstance(node, yaml.ScalarNode):
        raise UnreadableNote(f"its {key} is not a text")
    text: str = node.value
    return None if node.tag == _NULL else text


_BLOCK = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_LINE = re.compile(r"(?m)^[ \t]*([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*?)[ \t]*\r?$")


def split(text: str) -> tuple[dict[str, Any], str]:
    """The front matter, all values as text, lists or mappings of text, and what follows it."""
    block = _BLOCK.match(text)
    if block is None:
        return {}, text.removeprefix("\ufeff").strip()
    return _mapping(block.group(1)), text[block.end() :].strip()


def text_of(front: dict[str, Any], *names: str) -> str:
    """The first of some values that exists, as one line."""
    for name in names:
        value = front.get(name)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
    return ""


def words_of(front: dict[str, Any], name: str) -> list[str]:
    """A list of words, written as a list or separated by commas."""
    value = front.get(name)
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list):
        return []
    return [item.strip(" #\"'[]") for item in items if isinstance(item, str) and item.strip()]


def _mapping(block: str) -> dict[str, Any]:
    try:
        # Without resolvers: `no`, `12:30` and dates stay text.
        mapping = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506  builds text only
    except (yaml.YAMLError, RecursionError):
        mapping = None
    if isinstance(mapping, dict):
        return {str(key): value for key, value in mapping.items()}
    return {key: value.strip("\"'") for key, value in _LINE.findall(block)}
