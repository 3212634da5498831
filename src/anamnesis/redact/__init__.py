"""Secrets out of text, before it becomes a note and again before it is committed.

Two kinds of evidence: values whose *shape* betrays them (`ghp_…`, `AKIA…`, a PEM block; see
`vendors` and `phrases`) and values that a *name* betrays (`DB_PASSWORD=…`, `"token": "…"`; see
`names`). What is removed leaves a placeholder that says what stood there, so that the note still
reads well. Applying it twice changes nothing more, and the time is linear in the text. Values that
a person declared harmless, in `<home>/redact-allow.txt`, stay.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import zip_longest

from anamnesis.redact.anchors import Anchored, Finding, by_letters
from anamnesis.redact.names import named_values
from anamnesis.redact.phrases import PHRASES
from anamnesis.redact.values import (
    has_letters_and_digits,
    is_certainly_generated,
    is_password_like,
    is_random_run,
    is_stand_in,
    is_ticket,
    is_words,
    looks_generated,
)
from anamnesis.redact.vendors import VENDORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anamnesis.config import Home
    from anamnesis.redact.anchors import Shape

__all__ = ["RULES", "Finding", "findings", "redact"]

RULES = 6  # counts up when a rule changes: what was found harmless before is looked at again

_PASSES = 3  # a placeholder can bring a name next to a value that stood apart from it before
_SHORTEST_TEXT = 7  # `pw=1234`
_KEY_BLOCK_LIMIT = 20_000  # a 16k-bit RSA key in PEM is 12,500 characters
_SHORTEST_KEY = 40
# By itself, at the end of a sentence or in quotes; in an address or a path it is an id. Vendors put a mark before it.
_NAMELESS = r"(?:(?<=[\s\"'`(=:])|\A)(?<!\d:)((?:[A-Za-z][A-Za-z0-9]{1,9}[_-]){0,3}([A-Za-z0-9]{28,128}))(?=[\s\"'`).,;]|\Z)"
_MARKS_OF_IDS = (
    "age1", "msg", "toolu", "req", "call", "chatcmpl", "resp", "thread", "asst", "run", "file", "org", "user", "usr", "cus", "sub", "price",
    "prod", "evt", "acct", "id", "sha", "sess", "trace", "span", "event", "commit",
)  # fmt: skip
_KEY_MARKER = r"-----(?P<edge>BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# What follows BEGIN when END was cut off: base64 lines, however they are quoted or prefixed.
_BLOCK_LINES = r"(?:[\s\\nr+>|\"',-]{0,8}[A-Za-z0-9+/=]{16,})*+"
_OTHER_NAMES = (
    r"(?i:парол[ьеяю]|密码|密碼|口令|パスワード|暗証番号|비밀번호|비번|패스워드|암호|토큰|hasł[oa]|şifre|mật khẩu|كلمة المرور|סיסמה|κωδικός|पासवर्ड|รหัสผ่าน"
    r"|jelszó|slaptažodis|пароля|令牌|密钥|トークン)"
    r"(?:[^\S\n]\w{1,14}){0,3}?[^\S\n]{0,2}(?:[是为為는은이가をは:：=—–(（-]|->|→|are\b|is\b)?[^\S\n]{0,3}[\"'`「“]?(?!1Password|\$argon|\]\(|[\"'`])(?=[^\s\d]{0,60}\d)([!#-&(-_a-~Ͱ-ӿ]{6,200})"
)
_OTHER_LETTER = re.compile(r"[^\W\x00-\x7f]")
# Hashes of texts without a secret: a draft is looked through, and its note again when it is indexed.
_harmless: set[int] = set()
_MOST_HARMLESS = 20_000  # one or two megabytes
ALLOWED = "redact-allow.txt"  # values that a person declared harmless, one per line


def findings(text: str, *, allow: Iterable[str] = ()) -> list[Finding]:
    """The secrets in `text`, in order, without overlaps; values in `allow` are left alone."""
    allowed = frozenset(allow)
    if len(text) < _SHORTEST_TEXT or hash(text) in _harmless:
        return []
    anchored = Anchored(text)
    found = [*_shaped_values(anchored), *named_values(anchored)]
    if not found:
        _remember_harmless(text)
    found = [finding for finding in found if text[finding.start : finding.end] not in allowed]
    return _without_overlaps(found)


def _remember_harmless(text: str) -> None:
    if len(_harmless) >= _MOST_HARMLESS:
        _harmless.clear()
    _harmless.add(hash(text))


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


def _without_overlaps(found: Sequence[Finding]) -> list[Finding]:
    # The shape names the kind better than the variable it was assigned to, and comes first for
    # equal starts because the sort is stable.
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda each: each.start):
        if not kept or finding.start >= kept[-1].end:
            kept.append(finding)
        elif finding.end > kept[-1].end:
            last = kept[-1]
            kept[-1] = Finding(kind=last.kind, start=last.start, end=finding.end)
    return kept


def allow_list(home: Home) -> tuple[str, ...]:
    """The allowed values: whole values only, so that a line cannot open a door by accident.

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
    """A check of files that are about to be committed: why one must stay here, or nothing."""

    def objection(path: str, content: bytes) -> str:

        text = f"{path}\n{content.decode('utf-8', 'replace')}"
        found = findings(text, allow=allow_list(home))
        if not found:
            return ""
        kinds = ", ".join(dict.fromkeys(finding.kind for finding in found))
        return f"it seems to hold a secret ({kinds}); remove it, or allow it in {ALLOWED}"

    return objection


