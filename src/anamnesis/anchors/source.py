"""Source files as structure: which comments they have, and what is left when those do not count."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# How comments begin, by family; what a family has in common is all that is known of a language.
_HASH = r"(?:(?<=\s)|^)#[^\n]*"
# What is never closed ends with the file; looking for an end again at each place would be slow.
_BLOCK = r"/\*.*?(?:\*/|\Z)"
_SLASH = rf"//[^\n]*|{_BLOCK}"
_DASH = r"--[^\n]*"
_SEMICOLON = r";[^\n]*"
_PERCENT = r"(?<!\\)%[^\n]*"
_MARKUP = r"<!--.*?(?:-->|\Z)"
_UNKNOWN = r"^[ \t]*(?:#|//)[^\n]*"
_FAMILIES = {
    _HASH: "py pyi rb rake sh bash zsh fish yaml yml toml pl pm r jl ex exs tf hcl nix cmake mk "
           "makefile dockerfile gemfile rakefile cfg conf properties nim cr ps1",
    _SLASH: "c h cc cpp cxx hh hpp m mm java js jsx mjs cjs ts tsx mts cts go rs kt kts swift cs "
            "scala dart groovy gradle scss less proto zig sol jsonc json5 v sv glsl",
    f"{_SLASH}|{_HASH}": "php",
    _BLOCK: "css",
    f"{_DASH}|{_BLOCK}": "sql",
    _DASH: "lua hs elm adb ads",
    _SEMICOLON: "lisp clj cljs cljc el scm rkt asm s ini",
    _PERCENT: "tex erl hrl",
    _MARKUP: "html htm xml svg md markdown",
    f"{_MARKUP}|{_SLASH}": "vue svelte",
}  # fmt: skip
_COMMENTS = {kind: comment for comment, kinds in _FAMILIES.items() for kind in kinds.split()}
_PROSE = frozenset({"md", "markdown", "rst", "txt", "adoc", "org"})
_TRIPLE = r'"""(?:\\.|[^\\])*?(?:"""|\\?\Z)' + r"|'''(?:\\.|[^\\])*?(?:'''|\\?\Z)"
_STRINGS = r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'"
_RUST_STRINGS = r'"(?:\\.|[^"\\])*(?:"|\\?\Z)' + r"|'(?:\\.[^'\n]{0,9}|[^'\\\n])'"
_TEMPLATE = r"`(?:\\.|[^`\\])*(?:`|\\?\Z)"
_BACKTICKED = frozenset(
    ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "vue", "svelte"]
)
# What formatters add and take away: brackets, commas, semicolons and continued lines.
_LAYOUT = frozenset("(){},;\\")
_QUOTES = frozenset("'`")
_TOKEN = re.compile(r"\w+|[^\w\s]")
LARGEST = 512 * 1024  # bytes; a larger file was not written by hand


def kind_of(path: str) -> str:
    """What a path says of the language: its extension, or its name without one."""
    name = path.rpartition("/")[2].lower()
    return os.path.splitext(name)[1][1:] or name


def is_prose(path: str) -> bool:
    """Whether headings, and not brackets or indentation, give a file its structure."""
    return kind_of(path) in _PROSE


def readable(content: bytes) -> str | None:
    """A source file as text; None if it is binary or too large."""
    if len(content) > LARGEST or b"\0" in content[:8192]:
        return None
    return content.decode("utf-8", "replace").replace("\r\n", "\n")


def without_comments(text: str, path: str) -> str:
    """The text with its comments blanked, line by line in the same place."""
    if is_prose(path):
        return text
    return _pattern(kind_of(path)).sub(_blank_comment, text)


def skeleton(text: str, path: str) -> str:
    """The text with comments and the insides of strings blanked, in the same place."""
    return _pattern(kind_of(path)).sub(_blank, text)


def tokens(code: str) -> Iterator[str]:
    """The words and signs of code, without what formatters change."""
    for word in _TOKEN.findall(code):
        if word not in _LAYOUT:
            yield '"' if word in _QUOTES else word


def fingerprint(code: str) -> str:
    """Twelve characters for what code without comments says, however it is laid out."""
    return blake2b(" ".join(tokens(code)).encode("utf-8", "replace"), digest_size=6).hexdigest()


@lru_cache(maxsize=32)
def _pattern(kind: str) -> re.Pattern[str]:
    comment = _COMMENTS.get(kind, _UNKNOWN)
    strings = [_RUST_STRINGS if kind == "rs" else _STRINGS]
    if kind in ("py", "pyi"):
        strings.insert(0, _TRIPLE)
    if kind in _BACKTICKED:
        strings.append(_TEMPLATE)
    return re.compile(rf"(?P<comment>{comment})|{'|'.join(strings)}", re.DOTALL | re.MULTILINE)


def _blank_comment(match: re.Match[str]) -> str:
    return _spaces(match[0]) if match["comment"] is not None else match[0]


def _blank(match: re.Match[str]) -> str:
    if match["comment"] is not None:
        return _spaces(match[0])
    first, newline, rest = match[0].partition("\n")
    return first[0] + "_" * (len(first) - 1) + newline + _spaces(rest)


def _spaces(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))
