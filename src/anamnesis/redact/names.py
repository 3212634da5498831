"""Secrets that a name betrays: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`, `password is …`.

Here names and the values given to them are found; `given` judges the values.
"""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

import re

from anamnesis.redact.anchors import PLACEHOLDER_START, Finding, by_letters, compiled
from anamnesis.redact.given import (
    ABOUT_IT,
    KEY,
    KNOWN_KEYS,
    LOGIN,
    PASSWORD,
    PHRASE,
    PIN,
    SECRET,
    Given,
    is_secret,
    value_below,
    values_of_column,
)
from anamnesis.redact.slots import Mention
from anamnesis.redact.sought import WHOLE_WORDS, WORDS
from anamnesis.redact.values import is_chosen, is_jumbled, is_memorable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.redact.anchors import Anchored

_SOUGHT = by_letters((word, (word, kind)) for word, kind in WORDS)
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_LONGEST_NAME = 60
_SAME_LINE = 80
_STARTING = frozenset((b"sasl", b"vnc", b"rdp"))  # too short to count inside a word
_LONGEST_JUDGED = 300  # of a bare value, to tell what it is; what is taken may be longer
# How a name may go on after the word: `SECRET_KEY_BASE`, `secretAccessKey`, `password2`. Anything
# else (`tokenizer`, `token_count`, `passwords`) is about secrets, not one.
_REST_OF_NAME = (
    r"(?:_(?!(?:[A-Z0-9]{1,20}_){0,4}(?:COUNT|LIMIT|NAME|FILE|PATH|UR[LI]|TYPE|ID\b|TTL|LENGTH|SIZE|BUDGET|HASH|PREFIX|COMMAND|CMD"
    r"|SOURCE|HEADER|ENV|EXPIR|MAX|MIN|FIELD|ALGO|POLICY|ARN|VERSION|STORE|BUCKET|ENDPOINT|REGION|USER|PROVIDER|BACKEND|METHOD|MODE|SERVER|HOST|DOMAIN|DRIVER|STRATEGY|SCHEME|ISSUER|AUDIENCE|CLASS|SERVICE|ENABLED|REQUIRED|TIMEOUT|LIFETIME|CHECK|PORT|HASHER|VALIDATOR|MANAGER|ROTATION|THRESHOLD|FAIL|RATE|RATIO|ENGINE|HELPER|REALM|ALGORITHM))[A-Z0-9_]{1,24}"
    r"|(?i:[-_](?:access[-_])?key(?:[-_]base)?|[-_]value|[-_](?:prod|production|staging|stage|dev|live|test|primary"
    r"|secondary|old|new|plain|clear|cleartext|base64|b64|v\d))|(?:Access)?Key(?:Base)?|Value|Prod|Staging|Dev|\d{1,2})?(?![A-Za-z0-9_])"
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
    r"(?: (?:\??:\s{0,2}(?:[A-Za-z_][\w.]{0,30}(?:[\[<][\w., |]{0,30}[\]>])?|\*[a-z]+|&(?:'[a-z]{1,10}\s)?(?:mut\s)?\w{1,30})(?:\s\|\s\w{1,12})?\s(?==\s))?"
    r"    [^\S\n]{0,12}\s{0,3}(?P<sign>[=!]==?|=>|:=|\?=|\|\|=?|\?\?=?|<-|[:=])\*{0,2}[ \t]{0,8}(?:\|?>?[+-]?\n\s{1,12}(?=\S{8,200}(?:\s|\Z)))?(?:(?:!!?|&)[a-z]{2,12}\s(?=\S{8}))?(?:(?:String::from|Buffer\.from|bytes|str|String|b64decode)\((?=[\"']))?"
    r"  | (?P<braced>\s\{\s?get;[^{}\n]{0,30}\}\s?=\s?)(?=\")"
    r"  | (?P<pair>[\s,;{]{1,20}(?:(?:type|sensitive|description|nullable)\s{1,12}=\s[^\n{}]{1,80}\s{1,12}){0,4}\\*[\"']?(?i:value|default)\\*[\"']?\s{0,3}[:=]\s{0,3})"
    r"  | (?P<call>\s?\(\s{0,2}|(?<=[\"'A-Z])\s{0,2},\s{0,12})(?=\\*[\"'`])"
    r"  | (?P<tag>(?:(?<=[\"'])>|</key>\s{0,12}<string>|</name>\s{0,12}<value>|>\s{0,12}<(?i:value)>)(?=[^<\n]{4,400}</))|(?P<paren>\s?\()(?=[^\s()\"'`,]{7,64}\))"
    r"  | (?P<cell>\s{0,3}\|\s{0,3})"
    r"  | (?P<blank>[ \t]{1,3})(?=[^\s=:|]) ) (?:[brufN]{1,2}(?=[\"']))?" + _VALUE
)
# "the password for staging is …", "use token …", "the key I got was …"
_SPOKEN = (
    r"(?:(?P<between>(?:,?[ \t]{1,2}(?!is\b|was\b|to\b|such\b)[A-Za-z][\w'.@-]{0,40}){0,6}?)[ \t]{1,3}"
    r"(?:(?P<verb>is|was|ist|lautet|heißt|heisst|war|c'est|est|es|è|é|er|är|jest|este|je|on|là|adalah|auf|en|em|til|a|=|:|-|\u2013|—|to|as|→|->|now|currently|remains|will be|set to|changed to)(?:\s{0,2}:)?[ \t]{1,3}){1,2}|['\u2019]s[ \t])(?P<quote>[\"'`*«“]{0,3})[ ]?(?P<bare>(?<=[\"`])[^\n\"`]{1,200}(?=[\"`])|[^\s\"'`]{1,400})"
)
# A name, what it is for, and a colon: the password for the admin user.
_LABELLED = (
    r"(?:[ \t]{1,2}\w[\w'.@-]{0,20}){0,6}(?:[ \t]{1,2}\([^()\n]{1,30}\))?[ \t]?(?::|=|→|->)[ \t]{1,3}"
    r"(?P<quote>[\"'`*]{0,3})(?P<bare>(?<=[\"`])[^\n\"`]{1,200}(?=[\"`])|[^\s\"'`]{1,400})"
)
# The value first: it "is the generated password", or "(password)" follows.
_BEFORE = r"(?:\A|[\s\"'`:])(?P<bare>[^\s\"'`:]{8,200})[\"'`]? {1,2}(?:(?:is|was|as|for) (?:(?:the|your|our|my|its|a) )?(?:\w{1,20} ){0,3}|\()\Z"
_ID_BEFORE = re.compile(r"(?i)\bids?[ \t]?[:=]")
_FAR_BEFORE = 260  # characters, of which the value has most
_PUNCTUATION = ".,;:?)*"
_NOT_KEYS = re.compile(
    r"(?i)(?:public|publishable|primary|foreign|cache|sort|partition|object|row|dict|idempotency|host|hot|arrow|"
    r"translation|locale|query|lookup|map|item|index|unique|natural|composite|surrogate|storage|s3|route|react|group|event|metric|"
    r"parent|child|shard|dedup\w*|fingerprint|redis|config|by|registry|routing|message|trace|(?<!un)lock|etag|context|project|state|site|websocket)"
    r"[-_. ]?key"
)
_NAMES_WITH_PW = frozenset(
    f"{whose}pw"
    for whose in ("root", "bind", "db", "admin", "user", "ldap", "mail", "ftp", "sudo", "app")
)
# Short words that others contain.
_WHOLE = frozenset(
    (b"pw", b"psk", b"auth", b"jwt", b"psw", b"mdp", b"clave", b"parol", b"pin", b"puk", b"ww", b"phrase", b"frase", b"fraza")
)  # fmt: skip
_NO_TOKEN = re.compile(
    r"(?i)public|(?:page|next|continuation|continue|sync|cursor|resume)[-_]?token"
)
_PASS_OF = re.compile(
    r"(?i)(?:^|[-_.])(?:db|wi_?fi|user|admin|root|smtp|e?mail|ftp|my|sql|mysql|redis|pg|postgres|rabbitmq|default|http|proxy|ssh|vpn|login|auth|app|api|mqtt|ap|sta|net|ldap|basic|bind|service)[-_.]?\Z|(?-i:[A-Z](?<!TEST)(?<!TESTS)(?<!FIRST)(?<!SECOND)(?<!TO)_)\Z"
)
_NO_PASS = re.compile(
    r"(?i)(?:com|by|tres|sur|over|under|en|im)passe?\Z|passes|cwd\Z|oldpwd\Z|^--?no-|\.htpasswd\Z"
)
# What makes a name that of something else: a hash, a reference, what a template looks up.
_AFTER_OTHER = frozenset("-/_g'\"")
_OTHER_THAN_IT = re.compile(r"(?i)(?:hashed[-_]?|checksum/|existing|lookup\([\"'])\Z")
# A program shows what it keeps: `lpass show --password …`.
_SHOWS = re.compile(
    r"\b(?:[lr]?pass|gopass|keepassxc-cli|op|bw|rbw|secret-tool)\s(?:show|get|item get|read|clip|lookup)\s[^\n|;&]{0,60}\Z"
)
# What a run of tests prints, line after line.
_RESULTS = re.compile(r"(?:PASS|X?FAIL|SKIP): [^\n]{1,200}\n(?:PASS|X?FAIL|SKIP): ")
_LONGEST_RESULT = 200
_LABEL = re.compile(r"(?:\A|.{0,1}\n|[,;/(|] ?|- )[Pp]ass(?: for (?:the|our|my) [^\n:]{1,30})?: ")
_NO_MENTION = re.compile(r"(?i)pass(?:e[ds]|ing|ag|iv|ion|thr)|creds/")
_OTHER_NAMES = {
    b"auth": re.compile(r"(?i)\Aauth0\Z"),  # its ids are `auth0|…`
    b"pass": _NO_PASS,
    b"pwd": _NO_PASS,
    b"token": _NO_TOKEN,
    b"key": _NOT_KEYS,
}
# Where a shell, an .env file or a diff starts an assignment.
_LINE_START = re.compile(
    r"(?:\A|[\n;{,\"'`$#>|&]|\\n|\bexport|\bset|\bENV|\bARG|\benv|\bsudo|-e|--env|--build-arg|=\S{1,15})\s*[+-]?\s*\Z"
)


