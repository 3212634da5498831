"""What tells a secret from other words: how a value is made, and the place where it stands.

Each sign is a short text such as `digits 3` or `slot said password word`; `weights.txt` says what it
is worth, learned by `benchmarks/likely.py`.
"""

# ruff: noqa: E501, RUF001  (a pattern is read in one piece, and Chinese has colons of its own)
from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from anamnesis.redact import values
from anamnesis.redact.vocabulary import is_remark, share_of_known_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.redact.slots import Candidate

_WEIGHTS = Path(__file__).with_name("weights.txt")
_CLASS = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:\\@,;=+",
    "A" * 26 + "a" * 26 + "0" * 10 + "j" * 6 + "@" + "ppee",
)
_CODE_LINE = re.compile(
    r"[(){};]|=>|</|[!=]=|&&|\braise\b|\b(?:def|import|return|class|const|var|let)\b|\w\.\w+\.\w"
)
_ASSIGNS = re.compile(r"[\"'`*\])]{0,4}\s{0,4}(?:[:=→>|-]{1,3}|：)?\s{0,4}[\"'`*(\[]{0,3}\s?\Z")
_SAYS = re.compile(
    r"[^\n.;]{0,60}(?:[:=→]|->|\b(?:is|was|be|now|still|to|as|ist|lautet|war|auf|est|es|sera|era|è|é|jest|er|är)\b)[\s\"'`*(]{0,4}\Z"
)
_RUN = re.compile(r"A+|a+|0+|[^Aa0]+")
_SIGNS = frozenset("!#$%^&*?~+=@;,.-_/:\\")
_JUDGEMENTS = (
    values.is_chosen, values.is_jumbled, values.is_memorable, values.is_misspelt, values.is_phrase, values.is_invented,
    values.is_common_password, values.looks_generated, values.is_certainly_generated, values.is_name, values.is_words,
    values.is_ticket, values.is_code, values.is_thing, values.is_technical, values.is_unspeakable,
)  # fmt: skip
_TOPICS = re.compile(
    r"(?i)\b(commit|sha\d*|hash\w*|digest|checksum|fingerprint|revision|uuid|guid|ids?|etag|nonce|integrity|public|trace|request|build|version|image|blob"
    r"|tests?|def|class|import|return|const|function|error|https?|file|path|branch|issue|ticket|pr|model|cache|primary|foreign|press|shift|ctrl|limit|max|count|tokens|regex|pattern|algorithm|base64|cipher)\b"
)
_PEOPLE = re.compile(
    r"(?i)\b(?:user\w*|admin\w*|root|account|host|server|login|sudo|ssh|vpn|wifi|box|db|prod|staging|@)\b|\w@\w"
)
_LAST_WORD = re.compile(r"([^\W\d_]+)(?:\s+(?:the|a|an|der|die|das|le|la|el|il))?[\s:=,(\"'`*]*\Z")
_WORDS_OF = re.compile(r"[^\W\d_]+")
_VISIBLE = {"\n": "end", "": "end", "\r": "end", "\t": "tab", " ": "blank"}
_FAR = 2000
_NEAR = 120
_WORD_BEFORE = 40
_QUOTES = "\"'`"
NOTHING = "nothing"
_CLOSING = " \"'`*)]}»"
_OPENED = frozenset("\"'`«“„‘「『")
_OF_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_NAMES_ITSELF = re.compile(r"(?i)pass|pwd|secret|token|key|auth|cred|user|login|admin")
_FORBIDS = re.compile(
    r"(?i)\b(?:never|not|don['’]t|no|nie|nicht|kein\w*|if|when|wenn|si|should|must|please)\b"
)
_FILE = re.compile(
    r"\.(?:py|js|ts|txt|md|json|ya?ml|toml|ini|cfg|conf|env|sh|go|rs|java|c|h|cpp|pem|key|crt|log|html|css|xml|com|org|net|io|dev|local)\b"
)


