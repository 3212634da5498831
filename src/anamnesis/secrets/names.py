"""Secrets that a name betrays: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`, `the token is …`.

A name alone proves little: most lines of code that say `token` or `password` carry no secret. So a
value must also look like one: generated, or, where it is called a password, chosen as one.
"""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.secrets.rule import PLACEHOLDER_START, Finding, compiled
from anamnesis.secrets.values import (
    is_chosen,
    is_code,
    is_generated,
    is_mixed,
    is_stand_in,
    is_strong,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SOUGHT = rb"pass|pwd|pw|psk|secret|token|credential|creds|auth|bearer|jwt|key|_pat"
# The word that matters is found first and the rest of the name around it afterwards: a pattern
# that starts with an open run of name characters would be quadratic on long words. What goes on
# otherwise (`tokenizer`, `token_count`, `passwords`) is about secrets, not one.
_NAME = (
    r"(?:(?P<password>(?i:pass(?:w(?:or[dt]|r?d)|phrase|code)?|pwd|pw|psk))|(?P<secret>(?i:secret|token|credentials?|creds|auth|bearer))|(?P<key>(?i:jwt|key|_pat)))"
    r"(?:_(?!(?:[A-Z0-9]{1,20}_){0,4}(?:COUNT|LIMIT|NAME|FILE|PATH|UR[LI]|TYPE|ID\b|TTL|LENGTH|SIZE|BUDGET|HASH|PREFIX|COMMAND|CMD"
    r"|SOURCE|HEADER|ENV|EXPIR|MAX|MIN|FIELD|ALGO|POLICY|ARN|VERSION|STORE|BUCKET|ENDPOINT|REGION|USER|PROVIDER|BACKEND|METHOD|MODE|SERVER|HOST|DOMAIN|DRIVER|STRATEGY|SCHEME|ISSUER|AUDIENCE|CLASS|SERVICE|ENABLED|REQUIRED|TIMEOUT|LIFETIME|CHECK|PORT|HASHER|VALIDATOR|MANAGER|ROTATION|THRESHOLD|FAIL|RATE|RATIO|ENGINE|HELPER|REALM|ALGORITHM))[A-Z0-9_]{1,24}"
    r"|(?i:[-_](?:access[-_])?key(?:[-_]base)?|[-_](?:value|prod|production|staging|stage|dev|live|test|primary"
    r"|secondary|old|new|plain|clear|cleartext|base64|b64|v\d))|(?:Access)?Key(?:Base)?|Value|Prod|Staging|Dev|\d{1,2})?(?![A-Za-z0-9_])"
)
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_LONGEST_NAME = 60
_SHORT_WORDS = r"(?i)pw|psk|auth|jwt"  # which others contain
_BEFORE_PW = ("root", "bind", "db", "admin", "user", "ldap", "mail", "ftp", "sudo", "app")
_OTHER_NAMES = (
    r"(?i)(?:com|by|tres|sur|over|under|en|im)pass\Z|oldpwd\Z|^--?no-|\.htpasswd\Z|hashed[-_]?\w+\Z|public|csrf|\Aauth0\Z"
    r"|(?:page|next|continuation|continue|sync|cursor|resume)[-_]?token"
    r"|(?:publishable|primary|foreign|cache|sort|partition|object|row|dict|idempotency|host|hot|arrow|translation|locale|query|lookup|map|item|index|unique|natural|composite|surrogate|storage|s3|route|react|group|event|metric|"
    r"parent|child|shard|dedup\w*|fingerprint|redis|config|by|registry|routing|message|trace|(?<!un)lock|etag|context|project|state|site|websocket|tur|mon|don|inchi|from|for|restore)[-_. ]?key"
)
_KNOWN_KEYS = (
    r"(?i)(?:api|access|private|auth|signing|encryption|master|account|license|secret|service|admin|client|shared|subscription|stream|unlock|recovery|activation|product|setup|registration|app|application|deploy|webhook|write|server|hmac|jwt|rsa|wallet|consumer|integration|security|personal|trigger|project_api)"
    r"[ _.-]?key"
)
_ENV_NAME = r"(?:[\w.-]*[.-])?[A-Z][A-Z0-9_]*\Z"
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
    r"(?x) \\*[\"'`]{0,2}\]?(?:\\*[\"'`])? \*{0,2}"
    r"(?: (?:\??:\s{0,2}(?:[A-Za-z_][\w.]{0,30}(?:[\[<][\w., |]{0,30}[\]>])?|\*[a-z]+|&(?:'[a-z]{1,10}\s)?(?:mut\s)?\w{1,30})(?:\s\|\s\w{1,12})?\s(?==\s)|\s[A-Za-z]{3,12}(?=\s=\s\"))?"
    r"    [^\S\n]{0,12}\s{0,3}(?P<sign>[=!]==?|=>|:{1,3}=|[?.+]=|\|\|=?|\?\?=?|<-|[:=])\*{0,2}[ \t]{0,8}(?:\|?>?[+-]?\n\s{0,12}(?=\S{8,200}(?:\s|\Z)))?(?:(?:!!?|&)[a-z]{2,12}\s(?=\S{8}))?(?:(?:String::from|Buffer\.from|bytes|str|String|b64decode)\((?=[\"']))?"
    r"  | (?P<braced>\s\{\s?get;[^{}\n]{0,30}\}\s?=\s?)(?=\")"
    r"  | (?P<pair>[\s,;{]{1,20}(?:(?:type|sensitive|description|nullable)\s{1,12}=\s[^\n{}]{1,80}\s{1,12}){0,4}\\*[\"']?(?i:value|default)\\*[\"']?\s{0,3}[:=]\s{0,3})"
    r"  | (?P<call>\s?\(\s{0,2}|(?<=[\"'A-Z])[ ]{0,2},[ ]{0,12})(?=\\*[\"'`])"
    r"  | (?P<tag>(?:(?<=[\"'])>|>\s{0,12}|</key>\s{0,12}<string>|</name>\s{0,12}<value>|>\s{0,12}<(?i:value)>)(?:\{?[A-Za-z]{1,20}[ ]){0,3}(?=[^<\n]{4,400}\s{0,12}</))"
    r"  | (?P<cell>\s{0,3}\|\s{0,3})"
    r"  | (?P<blank>[ \t]{1,3})(?=[^\s=:|]) ) (?:[brufN]{1,2}(?=[\"']))?" + _VALUE
)
_PROSE = (
    r"[ \t][a-z']{1,20}(?:[.,;)!?]|\s(?!=))"  # no value; it spares most notes the pattern above
)
# The token for the runner is …; an API key (prod): …
_SAID = (
    r"(?:,?[ \t]{1,2}(?!is\b|was\b|to\b|such\b)\w[\w'@-]{0,20}){0,6}?(?:[ \t]{1,2}\([^()\n]{1,30}\))?[ \t]{0,3}(?:(?:\b(?:is|was|to|as)|[:=→\u2013\u2014-]|->)[ \t]{1,3}){1,2}"
    r"(?P<quote>[\"'`*]{0,3})(?P<said>(?<=[\"`])[^\n\"`]{1,200}(?=[\"`])|[^\s\"'`]{1,400})"
)
# A password's length, policy or manager is none.
_ABOUT_IT = r"(?i)s?[ _-](?:hash|strength|polic|manager|length|generator|reset|hint|min|max|rules?|file|format|type|id\b|limit|count|field|expir|fingerprint|identifier)"
_PUNCTUATION = ".,;:?)*"
# Where a shell, an .env file or a diff starts an assignment.
_LINE_START = r"(?:\A|[\n;{,\"'`$#>|&]|\\n|\bexport|\bset|\bENV|\bARG|\benv|\bsudo|-e|--env|--build-arg|=\S{1,15})\s*[+-]?\s*\Z"
_SHORTEST_PASSWORD = 4
_LONG = 24
_SHORTEST_SAID = 16  # of a value that no sign gives to its name
_LONGEST_JUDGED = 300  # of a bare value, to tell what it is; what is taken may be longer
_KEY_ID = r"(?:0x)?(?:[0-9A-F]{16}|[0-9A-F]{40})\Z"  # of OpenPGP
_PHRASE = r"(?i)phrase|psk"


