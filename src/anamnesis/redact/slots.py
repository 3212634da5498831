"""Where a text that mentions a secret puts its value: after the name, before it, behind a verb.

`BORG_PASSPHRASE=…`, "the password for staging is …", "we changed it to …", "use … as the admin
password". What stands in such a place may be a secret whatever it is made of; `likely` weighs it.
"""

# ruff: noqa: E501, RUF001  (a pattern is read in one piece, and Chinese has signs of its own)
from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.redact.anchors import PLACEHOLDER_START
from anamnesis.redact.given import ABOUT_IT, LOGIN, PASSWORD, PHRASE, PIN, SECRET
from anamnesis.redact.values import is_in_other_letters, is_marked_id, is_stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FAR = 110  # characters between a mention and its value
_MOST = 4  # places that one mention is looked at for
_SHORTEST, _LONGEST = 4, 120
_SHORTEST_CAPITALS = 16  # of a cookie, made of capitals only
_TALKED_OF = frozenset(
    ("wifi", "wi-fi", "wlan", "login", "log in", "sign in", "creds", "zugang", "identifiant", "community", "unlock", "decrypt",
     "vpn", "sudo", "ssh", "pass", "encrypt", "signed in", "logged in", "elsewhere")
)  # fmt: skip
_VERBS = r"jetzt|now|ahora|maintenant|adesso|agora|теперь|is|was|are|be|been|ist|war|lautet|lautete|hei(?:ß|ss)t|est|c['’]est|sera|était|es|era|será|è|é|sarà|foi|fica|ficou|är|er|var|blir|on|jest|je|este|było|это|был|была|adalah|là|stays|remains|bleibt|reste|sigue siendo|rimane|blijft|остаётся|هي|هو|είναι"
_CHANGES = r"statt|instead of|au lieu de|en lugar de|invece di|in plaats van|вместо|veranderd in|gewijzigd in|op(?=\s\S{4,40}\sgezet)|typed|answer|took|to|as|with|into|from(?=\s\S{4,60}\s(?:to|→|->)\s)|auf|zu|mit|von|als|en|par|pour|avec|comme|à|a|por|con|como|para|com|per|come|naar|met|na|z|jako|till|med|til|на|в|с|using|use|used|enter|type|try|tried|chose|chosen|choose|picked|says|literally|just|simply|typing|entering|eingeben|saisir|taper|entrez|tapez"
# What leads to a value, or where a name ends right before it.
_LEADS = re.compile(
    r"(?P<assigned>[\"'`*\])]{0,3}\s{0,8}(?::=|=>|->|\?\?|\|\||[:=：→](?!//)|\s[–—-](?=\s))[ \t]{0,4})"
    rf"|(?P<said>(?:(?<=\w)['’]s|\b(?:{_VERBS})\b)(?:\s(?:now|just|still|literally|simply|currently|only|both|jetzt|übrigens|nämlich|immer noch|wohl|auch|quindi|donc|toujours|siempre|sempre|sigue siendo|nun|einfach|ahora|ora|maintenant|teraz|agora|nu|:)\b)?[\s:]{{1,3}})"
    rf"|(?P<changed>\b(?:{_CHANGES})\b:?\s{{1,2}})"
    r"|(?P<paren>\s?\()(?=[^\s()]{4,60}\))"
    r"|(?P<call>[\"'`]\s{0,2}[,)]\s{0,3}(?=[\"'`]))"
    r"|(?P<listed>,\s{1,2}(?:and\s)?)",
    re.IGNORECASE,
)
# A file, or a function that the log of changes names: `(get_passphrase): New.`
_OF_CODE = re.compile(r"\.(?:c|cc|h|py|js|ts|go|rs|java|rb|php|md|txt|html)\b|\w*\)\s?:")
_BLANK = re.compile(r"[\"'`*)]{0,2}[ \t]{1,3}(?=[^\s=:|])")
_OTHER_LETTERS = re.compile(r"[^\x00-\x7f\s「『“«]{0,8}[\s:：]{0,3}")
OPENING_QUOTE = re.compile(r"\*{0,2}(?P<quote>[\"'`«“”„‘「『])[^\S\n]?")
_CLOSING_QUOTES = {"«": "»", "“": "”", "„": '“”"', "”": "”", "‘": "’", "「": "」", "『": "』"}
_BARE = re.compile(r"[*(\[]{0,2}(?P<value>[^\s\"'`«»“”„‘’「」『』，。；、]{3,2000})")
_NO_VALUE = re.compile(
    r"[~.]{0,2}/|[A-Za-z]:\\|[a-z+]+://|--?[A-Za-z]|\$(?!argon2)[A-Za-z_{(]|[<{%&|]|[\w.:]+[\[(]|[a-z][\w-]*:\d+\Z|\w+<|[A-Z]{0,20}(?:PASSWORD|PASSWD)\Z|SHA\d?-\d|\d+(?:ms|s|h|d|MB|GB|KB)\Z|[a-z]=\d|:\d|PBEWith|AES[-_]?\d|h1:|(?:Get|Read|New|ConvertTo|Import|Invoke)-[A-Z]|\\|AC[0-9a-f]{32}\b|\.\.|…|0[0-9A-Z]{25}\b|\[redacted|[A-Z]{2,5}-\d{1,4}\Z|(?i:siehe|see|retype|repeat|voir|vedi|zie|ask|same|ver|frag\w*)\b"
)
# After a name without any sign: a number, a path, the name of a ticket.
_NO_ARGUMENT = re.compile(
    r"\d+\Z|[a-z0-9._-]+(?:/[a-z0-9._-]+)+\Z|[A-Z]+-\d+\Z|[\w-]+\.(?:dump|txt|py|js|md|json|ya?ml|toml|ini|cfg|conf|env|sh|sql|log|html|xml|com|org|net|io|dev|local)\Z|\d+:[\d.]|[\w.-]+@[\w.-]+\Z"
)
# What is assigned to another name, or part of an address.
_OTHER_NAME = re.compile(r"[\"'][^\"'\n]*[\"'][^\"'\n]*[\"']|://")
_NO_WORD = re.compile(r"[\d!#$%^&*?~+=@_-]")  # a phrase has several words
_CUT_OFF = ("...", "…")
_NEXT_ARGUMENT = re.compile(r",[A-Za-z][\w.]{1,40}=")
_BEFORE = re.compile(
    r"(?:\A|[\s\"'`«“„「(:])(?P<value>[^\s\"'`«»“”„「」()]{4,80})[ \u00a0]?[\"'`»”“」)]{0,2}(?P<as>\s(?:is|was|as|for|es|est|ist|als|como|comme|come|jako|pour|für|para|per|är|er|sont|è|é)\s(?:[^\s:=.;]{1,20}\s){0,4}|,?\s\((?:th(?:is|at) is (?:\w+\s){0,3})?|\s(?:when|wenn|quand|cuando)\s(?:\w+\s){1,4})\Z"
)