@lru_cache(maxsize=20_000)
def worth(value: str) -> int:
    """What a value is worth by itself, in hundredths."""
    by = weights()
    return by.get("", 0) + sum(by.get(each, 0) for each in made_of(value))


def made_of(value: str) -> Iterator[str]:
    """What tells about a value by itself."""
    runs = _RUN.findall(value.translate(_CLASS)[:40])
    letters = "".join(run[0] for run in runs)
    yield f"shape {letters[:7]}"
    yield f"begins {letters[:2]}"
    yield f"ends {letters[-2:]}"
    yield f"runs {min(len(runs), 9)}"
    yield f"length {min(len(value) // 2, 14)}"
    yield f"short {sum(len(run) < 3 for run in runs) * 4 // len(runs)}"
    yield f"digits {min(sum(map(str.isdigit, value)), 6)}"
    yield from (f"sign {sign}" for sign in _SIGNS.intersection(value))
    yield from (f"cases {case}" for case in ("islower", "isupper") if getattr(value, case)())
    yield from (judgement.__name__ for judgement in _JUDGEMENTS if judgement(value))
    known = share_of_known_words(value)
    yield f"known {known}"
    yield f"known {known} {values.kind_of_letters(value)}"


def place(text: str, candidate: Candidate) -> Iterator[str]:
    """What tells about the place of a candidate."""
    (first, last), start, end = candidate.line, candidate.start - len(candidate.lead), candidate.end
    mention = candidate.mention
    yield f"kind {mention.kind}"
    yield f"word {mention.word}"
    before = text[start - 1 : start]
    yield f"before {_VISIBLE.get(before, before)}"
    yield f"after {_VISIBLE.get(text[end : end + 1], text[end : end + 1])}"
    if candidate.lead:
        yield f"lead {candidate.lead[-1]}"
        yield f"named {'@' in candidate.lead} {len(candidate.lead) < 12}"
    if candidate.below:
        yield f"below {candidate.below}"
        ending = text[max(0, first - _NEAR) : first].rstrip()[-1:]
        yield f"above ends {ending if ending in ':=' else ''}"
        yield f"below kind {mention.kind}"
    elif mention.kind == NOTHING:
        yield "nothing mentioned"
    elif mention.start < start:
        between = text[mention.end : start]
        yield f"follows {_amount(between)} {mention.kind}"
        yield from (f"between {sign}" for sign in frozenset(":=(),;.|→/") if sign in between)
        if _amount(between) == 0:
            yield f"by {between.strip()[:3]}"
    else:
        yield f"precedes {_amount(text[end : mention.start])}"
    if last_word := _LAST_WORD.search(text[max(first, start - _WORD_BEFORE) : start]):
        yield f"said {last_word[1].lower()}"
    yield f"alone {not text[first:start].strip(' -*>+#|`')} {not text[end:last].strip(' .`*|')}"
    topics, is_code = about(text[first:last])
    yield from topics
    made = values.kind_of_letters(text[candidate.start : end])
    if made == "hex":
        yield f"hex {mention.kind} {len(topics) > topics.count('people')}"
    where = where_it_stands(text, candidate, start)
    yield f"{where} {mention.kind} {made}{is_code}"
    yield f"{where} known {share_of_known_words(text[candidate.start : end])}{is_code}"
    yield f"{made}{' quoted' if before in _QUOTES else ''}{is_code}"
    if text.find(text[candidate.start : end], end, end + _FAR) >= 0:
        yield "again"
    if candidate.slot:
        yield from _slotted(text, candidate, made, is_code)


