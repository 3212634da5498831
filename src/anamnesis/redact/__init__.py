"""Remove secrets from text, before it becomes a note and again before it is committed.

Three kinds of evidence: values whose *shape* betrays them (`ghp_…`, `AKIA…`, a PEM block; see
`shapes`), values that a *name* betrays (`DB_PASSWORD=…`, `"token": "…"`; see `names`), and words
near a mention of a secret that look like one (see `likely`). What is removed leaves a placeholder that says what stood there, so that the note still
reads well. Applying it twice changes nothing more, and the time is linear in the text. Values that
you allow in `<home>/redact-allow.txt` stay.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import zip_longest

from anamnesis.redact.anchors import Anchored, Finding, by_letters
from anamnesis.redact.given import LOGIN, PASSWORD, PHRASE, PIN, SECRET
from anamnesis.redact.likely import likely_secrets
from anamnesis.redact.names import named_values
from anamnesis.redact.phrases import PHRASES
from anamnesis.redact.sayings import is_unsaid
from anamnesis.redact.shapes import VENDORS
from anamnesis.redact.slots import Mention
from anamnesis.redact.values import (
    MARK_OF_ID,
    is_chosen,
    is_given_password,
    is_in_other_letters,
    is_key,
    is_password_like,
    is_stand_in,
    is_ticket,
    is_words,
    looks_generated,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anamnesis.config import Home
    from anamnesis.redact.anchors import Shape

__all__ = ["RULES", "Finding", "findings", "redact"]

RULES = 14  # counts up when a rule changes: what was found harmless before is looked at again

_PASSES = 3  # a placeholder can bring a name next to a value that stood apart from it before
_SHORTEST_TEXT = 7  # `pw=1234`
_KEY_BLOCK_LIMIT = 20_000  # a 16k-bit RSA key in PEM is 12,500 characters
_SHORTEST_KEY = 40
# By itself, at the end of a sentence or in quotes; in an address or a path it is an id.
_NAMELESS = re.compile(r"[A-Za-z0-9_+/~.:%-]{16,400}+={0,2}(?=[\s\"'`()<|,;\\\]}&!?]|\Z)")
_BEFORE_NAMELESS = frozenset(" \t\n\r\"'`(=>|,[{;")
# A ULID, as notes have; its letters can read like a name, and look random beside a path.
_ID = re.compile(r"(?<![A-Za-z0-9])0[0-9A-HJKMNP-TV-Z]{25}(?![A-Za-z0-9])")
# A checksum and its file, as `sha256sum` prints them.
_OF_A_FILE = re.compile(
    r"(?m:^)(?:[0-9a-f]{32,128}|[A-Za-z0-9+/]{42,86}={1,2})[ ][ *](?=\S{0,200}[./])\S+[ \t]*$",
    re.MULTILINE,
)
_PART = re.compile(r"[A-Za-z0-9_+/~%-]+={0,2}")
_IN_PARTS = re.compile(
    r"(?:[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}|[012]/\d{16}(?:/\d{16})?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}"
    r"|[0-9a-f]{24}:[0-9a-f]{64}|\d{6}(?:-\d{6}){7}|[um]\d{6,9}-[0-9a-f]{24}|[a-z]{2,8}_[0-9a-f]{32,64})\Z"
)  # of Mailgun, Asana, fal, Ghost and UptimeRobot, and a short mark before digits
# What stands before a checksum, an id, or something public.
_NO_KEY = re.compile(
    r"(?i)(?:sha-?\d*|md5|h1|crc\w*|w/|etag|nonce|integrity|digest(?:value)?|hash|checksum|challenge|accessor|(?:next|page|continuation|resume|sync)_?token|continue|dnskey[\d ]{0,12}|\bbh?|fingerprint|public[ _-]?keys?(?:\s?=\s\S{1,60}|[a-z :]{0,20}[:=]\s\w{1,8}|\s[0-9A-F]{16})?|signature(?:value)?|kid|peer|site-verification(?:\"\scontent)?|site[ _-]?key|x-amz-id-2|cf-ray|\benc|password>(?=\{)|recv-keys?|acme-challenge\S{0,60}\s[^\n]{0,20}txt|bitcoin|ipfs|urn|btih|commit|\|1(?:\|[a-z0-9+/]{27}=)?|(?<=[\"{,])[xyn]"
    r"|cache[ _-]?key|websocket-(?:key|accept)|(?:for|from) key|(?<![a-z])(?:nano|ul|uu|gu|ksu)?ids?|cursor|(?-i:[a-z]Ids?)|base64|iv|tag|mac|gcm,data)[\"'\W]{1,8}(?:sha\d*[:=-])?\Z"
)
_CALLED_ID = re.compile(r"[\"'`]?\s(?:as|is|for)\s[^\n.]{0,20}\bid\b")
_TOKEN_CHARACTERS = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/~.:%-"
)
_LONGEST_LEAD = 60  # of a token, before its first long part
_LINE = 40
_PUBLIC_KEY, _LONGEST_BLOCK = "PUBLIC KEY", 4000
_NEAR_BY = 300  # characters
_MOST_REPEATED = 50  # values that are sought again
_LINE_OF_BASE64 = re.compile(r"\n[ \t>|*#+-]{0,12}[A-Za-z0-9+/=]{40,80}[\"\\]{0,2}(?=\n)")
_KEY_MARKER = (
    r"-----(?P<edge>BEGIN|END) (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
)
# What follows BEGIN when END was cut off: base64 lines, however they are quoted or prefixed.
_BLOCK_LINES = r"(?:[\s\\nr+>|\"',-]{0,8}[A-Za-z0-9+/=]{16,})*+"
# Names in letters that `names` does not seek, each as it is written; an ending may follow.
_ELSEWHERE: dict[str, tuple[str, ...]] = {
    PASSWORD: (
    "парол", "Парол", "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "비번", "패스워드", "암호", "hasł", "Hasł", "şifre", "Şifre", "mật khẩu",
    "Mật khẩu", "كلمة المرور", "كلمة مرور", "كلمة السر", "كلمة سر", "סיסמה", "κωδικό", "Κωδικό", "पासवर्ड", "รหัสผ่าน", "slaptažod",
    ),
    SECRET: (
    "ключ", "Ключ", "токен", "Токен", "令牌", "密钥", "密鑰", "金鑰", "秘钥", "トークン", "キー", "シークレット", "토큰", "키", "κλειδί", "مفتاح", "מפתח",
    "कुंजी", "khóa",
    ),
    PIN: ("пин", "ПИН", "Пин", "код от", "Код от", "暗証番号", "핀번호"),
    PHRASE: ("фраза", "Фраза", "фразу", "パスフレーズ", "合言葉", "口令短语", "암호문"),
    LOGIN: ("вайфай", "Вайфай", "логин", "ログイン", "로그인", "登录", "登入", "アカウント", "账号", "パス"),
}  # fmt: skip
_ENDING = re.compile(r"[a-zа-яёіїєα-ω]{0,4}(?:-код[а-я]{0,3})?")
_AFTER_OTHER_NAME = re.compile(
    r"[^\S\n:：=—–(（是为為는은이가をは「“>\"'`-]{0,3}(?P<sign>[是为為는은이가をは:：=—–(（「“\"'`→>-]{0,3})[^\S\n]{0,3}[\"'`「“]?(?P<value>[!#-&(-_a-~À-ɏͰ-ӿ]{1,200})"
)
_PLURAL = ("ей", "ями", "ям", "ях")  # several passwords have no value
_MOST_WORDS_BETWEEN = 6
_OTHER_LETTER = re.compile(r"[^\W\x00-\x7f]")
# Hashes of texts without a secret: a draft is looked through, and its note again when it is indexed.
_harmless: set[int] = set()
_MOST_HARMLESS = 20_000  # one or two megabytes
ALLOWED = "redact-allow.txt"  # values that you allow, one per line


def findings(text: str, *, allow: Iterable[str] = ()) -> list[Finding]:
    """The secrets in `text`, in order, without overlaps; values in `allow` are left alone."""
    allowed = frozenset(allow)
    if len(text) < _SHORTEST_TEXT or hash(text) in _harmless:
        return []
    anchored = Anchored(text)
    mentions: list[Mention] = []
    every = [*_shaped_values(anchored), *named_values(anchored, mentions)]
    if not text.isascii() and _OTHER_LETTER.search(text):  # "…" is in every clipped text
        every += _named_in_other_alphabets(text, mentions)
    if mentions or anchored.has_odd_words():
        every += likely_secrets(text, mentions)
    found = [each for each in every if not _is_no_secret(text, each)]
    if not found:
        _remember_harmless(text)
    found = [finding for finding in found if text[finding.start : finding.end] not in allowed]
    return _without_overlaps([*found, *_again(text, found)] if found else [])


def _again(text: str, found: Sequence[Finding]) -> Iterator[Finding]:
    """What was found once, where the text repeats it and nothing leads to it any more.

    What has letters, digits and signs is nothing else anywhere; other values are only near by.
    """
    values = {text[each.start : each.end]: each for each in found}
    for value, each in list(values.items())[:_MOST_REPEATED]:
        if not is_password_like(value):
            continue
        far = len(text) if is_chosen(value) else _NEAR_BY
        first, last = max(0, each.start - far), each.end + far
        at = text.find(value, first, last)
        while at >= 0:
            end = at + len(value)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield Finding(kind=each.kind, start=at, end=end)
            at = text.find(value, end, last)


def _is_no_secret(text: str, found: Finding) -> bool:
    """Whether a finding is the id of a note or the checksum of a file, whatever stands around it."""
    is_id = _ID.fullmatch(text, found.start, found.end) is not None
    return is_id or _OF_A_FILE.match(text, found.start) is not None


def _remember_harmless(text: str) -> None:
    if len(_harmless) >= _MOST_HARMLESS:
        _harmless.clear()
    _harmless.add(hash(text))


def redact(text: str, *, allow: Iterable[str] = ()) -> str:
    """`text` with every secret replaced by a placeholder such as `[redacted: github token]`."""
    allowed = frozenset(allow)
    for _ in range(_PASSES):
        pieces, position = [], 0
        for finding in findings(text, allow=allowed):
            pieces += [text[position : finding.start], finding.placeholder]
            position = finding.end
        if not pieces:
            break
        text = "".join([*pieces, text[position:]])
    return text


def _without_overlaps(found: Sequence[Finding]) -> list[Finding]:
    # The shape names the kind better than the variable it was assigned to, and comes first for
    # equal starts because the sort is stable.
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda each: each.start):
        if not kept or finding.start >= kept[-1].end:
            kept.append(finding)
        elif finding.end > kept[-1].end:
            last = kept[-1]
            kept[-1] = Finding(kind=last.kind, start=last.start, end=finding.end)
    return kept


def allow_list(home: Home) -> tuple[str, ...]:
    """The allowed values: whole values only, so that a short line does not allow more than it says.

    The file is read again only when it changed.
    """
    path = os.path.join(home, ALLOWED)
    try:
        found = os.stat(path)
        return _read(path, (found.st_mtime_ns, found.st_size, found.st_ino))
    except OSError:
        return ()


@lru_cache(maxsize=4)
def _read(path: str, _stamp: tuple[int, int, int]) -> tuple[str, ...]:
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        lines = [line.strip() for line in file]
    return tuple(line for line in lines if line and not line.startswith("#"))


def secrets_stay_here(home: Home) -> Callable[[str, bytes], str]:
    """A check of files before a commit: says why one must stay here; empty if it may leave."""

    def objection(path: str, content: bytes) -> str:

        text = f"{path}\n{content.decode('utf-8', 'replace')}"
        found = findings(text, allow=allow_list(home))
        if not found:
            return ""
        kinds = ", ".join(dict.fromkeys(finding.kind for finding in found))
        return f"it seems to hold a secret ({kinds}); remove it, or allow it in {ALLOWED}"

    return objection


def _shaped_values(anchored: Anchored) -> Iterator[Finding]:
    """Every value in a text whose shape or surroundings are those of a secret."""
    text = anchored.text
    yield from _key_blocks(text)
    for positions, shapes in anchored.tokens(_VENDORS):
        yield from _at(positions, text, shapes)
    for positions, shapes in anchored.words(_PHRASES):
        yield from _at(positions, text, shapes)
    yield from _nameless(anchored)


def _named_in_other_alphabets(text: str, mentions: list[Mention]) -> Iterator[Finding]:
    """Passwords and keys that follow their name in an alphabet that is not searched by literals.

    Adds where the names stand to `mentions`.
    """
    for kind, names in _ELSEWHERE.items():
        for name in names:
            at = text.find(name)
            while at >= 0:
                end = at + len(name)
                if kind in (PASSWORD, SECRET):
                    found = _given_elsewhere(text, end, is_password=kind == PASSWORD)
                    yield from (found,) if found else ()
                ending = _ENDING.match(text, end)
                last = ending.end() if ending else end
                if not text.startswith(_PLURAL, end):
                    mentions.append(Mention(start=at, end=last, kind=kind, word="elsewhere"))
                at = text.find(name, end)


def _given_elsewhere(text: str, at: int, *, is_password: bool) -> Finding | None:
    ending = _ENDING.match(text, at)
    at = ending.end() if ending else at
    for _ in range(_MOST_WORDS_BETWEEN):
        found = _AFTER_OTHER_NAME.match(text, at)
        if found is None:
            return None
        value, start, at = found["value"].rstrip(".,;:"), found.start("value"), found.end()
        if _is_named_elsewhere(value, is_password=is_password, is_assigned=bool(found["sign"])):
            kind = "password" if is_password else "secret"
            return Finding(kind=kind, start=start, end=start + len(value))
    return None


def _is_named_elsewhere(value: str, *, is_password: bool, is_assigned: bool) -> bool:
    if (
        is_stand_in(value)
        or is_ticket(value)
        or value.lower() == "1password"
        or is_in_other_letters(value)
    ):
        return False
    if not is_password:
        return len(value) >= 16 and looks_generated(value)
    return is_given_password(value) and (is_assigned or not value.isalpha())


def _nameless(anchored: Anchored) -> Iterator[Finding]:
    """Long words that only a generator makes, standing by themselves."""
    text = anchored.text
    for at in anchored.long_words():
        start = at
        while start and text[start - 1] in _TOKEN_CHARACTERS and at - start < _LONGEST_LEAD:
            start -= 1
        found = _NAMELESS.match(text, start)
        if found is None or (start and text[start - 1] not in _BEFORE_NAMELESS):
            continue
        value = found[0].rstrip(".:")
        key = _key_in(text, start, value)
        while key >= 0:
            yield Finding(kind="secret", start=key, end=start + len(value))
            start = text.find(value, start + len(value))
            key = start


def _key_in(text: str, start: int, value: str) -> int:
    """Where the key begins in a word that stands at `start`, or -1 if there is none."""
    if MARK_OF_ID.match(value) or _ID.search(value) or _is_one_of_lines(text, start, value):
        return -1
    first, keys = -1, False
    for part in _PART.finditer(value):
        if _NO_KEY.search(text, max(0, start + part.start() - 40), start + part.start()):
            return -1
        if first < 0 and not is_words(part[0]):
            first = start + part.start()
        keys = keys or is_key(part[0])
    keys = keys or _IN_PARTS.match(value) is not None
    if keys and _CALLED_ID.match(text, start + len(value)):
        return -1
    return first if keys else -1


def _is_one_of_lines(text: str, start: int, value: str) -> bool:
    """Whether a word is a line among others of its length: part of a certificate or an image."""
    end = start + len(value)
    if text.rfind(_PUBLIC_KEY, max(0, start - _LONGEST_BLOCK), start) >= 0:
        return text.find("-----END", end, end + _LONGEST_BLOCK) >= 0
    after = _LINE_OF_BASE64.match(text, end) if len(value) >= _LINE else None
    return after is not None or _LINE_OF_BASE64.search(text, max(0, start - 90), start) is not None


def _at(positions: Iterable[int], text: str, shapes: tuple[Shape, ...]) -> Iterator[Finding]:
    tried = [(shape, shape.before, shape.compiled.match) for shape in shapes]
    for position in positions:
        for shape, befores, match_at in tried:
            for before in befores:
                match = match_at(text, position - before) if position >= before else None
                if match and _is_secret(shape, match[1]):
                    yield Finding(kind=shape.kind, start=match.start(1), end=match.end(1))
                    break


def _by_literal(shapes: Iterable[Shape]) -> tuple[tuple[bytes, tuple[Shape, ...]], ...]:
    found: dict[bytes, tuple[Shape, ...]] = {}
    for shape in shapes:
        for literal in shape.literals:
            found[literal] = (*found.get(literal, ()), shape)
    return tuple(found.items())


_VENDORS, _PHRASES = _by_literal(VENDORS), by_letters(_by_literal(PHRASES))


def _is_secret(shape: Shape, value: str) -> bool:
    if is_stand_in(value) or (shape.no_words and is_words(value)):
        return False
    if (shape.chosen and not is_password_like(value)) or (shape.unsaid and not is_unsaid(value)):
        return False
    return not shape.generated or looks_generated(value)


def _key_blocks(text: str) -> Iterator[Finding]:
    if "PRIVATE KEY" not in text and "Static key" not in text:
        return
    markers = list(re.finditer(_KEY_MARKER, text))
    for begin, following in zip_longest(markers, markers[1:]):
        if begin["edge"] != "BEGIN":
            continue
        limit = begin.end() + _KEY_BLOCK_LIMIT
        if following and following["edge"] == "END" and following.start() < limit:
            length, end = following.start() - begin.end(), following.end()
        else:
            stop = following.start() if following else limit
            lines = re.compile(_BLOCK_LINES).match(text, begin.end(), stop)
            end = lines.end() if lines else begin.end()
            length = end - begin.end()
        # A BEGIN line that only names the format (in prose or code) carries nothing secret.
        if length > _SHORTEST_KEY:
            yield Finding(kind="private key", start=begin.start(), end=end)