@record
class Mention:
    """Where a text mentions a secret, of which kind, and by which word."""

    start: int
    end: int
    kind: str
    word: str


@record
class Candidate:
    """A word that may be a secret, the line around it, and the mention that is nearest."""

    start: int
    end: int
    line: tuple[int, int]
    lead: str  # `user:`, `PASS=`: a name that is written together with it
    mention: Mention
    below: int  # how many lines the mention is above
    slot: str = ""  # how the text leads from the mention to it


def speaks_of(text: str, mention: Mention) -> bool:
    """Whether a mention may be followed by its value: no placeholder, and not just a user."""
    if text.startswith(PLACEHOLDER_START, mention.start - len(PLACEHOLDER_START)):
        return False
    return mention.kind != LOGIN or mention.word in _TALKED_OF


def slots(text: str, mention: Mention, line: tuple[int, int]) -> Iterator[Candidate]:
    """The values that a text may give to what it mentions."""
    if mention.kind == PIN or not speaks_of(text, mention):
        return
    if text.startswith("PASS", mention.start) and mention.kind == LOGIN:
        return  # of a test
    seen: set[int] = set()
    for slot, at in places_after(text, mention, line):
        for start, end in _values(text, at, line[1], mention.kind):
            if slot == "blank" and _NO_ARGUMENT.match(text, start, end):
                continue
            if start not in seen:
                seen.add(start)
                yield Candidate(
                    start=start, end=end, line=line, lead="", mention=mention, below=0, slot=slot,
                )  # fmt: skip
    first = max(line[0], mention.start - _FAR)
    if found := _BEFORE.search(text[first : mention.start]):
        at = first + found.start("value")
        for start, end in _values(text, at, mention.start, mention.kind):
            if start not in seen:
                yield Candidate(
                    start=start, end=end, line=line, lead="", mention=mention, below=0, slot="before",
                )  # fmt: skip


