"""Whether a value that is given to a sensitive name is a secret, also in a table or a line below.

A name alone proves little: most lines of code that say `token` or `password` carry no secret. So a
value must also look like one: not a reference, a call, a type, a placeholder or a plain word.
"""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.redact.anchors import compiled
from anamnesis.redact.values import (
    has_generated_part,
    has_letters_and_digits,
    is_chosen,
    is_code,
    is_common_password,
    is_given_password,
    is_invented,
    is_jumbled,
    is_misspelt,
    is_name,
    is_password_like,
    is_random_word,
    is_stand_in,
    is_words,
    looks_generated,
)
from anamnesis.redact.vocabulary import is_remark, share_of_known_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD, SECRET, KEY = "password", "secret", "key"
PIN, PHRASE = "pin", "phrase"  # are given digits only, or several words
LOGIN = "login"  # of words that are said of passwords, but are given no value
KNOWN_KEYS = re.compile(
    r"(?i)(?:api|access|private|auth|signing|encryption|master|account|license|secret|service|admin|client|shared|"
    r"subscription|stream|unlock|recovery|activation|product|setup|registration|app|application|deploy|webhook|write|server|hmac|jwt|rsa|wallet|consumer|integration|security|personal|project_api)"
    r"[ _.-]?key"
)
_ENV_NAME = re.compile(r"(?:[\w.-]*[.-])?[A-Z][A-Z0-9_]*\Z")
# A password's length, policy or manager is none.
ABOUT_IT = re.compile(
    r"(?i)s?[ _-](?:hash(?:es|ing)?|strength|polic(?:y|ies)|manager|length|generator|reset|prompt|fields?|hint|min|max|minimum|maximum|rotation|rules?|requirements?|history|file|complexity|check(?:er|s)?"
    r"|format|type|encoder|algorithm|librar(?:y|ies)|store|storage|input|expiry|expiration|lifetime|grants?|flow|endpoint|provider|format|count|usage|limit|budget|entropy|score|validat(?:ion|or)|screen|page|dialog|form|prefix|name|login|auth(?:entication)?|protection|prompts|entry|pad|encryption|change|changes|hasher|ändern|zurücksetzen|vergessen|primaria|for[áa]nea|primária|oublié|olvidad[ao]|dimenticata)\b|-(?:less|based|protected|only|free|related|style|like|derived)\b"
)
_SAID_TO_BE = frozenset(
    f"spoken {verb}"
    for verb in (
        "is",
        "was",
        "=",
        ":",
        "ist",
        "lautet",
        "heißt",
        "heisst",
        "c'est",
        "war",
        "est",
        "es",
        "è",
        "é",
        "er",
        "är",
        "jest",
        "este",
        "je",
        "là",
        "adalah",
    )
)
_SHORTEST_PASSWORD = 4
_SHORTEST_KEY = 8
_SHORTEST_SECRET = 10
_SHORTEST_RANDOM = 12
_SHORTEST_RANDOM_KEY = 16
_LONG_KEY = 24  # without any other sign that it is one
_SHORTEST_WORD = 6  # of a cell that is a plain word
_SHORTEST_LISTED = 14  # of a key in a table or on a line of its own
_SAME_LINE = 80  # characters between a name and the end of its line
_LONGEST_LINE = 400  # of a table
_MOST_ROWS = 12
_AROUND_CELL = " `*_\"'\r"
_PHRASE = re.compile(r"(?i)phrase|psk")
_FILE = re.compile(r"\.[a-z]{2,4}\Z")
_NO_LITERAL = re.compile(
    r"(?i)[(){}\[\]<>|]|::|->|=>|&&|pass|pwd|secret|token|cred|self|this|config|env\b|settings|form|request|user|args|option|params|data|prompt"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_KEY_ID = re.compile(r"(?:0x)?(?:[0-9A-F]{16}|[0-9A-F]{40})\Z")  # of OpenPGP
_RANDOM_KEY = re.compile(r"[A-Za-z0-9_+/=-]{16,}\Z")


@record
class Given:
    """A value given to a sensitive name, and how it was written."""

    name: str
    value: str
    start: int
    kind: str  # of the name: a password, a secret, or a key of whatever sort
    how: str  # `=`, `:`, `tight =` without blanks and quotes, `blank`, `call`, `cell`, `spoken`
    quoted: bool
    at_line_start: bool
    is_used: bool = False  # "log in with password …"

    @property
    def is_password(self) -> bool:
        """Whether it may have been chosen by hand: then it may be short, and a word."""
        return self.kind == PASSWORD


def is_secret(given: Given) -> bool:
    """Whether the value looks like a secret, for this name and this way of writing it."""
    if not _can_be_secret(given):
        return False
    if given.how.startswith("spoken"):
        return _is_spoken_secret(given)
    if given.how == "blank":
        return _is_argument(given)
    if given.is_password and _is_strong(given):
        return True
    written_out = given.quoted or (given.how == "tight =" and _ENV_NAME.match(given.name))
    if is_code(given.value) and not (
        (written_out and looks_generated(given.value)) or _is_made_of_other_words(given)
    ):
        return False
    return _is_assigned_secret(given)


def _is_strong(given: Given) -> bool:
    """Whether only a password would stand there: of a variable, an option, a connection string."""
    value = given.value
    if _NO_LITERAL.search(value) or " " in value or value.startswith(("/", "./", "~/", "-")):
        return False
    if _ENV_NAME.match(given.name):
        return given.how == "tight =" and given.at_line_start
    if given.name.startswith("-"):
        return given.how in ("tight =", "=") and not is_words(value)
    if given.how == "tight =" and given.name[:1].isupper():
        return given.at_line_start  # a connection string
    if given.how in ("tag", "pair") or (given.quoted and given.how in ("=", ":", "=>")):
        return "." not in value and share_of_known_words(value) in ("none", "some")
    return False


def _is_made_of_other_words(given: Given) -> bool:
    """Whether a password only looks like code: `c0balt.Heron`, `Nagel.Brett`."""
    value = given.value
    if not given.is_password or (value.islower() and not given.quoted):
        return given.is_password and is_misspelt(value)
    if (
        given.quoted
        and "(" not in value
        and "/" not in value
        and share_of_known_words(value) in ("none", "some")
    ):
        return not _FILE.search(value)
    return is_misspelt(value) or is_invented(value)


def _is_assigned_secret(given: Given) -> bool:
    match given.how:
        case "paren":
            return given.is_password and is_password_like(given.value)
        case "tag":
            return _is_random(given) and (given.is_password or looks_generated(given.value))
        case "cell":
            return is_password_like(given.value)
        case "call":
            return _is_random(given) and (given.is_password or looks_generated(given.value))
    return _is_quoted_secret(given) if given.quoted else _is_bare_secret(given)


def _can_be_secret(given: Given) -> bool:
    if (
        given.value.startswith("//")
        or is_stand_in(given.value)
        or given.value.lower() == given.name.lower()
    ):
        return False
    if given.name.lower() == "pass" and not _is_no_verb(given):
        return False
    if len(given.value) < (_SHORTEST_PASSWORD if given.is_password else _SHORTEST_KEY):
        return False
    if given.kind == KEY and _KEY_ID.match(given.value):
        return False
    return given.kind != KEY or bool(KNOWN_KEYS.search(given.name)) or _is_random_key(given)


def _is_no_verb(given: Given) -> bool:
    """Whether "pass" is the name of a value; it is also a verb, and what a test does."""
    if given.how.startswith("spoken"):
        return is_password_like(given.value)
    if given.how == "blank":
        return (
            is_chosen(given.value)
            or is_jumbled(given.value)
            or is_misspelt(given.value)
            or is_common_password(given.value)
        )
    if given.how not in ("=", ":", "tight =", "tight :"):
        return False
    return given.name != "PASS" or is_password_like(given.value)


def _is_random_key(given: Given) -> bool:
    """Whether `STRIPE_KEY`, `"key"` and the like hold a secret: only a long random value tells."""
    if given.how in ("=", ":", "tight =", "tight :") and is_chosen(given.value):
        return " " not in given.value
    if _UUID.match(given.value) and given.how == "blank":
        return len(given.name) > len("key") and "id" not in given.name.lower()
    if not _RANDOM_KEY.match(given.value) or not looks_generated(given.value):
        return False
    if given.how == "spoken is":
        return len(given.value) >= _LONG_KEY
    if " " in given.name or given.how == "blank" or given.how.startswith("spoken"):
        return False
    return _ENV_NAME.match(given.name) is not None or len(given.name) > len("key")


def _is_spoken_secret(given: Given) -> bool:
    value = given.value
    is_said = given.how in ("spoken is", "spoken was") or " " in value
    if given.quoted and is_said and given.is_password:
        return not is_code(value) and (" " not in value or _PHRASE.search(given.name) is not None)
    written_as_code = is_code(value) and not looks_generated(value)
    if (written_as_code and not _is_made_of_other_words(given)) or not _is_random(given):
        return False
    if given.is_password:
        return _is_spoken_password(given)
    if len(value) >= _SHORTEST_RANDOM and looks_generated(value):
        return True
    is_chosen_secret = given.how in _SAID_TO_BE and "secret" in given.name.lower()
    return is_chosen_secret and is_password_like(value) and not is_name(value)


def _is_spoken_password(given: Given) -> bool:
    value = given.value
    if given.how in _SAID_TO_BE:
        return True
    if given.how == "spoken far":
        has_cases = not (value.islower() or value.isupper())
        return has_cases or not is_name(value) or is_password_like(value)
    return len(value) >= _SHORTEST_KEY and (looks_generated(value) or is_password_like(value))


def _is_argument(given: Given) -> bool:
    value = given.value
    if value.startswith("-"):
        return False  # the next option
    if given.name.startswith("-") and given.quoted and given.is_password and " " not in value:
        return True
    if given.name.lower().startswith(("-", "aws_", "_auth")):
        if _is_random(given) or (given.is_password and not is_words(value)):
            return True
        joined = "-" in value or "_" in value or "." in value
        is_other = joined or share_of_known_words(value) == "none"
        return given.is_password and is_other and not _NO_LITERAL.search(value)
    if (is_code(value) and not has_generated_part(value)) or not _is_random(given):
        return False
    return _is_said_password(given) if given.is_password else _is_said_secret(given)


def _is_said_password(given: Given) -> bool:
    value = given.value
    if given.is_used or is_password_like(value) or _PHRASE.search(given.name):
        return True
    return len(value) >= _SHORTEST_KEY and not is_name(value)


def _is_said_secret(given: Given) -> bool:
    """Whether "use token …" has one: in prose, only a value that is not written by hand."""
    value = given.value
    if given.kind == SECRET and (_UUID.match(value) or _is_short_secret(value)):
        return True
    return len(value) >= _SHORTEST_RANDOM_KEY and looks_generated(value)


def _is_short_secret(value: str) -> bool:
    return len(value) >= _SHORTEST_SECRET and value.isalnum() and is_jumbled(value)


def _is_quoted_secret(given: Given) -> bool:
    if " " in given.value:
        return given.is_password and (
            _PHRASE.search(given.name) is not None or _ENV_NAME.match(given.name) is not None
        )
    if given.is_password:
        return len(given.value) >= 6 or _ENV_NAME.match(given.name) is not None
    if "secret" in given.name.lower() and is_password_like(given.value):
        return share_of_known_words(given.value) != "all"
    return _is_random(given) or looks_generated(given.value)


def _is_bare_secret(given: Given) -> bool:
    if given.value.endswith((")", "]", "}", "(", "{", ":")) and not given.at_line_start:
        return False
    if given.how == "tight :" and not given.is_password:
        # `arn:…:secret:name`, `scope:token:read`
        return is_jumbled(given.value) or (
            len(given.value) >= _LONG_KEY and looks_generated(given.value)
        )
    if (
        given.how == "tight ="
        and _ENV_NAME.match(given.name)
        and (given.at_line_start or given.is_password)
    ):
        return True
    shortest = _SHORTEST_KEY if given.is_password else _SHORTEST_RANDOM_KEY
    if len(given.value) >= shortest and looks_generated(given.value) and not is_words(given.value):
        return True
    return _is_random(given)


def _is_random(given: Given) -> bool:
    if given.is_password and (is_invented(given.value) or is_common_password(given.value)):
        return True
    if not given.is_password and (is_random_word(given.value) or is_chosen(given.value)):
        return True
    is_option = given.name.startswith("--") and given.how == "tight ="
    if is_option and len(given.value) >= _SHORTEST_KEY and has_letters_and_digits(given.value):
        return True
    if not has_letters_and_digits(given.value):
        return False
    return given.is_password or not is_name(given.value) or looks_generated(given.value)


def value_below(text: str, position: int, *, kind: str) -> tuple[int, int] | None:
    """The one value of the next line, where the line ends with a colon; a fence may be between.

    Below a name that ends its line, only what a generator makes: `config/master.key`.
    """
    end = text.find("\n", position, position + _SAME_LINE)
    after = text[position:end].rstrip().rstrip("*")
    if end < 0 or (after and not after.endswith(":")):
        return None
    found = compiled(
        r"\s*(?:```\w{0,9}\n\s{0,8})?[>`*\"'-]{0,4}[ ]?([^\s\"'`]{6,400})[`*\"']{0,3}[ \t]*(?:\n|\Z)"
    ).match(text, end)
    if found is None or is_stand_in(found[1]) or is_code(found[1]):
        return None
    if not after and not (len(found[1]) >= _LONG_KEY and looks_generated(found[1])):
        return None
    return found.span(1) if _is_listed(found[1], kind) else None


def _is_listed(value: str, kind: str, *, is_cell: bool = False) -> bool:
    """Whether a value that stands where a secret is announced is one."""
    if kind == PASSWORD:
        is_joined = re.fullmatch(r"[^\W\d_]{2,}(?:[-_.][^\W\d_]{2,}){1,4}", value) is not None
        is_word = is_cell and value.isalpha() and len(value) >= _SHORTEST_WORD
        is_said = share_of_known_words(value) == "all" or is_remark(re.split(r"[-_.]", value)[0])
        is_other = (is_joined or is_word) and not is_said and not _FILE.search(value)
        return is_given_password(value) or is_other
    return len(value) >= _SHORTEST_LISTED and looks_generated(value) and not is_name(value)


def values_of_column(text: str, start: int, end: int, *, kind: str) -> Iterator[tuple[int, int]]:
    """The values of a column that a name heads, in a table of markdown or separated by signs."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    if last < 0 or last - first > _LONGEST_LINE:
        return
    sign = next((sign for sign in ("|", "\t", ";", ",", "  ") if sign in text[first:last]), "")
    head = _cells(text[first:last], sign) if sign else []
    column = next((n for n, (_, stop) in enumerate(head) if first + stop >= end), 0)
    name = text[first:last][slice(*head[column])].strip(_AROUND_CELL) if head else ""
    if name.removeprefix("Mot de ") != text[start:end] or not any(a < b for a, b in head[1:]):
        return  # a list, not a table
    for _ in range(_MOST_ROWS):
        first, last = last + 1, text.find("\n", last + 1, last + _LONGEST_LINE)
        row = text[first : last if last >= 0 else first + _LONGEST_LINE]
        cells = _cells(row, sign)
        if not row or len(cells) != len(head):
            return
        value = row[slice(*cells[column])].strip(_AROUND_CELL)
        if (
            _is_listed(value, kind, is_cell=sign != ",")
            and " " not in value
            and not is_stand_in(value)
        ):
            at = first + row.index(value, cells[column][0])
            yield at, at + len(value)
        if last < 0:
            return


def _cells(row: str, sign: str) -> list[tuple[int, int]]:
    """Where the cells of a row are; between quotes a sign separates nothing."""
    if sign == "  ":
        return [cell.span() for cell in compiled(r"\S+(?: \S+)*").finditer(row)]
    cells = compiled(rf'(?:\A|[{sign}])("[^"]*"(?=[{sign}]|\Z)|[^{sign}]*)').finditer(row)
    return [cell.span(1) for cell in cells]
