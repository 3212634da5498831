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
from functools import lru_cache

from anamnesis.redact import values
from anamnesis.redact.anchors import ODD_PAIRS, SIGN_CLASSES, Finding
from anamnesis.redact.given import KEY, LOGIN, PASSWORD, PHRASE, PIN, SECRET
from anamnesis.redact.sayings import sayings
from anamnesis.redact.slots import Candidate, Mention, slots
from anamnesis.redact.telling import NOTHING, about, place, weights, where_it_stands, worth
from anamnesis.redact.vocabulary import is_remark, share_of_known_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NEAR = 120  # characters on either side of a mention; a line of a minified file has megabytes
_WORD_BEFORE = 40
_FAINT = frozenset(("", "user", "@", "root ", "admin", "account"))  # say little in a line of data
_HOPELESS_LOGIN = -100
_HOPELESS = -480  # hundredths: hardly any place is worth as much
_LINES_BELOW = 3
_SHORTEST, _LONGEST = 6, 80
_MOST_MENTIONS = 8  # of a line that are asked where their value is
# A word with a digit, a sign between letters, or capitals inside, which ordinary words lack.
_ODD = re.compile(
    r"\d|[A-Za-z][!#$%^&*?~+=@;,]|[!#$%^&*?~+=@;,][A-Za-z]|[a-z][A-Z]|[A-Z]{2}[a-z]|[a-z][-._][A-Za-z]"
)
_WORD = re.compile(
    r"(?<![^\s\"'`«»“”„‘’「」<>|，。（）：；])[^\s\"'`«»“”„‘’「」<>|，。（）：；]{6,200}"
)
_LEAD = re.compile(r"[A-Za-z][\w.@-]{0,40}?(?:[/:,]{1,2}|=)(?=[^/:,=])")
_AROUND = frozenset(" \t\n\r\"'`«»“”„‘’「」<>|，。（）：；")
_HASH = re.compile(r"(?i)(?:sha|md)-?\d|h1:|data:|key-|id[:=]|\w+_id[:=]")
_OPENING, _CLOSING = "([{*~", ".,;:)]}*_\\"
_NEVER = re.compile(
    r"[A-Za-z]\w*\*\d+\.\d+\Z"  # a term of a formula
    r"|[+-]?\d[\d.,:/x-]*\Z|GHSA-|CVE-|SHA\d?-\d+\Z|[\w./-]+@v?\d+\.\d|\d+→|\d+[–-]\d+%|v?\d+(?:\.\d+)+[\w.+-]*\Z|\d+[A-Za-z]{1,4}\Z|\d{4}-\d\d-\d\d"  # numbers, versions, measures, dates
    r"|[\w.+%-]+@[\w-]+\.[\w.-]+\Z|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,5}(?:[:/?#]\S*)?\Z"  # an e-mail address, a host, a file
    r"|[~.]{0,2}/|[a-z+]+://|--?[A-Za-z]|\$[A-Za-z_{(]\w*[})]?\Z|[A-Za-z]:\\|@[a-z-]+/"  # paths, options, variables
    r"|(?:0x)?[0-9a-fA-F]{6,15}\Z|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z|0[0-9A-Z]{25}\Z|[0-9a-f]{8,}@|.*0x[0-9a-f]{6}|A[A-Z]{3}[A-Z0-9]{16,17}\Z|AC[0-9a-f]{32}\Z|(?:[0-9a-f]{0,4}:){3}|fe80:|\$2[aby]\$|AAAA|eyJ|.*[;:][a-z-]+:|[+±-]?[\d.]+%|.*&\w+="  # hashes and ids, styles, queries
    r"|.*%(?:2[0-9A-F]|3[A-F]|5[BD]|7[BCD])|.*&(?:#x?\w+|[a-z]+);|.*&(?:nbsp|amp|lt|gt|quot)\b|.*charset=|.*(?:secp|prime)\d{3}|[\d.]+~|(?:\d+[smhd]){2}|__|.*\d{4}-\d\d-\d\d|[A-Z]0[A-Z0-9]{8,10}\Z"
    r"|[#!]\d+\Z|(?i:bug|issue|pr|mr|bz|debian|ubuntu|gentoo|alioth|thread|patch|ticket)#\d|.*(?:\*-|-\*|\*\.)|.*\.[a-z]{1,5}#[\w.-]+\Z|\d+\*[A-Za-z_]\w+\Z|=\?|\d+m[\d.]+s\Z|[a-z]+(?:[A-Z][a-z]*)+\$\d\Z"
    r"|.*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|.*[-_@:][0-9a-f]{16,}\Z|.*(?:sha|md)-?\d+:"
    r"|[\w.-]+:v?\d+(?:\.\d+)+\Z|\d+:\d[\w.+~-]*\Z|v?\d+(?:\.\d+)+[\u2013-]v?\d|[\w-]+=\Z|#[0-9a-fA-F]{3,8}\Z|[A-Z]+#\d+\Z|[A-Za-z]+\d+/0x|\w+\\\w+_|(?:[0-9a-fA-F]{2}[:-]){3}|(?:sha|md)\d+[-:]|\S*(?:\(|\)|\{|\}|\[|\]|::|->|=>|==|\\n|\\u|\.\.|://|&&|\|\|)|.*[^\x00-\x7f]{3}"
)
_REFERENCE = re.compile(r"[\w.-]+(?:[#!]\d+|@[0-9a-f]{7,40})\Z")  # python/cpython#91169
_MEMBER = re.compile(r"(?:channel|user|team|workspace|member)\s\Z")  # of Slack, by its id
_CLASS_NAME = re.compile(
    r"_?[A-Z]\w*(?:Key|Keys|Types?|Client|Provider|Models?|Options|Method|Config|Configuration|Error|Exception|Encryptor|Decryptor)\Z"
)
_LICENSE = re.compile(r"(?:[A-Z0-9]{4,8}-){2,}[A-Z0-9]{4,8}\Z")
_DIGIT_OR_SIGN = re.compile(r"[\d!#$%^&*?~+=@]")
_EXAMPLE = re.compile(
    r"(?i)(?:such as|e\.g\.|ssid(?: is)?|\bname|(?:begin|start|prefixe)[nds]{0,2} (?:with|by)|placeholder|erro|error|ошибка|fehler|erreur|errore|sqlstate)[\s:=\"'`]{1,3}\Z"
)
# A public key, a value of a template, a sum.
_NOT_SECRET_AFTER = re.compile(
    r"ublic key|\{\{[^{}]*\Z|(?i:(?:sha|md)-?\d+[:=-]\Z|\bh1:\Z|\b(?:kid|ray|etag|nonce|algorithm|x-[\w-]*id(?:-\d)?|[a-z]+_id)[\"']?\s?[:=]\s?[\"']?\Z|(?<!\w)credentials\([\"']\Z|user\w{0,12}pass\w{0,6}\([\"']\Z|class(?:name)?=[\"'][^\"']*\Z|-accessor[ =]\Z)"
)
_PUBLIC = re.compile(r"(?i)cache|public|fingerprint|foreign|primary|unique|constraint")
_HASHES = re.compile(
    r"(?i)commit|checkout|cherry-pick|sha\d|\bsha\b|hash|digest|checksum|fingerprint|revision|uuid|guid|\bids?\b|etag|nonce|integrity|public|trace|request|build|version|image"
    r"|layer|blob|tree|object|salt|gpg|pgp|keyserver|\brsa|ssh|signing"
)
_PAIRED = re.compile(r"[\w@.-]+[\"'`]?\s?[/:|][\s\"'`]{0,3}\Z")
_PAIRED_TIGHTLY = re.compile(r"[\w@.-]+[\"'`]?(?:\s?[/|][\s\"'`]{0,3}|:[\"'`]?)\Z")  # no `Error: `
_NUMBERED = re.compile(
    r"[A-Za-z][a-z]+(?:\d{1,3}|-\d{4})\Z|[a-z]+(?:[-_.:/](?:[a-z]+\d{0,2}|\d{1,4}))+\Z"
)
_AFTER_KEY = ('":', '\\":', '": ', "<...")
_QUOTES = "\"'`"
_LETTERS = re.compile(r"[^\W\d_]+")
# What people add to a password that they gave, and verbs that end a sentence.
_AFTERTHOUGHT = re.compile(
    r" (?:btw|fyi|lol|please|thanks|now|today|yesterday|again|everywhere|since|until|übrigens|jetzt|heute|gestern|danke|hier|maintenant|merci|ahora|ayer|gracias|ora|ieri|grazie)\b"
)
_NEXT_WORD = re.compile(r" ([^\W\d_]{2,30})\b")
_SPOKEN = frozenset(("blank", "said", "listed"))
_LONG_LINE = 400