def _slotted(text: str, candidate: Candidate, made: str, is_code: str) -> Iterator[str]:
    """What tells about a value in a place that only the value of a secret has, or a word about it."""
    slot, mention, start, end = candidate.slot, candidate.mention, candidate.start, candidate.end
    value = text[start:end]
    known = share_of_known_words(value)
    between = text[mention.end : start] if mention.end <= start else text[end : mention.start]
    quoted = " quoted" if text[start - 1] in _OPENED else ""
    name = style(text, mention.start, mention.end)
    then = _then(text, end)
    far = min(len(between.split()), 4)
    yield f"slot {slot}"
    yield f"slot {slot} {mention.kind} {made}{quoted}"
    yield f"slot {slot} known {known} {made}{quoted}"
    yield f"slot {slot} known {known}{is_code}"
    yield f"slot {slot} far {far} {mention.kind}"
    yield f"slot {slot} then {then}"
    yield f"slot {made} then {then} {known}"
    yield f"slot {slot} name {name}"
    yield f"slot name {name} {made} {known}{quoted}"
    if _NAMES_ITSELF.search(value):
        yield f"slot names itself {made}"
    if _FORBIDS.search(text, candidate.line[0], mention.start):
        yield "slot forbids"
    said = _said_of_it(value)
    if said:
        yield f"slot words {said} {slot} {then}{quoted}"
        yield f"slot words {said} {name} {mention.kind}{quoted}"
        yield f"slot words {said} {min(far, 2)} {made}{is_code}"
    if value.isalpha():
        yield f"slot is {value.lower()}"
        yield f"slot word {'capital' if value[0].isupper() else 'small'} {slot} {mention.kind}"
    if made == "number":
        yield f"slot number {min(len(value), 9)} {mention.kind}"
        yield f"slot number {mention.kind} {slot} {far}"
    if _FILE.search(value):
        yield "slot file"


def _said_of_it(value: str) -> str:
    """Whether the words of a value are said of passwords, of programs, or of neither."""
    words = _WORDS_OF.findall(value)
    if not words or any(map(str.isdigit, value)):
        return ""
    if all(map(is_remark, words)):
        return "remark"
    if is_remark(words[0]):
        return "begins as a remark"
    return "known" if share_of_known_words(value) == "all" else "other"


def style(text: str, start: int, end: int) -> str:
    """How a name is written: as a variable of a shell, an option, in code, or as a word."""
    while start and text[start - 1] in _OF_NAMES:
        start -= 1
    name = text[start:end]
    if name.startswith("-"):
        return "option"
    if name.isupper() and len(name) > 3:
        return "variable"
    if "_" in name or "." in name or (not name.istitle() and not name.islower()):
        return "code"
    return (
        "key" if text[end : end + 1] in _OPENED and text[start - 1 : start] in _OPENED else "word"
    )


def _then(text: str, end: int) -> str:
    """What follows a value: the end of its line or sentence, or more words."""
    after = text[end : end + 3]
    if not after.strip(_CLOSING) or after[0] in "\n\r":
        return "end"
    after = after.lstrip("\"'`*")
    if after[:1] in (".", ",", ";", ")", "!", "?"):
        return after[0]
    return "more" if after[:1] == " " else "tight"


@lru_cache(maxsize=1000)
def about(line: str) -> tuple[tuple[str, ...], str]:
    """What a line is about, and whether it is code."""
    topics = [f"about {topic}" for topic in sorted(set(map(str.lower, _TOPICS.findall(line))))]
    topics += ["people"] if _PEOPLE.search(line) else []
    return tuple(topics), " code" if _CODE_LINE.search(line) else ""


def where_it_stands(text: str, candidate: Candidate, start: int) -> str:
    """How near the mention is, in one word."""
    mention = candidate.mention
    if mention.kind == NOTHING:
        return "odd"
    if candidate.below:
        return "below"
    if mention.start > start:
        return "before"
    between = text[mention.end : start]
    if _ASSIGNS.match(between):
        return "assigned" if between.strip(" \t*") else "blank"
    return "said" if _SAYS.match(between) else "near"


def _amount(between: str) -> int:
    return min(len(between.split()), 8)


@cache
def weights() -> dict[str, int]:
    """What each sign of a secret is worth, in hundredths."""
    try:
        lines = _WEIGHTS.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return {"": -1000}
    return {name: int(weight) for weight, _, name in (line.partition(" ") for line in lines)}
