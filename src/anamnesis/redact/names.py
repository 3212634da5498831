"""Secrets that a name betrays: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`, `password is …`.

A name alone proves little: most lines of code that say `token` or `password` carry no secret. So a
value must also look like one: not a reference, a call, a type, a placeholder or a plain word.
"""

from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.redact.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The word that matters is found first and the rest of the name around it afterwards: a pattern
# that starts with an open run of name characters would be quadratic on long words.
_WORD = re.compile(
    r"(?P<password>password|passwd|passphrase|pwd|(?<=[_.-])pass)"
    r"|secret|token|credentials?|(?<=_)auth|cookie"
    r"|(?:api|access|private|auth|signing|encryption|master|account|license)[ _-]?key",
    re.IGNORECASE,
)
_PARTS_OF_WORDS = ("pass", "pwd", "secret", "token", "credential", "_auth", "cookie", "key")
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_LONGEST_NAME = 60
# How a name may go on after the word: `SECRET_KEY_BASE`, `secretAccessKey`, `password2`. Anything
# else (`tokenizer`, `token_count`, `passwords`) is about secrets, not one.
_REST_OF_NAME = re.compile(
    r"(?:_(?!COUNT|LIMIT|NAME|FILE|PATH|URL|TYPE|ID\b|TTL|LENGTH|SIZE|BUDGET|HASH|PREFIX|SOURCE|HEADER|ENV)"
    r"[A-Z0-9_]{1,20}"
    r"|(?:_access)?_key(?:_base)?|_value|(?:Access)?Key|Value|\d{1,2})?(?![A-Za-z0-9_])"
)
_ASSIGNED = re.compile(
    r"""
    (?:\\?["'`])?\s{0,3}                           # the quote that closes a JSON or YAML name
    (?P<sign>=>|:=|[:=]|(?<=\w)\s(?=[^\s=:|]))\s{0,3}  # or a blank, after a command-line option
    (?: \\?"(?P<double>(?:[^"\\\n]|\\[^"\n]){1,500})\\?"
      | \\?'(?P<single>(?:[^'\\\n]|\\[^'\n]){1,500})\\?'
      | (?P<bare>[^\s"'`,;<>|&\\]{1,500}) )
    """,
    re.VERBOSE,
)
_IS = re.compile(r"\s{1,3}(?:is|was)\s{1,3}[\"'`]?(?P<bare>[^\s\"'`]{1,200})")
_PUNCTUATION = ".,;:!?)"

_REFERENCE = re.compile(
    r"\$(?!\d?[a-z]{0,2}\$)|[<{%(\[]|\*{2}|\.{2}|-{1,2}\w|!\w+\s"
    r"|(?i:process\.|os\.|env[.\[]|secrets\.|self\.|this\.|vault:|op://|ref\+)"
)
_STAND_IN = re.compile(
    r"(?i)(?:x{3,}|\*+|-+|_+|…|n/?a|none|null|nil|undefined|true|false|yes|no|on|off|any|str|int"
    r"|string|number|bool|boolean|bytes|text|hidden|required|optional|empty|unset|todo|tbd|redacted"
    r"|(?:your|my|the|some|example|dummy|fake|sample|change|replace|insert)[-_. ]?[a-z_-]{0,40}"
    r"(?:here|me|this|password|passwd|pass|secret|token|key|value)"
    r"|password|passwd|secret|token|changeme|placeholder|example|default|basic|bearer|oauth2?)\Z"
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]*(?:\(|\[|::|->|=>)"  # a call, an index, a path of names
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z"
    r"|(?:[.~]{0,2}/[\w./-]*|[a-z0-9._-]+(?:/[a-z0-9._-]+)+)\Z"  # a file
)
_NOT_RANDOM = re.compile(
    r"v?\d+(?:\.\d+)+[\w.-]*\Z"  # a version
    r"|\d+(?:\.\d+)?(?:ms|s|m|h|d|min|kb|mb|gb|px|em|rem|k|ki|mi)\Z"
    r"|\d{4}-\d\d-\d\d"
)
_A_NAME = re.compile(
    r"[A-Za-z]+[-_ ]?\d{1,4}\Z"  # step1, sha256, item-12
    r"|[A-Za-z]+(?:[-_.:](?:[A-Za-z]+\d{0,2}|\d{1,4}))+\Z"  # refresh_token_v2
    r"|[a-z]+\d{1,3}[A-Z][A-Za-z]*\Z"  # base64Encode
)
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]*\Z")
# Where a shell, an .env file or a diff starts an assignment.
_LINE_START = re.compile(
    r"(?:\A|[\n;{,\"'`]|\\n|\bexport|\bset|\bENV|\bARG|-e|--env|--build-arg)\s*[+-]?\s*\Z"
)
_SHORTEST_PASSWORD = 4
_SHORTEST_KEY = 8


