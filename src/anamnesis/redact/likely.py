"""Words near a mention of a secret that are likely to be one, by a sum of weights.

`names` reads a value that is given to its name. People also write "log in with bob and …", put a
password into a comment or on the next line, and say it in words that no rule knows. So each
word near a mention is judged twice: by itself (which letters, digits and signs follow each other)
and by its place (which mention is near, what stands in between, before and after it). The weights in
`weights.txt` were learned by `benchmarks/likely.py`, which also says what they are worth on places
and kinds of passwords that were left out.
"""

# ruff: noqa: E501, RUF001  (a pattern is read in one piece, and Chinese has colons of its own)
from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from anamnesis.ground.records import record
from anamnesis.redact import values
from anamnesis.redact.anchors import ODD_PAIRS, SIGN_CLASSES, Finding
from anamnesis.redact.given import KEY, LOGIN, PASSWORD, SECRET
from anamnesis.redact.vocabulary import share_of_known_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WEIGHTS = Path(__file__).with_name("weights.txt")
_NEAR = 120  # characters on either side of a mention; a line of a minified file has megabytes
_FAR = 2000
_WORD_BEFORE = 40
_FAINT = frozenset(("", "user", "@", "root ", "admin", "account"))  # say little in a line of data
_HOPELESS_LOGIN = -100
_HOPELESS = -480  # hundredths: hardly any place is worth as much
_LINES_BELOW = 3
_SHORTEST, _LONGEST = 6, 80
# A word with a digit, a sign between letters, or capitals inside, which ordinary words lack.
_ODD = re.compile(
    r"\d|[A-Za-z][!#$%^&*?~+=@;,]|[!#$%^&*?~+=@;,][A-Za-z]|[a-z][A-Z]|[A-Z]{2}[a-z]|[a-z][-._][A-Za-z]"
)
_WORD = re.compile(
    r"(?<![^\s\"'`«»“”„‘’「」<>|，。（）：；])[^\s\"'`«»“”„‘’「」<>|，。（）：；]{6,200}"
)
_LEAD = re.compile(r"[A-Za-z][\w.@-]{0,40}?(?:[/:,]{1,2}|=)(?=[^/:,=])")
_AROUND = frozenset(" \t\n\r\"'`«»“”„‘’「」<>|，。（）：；")
_HASH = re.compile(r"(?i)(?:sha|md)-?\d|data:|key-|id[:=]|\w+_id[:=]")
_OPENING, _CLOSING = "([{*~", ".,;:)]}*_\\"
_NEVER = re.compile(
    r"\d[\d.,:/x-]*\Z|v?\d+(?:\.\d+)+[\w.+-]*\Z|\d+[A-Za-z]{1,4}\Z|\d{4}-\d\d-\d\d"  # numbers, versions, measures, dates
    r"|[\w.+%-]+@[\w-]+\.[\w.-]+\Z|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,5}(?:[:/?#]\S*)?\Z"  # an e-mail address, a host, a file
    r"|[~.]{0,2}/|[a-z+]+://|--?[A-Za-z]|\$[A-Za-z_{(]\w*[})]?\Z|[A-Za-z]:\\|@[a-z-]+/"  # paths, options, variables
    r"|(?:0x)?[0-9a-fA-F]{6,15}\Z|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z|0[0-9A-Z]{25}\Z|[0-9a-f]{8,}@|.*0x[0-9a-f]{6}|A[A-Z]{3}[A-Z0-9]{16,17}\Z|AAAA|eyJ|.*[;:][a-z-]+:|[\d.]+%|.*&\w+="  # hashes and ids, styles, queries
    r"|.*%(?:2[0-9A-F]|3[A-F]|5[BD]|7[BCD])|.*&(?:#x?\w+|[a-z]+);|.*&(?:nbsp|amp|lt|gt|quot)\b|.*charset=|.*(?:secp|prime)\d{3}|[\d.]+~|(?:\d+[smhd]){2}|__|.*\d{4}-\d\d-\d\d"
    r"|.*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|.*[-_@:][0-9a-f]{16,}\Z|.*(?:sha|md)-?\d+:"
    r"|[\w.-]+:v?\d+(?:\.\d+)+\Z|\d+:\d[\w.+~-]*\Z|v?\d+(?:\.\d+)+[\u2013-]v?\d|[\w-]+=\Z|#[0-9a-fA-F]{3,8}\Z|[A-Z]+#\d+\Z|[A-Za-z]+\d+/0x|\w+\\\w+_|(?:[0-9a-fA-F]{2}[:-]){3}|(?:sha|md)\d+[-:]|\S*(?:\(|\)|\{|\}|\[|\]|::|->|=>|==|\\n|\\u|\.\.|://|&&|\|\|)|.*[^\x00-\x7f]{3}"
)
_CLASS = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:\\@,;=+",
    "A" * 26 + "a" * 26 + "0" * 10 + "j" * 6 + "@" + "ppee",
)
NOTHING = "nothing"
_DIGIT_OR_SIGN = re.compile(r"[\d!#$%^&*?~+=@]")
_CODE_LINE = re.compile(
    r"[(){};]|=>|</|[!=]=|&&|\braise\b|\b(?:def|import|return|class|const|var|let)\b|\w\.\w+\.\w"
)
_ASSIGNS = re.compile(r"[\"'`*\])]{0,4}\s{0,4}(?:[:=→>|-]{1,3}|：)?\s{0,4}[\"'`*(\[]{0,3}\s?\Z")
_SAYS = re.compile(
    r"[^\n.;]{0,60}(?:[:=→]|->|\b(?:is|was|be|now|still|to|as|ist|lautet|war|auf|est|es|sera|era|è|é|jest|er|är)\b)[\s\"'`*(]{0,4}\Z"
)
_EXAMPLE = re.compile(r"(?i)(?:such as|e\.g\.|ssid(?: is)?|\bname)[\s:=\"'`]{1,3}\Z")
_PUBLIC = re.compile(r"(?i)cache|public|fingerprint|foreign|primary|unique|constraint")
_HASHES = re.compile(
    r"(?i)commit|sha\d|\bsha\b|hash|digest|checksum|fingerprint|revision|uuid|guid|\bids?\b|etag|nonce|integrity|public|trace|request|build|version|image"
    r"|layer|blob|tree|object|salt|gpg|pgp|keyserver|\brsa|ssh|signing"
)
_PAIRED = re.compile(r"[\w@.-]+[\"'`]?\s?[/:|][\s\"'`]{0,3}\Z")
_PAIRED_TIGHTLY = re.compile(r"[\w@.-]+[\"'`]?(?:\s?[/|][\s\"'`]{0,3}|:[\"'`]?)\Z")  # no `Error: `
_NUMBERED = re.compile(
    r"[A-Za-z][a-z]+(?:\d{1,3}|-\d{4})\Z|[a-z]+(?:[-_.:/](?:[a-z]+\d{0,2}|\d{1,4}))+\Z"
)
_AFTER_KEY = ('":', '\\":', '": ')
_QUOTES = "\"'`"
_RUN = re.compile(r"A+|a+|0+|[^Aa0]+")
_SIGNS = frozenset("!#$%^&*?~+=@;,.-_/:\\")
_JUDGEMENTS = (
    values.is_chosen, values.is_jumbled, values.is_memorable, values.is_misspelt, values.is_phrase, values.is_invented,
    values.is_common_password, values.looks_generated, values.is_certainly_generated, values.is_name, values.is_words,
    values.is_ticket, values.is_code, values.is_thing, values.is_technical, values.is_unspeakable,
)  # fmt: skip
# What a line may be about instead.
_TOPICS = re.compile(
    r"(?i)\b(commit|sha\d*|hash\w*|digest|checksum|fingerprint|revision|uuid|guid|ids?|etag|nonce|integrity|public|trace|request|build|version|image|blob"
    r"|tests?|def|class|import|return|const|function|error|https?|file|path|branch|issue|ticket|pr|model|cache|primary|foreign|press|shift|ctrl|limit|max|count|tokens|regex|pattern|algorithm|base64|cipher)\b"
)
_PEOPLE = re.compile(
    r"(?i)\b(?:user\w*|admin\w*|root|account|host|server|login|sudo|ssh|vpn|wifi|box|db|prod|staging|@)\b|\w@\w"
)
_LAST_WORD = re.compile(r"([^\W\d_]+)(?:\s+(?:the|a|an|der|die|das|le|la|el|il))?[\s:=,(\"'`*]*\Z")
_LONG_LINE = 400
_VISIBLE = {"\n": "end", "": "end", "\r": "end", "\t": "tab", " ": "blank"}


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