def _shaped_values(anchored: Anchored) -> Iterator[Finding]:
    """Every value in a text whose shape or surroundings are those of a secret."""
    text = anchored.text
    yield from _key_blocks(text)
    for positions, shapes in anchored.tokens(_VENDORS):
        yield from _at(positions, text, shapes)
    for positions, shapes in anchored.words(_PHRASES):
        yield from _at(positions, text, shapes)
    yield from _nameless(anchored)
    if not text.isascii() and _OTHER_LETTER.search(text):  # "…" is in every clipped text
        yield from _named_in_other_alphabets(text)


def _named_in_other_alphabets(text: str) -> Iterator[Finding]:
    """Passwords behind their name in an alphabet that literals are not sought in."""
    for found in re.finditer(_OTHER_NAMES, text):
        if is_stand_in(found[1]) or is_ticket(found[1]):
            continue
        if has_letters_and_digits(found[1]):
            yield Finding(kind="password", start=found.start(1), end=found.end(1))


def _nameless(anchored: Anchored) -> Iterator[Finding]:
    """Long words of letters and digits that only a generator makes, standing by themselves."""
    for word in anchored.long_words():
        for found in re.finditer(_NAMELESS, word):
            if found[1].lower().startswith(_MARKS_OF_IDS) and (
                found[1] != found[2] or found[1].startswith("age1")
            ):
                continue
            if is_certainly_generated(found[2]) or is_random_run(found[2]):
                at = anchored.text.find(found[1])
                yield Finding(kind="secret", start=at, end=at + len(found[1]))


def _at(positions: Iterable[int], text: str, shapes: tuple[Shape, ...]) -> Iterator[Finding]:
    tried = [(shape, shape.before, shape.compiled.match) for shape in shapes]
    for position in positions:
        for shape, befores, match_at in tried:
            for before in befores:
                match = match_at(text, position - before) if position >= before else None
                if match and _is_secret(shape, match[1]):
                    yield Finding(kind=shape.kind, start=match.start(1), end=match.end(1))
                    break


def _by_literal(shapes: Iterable[Shape]) -> tuple[tuple[bytes, tuple[Shape, ...]], ...]:
    found: dict[bytes, tuple[Shape, ...]] = {}
    for shape in shapes:
        for literal in shape.literals:
            found[literal] = (*found.get(literal, ()), shape)
    return tuple(found.items())


_VENDORS, _PHRASES = _by_literal(VENDORS), by_letters(_by_literal(PHRASES))


def _is_secret(shape: Shape, value: str) -> bool:
    if is_stand_in(value) or (shape.no_words and is_words(value)):
        return False
    if shape.chosen and not is_password_like(value):
        return False
    return not shape.generated or looks_generated(value)


def _key_blocks(text: str) -> Iterator[Finding]:
    if "PRIVATE KEY" not in text:
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
            lines = re.compile(_BLOCK_LINES).match(text, begin.end(), stop)
            end = lines.end() if lines else begin.end()
            length = end - begin.end()
        # A BEGIN line that only names the format (in prose or code) carries nothing secret.
        if length > _SHORTEST_KEY:
            yield Finding(kind="private key", start=begin.start(), end=end)