def named_values(anchored: Anchored, mentions: list[Mention]) -> Iterator[Finding]:
    """Every value in a text that is given to a sensitive name and looks like a secret.

    Adds where the text mentions a secret, or a login, to `mentions`.
    """
    text = anchored.text
    start = end = 0
    sought = anchored.words(_SOUGHT)
    for position, (word, kind) in ((at, its) for positions, its in sought for at in positions):
        if start <= position < end:
            continue  # inside the value that was found last
        named_until = None if kind == LOGIN else _end_of_name(text, position, word)
        if named_until is None:
            if kind in (LOGIN, PASSWORD) and _is_mention(text, position, word):  # or `passwords`
                name = word if kind == LOGIN else b"passwords"
                mentions.append(_mention(position, position + len(word), LOGIN, name))
            continue  # `tokenizer`
        if word == b"auth" and text[named_until : named_until + 1] in "./":
            continue  # `auth.py`
        if not _is_sensitive(_name(text, position, named_until), word, text, position):
            continue
        for finding in (
            () if kind in (PIN, PHRASE) else _named(text, position, named_until, word, kind)
        ):
            start, end = finding.start, finding.end
            yield finding
        if kind in (PIN, PHRASE):
            mentions.append(_mention(position, named_until, kind, word))
            continue
        is_verb = text[position:named_until].lower() == "pass" and not (
            _PASS_OF.search(text, _start_of_name(text, position), position)
            or (
                text.startswith((": ", " for "), named_until)
                and _LABEL.match(text, max(0, position - 2))
            )
        )  # tests do
        mentions.append(_mention(position, named_until, LOGIN if is_verb else kind, word))