def likely_secrets(text: str, mentions: Sequence[Mention]) -> Iterator[Finding]:
    """Words that are likely to be secrets, near the mentions or by themselves."""
    weights = _weights()
    for found in candidates(text, mentions, least=_HOPELESS):
        if _is_something_else(text, found):
            continue
        by_place = sum(weights.get(each, 0) for each in place(text, found))
        if _worth(text[found.start : found.end]) + by_place > 0:
            kind = SECRET if found.mention.kind in (KEY, SECRET) else PASSWORD
            yield Finding(kind=kind, start=found.start, end=found.end)


def _is_something_else(text: str, found: Candidate) -> bool:
    """Whether a word has a more likely meaning: a name in code, of a product, a public key, a hash.

    These are certain enough to need no weighing.
    """
    value, line = text[found.start : found.end], text[slice(*found.line)]
    before = text[max(found.line[0], found.start - len(found.lead) - _WORD_BEFORE) : found.start]
    if _EXAMPLE.search(before) or (found.mention.kind == KEY and _PUBLIC.search(line)):
        return True
    made = values.kind_of_letters(value)
    if made == "hex":
        return _HASHES.search(line) is not None or found.mention.word in _FAINT
    where = _where(text, found, found.start - len(found.lead))
    is_given = where in ("assigned", "said", "blank")
    is_direct = is_given or _PAIRED.search(before) is not None
    is_pair = _PAIRED_TIGHTLY.search(before) is not None
    is_quoted = before[-1:] in _QUOTES and not found.lead
    known = share_of_known_words(value)
    if made.startswith(("joined", "word")):
        is_loose = found.mention.kind == LOGIN and value.islower() and not (is_quoted or is_pair)
        is_in_code = _about(line)[1] and not is_quoted
        return bool(known == "all" or is_loose or is_in_code or not is_direct)
    if values.is_technical(value) or _NUMBERED.match(value):
        is_named = found.mention.kind == PASSWORD or known == "none"
        return not (is_pair or (is_given and is_named))
    if found.mention.kind == LOGIN and made == "digits" and known == "all":
        return not is_pair  # a test, a role, a host
    return found.mention.kind in (KEY, SECRET) and values.is_name(value)