@record
class Given:
    """A value given to a sensitive name, and how it was written."""

    name: str
    value: str
    start: int
    is_password: bool
    quoted: bool
    sign: str  # `=`, `:`, a blank, `is`; `tight =` without blanks and quotes
    at_line_start: bool


def named_values(text: str) -> Iterator[Finding]:
    """Every value in `text` that is given to a sensitive name and looks like a secret."""
    lowered = text.lower()
    if not any(part in lowered for part in _PARTS_OF_WORDS):
        return  # most texts end here, forty times faster than by the pattern
    position = 0
    while word := _WORD.search(text, position):
        position = word.end()
        given = _given(text, word)
        if given and _is_secret(given):
            kind = "password" if given.is_password else "secret"
            position = given.start + len(given.value)
            yield Finding(kind=kind, start=given.start, end=position)


def _given(text: str, word: re.Match[str]) -> Given | None:
    rest = _REST_OF_NAME.match(text, word.end())
    if not rest:
        return None
    start = _start_of_name(text, word.start())
    name = text[start : rest.end()]
    is_password = word["password"] is not None
    if is_password and (said := _IS.match(text, rest.end())):
        value, sign, quoted, at = said["bare"].rstrip(_PUNCTUATION), "is", False, said.start("bare")
    elif assigned := _ASSIGNED.match(text, rest.end()):
        group = next(each for each in ("double", "single", "bare") if assigned[each] is not None)
        value, sign, quoted = assigned[group], assigned["sign"], group != "bare"
        at = assigned.start(group)
        if not quoted and at - rest.end() == 1 and not sign.isspace():
            sign = f"tight {sign}"
    else:
        return None
    at_line_start = _LINE_START.search(text[max(0, start - 20) : start]) is not None
    return Given(
        name=name, value=value, start=at, is_password=is_password, quoted=quoted, sign=sign,
        at_line_start=at_line_start,
    )  # fmt: skip


def _start_of_name(text: str, position: int) -> int:
    earliest = max(0, position - _LONGEST_NAME)
    while position > earliest and text[position - 1] in _NAME_CHARACTERS:
        position -= 1
    return position


def _is_secret(given: Given) -> bool:
    value = given.value
    if _REFERENCE.match(value) or _STAND_IN.match(value) or value.lower() == given.name.lower():
        return False
    if len(value) < (_SHORTEST_PASSWORD if given.is_password else _SHORTEST_KEY):
        return False
    if given.sign.isspace():
        return given.name.startswith("--") and not given.quoted and _is_random(given)
    if _CODE.match(value):
        return False
    return _is_quoted_secret(given) if given.quoted else _is_bare_secret(given)


def _is_quoted_secret(given: Given) -> bool:
    if " " in given.value:
        return given.is_password and (
            "phrase" in given.name.lower() or _ENV_NAME.match(given.name) is not None
        )
    if given.is_password and (_ENV_NAME.match(given.name) or not given.value.isidentifier()):
        return True
    return _is_random(given)


def _is_bare_secret(given: Given) -> bool:
    if given.value.endswith((")", "]", "}", "(", "{", ":")):
        return False
    if given.sign == "tight :" and not given.is_password:
        return False  # `arn:…:secret:name`, `scope:token:read`
    if given.sign == "tight =" and given.at_line_start and _ENV_NAME.match(given.name):
        return True
    return _is_random(given)


def _is_random(given: Given) -> bool:
    """Whether a generator could have made the value, or a person who was told to use a digit."""
    value = given.value
    if not (any(map(str.isdigit, value)) and any(map(str.isalpha, value))):
        return False
    if len(value) < 6 or _NOT_RANDOM.match(value):
        return False
    return given.is_password or _A_NAME.match(value) is None