@record
class _Given:
    """A value given to a sensitive name, and how it was written."""

    name: str
    value: str
    start: int
    kind: str  # `password`, `secret` or `key`
    how: str  # `sign`, `tight =` without blanks and quotes, `blank`, `said`, or a kind of markup
    quoted: bool
    starts_line: bool
    is_used: bool = False  # "log in with password …"

    @property
    def is_variable(self) -> bool:
        """Whether it is given as a shell does: whatever stands there is the value."""
        is_name = compiled(_ENV_NAME).match(self.name) is not None
        return is_name and self.starts_line and (self.quoted or self.how == "tight =")


def named_values(text: str, lowered: bytes) -> Iterator[Finding]:
    """Every value in a text that is given to a sensitive name and looks like a secret."""
    start = end = 0
    for sought in re.finditer(_SOUGHT, lowered):
        position = sought.start()
        if start <= position < end:
            continue  # inside the value that was found last
        named = compiled(_NAME).match(text, position)
        if named is None or not _is_sensitive(text, named):
            continue
        for given in _given(text, named):
            if _is_secret(given):
                start, end = given.start, _end_of_value(text, given)
                kind = "password" if given.kind == "password" else "secret"
                yield Finding(kind=kind, start=start, end=end)
                break


def _is_sensitive(text: str, named: re.Match[str]) -> bool:
    position = named.start()
    before, first = text[position - 1 : position], text[position]
    if compiled(_SHORT_WORDS).match(named[0]):
        starts = not before.isalnum() or before > "\u2e80" or (before.islower() and first.isupper())
        if not starts and text[max(0, position - 2) : position] not in ("\\n", "\\t"):
            whose = text[max(0, position - 5) : position].lower()
            return named[0].lower() == "pw" and whose.endswith(_BEFORE_PW)
    return True