def likely_secrets(text: str, mentions: Sequence[Mention]) -> Iterator[Finding]:
    """Words that are likely to be secrets, near the mentions or by themselves."""
    yield from _said(text, mentions)
    by = weights()
    for found in candidates(text, mentions, least=_HOPELESS):
        is_noun = found.mention.word == "pass" and found.slot != "changed"  # "pass it to …"
        is_sure = found.slot and (found.mention.kind in (PASSWORD, PHRASE) or is_noun)
        if _is_remark(text, found):
            continue
        if _is_public(text, found) or (not is_sure and _has_other_meaning(text, found)):
            continue
        by_place = sum(by.get(each, 0) for each in place(text, found))
        if worth(text[found.start : found.end]) + by_place > 0:
            kind = SECRET if found.mention.kind in (KEY, SECRET) else PASSWORD
            yield Finding(kind=kind, start=found.start, end=found.end)


def _said(text: str, mentions: Sequence[Mention]) -> Iterator[Finding]:
    looked_at: dict[tuple[int, int], int] = {}
    for mention in mentions:
        line = _line(text, mention.start)
        looked_at[line] = looked_at.get(line, 0) + (mention.word not in _FAINT)
        if looked_at[line] > _MOST_MENTIONS or mention.word in _FAINT:
            continue
        for start, end in sayings(text, mention, line):
            kind = {PIN: PIN, LOGIN: PASSWORD}.get(mention.kind, "passphrase")
            yield Finding(kind=kind, start=start, end=end)