def places_after(text: str, mention: Mention, line: tuple[int, int]) -> Iterator[tuple[str, int]]:
    """Where a value may begin after a mention, and what leads there."""
    limit = min(line[1], mention.end + _FAR)
    if ABOUT_IT.match(text, mention.end, limit):
        return
    code = _OF_CODE.match(text, mention.end, limit)
    if code and ("." in code[0] or "_" in text[mention.start - 1 : code.end()]):
        return
    if found := _BLANK.match(text, mention.end, limit):
        yield "blank", found.end()
    if text[mention.end - 1] > "\u2e80" and (
        found := _OTHER_LETTERS.match(text, mention.end, limit)
    ):
        yield "blank", found.end()
    for number, found in enumerate(_LEADS.finditer(text, mention.end, limit)):
        if found.lastgroup == "assigned" and _OTHER_NAME.search(
            text, mention.end, found.start() + 2
        ):
            return
        if found[0] == "=" and found.start() > mention.end and text[found.start() - 1].isalnum():
            continue  # `max-age=`
        yield found.lastgroup or "", found.end()
        if number >= _MOST:
            return


def _values(text: str, at: int, limit: int, kind: str) -> Iterator[tuple[int, int]]:
    if opened := OPENING_QUOTE.match(text, at, limit):
        start, end = enclosed(text, opened, limit)
        if end - start > _LONGEST or " " in text[start:end]:
            return
    elif bare := _BARE.match(text, at, limit):
        start, end = bare.span("value")
        if (other := _NEXT_ARGUMENT.search(text, start, end)) is not None:
            end = other.start()
        end = start + len(text[start:end].rstrip(".,;:)]}*_\\"))
        if text[end - 1] == "?" and text[start : end - 1].isalpha():
            end -= 1
    else:
        return
    if not _is_no_value(text, start, end, kind):
        yield start, end


def enclosed(text: str, opened: re.Match[str], limit: int) -> tuple[int, int]:
    """Where that is which an opening quote encloses; nothing, if it is not closed."""
    closes = _CLOSING_QUOTES.get(opened["quote"], opened["quote"])
    ends = [end for close in closes if (end := text.find(close, opened.end(), limit)) >= 0]
    start, end = opened.end(), min(ends, default=opened.end())
    return start, end - (end > start and text[end - 1] in " \u00a0")


def _is_no_value(text: str, start: int, end: int, kind: str) -> bool:
    """Whether what stands there is a key, a placeholder, code, or a word that is no password."""
    value = text[start:end]
    if text.startswith(('":', '\\":', "':"), end) or end - start < _SHORTEST:
        return True
    opened_at = text.rfind(PLACEHOLDER_START, max(0, start - 40), start + 1)
    if opened_at >= 0 and "]" not in text[opened_at:start]:
        return True
    if _NO_VALUE.match(value) or is_stand_in(value) or is_marked_id(value):
        return True
    if _is_left_open(text, start, end) or is_in_other_letters(value):
        return True
    if kind == PHRASE:
        return _NO_WORD.search(value) is None
    is_cookie = kind == SECRET and value.isupper() and len(value) >= _SHORTEST_CAPITALS
    is_plain = value.isalnum() and not is_cookie and (value.isalpha() or value.isdecimal())
    is_label = text.startswith(": ", end)  # `wifi: ath10k: fix …`
    return kind not in (PASSWORD, PIN) and (is_plain or is_label)


def _is_left_open(text: str, start: int, end: int) -> bool:
    """Whether a value is cut off, or the end of a placeholder: `123:ABC…`, `<to be added>`."""
    value = text[start:end]
    if text.startswith(_CUT_OFF, end) and (text[start - 1] == "=" or not value[-1].isalnum()):
        return True
    return value.endswith(">") and "<" not in value and "<" in text[max(0, start - 20) : start]