def candidates(
    text: str, mentions: Sequence[Mention], *, least: int | None = None
) -> Iterator[Candidate]:
    """Words that could be secrets: near mentions, and anywhere if they are odd enough.

    With `least` only words that are worth more by themselves.
    """
    yield from _odd_words(text, least)
    lines: dict[tuple[int, int], list[Mention]] = {}
    for mention in mentions:
        line = _line(text, mention.start)
        if mention.word not in _FAINT or line[1] - line[0] < 3 * _NEAR:
            lines.setdefault(line, []).append(mention)
    for line, near in lines.items():
        is_login = least is not None and all(mention.kind == LOGIN for mention in near)
        asked = _HOPELESS_LOGIN if is_login else least
        yield from _words(text, line, near, 0, asked)
        if line[1] - line[0] < _LONG_LINE and _announces(text, line):
            for below, under in enumerate(_lines_below(text, line[1]), start=1):
                if under in lines:
                    break
                yield from _words(text, under, near[-1:], below, asked)


def _odd_words(text: str, least: int | None) -> Iterator[Candidate]:
    """Words with a sign between letters and digits, which hardly anything but passwords have."""
    classes = text.encode("latin-1", "replace").translate(SIGN_CLASSES)
    for odd in ODD_PAIRS:
        at = classes.find(odd)
        while at >= 0:
            start, after = at, at + 1
            while start and at - start < _LONGEST and text[start - 1] not in _AROUND:
                start -= 1
            if found := _WORD.match(text, start):
                after = max(after, found.end() - 1)
                for first, last in _parts(found[0], least):
                    nothing = Mention(start=start, end=start, kind=NOTHING, word="")
                    yield Candidate(
                        start=start + first, end=start + last, line=_line(text, start),
                        lead=found[0][:first], mention=nothing, below=0,
                    )  # fmt: skip
            at = classes.find(odd, after)


