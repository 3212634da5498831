"""Secrets that a name betrays: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`, `password is …`.

A name alone proves little: most lines of code that say `token` or `password` carry no secret. So a
value must also look like one: not a reference, a call, a type, a placeholder or a plain word.
"""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

import re
from functools import cache

from anamnesis.ground.records import record
from anamnesis.redact.finding import PLACEHOLDER_START, Finding
from anamnesis.redact.values import (
    has_letters_and_digits,
    is_code,
    is_name,
    is_stand_in,
    looks_generated,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.redact.anchors import Anchored

_PASSWORD, _SECRET, _KEY = "password", "secret", "key"
# The word that matters is found first and the rest of the name around it afterwards: a pattern
# that starts with an open run of name characters would be quadratic on long words.
_WORDS = (
    (b"pass", _PASSWORD),
    (b"pwd", _PASSWORD),
    (b"pw", _PASSWORD),
    (b"psk", _PASSWORD),
    (b"kennwort", _PASSWORD),
    (b"senha", _PASSWORD),
    (b"contrase", _PASSWORD),
    (b"secret", _SECRET),
    (b"token", _SECRET),
    (b"credential", _SECRET),
    (b"auth", _SECRET),
    (b"cookie", _SECRET),
    (b"jwt", _KEY),
    (b"_pat", _KEY),
    (b"key", _KEY),
)
_SOUGHT = tuple((word, (word, kind)) for word, kind in _WORDS)
_WHOLE_WORD = {
    b"pass": r"(?i:pass(?:w(?:or[dt]|d)|phrase|code)?)",
    b"pwd": r"(?i:pwd)",
    b"pw": r"(?i:pw)",
    b"contrase": r"(?i:contrase(?:ñ|n|Ñ)a)",
    b"credential": r"(?i:credentials?)",
}
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_LONGEST_NAME = 60
_LONGEST_JUDGED = 300  # of a bare value, to tell what it is; what is taken may be longer
# How a name may go on after the word: `SECRET_KEY_BASE`, `secretAccessKey`, `password2`. Anything
# else (`tokenizer`, `token_count`, `passwords`) is about secrets, not one.
_REST_OF_NAME = (
    r"(?:_(?!(?:[A-Z0-9]{1,20}_){0,4}(?:COUNT|LIMIT|NAME|FILE|PATH|UR[LI]|TYPE|ID\b|TTL|LENGTH|SIZE|BUDGET|HASH|PREFIX"
    r"|SOURCE|HEADER|ENV|EXPIR|MAX|MIN|FIELD|ALGO|POLICY|ARN|VERSION|STORE|BUCKET|ENDPOINT|REGION|USER))[A-Z0-9_]{1,24}"
    r"|(?i:[-_](?:access[-_])?key(?:[-_]base)?|[-_]value|[-_](?:prod|production|staging|stage|dev|live|test|primary"
    r"|secondary|old|new|base64|b64|v\d))|(?:Access)?Key(?:Base)?|Value|Prod|Staging|Dev|\d{1,2})?(?![A-Za-z0-9_])"
)
_OPEN_QUOTED = r"(?P<open>[^\s\"'`\\]{1,500})"
# A bare value goes on to its real end: `&`, `;`, `,` and `|` end it only where something new starts.
_BARE = (
    r"(?P<bare>(?:[^\s\"'`,;<>|&\\]"
    r"|&(?![&\s]|amp;|[A-Za-z_][\w.-]{0,40}=)|[;,](?!\s|\Z|[\"'`]?[A-Za-z_][\w. -]{0,40}[\"'`]?[=:])"
    r"|\|(?![|\s]|\Z)|<(?![/<]|[A-Za-z][\w-]{0,20}/?>|[A-Za-z][\w-]{0,20}\s[^<>\n]{0,80}>)|>(?=[\w!@#$%^&*])){1,300}+)"
)
_VALUE = (
    r"(?: \"(?P<double>(?:[^\"\\\n]|\\[^\n]){1,1000})\""
    r"| '(?P<single>(?:[^'\\\n]|\\[^\n]){1,1000})'"
    r"| `(?P<tick>[^`\n]{1,500})`"
    r"| \\+\"(?P<edouble>(?:[^\"\\\n]|\\(?!\\*\")[^\n]){1,1000})\\+\""
    r"| \\+'(?P<esingle>(?:[^'\\\n]|\\(?!\\*')[^\n]){1,1000})\\+'"
    rf"| \\*[\"'`]{_OPEN_QUOTED} | {_BARE})"
)
_ASSIGNED = (
    r"(?x) (?P<close>\\*[\"'`]{0,2}\]?(?:\\*[\"'`])?) \*{0,2}"
    r"(?: (?:\??:\s{0,2}(?:[A-Za-z_][\w.]{0,30}(?:[\[<][\w., |]{0,30}[\]>])?|\*[a-z]+)(?:\s\|\s\w{1,12})?\s(?==\s))?"
    r"    \s{0,3}(?P<sign>=>|:=|\?=|\|\|=?|\?\?=?|[:=])\*{0,2}[ \t]{0,8}(?:\|?>?[+-]?\n\s{1,12}(?=\S{8,200}\s))?"
    r"  | (?P<pair>[\s,;]{1,20}\\*[\"']?(?i:value|default)\\*[\"']?\s{0,3}[:=]\s{0,3})"
    r"  | (?P<call>\s?\(\s{0,2}|(?<=[\"'])\s{0,2},\s{0,3})(?=\\*[\"'`])"
    r"  | (?P<cell>\s{0,3}\|\s{0,3})"
    r"  | (?P<blank>[ \t]{1,3})(?=[^\s=:|]) ) (?:[bruf]{1,2}(?=[\"']))?" + _VALUE
)
# "the password for staging is …", "use token …", "the key I got was …"
_SPOKEN = (
    r"(?P<between>(?:[ \t]{1,2}(?!is\b|was\b|to\b)[A-Za-z][\w'.-]{0,20}){0,6}?)[ \t]{1,3}"
    r"(?:(?P<verb>is|was|=|:|to|as|→|->|now|currently|remains|will be|set to|changed to)(?:\s{0,2}:)?[ \t]{1,3}){1,2}(?P<quote>[\"'`*]{0,3})(?P<bare>(?<=[\"`])[^\n\"`]{1,200}(?=[\"`])|[^\s\"'`]{1,400})"
)
_PUNCTUATION = ".,;:?)*"
_NOT_KEYS = re.compile(
    r"(?i)(?:public|publishable|primary|foreign|cache|sort|partition|object|row|dict|idempotency|host|hot|arrow|"
    r"translation|locale|query|lookup|map|item|index|unique|natural|composite|surrogate|storage|s3|route|react|group|event|metric|"
    r"parent|child|shard|dedup\w*|fingerprint|redis|config|by|registry|routing|message|trace|lock|etag|context|project|session|state|site)"
    r"[-_. ]?key"
)
_KNOWN_KEYS = re.compile(
    r"(?i)(?:api|access|private|auth|signing|encryption|master|account|license|secret|service|admin|client|shared|"
    r"subscription|app|application|deploy|webhook|write|server|hmac|jwt|rsa|wallet|consumer|integration|security|personal|project_api)"
    r"[ _-]?key"
)
_ENV_NAME = re.compile(r"(?:[\w.-]*[.-])?[A-Z][A-Z0-9_]*\Z")
_NO_PASS = re.compile(
    r"(?i)(?:com|by|tres|sur|over|under|en)pass\Z|passes|cwd\Z|(?:\A|[^\w])(?:old)?pwd\Z"
)
# Where a shell, an .env file or a diff starts an assignment.
_LINE_START = re.compile(
    r"(?:\A|[\n;{,\"'`$#>|&]|\\n|\bexport|\bset|\bENV|\bARG|\benv|\bsudo|-e|--env|--build-arg|=\S{1,15})\s*[+-]?\s*\Z"
)
_SHORTEST_PASSWORD = 4
_SHORTEST_KEY = 8
_SHORTEST_RANDOM_KEY = 16
_LONG_KEY = 24  # without any other sign that it is one
_PHRASE = re.compile(r"(?i)phrase|psk")
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
        """Whether a person may have chosen it: then it may be short, and a word."""
        return self.kind == _PASSWORD


def named_values(anchored: Anchored) -> Iterator[Finding]:
    """Every value in a text that is given to a sensitive name and looks like a secret."""
    text = anchored.text
    start = end = 0
    for position, (word, kind) in anchored.words(_SOUGHT):
        if start <= position < end:
            continue  # inside of the value that was found last
        for given in _given(text, position, word, kind):
            if _is_secret(given):
                said = "password" if given.is_password else "secret"
                start, end = given.start, _end_of_value(text, given)
                yield Finding(kind=said, start=start, end=end)
                break


def _end_of_value(text: str, given: Given) -> int:
    end = given.start + len(given.value)
    if len(given.value) < _LONGEST_JUDGED:
        return end
    rest = _compiled(r"[^\s\"'`\\]*+").match(text, end)
    return rest.end() if rest and not given.quoted else end


def _given(text: str, position: int, word: bytes, kind: str) -> Iterator[Given]:
    end = _end_of_name(text, position, word)
    if end is None:
        return
    start = _start_of_name(text, position)
    if (
        kind == _KEY
        and word == b"key"
        and text[start:position] == ""
        and text[position - 1 : position] == " "
    ):
        start = _start_of_name(text, position - 1)  # `API key`
    name = text[start:end]
    if not _is_sensitive(name, word, text, position) or _is_in_placeholder(text, start):
        return
    at_line_start = _LINE_START.search(text[max(0, start - 20) : start]) is not None
    if assigned := _compiled(_ASSIGNED).match(text, end):
        group = assigned.lastgroup or "bare"
        value, at = assigned[group], assigned.start(group)
        if group == "bare":
            value = value.rstrip(_PUNCTUATION) if not at_line_start else value.rstrip(";,")
        yield Given(
            name=name, value=value, start=at, kind=kind, how=_how(assigned, at, end),
            quoted=group not in ("bare", "open"), at_line_start=at_line_start,
            is_used=text[max(0, start - 6) : start].lower().endswith(("with ", "using ", "use ")),
        )  # fmt: skip
    if spoken := _compiled(_SPOKEN).match(text, end):
        value = spoken["bare"].rstrip(_PUNCTUATION)
        how = "spoken far" if spoken["between"] else f"spoken {spoken['verb']}"
        quoted = bool(spoken["quote"].strip("*"))
        yield Given(
            name=name, value=value, start=spoken.start("bare"), kind=kind, how=how, quoted=quoted,
            at_line_start=False,
        )  # fmt: skip


def _is_in_placeholder(text: str, position: int) -> bool:
    opened = text.rfind(PLACEHOLDER_START, max(0, position - _LONGEST_NAME), position)
    return opened >= 0 and "]" not in text[opened:position]


def _end_of_name(text: str, position: int, word: bytes) -> int | None:
    if pattern := _WHOLE_WORD.get(word):
        whole = _compiled(pattern).match(text, position)
        if whole is None:
            return None
        position = whole.end()
    else:
        position += len(word)
    rest = _compiled(_REST_OF_NAME).match(text, position)
    return rest.end() if rest else None


def _how(assigned: re.Match[str], at: int, end: int) -> str:
    for how in ("blank", "call", "cell", "pair"):
        if assigned[how] is not None:
            return how
    tight = assigned.lastgroup == "bare" and at - end == 1
    return f"tight {assigned['sign']}" if tight else assigned["sign"]


def _start_of_name(text: str, position: int) -> int:
    earliest = max(0, position - _LONGEST_NAME)
    while position > earliest and text[position - 1] in _NAME_CHARACTERS:
        position -= 1
    return position


def _is_sensitive(name: str, word: bytes, text: str, position: int) -> bool:
    before, first = text[position - 1 : position], text[position]
    starts_a_word = not before.isalnum() or (before.islower() and first.isupper())
    if word in (b"pw", b"psk", b"auth", b"jwt") and not starts_a_word:
        return text[max(0, position - 2) : position] in ("\\n", "\\t")
    if word in (b"pass", b"pwd"):
        return _NO_PASS.search(name) is None
    if word == b"token":
        return "ublic" not in name
    if word == b"key":
        return _NOT_KEYS.search(name) is None
    return True


def _is_secret(given: Given) -> bool:
    if not _can_be_secret(given):
        return False
    if given.how.startswith("spoken"):
        return _is_spoken_secret(given)
    if given.how == "blank":
        return _is_argument(given)
    if is_code(given.value) and not (given.quoted and looks_generated(given.value)):
        return False
    if given.how in ("call", "cell"):
        return _is_random(given) and (given.is_password or looks_generated(given.value))
    return _is_quoted_secret(given) if given.quoted else _is_bare_secret(given)


def _can_be_secret(given: Given) -> bool:
    if is_stand_in(given.value) or given.value.lower() == given.name.lower():
        return False
    if given.name.lower() == "pass" and given.how not in ("=", ":", "tight ="):
        return False  # the verb
    if len(given.value) < (_SHORTEST_PASSWORD if given.is_password else _SHORTEST_KEY):
        return False
    return given.kind != _KEY or bool(_KNOWN_KEYS.search(given.name)) or _is_random_key(given)


def _is_random_key(given: Given) -> bool:
    """Whether `STRIPE_KEY`, `"key"` and the like hold a secret: only a long random value tells."""
    if not _RANDOM_KEY.match(given.value) or not looks_generated(given.value):
        return False
    if given.how == "spoken is":
        return len(given.value) >= _LONG_KEY
    if " " in given.name or given.how == "blank" or given.how.startswith("spoken"):
        return False
    return _ENV_NAME.match(given.name) is not None or len(given.name) > len("key")


def _is_spoken_secret(given: Given) -> bool:
    value = given.value
    if given.quoted and given.how in ("spoken is", "spoken was") and given.is_password:
        return not is_code(value) and (" " not in value or _PHRASE.search(given.name) is not None)
    if (is_code(value) and not looks_generated(value)) or not _is_random(given):
        return False
    if given.is_password and given.how in ("spoken is", "spoken was", "spoken =", "spoken :"):
        return True
    if given.is_password and given.how == "spoken far":
        return not is_name(value) or not (value.islower() or value.isupper())
    return len(value) >= (8 if given.is_password else 12) and looks_generated(value)


def _is_argument(given: Given) -> bool:
    if given.value.startswith("-"):
        return False  # the next option
    if given.name.startswith("-"):
        return (given.quoted and given.is_password and " " not in given.value) or _is_random(given)
    if given.name.lower().startswith(("aws_", "_auth")):
        return _is_random(given)
    if is_code(given.value) or not _is_random(given):
        return False
    if given.is_password:
        return given.is_used or (len(given.value) >= 8 and not is_name(given.value))
    # "use token …": prose, where only a value that nobody would write by hand is one.
    return len(given.value) >= _SHORTEST_RANDOM_KEY and looks_generated(given.value)


def _is_quoted_secret(given: Given) -> bool:
    if " " in given.value:
        return given.is_password and (
            _PHRASE.search(given.name) is not None or _ENV_NAME.match(given.name) is not None
        )
    if given.is_password:
        return len(given.value) >= 6 or _ENV_NAME.match(given.name) is not None
    return _is_random(given) or looks_generated(given.value)


def _is_bare_secret(given: Given) -> bool:
    if given.value.endswith((")", "]", "}", "(", "{", ":")) and not given.at_line_start:
        return False
    if given.how == "tight :" and not given.is_password:
        return False  # `arn:…:secret:name`, `scope:token:read`
    if (
        given.how == "tight ="
        and _ENV_NAME.match(given.name)
        and (given.at_line_start or given.is_password)
    ):
        return True
    return _is_random(given) or (
        len(given.value) >= _SHORTEST_RANDOM_KEY and looks_generated(given.value)
    )


def _is_random(given: Given) -> bool:
    if not has_letters_and_digits(given.value):
        return False
    return given.is_password or not is_name(given.value) or looks_generated(given.value)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