def _is_public(text: str, found: Candidate) -> bool:
    """Whether a line says that a value is an example, a public key or a hash."""
    line = text[slice(*found.line)]
    before = text[max(found.line[0], found.start - len(found.lead) - _WORD_BEFORE) : found.start]
    if _EXAMPLE.search(before) or (found.mention.kind == KEY and _PUBLIC.search(line)):
        return True
    if _NOT_SECRET_AFTER.search(before) or "arn:" in line or "ENC[" in line or "v=DKIM" in line:
        return True
    made = values.kind_of_letters(text[found.start : found.end])
    is_direct = found.slot and found.mention.kind != KEY
    return made == "hex" and not is_direct and _HASHES.search(line) is not None


def _is_remark(text: str, found: Candidate) -> bool:
    """Whether a word without digits or signs says something of a password, or is amid a sentence."""
    value = text[found.start : found.end]
    words = _LETTERS.findall(value)
    if not words or not set(value) <= {*"".join(words), *"-_'."}:
        return False
    if all(map(is_remark, words)) or ("." in value and "pass" in value.lower()):
        return True
    between = text[found.mention.end : found.start]
    if found.slot == "changed" and ":" in between:
        return True
    after = text[found.end : found.end + 40]
    then = _NEXT_WORD.match(after)
    is_plain = value.islower() and value.isalpha()
    if then and is_plain and found.slot == "assigned" and is_remark(then[1]):
        return True
    if _AFTERTHOUGHT.match(after) and share_of_known_words(value) != "all":
        return False
    follows = after[1:2] if after[:1] == " " else ""
    is_amid = (follows.isalnum() and not values.is_in_other_letters(follows)) or (
        follows != "" and follows in "[%<"
    )
    return is_amid and is_plain and found.slot in _SPOKEN


