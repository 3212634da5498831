"""What a value looks like: made by a generator, plain words, code, or a stand-in for a secret."""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

import re

from anamnesis.redact.finding import PLACEHOLDER_START

_TURN = re.compile(r"(?=[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z])")
_FEWEST_TURNS = 3
_ENOUGH = 64  # characters tell; a hostile text may have megabytes
_CHARACTERS_PER_TURN = 6  # chance gives a turn every second character, camelCase every seventh

_WORDS = re.compile(r"(?:(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+|[a-zA-Z](?![a-zA-Z]))[-_./: =]{0,2}+)++\Z")
_REFERENCE = re.compile(
    r"\$(?!\d?[a-z]{0,2}\$)(?=[A-Za-z_{(\[@$1-9])|[<{%(\[]"
    r"|\*{2}|\.{2}|…|!\w+\s|@\{|\\\(|&[a-z*]|#\{"
    r"|(?i:process\.|os\.|env[.\[(]|secrets?[.\[]|self\.|this\.|vars?[.\[]|local\.|data\.|vault:|op://|ref\+|arn:|kms:|sops:|ssm:|file:|projects/|https?://|get_|getenv)"
)
_OPEN_ENDED = re.compile(r"[^\s]{0,100}?(?:\.{3}|…|\*{3}|(?i:x{4})|<[a-z_ -]+>|\$\{|\{\{|[$]\()")
_ONE_WORD = (
    r"x{3,}|\*+|-+|_+|\?+|•+|n/?a|none|null|nil|undefined|true|false|yes|no|on|off|any|str|int|string|number|bool"
    r"|boolean|bytes|text|object|uuid|varchar|char|secretstr|hidden|required|optional|empty|unset|todo|tbd"
    r"|redacted|removed|masked|hashed|encrypted|invalid|expired|missing|incorrect|wrong|valid|unknown|disabled|enabled"
    r"|forgot|reset|confirm|new|old|current|plain|plaintext|test|input|field|prompt|ask|stdin|inherit|omit|include|same-origin"
    r"|password|passwd|passwort|pass|pwd|pw|secret|token|key|api|user|username|login|admin|root|credentials?|auth|cookie|session|changeme|change-me"
    r"|placeholder|example|default|basic|bearer|oauth2?|jwt|api[-_ ]?key|bcrypt|argon2|argon2id|scrypt|sha256|md5|hs256|rs256|foo|bar|foobar|baz|abc|qwe|asdf"
)
_STAND_IN = re.compile(
    rf"(?i)(?:{_ONE_WORD}"
    r"|(?:your|my|the|some|an?|any|example|dummy|fake|mock|sample|test|change|replace|insert|enter|put|valid|invalid|wrong|new|old|user|db|add|set)"
    r"[-_. ]?(?:[a-z0-9]{1,16}[-_. ]){0,5}(?:here|me|this|it|password|passwd|passphrase|pass|pwd|secret|token|key|value|credentials?|string|with\w*)s?\d?"
    r"|[a-z_.-]{0,24}(?:[-_. ](?:here|placeholder|goes[-_ ]here|example))"
    r"|(?:user|pass|password|secret|token|api[-_]?key)[-_]?(?:here|name|word|value|string|id)?"
    r")[.!?)\]}>,;:]{0,3}\Z"
)
_CODE = re.compile(
    r"[A-Za-z_$][\w.]*+(?:\(|\[|::|->|=>|!\()"  # a call, an index, a path of names
    r"|[A-Za-z_]\w*+(?:\??\.[A-Za-z_]\w*+)++[;,)]{0,3}\Z"
    r"|(?:[.~]{0,2}/[\w./-]*+|[a-z0-9._-]++(?:/[a-z0-9._-]++)++)\Z"  # a file
    r"|(?:await|new|return|typeof|not|lambda|function|async|if|else|self|this)\b"
)
_MEASURE = re.compile(
    r"v?\d+(?:\.\d+)+[\w.-]*\Z"  # a version
    r"|[~^<>=]{1,2}\d"
    r"|\d+(?:\.\d+)?(?:ms|s|m|h|d|min|kb|mb|gb|px|em|rem|k|ki|mi|bit|bits|chars?|bytes?)\Z"
    r"|\d{4}-\d\d-\d\d|\d[\d,._:/-]*\Z"
)
_NAME = re.compile(
    r"[A-Za-z]+[-_ ]?\d{1,4}\Z"  # step1, sha256, item-12
    r"|[A-Za-z]+(?:[-_.:/](?:[A-Za-z]+\d{0,2}|\d{1,4}))+\Z"  # refresh_token_v2
    r"|[a-z]+\d{1,3}[A-Z][A-Za-z]*\Z"  # base64Encode
)


def looks_generated(value: str) -> bool:
    """Whether chance put the characters in this order, rather than a person naming something."""
    value = value[:_ENOUGH]
    turns = sum(1 for _ in _TURN.finditer(value))
    return turns >= max(_FEWEST_TURNS, len(value) // _CHARACTERS_PER_TURN)


def is_words(value: str) -> bool:
    """Whether a value is plain words, joined as in names or not."""
    return _WORDS.match(value) is not None


def is_stand_in(value: str) -> bool:
    """Whether a value stands for a secret: documentation writes `<token>`, `$TOKEN`, `changeme`."""
    return (
        value.startswith(PLACEHOLDER_START[:-1])
        or _REFERENCE.match(value) is not None
        or _STAND_IN.match(value) is not None
        or _OPEN_ENDED.match(value) is not None
    )


def is_code(value: str) -> bool:
    """Whether a value is an expression or a file rather than a literal."""
    return _CODE.match(value) is not None


def has_letters_and_digits(value: str) -> bool:
    """Whether a generator could have made the value, or a person who was told to use a digit."""
    if len(value) < 6 or _MEASURE.match(value):
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_name(value: str) -> bool:
    """Whether a value with digits is what programmers call things: `step1`, `refresh_token_v2`."""
    return _NAME.match(value) is not None