def _is_mention(text: str, position: int, word: bytes) -> bool:
    """Whether a word that is no name speaks of a login or of passwords: not `passed`."""
    if word in _WHOLE or _NO_MENTION.match(text, position):
        return False
    return word not in _STARTING or not text[position - 1 : position].isalpha()  # `prusaslicer`


def _mention(start: int, end: int, kind: str, word: bytes) -> Mention:
    return Mention(start=start, end=end, kind=kind, word=word.decode("latin-1"))


def _name(text: str, position: int, end: int) -> str:
    return text[_start_of_name(text, position) : end]


def _named(text: str, position: int, end: int, word: bytes, kind: str) -> Iterator[Finding]:
    for given in _given(text, position, end, word, kind):
        if is_secret(given):
            label = PASSWORD if given.is_password else SECRET
            yield Finding(kind=label, start=given.start, end=_end_of_value(text, given))
            return
    label = SECRET if kind == KEY else PASSWORD
    for first, last in _elsewhere(text, position, end, kind):
        yield Finding(kind=label, start=first, end=last)


def _elsewhere(text: str, position: int, end: int, kind: str) -> Iterator[tuple[int, int]]:
    """Values that are not given to the name, but stand where only its value would."""
    start = _start_of_name(text, position)
    if text[start - 1 : start] == " " and _NOT_KEYS.search(text[max(0, start - 12) : end]):
        return
    after = text[end : end + _SAME_LINE]
    if "\n" in after and (kind != KEY or KNOWN_KEYS.search(text[max(0, start - 12) : end])):
        if below := value_below(text, end, kind=kind):
            yield below
        yield from values_of_column(text, start, end, kind=kind)


def _end_of_value(text: str, given: Given) -> int:
    end = given.start + len(given.value)
    if len(given.value) < _LONGEST_JUDGED:
        return end
    rest = compiled(r"[^\s\"'`\\]*+").match(text, end)
    return rest.end() if rest and not given.quoted else end