def _has_other_meaning(text: str, found: Candidate) -> bool:
    """Whether a word that nothing calls a password is a name, a number or an id."""
    kind, value = found.mention.kind, text[found.start : found.end]
    if not found.slot or _is_name_of_license(found, value):
        return _is_something_else(text, found)
    if kind == SECRET and found.slot == "assigned" and values.kind_of_letters(value) == "hex":
        return False
    if _NEVER.match(value) or not _ODD.search(value) or _is_identifier(value, kind):
        return True
    is_near = found.slot in ("assigned", "said", "paren", "call")
    if is_near or (kind != LOGIN and found.slot in ("changed", "before")):
        return kind == KEY and values.is_name(value)
    is_name = kind != LOGIN and values.is_name(value)
    return is_name or _is_something_else(text, found)


def _is_identifier(value: str, kind: str) -> bool:
    if kind == LOGIN and values.is_technical(value):
        return True
    is_path = values.is_code(value) and not values.looks_generated(value)
    return kind != PASSWORD and (is_path or _CLASS_NAME.match(value) is not None)


def _is_name_of_license(found: Candidate, value: str) -> bool:
    is_license = found.mention.word in ("license", "lizenz")
    return is_license and not (_LICENSE.match(value) or values.looks_generated(value))


def _is_name_of_other(text: str, found: Candidate, before: str) -> bool:
    """Whether a word names a license, a class, a record, or the person whose address follows."""
    value, mention = text[found.start : found.end], found.mention
    if value.isalnum() and value.isupper() and _MEMBER.search(before):
        return True
    if mention.kind in (NOTHING, KEY) and value.islower() and _REFERENCE.match(value):
        return True  # tenant#42
    if mention.kind != PASSWORD and _CLASS_NAME.match(value):
        return True
    is_person = mention.word == "@" and "<" in text[found.end : mention.start]
    return is_person or _is_name_of_license(found, value)


def _is_something_else(text: str, found: Candidate) -> bool:
    """Whether a word has a more likely meaning: a name in code, of a product, a public key, a hash.

    These are certain enough to need no weighing.
    """
    value, line = text[found.start : found.end], text[slice(*found.line)]
    before = text[max(found.line[0], found.start - len(found.lead) - _WORD_BEFORE) : found.start]
    made = values.kind_of_letters(value)
    if made == "hex":
        return found.mention.word in _FAINT
    if _is_name_of_other(text, found, before):
        return True
    where = where_it_stands(text, found, found.start - len(found.lead))
    is_given = where in ("assigned", "said", "blank")
    is_direct = is_given or _PAIRED.search(before) is not None
    is_pair = _PAIRED_TIGHTLY.search(before) is not None
    is_quoted = before[-1:] in _QUOTES and not found.lead
    known = share_of_known_words(value)
    if made.startswith(("joined", "word")):
        is_word = value.islower() or value.isalpha()
        is_loose = found.mention.kind == LOGIN and is_word and not (is_quoted or is_pair)
        is_term = value.isalpha() and found.mention.kind in (KEY, SECRET)
        is_in_code = about(line)[1] and not is_quoted
        return bool(is_term or known == "all" or is_loose or is_in_code or not is_direct)
    if values.is_technical(value) or _NUMBERED.match(value):
        is_named = found.mention.kind == PASSWORD or known == "none"
        return not (is_pair or (is_given and is_named))
    is_role = found.mention.kind == LOGIN and made == "digits" and known == "all"
    is_name = found.mention.kind in (KEY, SECRET) and values.is_name(value)
    return is_name or (is_role and not is_pair)  # a test, a role, a host


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
    for line, every in lines.items():
        for mention in every[:_MOST_MENTIONS]:
            yield from slots(text, mention, line)
        near = [mention for mention in every if mention.kind not in (PIN, PHRASE)]
        if not near:
            continue
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
    if lead or (word[starts[-1] - 1] == "/" and _REFERENCE.match(word, starts[-1], end)):
        return ()
    return tuple(
        (start, end)
        for start in (starts[-1:] if len(starts) < 3 else starts[-2:])
        if _SHORTEST <= end - start <= _LONGEST
        and not _NEVER.match(word, start, end)
        and not values.is_stand_in(word[start:end])
        and (least is None or worth(word[start:end]) > least)
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
