"""Passphrases of several words, and numbers that open something: where a text gives them away.

A passphrase is made like a remark about one, "the passphrase is stored in the vault". What tells
them apart: quotes, the end of the sentence, and the words that only a remark has.
"""

# ruff: noqa: E501, RUF001  (a pattern is read in one piece)
from __future__ import annotations

import re

from anamnesis.redact.given import ABOUT_IT, LOGIN, PASSWORD, PHRASE, PIN
from anamnesis.redact.slots import OPENING_QUOTE, enclosed, places_after, speaks_of
from anamnesis.redact.telling import style
from anamnesis.redact.values import is_password_like, is_stand_in
from anamnesis.redact.vocabulary import is_remark, share_of_known_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.redact.slots import Mention

_LONGEST = 100
_NUMBER_BEFORE = 60
_FEWEST, _MOST = 3, 10  # words of a passphrase that nothing encloses
_ENOUGH_DRAWN = 4  # words that nobody would say together
_BARE = re.compile(
    r"(?P<value>[^\W_](?:[^\n.,;:()\[\]{}<>\"`«»“”„|=\\/]|\.(?=\w)){6,100}?)\s?(?=[.,;:()\[\"`|\n]|\s[–—-]\s|(?<=\s)[A-Z][A-Z_]+=|\Z)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SPOKEN_OF = re.compile(r"(?i)phrase|frase|fraza|zin\b|fras\b|satz\b|ordine")
# Words of remarks, rules and messages; a passphrase has none of them.
_REMARK = re.compile(
    r"(?i)\b(?:must|should|shall|can|cannot|can['’]t|may|might|will|won['’]t|would|has|have|had|does|doesn['’]t|do|don['’]t|did|didn['’]t|isn['’]t|wasn['’]t|not|be|been|being|require[ds]?|optional|wrong|invalid|incorrect"
    r"|stored|stores?|used|uses?|asked|generated?|derived|needed|needs|missing|empty|your|you|its|this|that|which|via|same|too|least|characters?|chars|words?|passwords?|passphrases?|phrase|passe|contrase\w+|senha|kennwort|passwort|wachtwoord|парол\w*|secrets?|tokens?|keys?"
    r"|keychain|vault|file|user|prompt|enter|type|change[ds]?|reset|set|env|environment|variable|config\w*|encrypt\w*|decrypt\w*|protected|never|ever|always|now|only|also|again|please|who|what|if|because|so|but|then|instead|anymore|forgotten|lost|known|shared|sent|rotated"
    r"|muss|wird|wurde|darf|kann|soll|sein|werden|nicht|kein\w*|ist|bitte|doit|être|est|sont|peut|pas|votre|debe|puede|está|deve|essere|non|può|não|pode|sua|moet|wordt|niet|kan|jouw|musi|być|nie|jest|może|должн\w*|будет|не|нужн\w*)\b"
)
_RULE = re.compile(
    r"(?i)\b(?:must|should|cannot|required?|optional|wrong|invalid|incorrect|your|characters?|passwords?|passphrases?|passe|contrase\w+|senha|kennwort|passwort|wachtwoord|парол\w*|enter|least|please|mismatch|match|not)\b"
)
_FIRST_OF_REMARK = re.compile(
    r"(?i)(?:ask|see|check|look|siehe|frag\w*|voir|demander|vedi|chiedi|ver|zie|vraag|in|on|at|by|from|for|with|without|of|to|as|a|an|the|is|are|was|and|or|no|none|required|optional|read|taken|kept|asked|here|there|it|long|short|weak|strong|still|just|very|unique|different|correct|ok|okay|fine|im|auf|aus|mit|von|zu|zum|bei|für|und|der|die|das|ein|eine|dans|sur|par|pour|avec|en|de|du|des|un|une|el|los|las|por|con|para|nel|nella|da|di|na|w|z|do|för|til|till|på|med|и|в|на|от|для|из)\b"
)
_ENDS_ODDLY = re.compile(r"\s\d{1,4}\s?\Z")
_ASKED_FOR = re.compile(
    r"[\"'`]?(?P<value>(?:[*#]?\d[\d ]{2,10}\d|\d{4,8}|\d{2}(?:-\d{2}){1,3}|\d{1,4}[#*]\d{2,6}|\d{4,6}[A-ZА-Я])[#*]?)(?![\w%]|[.,]\d|-\d)"
)
_LOOSE = re.compile(
    r"[^\x00-\x7f\s]{0,4}(?:[ ][^\W\d_]{1,20}){0,5}[ ]?(?P<value>(?!19\d\d|20\d\d)\d{4,8})(?=\s?(?:[.,;)\n]|[^\x00-\x7f]|\Z))(?!\.\d)"
)
_NUMBER_FIRST = re.compile(
    r"(?<![\w.-])(?P<value>\d{4,8})[\"'`]?,?\s(?:as|for|is|als|como|comme|come|jako|è|é|es|est|ist)\s(?:\w{1,12}\s){0,3}\Z"
)
# The line after a question: who answers, and one word.
_SPEAKER = r"[ \t]*(?:>\s?|[-*]\s)?(?:\[?\d\d?:\d\d(?::\d\d)?\]?\s)?(?P<who><@?[\w.-]{1,20}>:?\s|@?[\w.-]{1,20}[:>]\s)?"
_SPEAKS = re.compile(_SPEAKER)
_ANSWER = re.compile(
    rf"\n{_SPEAKER}(?:(?:yes|yep|sure|ja|oui|sí|si|da),?\s)?(?:(?:it['’]s|its|that['’]s|c['’]est|es|ist|:)\s)?[\"'`*]{{0,2}}(?P<value>[^\s\"'`*]{{5,60}}?)[\"'`*]{{0,2}}[.!]?[ \t]*(?=\n|\Z|\([^()\n]{{1,60}}\))"
)
_ELECTRIC = re.compile(
    r"(?i)gpio|\bpins\b|board|arduino|esp32|raspberry|header|soc\b|zip|version|pin(?:ned)? to"
)
# "password: pedirla a Marta" says what to do; a verb in between says what must be done.
_TO_DO = re.compile(r"[a-zà-ÿ]{2}(?:[aei]r(?:l[aeo]s?|se)?|sel[ao]|[aei]r(?:e|la|lo))\Z")
_MODAL = re.compile(
    r"(?i)\b(?:must|should|can|cannot|may|måste|skal|ska|må|kan|muss|soll\w*|darf|doit|doivent|peut|debe\w*|puede\w*|deve\w*|pode|può|moet|mag|musi|może|musí|může|долж\w+|может|not|nicht|pas|no|non|não|nie|не)\b"
)
_SET_TO = re.compile(
    r"(?P<quote>[\"']?)(?P<value>[^\W_][\w!?'-]*(?: [\w!?&'-]+){1,5})(?P=quote)[ \t,]*(?:#[^\n]*)?(?:\n|\Z)"
)
_TYPED = re.compile(r"\b(?:type|enter|answer|typing|entering):?\s{1,2}\Z")
_NUMBER_SLOTS = frozenset(("assigned", "said", "blank", "paren", "changed"))
_PHRASE_SLOTS = frozenset(("assigned", "said", "changed", "blank"))


def sayings(text: str, mention: Mention, line: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Where passphrases and numbers stand that a text gives to what it mentions."""
    if not speaks_of(text, mention):
        return
    places = list(places_after(text, mention, line))
    if mention.kind == PIN:
        if not _ELECTRIC.search(text, *line):
            yield from _number_before(text, mention, line[0])
            yield from _numbers(text, mention.end, line[1], places)
        return
    if mention.kind == PASSWORD or mention.word == "pass":
        yield from _answer(text, mention, line)
    yield from _phrase(text, mention, line, places)


def _phrase(
    text: str, mention: Mention, line: tuple[int, int], places: list[tuple[str, int]]
) -> Iterator[tuple[int, int]]:
    kind, name = mention.kind, text[mention.start : mention.end]
    spoken_of = kind == PHRASE or _SPOKEN_OF.search(name) is not None
    for slot, at in places:
        if slot not in _PHRASE_SLOTS or (slot == "blank" and mention.word == "phrase"):
            continue
        if slot == "assigned" and (found := _setting(text, mention, at)):
            yield found
            return
        if opened := OPENING_QUOTE.match(text, at, line[1]):
            start, end = enclosed(text, opened, line[1])
            found = (start, end) if end - start <= _LONGEST and " " in text[start:end] else None
            is_clear = kind == PASSWORD and opened["quote"] in "«“„「『"
            is_led = spoken_of or ((slot != "blank" or is_clear) and _opens(mention))
            tight = kind == PASSWORD and text[at - 1] == "="
            if found and not (
                is_led and _is_quoted_phrase(text[slice(*found)], spoken_of=spoken_of, tight=tight)
            ):
                continue
        else:
            found = _bare(text, mention, (slot, at), line[1], kind=PHRASE if spoken_of else kind)
        if found:
            yield found
            return


def _setting(text: str, mention: Mention, at: int) -> tuple[int, int] | None:
    """The words that a setting such as `auth_password` is given, up to the end of the line."""
    found = _SET_TO.match(text, at)
    is_named = mention.kind == PASSWORD and mention.word != "elsewhere"
    if found is None or not is_named or text[mention.end : at].strip("\"' =:"):
        return None
    if style(text, mention.start, mention.end) not in ("code", "variable", "key"):
        return None
    value = found["value"]
    is_said = any(map(is_remark, _WORD.findall(value))) or share_of_known_words(value) == "all"
    return None if is_said else found.span("value")


def _answer(text: str, mention: Mention, line: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The one word that somebody answers to a question, or to what somebody else says."""
    asks = _SPEAKS.match(text, line[0])
    is_question = text[max(line[0], line[1] - 4) : line[1]].rstrip(" \"'`*").endswith("?")
    if not (is_question or (asks and asks["who"])) or ABOUT_IT.match(text, mention.end):
        return
    found = _ANSWER.match(text, line[1])
    if found is None or not is_unsaid(found["value"]) or is_stand_in(found["value"]):
        return
    is_reply = asks and asks["who"] and found["who"] not in (None, asks["who"])
    is_word = found["value"].isalpha()
    if (is_question and (mention.kind == PASSWORD or not is_word)) or (is_reply and not is_word):
        yield found.span("value")


def is_unsaid(value: str) -> bool:
    """Whether a value is no word that is said of passwords or of programs."""
    if is_password_like(value):
        return True
    words = _WORD.findall(value)
    if not words or is_remark(words[0]) or any(sign in value for sign in "/\\=()[]{}<>|@:"):
        return False
    return share_of_known_words(value) != "all" and not all(map(is_remark, words))


def _bare(
    text: str, mention: Mention, place: tuple[str, int], limit: int, *, kind: str
) -> tuple[int, int] | None:
    slot, at = place
    found = _BARE.match(text, at, limit)
    if found is None or (
        slot == "blank" and not (kind == PHRASE and _ENDS_ODDLY.search(found["value"]))
    ):
        return None
    value = found["value"].rstrip()
    is_typed = _TYPED.search(text, max(0, at - 12), at) is not None
    spoken_of = kind == PHRASE and (slot != "changed" or is_typed)
    is_led = (
        slot in ("assigned", "said")
        and kind in (PASSWORD, PHRASE)
        and not _MODAL.search(text, mention.end, at)
        and (slot == "assigned" or mention.word != "clave")
        and (mention.word != "elsewhere" or value.isascii())
        and "%" not in value
    )
    if not (
        _is_bare_phrase(value, spoken_of=spoken_of, kind=kind) or (is_led and _is_unusual(value))
    ):
        return None
    return found.start("value"), found.start("value") + len(value)


def _opens(mention: Mention) -> bool:
    return mention.kind != LOGIN or mention.word in ("encrypt", "decrypt", "unlock", "elsewhere")


def _number_before(text: str, mention: Mention, first: int) -> Iterator[tuple[int, int]]:
    first = max(first, mention.start - _NUMBER_BEFORE)
    if found := _NUMBER_FIRST.search(text[first : mention.start]):
        yield first + found.start("value"), first + found.end("value")


def _numbers(
    text: str, end: int, limit: int, places: list[tuple[str, int]]
) -> Iterator[tuple[int, int]]:
    if found := _LOOSE.match(text, end, limit):
        yield found.span("value")
    for slot, at in places:
        found = _ASKED_FOR.match(text, at, limit) if slot in _NUMBER_SLOTS else None
        if found:
            yield found.span("value")


def _is_quoted_phrase(value: str, *, spoken_of: bool, tight: bool) -> bool:
    words = _WORD.findall(value)
    remark = _RULE if spoken_of else _REMARK
    if not 2 <= len(words) <= _MOST or remark.search(value) or not value[0].isalnum():
        return False
    if is_remark(words[0]) and not spoken_of:
        return False
    if any(sign in value for sign in "{}<>%$=()[]|/"):
        return False
    if tight and value.islower() and not _FIRST_OF_REMARK.match(value):
        return True
    return spoken_of or (
        share_of_known_words(value) != "all" and not value.endswith((".", ":", "…"))
    )


def _is_bare_phrase(value: str, *, spoken_of: bool, kind: str) -> bool:
    words = _WORD.findall(value)
    if not _FEWEST <= len(words) <= value.count(" ") + 1 <= _MOST or _REMARK.search(value):
        return False
    if _FIRST_OF_REMARK.match(value) or is_remark(words[0]):
        return False
    if spoken_of:
        return True
    if kind == PASSWORD and all(word[0].isupper() for word in words):
        return share_of_known_words(value) != "all"
    return _is_drawn(words)


def _is_unusual(value: str) -> bool:
    """Whether most words of a phrase are neither said of passwords nor of programs."""
    words = _WORD.findall(value)
    others = [w for w in words if not is_remark(w) and share_of_known_words(w) != "all"]
    if " " not in value or " -" in value:
        return False
    if not words or _RULE.search(value) or value.count(" ") >= _MOST or not value[0].isalnum():
        return False
    if _TO_DO.search(words[0]) or (is_remark(words[0]) and len(words) < _ENOUGH_DRAWN):
        return False
    if _ENDS_ODDLY.search(value) and words[0][0].isupper() and others:
        return True
    return len(others) >= 2 and 2 * len(others) >= len(words)


def _is_drawn(words: list[str]) -> bool:
    """Whether words were drawn from a list: none of them is one that joins others."""
    if len(words) < _ENOUGH_DRAWN or not all(
        3 <= len(word) <= 9 and word.islower() and not _FIRST_OF_REMARK.match(word)
        for word in words
    ):
        return False
    unknown = sum(share_of_known_words(word) == "none" for word in words)
    return 2 * unknown > len(words)