def _line(text: str, position: int) -> tuple[int, int]:
    """The line around a position; of a long one, the part of it that is near."""
    start = text.rfind("\n", max(0, position - _LONG_LINE), position) + 1
    end = text.find("\n", position, position + _LONG_LINE)
    if start == 0 and position >= _LONG_LINE:
        start = position - _LONG_LINE
    if end < 0:
        end = min(len(text), position + _LONG_LINE)
    if end - start < _LONG_LINE:
        return start, end
    # In steps, so that mentions next to each other share their part.
    first = max(start, (position - _NEAR) // _NEAR * _NEAR)
    return first, min(end, first + 3 * _NEAR)


def _announces(text: str, line: tuple[int, int]) -> bool:
    """Whether a line is a heading, or ends as if its value came below."""
    content = text[slice(*line)].strip(" \t*`")
    return content.startswith(("#", "|")) or content.endswith((":", "=", "：", "|-", ">-", "?"))


def _lines_below(text: str, end: int) -> Iterator[tuple[int, int]]:
    after_blank = False
    for _ in range(_LINES_BELOW):
        start, end = end + 1, text.find("\n", end + 1, end + 1 + _LONG_LINE)
        if end < 0:
            end = len(text)
        if start >= len(text) or end - start >= _LONG_LINE:
            return
        if start == end or text[start:end].isspace():
            if after_blank:
                return
            after_blank = True
            continue
        yield start, end


def _words(
    text: str, line: tuple[int, int], near: list[Mention], below: int, least: int | None
) -> Iterator[Candidate]:
    for found in _WORD.finditer(text, *line):
        if found.end() == line[1] and text[line[1] : line[1] + 1].isalnum():
            return  # cut off at the end of a part of a long line
        if text.startswith(_AFTER_KEY, found.end()):
            continue
        for first, last in _parts(found[0], least):
            start, end = found.start() + first, found.start() + last
            mention = min(near, key=lambda each: abs(each.start - start)) if near[1:] else near[0]
            if mention.start >= end or start >= mention.end:
                yield Candidate(
                    start=start, end=end, line=line, lead=found[0][:first], mention=mention,
                    below=below,
                )  # fmt: skip


@lru_cache(maxsize=50_000)
def _parts(word: str, least: int | None) -> tuple[tuple[int, int], ...]:
    """Where values may be in a word: the whole, or what follows names that are written with it."""
    if not _ODD.search(word) or word.startswith("AAAA") or values.is_marked_id(word):
        return ()
    first, end = _bare(word)
    starts = [first]
    while (lead := _LEAD.match(word, starts[-1], end)) and not _HASH.match(lead[0]):
        starts.append(lead.end())
    if lead:
        return ()
    return tuple(
        (start, end)
        for start in (starts[-1:] if len(starts) < 3 else starts[-2:])
        if _SHORTEST <= end - start <= _LONGEST
        and not _NEVER.match(word, start, end)
        and not values.is_stand_in(word[start:end])
        and (least is None or _worth(word[start:end]) > least)
    )


def _bare(word: str) -> tuple[int, int]:
    start, end = 0, len(word)
    while start < end and word[start] in _OPENING:
        start += 1
    while start < end and word[end - 1] in _CLOSING:
        end -= 1
    if end > start and word[end - 1] == "?" and not _DIGIT_OR_SIGN.search(word, start, end - 1):
        end -= 1  # of a question
    return start, end


@lru_cache(maxsize=20_000)
def _worth(value: str) -> int:
    weights = _weights()
    return weights.get("", 0) + sum(weights.get(each, 0) for each in made_of(value))


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
    topics, is_code = _about(text[first:last])
    yield from topics
    made = values.kind_of_letters(text[candidate.start : end])
    if made == "hex":
        yield f"hex {mention.kind} {len(topics) > topics.count('people')}"
    where = _where(text, candidate, start)
    yield f"{where} {mention.kind} {made}{is_code}"
    yield f"{where} known {share_of_known_words(text[candidate.start : end])}{is_code}"
    yield f"{made}{' quoted' if before in _QUOTES else ''}{is_code}"
    if text.find(text[candidate.start : end], end, end + _FAR) >= 0:
        yield "again"


@lru_cache(maxsize=1000)
def _about(line: str) -> tuple[tuple[str, ...], str]:
    """What a line is about, and whether it is code."""
    topics = [f"about {topic}" for topic in sorted(set(map(str.lower, _TOPICS.findall(line))))]
    topics += ["people"] if _PEOPLE.search(line) else []
    return tuple(topics), " code" if _CODE_LINE.search(line) else ""


def _where(text: str, candidate: Candidate, start: int) -> str:
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
def _weights() -> dict[str, int]:
    try:
        lines = _WEIGHTS.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return {"": -1000}
    return {name: int(weight) for weight, _, name in (line.partition(" ") for line in lines)}
