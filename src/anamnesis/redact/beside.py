"""Values in a line that mentions a secret, in a table or on the next line.

`names` reads a value that is given to its name. People also write "log in with bob and …", put the
password into the third column, or after a line that ends with a colon. There only a value that
has no other reason to be there is taken.
"""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

from anamnesis.redact.anchors import compiled
from anamnesis.redact.given import KEY, LOGIN, PASSWORD, SECRET
from anamnesis.redact.values import (
    is_certainly_generated,
    is_chosen,
    is_code,
    is_given_password,
    is_jumbled,
    is_misspelt,
    is_name,
    is_phrase,
    is_random_word,
    is_stand_in,
    looks_generated,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SAME_LINE = 80  # characters between the word and the value
_LONGEST_LINE = 400  # of a table
_MOST_ROWS = 12
_SHORTEST, _LONGEST = 7, 200
_SHORTEST_KEY = 14
_ALONE = r"(?:(?<=[\s\"'`(\[<>,;|=:/])|\A)[^\s\"'`<>(){}\[\]|]{7,200}"
# `admin/…`, `user:…`, `ID=…`: what stands before the sign is a plain word.
_LEADING_NAME = r"(?:[A-Za-z][\w.@-]{0,40}?\s?[/:,=]{1,2}(?=[^/]))+"
_TRAILING = r"(?:\\+[rnt]|[.,;:)])+\Z"
# What a random value may be instead of a key: a commit, a checksum, an id, a public key.
_ABOUT_OTHERS = (
    r"(?i:commit|sha\d|\bsha\b|hash|digest|checksum|fingerprint|revision|uuid|guid|\bids?\b|etag|nonce|integrity|public|"
    r"trace|request|build|version|image|layer|blob|tree|object|salt|gpg|pgp|\brsa|ssh|signing)"
)
_RANDOM_RUN = (
    r"(?=[a-zA-Z]*\d)(?:[0-9a-z]{32,128}|[0-9A-Z]{32,128}|(?=[0-9a-f]*[g-z])[0-9a-z]{24,32})\Z"
)
_PUBLIC_KEYS = r"(?i)cache|public|fingerprint"
_NO_WORD = r"\d|[a-z][A-Z]{1,3}[a-z]{0,2}[A-Z]|\w[!#$%^*?~+=&@]\w"
_BYTES = r"(?i)(?:[0-9a-f]{2}[:-]){3}"  # the address of a network card, a fingerprint
_OTHER = r"(?:\w://\S*|\bAAAA\S*|(?i:sha\d{1,3}|md5)[:=-])\Z"


def values_beside(text: str, position: int, *, kind: str) -> Iterator[tuple[int, int]]:
    """Where values stand that can only be secrets, in a line that mentions one."""
    first = max(text.rfind("\n", 0, position) + 1, position - _SAME_LINE)
    first = max(text.rfind(" ", 0, first), first - _LONGEST, 0)
    last = text.find("\n", position, position + _SAME_LINE)
    end = last if last >= 0 else position + _SAME_LINE
    if not compiled(_NO_WORD).search(text, first, end):
        return
    if kind == KEY and compiled(_PUBLIC_KEYS).search(text, first, end):
        return
    for found in compiled(_ALONE).finditer(text, first, end):
        if compiled(_BYTES).match(text, found.start()):
            continue
        start, stop = _trimmed(text, found.start(), _to_its_end(text, found.end()))
        value = text[start:stop]
        if start <= position < stop or _is_part_of_other(text, first, start):
            continue
        if _stands_out(value, kind) or (
            kind in (KEY, SECRET)
            and compiled(_RANDOM_RUN).match(value)
            and looks_generated(value)
            and not compiled(_ABOUT_OTHERS).search(text, first, end)
        ):
            yield start, stop


def _is_part_of_other(text: str, first: int, start: int) -> bool:
    """Whether a value stands in an address or is a public key or a fingerprint."""
    return (
        text.startswith(("AAAA", "age1", "0x"), start)
        or compiled(_OTHER).search(text, first, start) is not None
    )


def value_below(text: str, position: int, *, kind: str) -> tuple[int, int] | None:
    """The one value of the next line, where the line ends with a colon; a fence may be between."""
    end = text.find("\n", position, position + _SAME_LINE)
    if end < 0 or not text[position:end].rstrip().rstrip("*").endswith(":"):
        return None
    found = compiled(
        r"\s*(?:```\w{0,9}\n\s{0,8})?[>`*\"'-]{0,4}[ ]?([^\s\"'`]{6,200})[`*\"']{0,3}[ \t]*(?:\n|\Z)"
    ).match(text, end)
    if found is None or is_stand_in(found[1]) or is_code(found[1]):
        return None
    return found.span(1) if _is_listed(found[1], kind) else None


def _is_listed(value: str, kind: str) -> bool:
    """Whether a value that stands where a secret is announced is one."""
    if kind == PASSWORD:
        return is_given_password(value)
    return len(value) >= _SHORTEST_KEY and looks_generated(value) and not is_name(value)


def values_of_column(text: str, start: int, end: int, *, kind: str) -> Iterator[tuple[int, int]]:
    """The values of a column that a name heads, in a table of markdown or separated by signs."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    if last < 0 or last - first > _LONGEST_LINE:
        return
    sign = next((sign for sign in "|\t;," if sign in text[first:last]), "")
    after = text[end:last].lstrip(" `*_\"'")
    if not sign or (after and not after.startswith(sign)):
        return
    before = text[first:start].rstrip(" `*_\"'")
    if before and not before.endswith(sign):
        return
    if not before and not after.strip(f"{sign} "):
        return  # a list, not a table
    column, columns = text.count(sign, first, start), text.count(sign, first, last)
    for _ in range(_MOST_ROWS):
        first, last = last + 1, text.find("\n", last + 1)
        last = last if last >= 0 else len(text)
        if first >= last or text.count(sign, first, last) != columns:
            return
        for _ in range(column):
            first = text.find(sign, first) + 1
        cell = text[first:last].split(sign, 1)[0]
        value = cell.strip(" `*\"'\r")
        if _is_listed(value, kind) and " " not in value and not is_stand_in(value):
            at = first + cell.find(value)
            yield at, at + len(value)


def _to_its_end(text: str, end: int) -> int:
    rest = compiled(r"[^\s\"'`<>(){}\[\]|]*+").match(text, end)
    return rest.end() if rest else end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A value without the name before it and the punctuation after it."""
    if led := compiled(_LEADING_NAME).match(text, start, end):
        start = led.end()
    if trailing := compiled(_TRAILING).search(text, start, end):
        end = trailing.start()
    return start, end


def _stands_out(value: str, kind: str) -> bool:
    if not _SHORTEST <= len(value) <= _LONGEST or is_stand_in(value):
        return False
    if kind in (PASSWORD, LOGIN) and is_phrase(value):
        return True
    if is_name(value):
        return False
    if kind in (PASSWORD, LOGIN):
        misspelt = is_misspelt(value) and not value.islower()
        return misspelt or is_chosen(value) or is_jumbled(value)
    bare = value.rstrip("!?")
    if bare.isalnum() and not bare.islower() and not bare.isupper() and is_random_word(bare):
        return True
    return (
        len(bare) >= _SHORTEST_KEY
        and compiled(r"[\w!$%^&*+~/=-]+\Z").match(bare) is not None
        and is_certainly_generated(bare)
    )