def _start_of_name(text: str, position: int) -> int:
    earliest = max(0, position - _LONGEST_NAME)
    while position > earliest and text[position - 1] in _NAME_CHARACTERS:
        position -= 1
    return position


def _given(text: str, named: re.Match[str]) -> Iterator[_Given]:
    end, kind = named.end(), str(named.lastgroup)
    is_prose = compiled(_PROSE).match(text, end)
    assigned = None if is_prose else compiled(_ASSIGNED).match(text, end)
    said = compiled(_SAID).match(text, end) if not compiled(_ABOUT_IT).match(text, end) else None
    if assigned is None and said is None:
        return
    start = _start_of_name(text, named.start())
    if text[start:end].lower() == "key" and text[start - 1 : start] == " ":
        start = _start_of_name(text, start - 1)  # `API key`
    name = text[start:end]
    if text.endswith("checksum/", 0, start) or _is_in_placeholder(text, start):
        return
    starts_line = compiled(_LINE_START).search(text[max(0, start - 20) : start]) is not None
    if assigned:
        group = str(assigned.lastgroup)
        value = assigned[group]
        if group == "bare":
            value = value.rstrip(";,") if starts_line else value.rstrip(_PUNCTUATION)
            value = value if "{" in value or "[" in value else value.rstrip("}]")
        yield _Given(
            name=name, value=value, start=assigned.start(group), kind=kind, how=_how(assigned, end),
            quoted=group not in ("bare", "open"), starts_line=starts_line,
            is_used=text[max(0, start - 6) : start].lower().endswith(("with ", "using ", "use ")),
        )  # fmt: skip
    if said:
        yield _Given(
            name=name, value=said["said"].rstrip(_PUNCTUATION), start=said.start("said"), kind=kind,
            how="said", quoted=bool(said["quote"].strip("*")), starts_line=False,
        )  # fmt: skip


def _how(assigned: re.Match[str], end: int) -> str:
    for how in ("braced", "blank", "call", "cell", "pair", "tag"):
        if assigned[how] is not None:
            return how
    if "\n" in assigned[0][: assigned.start(assigned.lastgroup or 0) - assigned.start()]:
        return "below"
    is_tight = assigned.lastgroup == "bare" and assigned.start("bare") - end == 1
    return f"tight {assigned['sign']}" if is_tight else "sign"


def _is_in_placeholder(text: str, position: int) -> bool:
    opened = text.rfind(PLACEHOLDER_START, max(0, position - _LONGEST_NAME), position)
    return opened >= 0 and "]" not in text[opened:position]


def _end_of_value(text: str, given: _Given) -> int:
    end = given.start + len(given.value)
    if len(given.value) < _LONGEST_JUDGED:
        return end
    rest = compiled(r"[^\s\"'`\\]*+").match(text, end)
    return rest.end() if rest and not given.quoted else end


def _is_secret(given: _Given) -> bool:
    """Whether the value looks like a secret, for this name and this way of writing it."""
    looks_like_it = _is_password if given.kind == "password" else _is_random
    return (
        looks_like_it(given)
        and not is_stand_in(given.value)
        and given.value.lower() != given.name.lower()
        and compiled(_OTHER_NAMES).search(given.name) is None
    )


def _is_random(given: _Given) -> bool:
    value = given.value
    if given.how in ("below", "blank", "cell", "said") and not given.name.startswith("-"):
        is_one = len(value) >= _SHORTEST_SAID and is_generated(value)
    elif given.how == "tight :":  # `arn:…:secret:name`, `scope:token:read`
        is_one = len(value) >= _LONG and is_generated(value)
    elif is_generated(value) or given.is_variable or given.quoted:
        is_one = is_strong(value) and not is_code(value)
    else:
        is_one = False
    return is_one and not value.startswith("//") and (given.kind != "key" or _is_of_key(given))


def _is_of_key(given: _Given) -> bool:
    """Whether a name with `key` is that of a secret: a known one, or one of a long random value."""
    if compiled(_KEY_ID).match(given.value):
        return False
    if compiled(_KNOWN_KEYS).search(given.name):
        return True
    is_long = len(given.value) >= _SHORTEST_SAID and is_generated(given.value)
    return is_long and len(given.name) > len("key")


def _is_password(given: _Given) -> bool:
    value = given.value
    if value.startswith(("//", "-", "?") if given.how == "tight :" else ("//", "-")):
        return False  # an address, an option, `${PASSWORD:?message}`
    if given.name.lower() == "pass" and given.how != "tight =":
        return given.how != "call" and is_strong(value)  # it is a verb, and what a test does
    if given.is_variable:
        return len(value) >= _SHORTEST_PASSWORD and not is_code(value)
    if " " in value:
        return (
            given.quoted and compiled(_PHRASE).search(given.name) is not None and is_chosen(value)
        )
    if given.how in ("blank", "cell") and not given.name.startswith("-"):
        return is_strong(value) or (given.is_used and is_mixed(value))
    # Below a prompt stands what the program printed.
    looks_like_it = is_generated if given.how == "below" else is_mixed
    return looks_like_it(value) and not is_code(value)
