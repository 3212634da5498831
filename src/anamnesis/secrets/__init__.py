"""Remove secrets from text, before it becomes a note and again before it is committed.

What has the *form* of a secret is replaced: documented formats (`tokens`), values in headers,
addresses and commands (`places`), values given to a sensitive name (`names`), and key blocks. What
a sentence only calls a password is left alone: a wrongly replaced word is a lost word. What is
removed leaves a placeholder that says what stood there, so that the note still reads well. Applying
it twice changes nothing more, and the time is linear in the text. Values that you allow in
`<home>/redact-allow.txt` stay.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import zip_longest

from anamnesis.secrets.names import named_values
from anamnesis.secrets.places import PLACES
from anamnesis.secrets.rule import EDGE, Finding, compiled
from anamnesis.secrets.tokens import TOKENS
from anamnesis.secrets.values import CHECKS, is_mixed, is_stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anamnesis.config import Home
    from anamnesis.secrets.rule import Rule

__all__ = ["RULES", "Finding", "findings", "redact"]

RULES = 15  # counts up when a rule changes: what was found harmless before is looked at again

_PASSES = 3  # a placeholder can bring a name next to a value that stood apart from it before
_SHORTEST_TEXT = 7  # `pw=1234`
_MOST_REPEATED = 50  # values that are sought again
_SHORTEST_REPEATED = 8
_LONGEST_LINE = 200
_KEY_BLOCK_LIMIT = 20_000  # a 16k-bit RSA key in PEM is 12,500 characters
_SHORTEST_KEY = 40
_SHORTEST_TOKEN = 15  # `xoxb-` and ten characters
_KEY_MARKER = (
    r"-----(?P<edge>BEGIN|END) (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
)
# What follows BEGIN when END was cut off: base64 lines, however they are quoted or prefixed.
_BLOCK_LINES = r"(?:[\s\\nr+>|\"',-]{0,8}[A-Za-z0-9+/=]{16,})*+"
# A ULID, as notes have; its letters can read like a name, and look random beside a path.
_ID = r"(?<![A-Za-z0-9])0[0-9A-HJKMNP-TV-Z]{25}(?![A-Za-z0-9])"
# A checksum and its file, as `sha256sum` prints them.
_OF_A_FILE = (
    r"(?m)^(?:[0-9a-f]{32,128}|[A-Za-z0-9+/]{42,86}={1,2})[ ][ *](?=\S{0,200}[./])\S+[ \t]*$"
)
# Characters that a literal of the rules can have; all others separate words.
_SIGNS = b"_-+/~.:=$%!@(;"
_SEPARATED = bytes(
    code if code < 128 and (chr(code).isalnum() or code in _SIGNS) else 32 for code in range(256)
)
# Hashes of texts without a secret: a draft is looked through, and its note again when indexed.
_harmless: set[int] = set()
_MOST_HARMLESS = 20_000  # one or two megabytes
ALLOWED = "redact-allow.txt"  # values that you allow, one per line


def findings(text: str, *, allow: Iterable[str] = ()) -> list[Finding]:
    """The secrets in `text`, in order, without overlaps; values in `allow` are left alone."""
    allowed = frozenset(allow)
    if len(text) < _SHORTEST_TEXT or hash(text) in _harmless:
        return []
    found = [each for each in _found(text) if not _is_no_secret(text, each)]
    if not found:
        _remember_harmless(text)
    found = [finding for finding in found if text[finding.start : finding.end] not in allowed]
    return _without_overlaps([*found, *_again(text, found)] if found else [])


def redact(text: str, *, allow: Iterable[str] = ()) -> str:
    """`text` with every secret replaced by a placeholder such as `[redacted: github token]`."""
    allowed = frozenset(allow)
    for _ in range(_PASSES):
        pieces, position = [], 0
        for finding in findings(text, allow=allowed):
            pieces += [text[position : finding.start], finding.placeholder]
            position = finding.end
        if not pieces:
            break
        text = "".join([*pieces, text[position:]])
    return text


def allow_list(home: Home) -> tuple[str, ...]:
    """The allowed values: whole values only, so that a short line does not allow more than it says.

    The file is read again only when it changed.
    """
    path = os.path.join(home, ALLOWED)
    try:
        found = os.stat(path)
        return _read(path, (found.st_mtime_ns, found.st_size, found.st_ino))
    except OSError:
        return ()


@lru_cache(maxsize=4)
def _read(path: str, _stamp: tuple[int, int, int]) -> tuple[str, ...]:
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        lines = [line.strip() for line in file]
    return tuple(line for line in lines if line and not line.startswith("#"))


def secrets_stay_here(home: Home) -> Callable[[str, bytes], str]:
    """A check of files before a commit: says why one must stay here; empty if it may leave."""

    def objection(path: str, content: bytes) -> str:

        text = f"{path}\n{content.decode('utf-8', 'replace')}"
        found = findings(text, allow=allow_list(home))
        if not found:
            return ""
        kinds = ", ".join(dict.fromkeys(finding.kind for finding in found))
        return f"it seems to hold a secret ({kinds}); remove it, or allow it in {ALLOWED}"

    return objection


def _found(text: str) -> Iterator[Finding]:
    # One byte per character: what is not Latin becomes `?`, and positions stay the same.
    data = text.encode("latin-1", "replace")
    lowered = data.lower()
    # Hundreds of literals are sought, and a text repeats its words: each word is searched once.
    every = set(data.translate(_SEPARATED).split())
    words = b" ".join(every).lower()
    long_words = b" ".join([b"", *(word for word in every if len(word) >= _SHORTEST_TOKEN)])
    yield from _key_blocks(text)
    tokens = long_words.decode("latin-1")
    for literal, rules in _TOKENS.items():
        if literal in long_words:
            # Most words with a literal are none of the format: that is known from the words alone.
            places = list(_positions(literal, long_words))
            present = [rule for rule in rules if _is_in_words(rule, tokens, places)]
            yield from _at(_positions(literal, data), text, present) if present else ()
    for literal, rules in _PLACES.items():
        if literal in words:
            yield from _at(_positions(literal, lowered), text, rules)
    yield from named_values(text, lowered)


def _is_in_words(rule: Rule, words: str, positions: Iterable[int]) -> bool:
    """Whether a rule matches somewhere in separated words, where a blank stands for a backslash."""
    pattern = compiled(rule.pattern.replace(EDGE, EDGE.replace(r"\\[nrt]", " [nrt]")))
    starts = (at - before for at in positions for before in rule.before if at >= before)
    return any(pattern.match(words, start) for start in starts)


def _by_literal(rules: Iterable[Rule]) -> dict[bytes, tuple[Rule, ...]]:
    found: dict[bytes, tuple[Rule, ...]] = {}
    for rule in rules:
        for literal in rule.literals:
            found[literal] = (*found.get(literal, ()), rule)
    return found


_TOKENS, _PLACES = _by_literal(TOKENS), _by_literal(PLACES)


def _positions(literal: bytes, data: bytes) -> Iterator[int]:
    at = data.find(literal)
    while at >= 0:
        yield at
        at = data.find(literal, at + len(literal))


def _at(positions: Iterator[int], text: str, rules: Sequence[Rule]) -> Iterator[Finding]:
    for position in positions:
        for rule in rules:
            for before in rule.before:
                found = rule.compiled.match(text, position - before) if position >= before else None
                if found is None:
                    continue
                value = found[found.lastindex or 0]
                if CHECKS[rule.check](value) and not is_stand_in(value):
                    start, end = found.span(found.lastindex or 0)
                    yield Finding(kind=rule.kind, start=start, end=end)
                    break


def _again(text: str, found: Sequence[Finding]) -> Iterator[Finding]:
    """What was found once, where the text repeats it and nothing leads to it any more."""
    values = {text[each.start : each.end]: each for each in found}
    for value, each in list(values.items())[:_MOST_REPEATED]:
        if len(value) < _SHORTEST_REPEATED or not is_mixed(value):
            continue
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield Finding(kind=each.kind, start=at, end=end)
            at = text.find(value, end)


def _is_no_secret(text: str, found: Finding) -> bool:
    """Whether a finding is the id of a note, the checksum of a file, or a name.

    A plain word that its line has already said is a name: `postgres:postgres@`.
    """
    word = text[found.start : found.end].strip()
    line = text[max(text.rfind("\n", 0, found.start), found.start - _LONGEST_LINE, 0) : found.start]
    if word.isalpha() and re.search(rf"\b{word}\b", line):
        return True
    is_id = compiled(_ID).fullmatch(text, found.start, found.end) is not None
    return is_id or compiled(_OF_A_FILE).match(text, found.start) is not None


def _remember_harmless(text: str) -> None:
    if len(_harmless) >= _MOST_HARMLESS:
        _harmless.clear()
    _harmless.add(hash(text))


def _without_overlaps(found: Sequence[Finding]) -> list[Finding]:
    # The format names the kind better than the variable it was assigned to, and comes first for
    # equal starts because the sort is stable.
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda each: each.start):
        if not kept or finding.start >= kept[-1].end:
            kept.append(finding)
        elif finding.end > kept[-1].end:
            last = kept[-1]
            kept[-1] = Finding(kind=last.kind, start=last.start, end=finding.end)
    return kept


def _key_blocks(text: str) -> Iterator[Finding]:
    if "PRIVATE KEY" not in text and "Static key" not in text:
        return
    markers = list(re.finditer(_KEY_MARKER, text))
    for begin, following in zip_longest(markers, markers[1:]):
        if begin["edge"] != "BEGIN":
            continue
        limit = begin.end() + _KEY_BLOCK_LIMIT
        if following and following["edge"] == "END" and following.start() < limit:
            length, end = following.start() - begin.end(), following.end()
        else:
            stop = following.start() if following else limit
            lines = compiled(_BLOCK_LINES).match(text, begin.end(), stop)
            end = lines.end() if lines else begin.end()
            length = end - begin.end()
        # A BEGIN line that only names the format (in prose or code) carries nothing secret.
        if length > _SHORTEST_KEY:
            yield Finding(kind="private key", start=begin.start(), end=end)