def _given(text: str, position: int, end: int, word: bytes, kind: str) -> Iterator[Given]:
    start = _start_of_name(text, position)
    if (
        kind == KEY
        and word == b"key"
        and text[start:position] == ""
        and text[position - 1 : position] == " "
    ):
        start = _start_of_name(text, position - 1)  # `API key`
    name = text[start:end]
    if _is_in_placeholder(text, start) or (kind == KEY and _NOT_KEYS.search(name)):
        return
    if assigned := compiled(_ASSIGNED).match(text, end):
        at_line_start = _LINE_START.search(text[max(0, start - 20) : start]) is not None
        group = assigned.lastgroup or "bare"
        value, at = assigned[group], assigned.start(group)
        if group == "bare":
            value = value.rstrip(_PUNCTUATION) if not at_line_start else value.rstrip(";,")
            value = value if "{" in value or "[" in value else value.rstrip("}]")
        yield Given(
            name=name, value=value, start=at, kind=kind, how=_how(assigned, at, end),
            quoted=group not in ("bare", "open"), at_line_start=at_line_start,
            is_used=text[max(0, start - 6) : start].lower().endswith(("with ", "using ", "use ")),
        )  # fmt: skip
    yield from _named_afterwards(text, start, end, kind)
    if ABOUT_IT.match(text, end):
        return
    labelled = compiled(_LABELLED).match(text, end)
    if labelled and not _ID_BEFORE.search(text, end, labelled.start("bare")):
        value = labelled["bare"].rstrip(_PUNCTUATION)
        yield Given(
            name=name, value=value, start=labelled.start("bare"), kind=kind, how="spoken far",
            quoted=bool(labelled["quote"].strip("*")), at_line_start=False,
        )  # fmt: skip
    if spoken := compiled(_SPOKEN).match(text, end):
        value = spoken["bare"].rstrip(_PUNCTUATION)
        how = "spoken far" if spoken["between"] else f"spoken {spoken['verb'] or 'is'}"
        quoted = bool(spoken["quote"].strip("*"))
        yield Given(
            name=name, value=value, start=spoken.start("bare"), kind=kind, how=how, quoted=quoted,
            at_line_start=False,
        )  # fmt: skip


def _named_afterwards(text: str, start: int, end: int, kind: str) -> Iterator[Given]:
    """A value that stands before its name."""
    if text[start - 1 : start] not in (" ", "("):
        return
    first = max(0, start - _FAR_BEFORE)
    found = compiled(_BEFORE).search(text[first:start])
    if found is None or (found.group().endswith("(") and text[end : end + 1] != ")"):
        return
    value, at = found["bare"], first + found.start("bare")
    if is_chosen(value) or is_jumbled(value) or (kind == PASSWORD and is_memorable(value)):
        yield Given(
            name=text[start:end], value=value, start=at, kind=kind, how="spoken far",
            quoted=False, at_line_start=False,
        )  # fmt: skip


def _is_in_placeholder(text: str, position: int) -> bool:
    opened = text.rfind(PLACEHOLDER_START, max(0, position - _LONGEST_NAME), position)
    return opened >= 0 and "]" not in text[opened:position]


def _end_of_name(text: str, position: int, word: bytes) -> int | None:
    if pattern := WHOLE_WORDS.get(word):
        whole = compiled(pattern).match(text, position)
        if whole is None:
            return None
        position = whole.end()
    else:
        position += len(word)
    rest = compiled(_REST_OF_NAME).match(text, position)
    return rest.end() if rest else None


def _how(assigned: re.Match[str], at: int, end: int) -> str:
    for how in ("braced", "blank", "call", "cell", "pair", "tag", "paren"):
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
    starts_a_word = (
        not before.isalnum() or before > "\u2e80" or (before.islower() and first.isupper())
    )
    if word in _WHOLE and not starts_a_word:
        return text[max(0, position - 2) : position] in ("\\n", "\\t") or (
            word == b"pw" and name.lower() in _NAMES_WITH_PW
        )
    if word == b"pass" and _is_shown(text, position):
        return False
    if before in _AFTER_OTHER and _OTHER_THAN_IT.search(text, max(0, position - 12), position):
        return False
    other = _OTHER_NAMES.get(word)
    return other is None or other.search(name) is None


def _is_shown(text: str, position: int) -> bool:
    """Whether a password is what a program prints, or the result of a test among others."""
    if text.startswith("password ", position):
        return _SHOWS.search(text, max(0, position - 80), position) is not None
    if not text.startswith("PASS: ", position):
        return False
    above = text.rfind("\n", max(0, position - _LONGEST_RESULT), max(0, position - 1)) + 1
    return any(_RESULTS.match(text, at) for at in (above, position))
