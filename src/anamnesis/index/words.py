"""Text as words: tokens, parts that the tokenizer would miss, stems, languages; all words in use.

The words of all notes are in a separate table, for guessing what was meant: FTS5 can list its
words, but visits every note of each to do so. The table is made when the index is built, and later
notes add their words. None is ever removed: a word that no note has any more is only a guess that
finds nothing, and the next rebuild leaves it out.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.fields import Memory

WORD = re.compile(r"[^\W_]+")

# Scripts that write without spaces: to the tokenizer a whole sentence would be one word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
# As text, compiled only when a note needs it: each pattern costs a hook time.
_ACCENT = "[\u0300-\u036f]"
_ACCENTED = "[\u00e0-\u024f\u0300-\u036f\u1e00-\u1eff]"
_TYPOGRAPHY = "[\u2010-\u2027\u2030-\u205e\u2190-\u2bff]+"  # dashes, quotes, arrows
_SPACE = ord(" ")
_ASCII = [chr(code) for code in range(128)]
_FOLDED = bytes(ord(c.lower()) if c.isalnum() else _SPACE for c in _ASCII) + bytes(128)
_COMPOUND = bytes(ord(c) if c.isalnum() or c in "_-" else _SPACE for c in _ASCII) + bytes(128)
PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MOST_JOINED = 4  # pieces; longer ones are sentences with hyphens
_LONGEST_JOINED = 32

# Words of grammar, not of content: they count a little for the ranking and never select.
FUNCTION_WORDS = frozenset(
    """
    a about above again against all also am an and any are aren as at be because been being
    below both but by can cannot could couldn d did didn do does doesn doing don down during
    each either else ever every few for from further had hadn has hasn have haven having he her
    here hers herself hi him himself his how however i if in is isn it its itself just ll m may
    maybe me might mine must my myself neither nor of off ok on once or other our ours ourselves
    out please re s shall she should shouldn so some someone something somewhere still such t
    than thank thanks that the their theirs them themselves then there these they this those
    though through to too under until up upon us ve very was wasn we were weren what whatever
    when where whether which while who whom whose why will with won would wouldn yet you your
    yours yourself
    """.split()  # noqa: SIM905  reads better than a list
)
# Words of everyday talk that can be the point in code (`get`, `use`, `first`): they count less.
LIGHT_WORDS = frozenset(
    """
    after before between first get gets getting give go goes going gone got into know last let
    like more most much need needs new no not now one only over own same say see tell thing
    things use used using want wants way within without
    """.split()  # noqa: SIM905  reads better than a list
)


def fold(text: str) -> str:
    """The text in lower case without the accents of Latin letters, as the tokenizer sees it."""
    lowered = text.lower()
    if lowered.isascii() or _compiled(_ACCENTED).search(lowered) is None:
        return lowered
    from unicodedata import normalize

    return normalize("NFC", _compiled(_ACCENT).sub("", normalize("NFD", lowered)))


def tokens(text: str) -> list[str]:
    """The words of a text, folded."""
    return spaced(text).split()


def spaced(text: str) -> str:
    """The words of a text, folded, with spaces before, between and after them."""
    if not text.isascii():
        text = _compiled(_TYPOGRAPHY).sub(" ", text)
    if text.isascii():  # by far the most common, and five times faster
        return f" {text.encode('ascii').translate(_FOLDED).decode('ascii')} "
    return f" {' '.join(WORD.findall(fold(text)))} "


def unspaced(text: str) -> list[str]:
    """The stretches of a text in scripts that write without spaces."""
    return [] if text.isascii() else _compiled(f"[{_UNSPACED}]+").findall(text)


_PLAIN_WORDS: set[str] = set()  # cached: a note has few words that no other has
_MOST_PLAIN = 50_000  # some megabytes


@lru_cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def pieces(word: str) -> list[str]:
    """The pieces of a mixed word: `getUserById` has four, `deploy` has one."""
    return PIECE.findall(word)


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of the characters of a text without spaces."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def compounds(text: str) -> list[str]:
    """The distinct words of a text that may have pieces: `getUserById`, `api_key`, `python3`."""
    words = text.encode("ascii", "replace").translate(_COMPOUND).decode("ascii").split()
    unknown = set(words) - _PLAIN_WORDS
    mixed = {word for word in unknown if not _is_plain(word)}
    if len(_PLAIN_WORDS) > _MOST_PLAIN:
        _PLAIN_WORDS.clear()
    _PLAIN_WORDS.update(unknown - mixed)
    return list(dict.fromkeys(word for word in words if word in mixed)) if mixed else []


def _is_plain(word: str) -> bool:
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper())


def joined(compound: str) -> str:
    """A compound as one word, `apikey` for `api-key` and `api_key`; empty if it is none."""
    words = compound.replace("-", "_").strip("_").split("_")
    if not 1 < len(words) <= _MOST_JOINED or len(compound) > _LONGEST_JOINED or "" in words:
        return ""
    return "".join(words)


def parts(text: str) -> str:
    """What else a note can be found by: pieces and joined forms of identifiers, bigrams."""
    terms: dict[str, None] = {}
    for compound in compounds(text):
        for word in WORD.findall(compound):
            split = pieces(word)
            if len(split) > 1:
                terms.update(dict.fromkeys(split))
        if whole := joined(compound):
            terms[whole] = None
    if not text.isascii():
        for run in unspaced(text):
            terms.update(dict.fromkeys(bigrams(run)))
    return " ".join(terms)


def facet(project: str) -> str:
    """A project as one word of the full-text index, so that it narrows a match for free.

    Two projects may share a word; the row's own project decides.
    """
    from binascii import crc32

    return f"zq{crc32(project.encode('utf-8', 'surrogatepass')):08x}"


_VOWELS = "aeiou"
_SHORTEST, _LONGEST = 3, 64  # bytes; SQLite leaves other words as they are

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "logi": "log", "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous",
    "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive",
    "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti",
    "ous", "ive", "ize", "al", "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if not _SHORTEST <= len(word.encode("utf-8", "surrogatepass")) <= _LONGEST:
        return word
    word = _past_tense(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _swapped(_swapped(word, _STEP_2), _STEP_3)
    return _tidied(_shortened(word))


def _plural(word: str) -> str:
    if (word.endswith("sses") and len(word) > 4) or (word.endswith("ies") and len(word) > 3):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_tense(word: str) -> str:
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(word[: -len(suffix)]):
            return _restored(word[: -len(suffix)])
    return word


def _restored(word: str) -> str:
    """The word behind "-ed" or "-ing": hop(ping), fil(ing), conflat(ed)."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    doubled = len(word) > 1 and word[-1] == word[-2] and word[-1] not in _VOWELS
    if doubled and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _swapped(word: str, suffixes: dict[str, str]) -> str:
    longest = max((s for s in suffixes if word.endswith(s)), key=len, default="")
    if longest and _measure(word[: -len(longest)]) > 0:
        return word[: -len(longest)] + suffixes[longest]
    return word


def _shortened(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            allowed = suffix != "ion" or rest.endswith(("s", "t"))
            return rest if allowed and _measure(rest) > 1 else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _is_consonant(word: str, at: int) -> bool:
    if word[at] == "y":
        return at == 0 or not _is_consonant(word, at - 1)
    return word[at] not in _VOWELS


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, at) for at in range(len(word)))


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    count, after_vowel = 0, False
    for at in range(len(word)):
        consonant = _is_consonant(word, at)
        count += after_vowel and consonant
        after_vowel = not consonant
    return count


def _ends_short(word: str) -> bool:
    """Whether it ends like "hop": consonant, vowel, consonant other than w, x, y."""
    last = len(word) - 1
    return (
        last >= 2
        and _is_consonant(word, last)
        and not _is_consonant(word, last - 1)
        and _is_consonant(word, last - 2)
        and word[last] not in "wxy"
    )


_LEAST_HITS = 2  # function words; a single one may be a name
_SHORTEST_STEM = 5  # letters; what is shorter begins too many words


@record
class Language:
    """What is known of a language: its function words and the endings of its words."""

    function_words: frozenset[str]
    endings: tuple[str, ...]  # the longest first

    def stem(self, word: str) -> str:
        """The beginning that a word shares with its other forms; empty if it is too short."""
        for ending in self.endings:
            if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
                return word[: -len(ending)]
        return word if len(word) > _SHORTEST_STEM else ""


@lru_cache
def _languages() -> list[Language]:
    """The languages of the file beside this one, which says how it is written."""
    with open(os.path.join(os.path.dirname(__file__), "languages.txt"), encoding="ascii") as file:
        _comment, *blocks = file.read().split("\n\n")
    read = (block.partition("\n") for block in blocks)
    return [
        Language(frozenset(words.split()), tuple(head.partition(":")[2].split()))
        for head, _, words in read
    ]


def language_of(tokens: Sequence[str]) -> Language | None:
    """The language of some words; None for English and for unknown ones."""
    distinct = {token for token in tokens if len(token) > 1}  # single letters are in every language
    english = distinct & FUNCTION_WORDS
    found, most = None, _LEAST_HITS - 1
    for language in _languages():
        hits = distinct & language.function_words
        own = len(hits - english)  # words that both have do not tell them apart
        if own > most and own > len(english - hits):
            found, most = language, own
    return found


_TABLE = "CREATE TABLE vocabulary (term TEXT PRIMARY KEY, notes INTEGER NOT NULL) WITHOUT ROWID"
_LISTED = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.listed USING fts5vocab(main, memories_fts, row)"
MANY = 500  # notes; stemming all of their words costs more than listing those of the index
_FACET = "zq" + "[0-9a-f]" * 8  # the word that stands for a project


def build_vocabulary(db: sqlite3.Connection) -> None:
    """Make the table from the words that the full-text index has."""
    drop_vocabulary(db)
    db.execute(_TABLE)
    db.execute(_LISTED)
    db.execute(
        "INSERT INTO vocabulary SELECT term, doc FROM temp.listed WHERE term NOT GLOB ?", (_FACET,)
    )
    db.execute("DROP TABLE temp.listed")


def drop_vocabulary(db: sqlite3.Connection) -> None:
    """Drop the table; it is made again when it is needed."""
    db.execute("DROP TABLE IF EXISTS vocabulary")


def learn_words(db: sqlite3.Connection, notes: Sequence[Memory]) -> None:
    """Add the words of notes; an index of an earlier version gets the whole table first."""
    if not has_vocabulary(db) or len(notes) >= MANY:
        build_vocabulary(db)
        return
    spelled: set[str] = set()
    for note in notes:
        text = f"{note.title}\n{note.body}\n{' '.join(note.tags)}"
        spelled.update(tokens(text), tokens(parts(text)))
    # Each word is stemmed and looked up once, however many of the notes have it.
    db.executemany(
        "INSERT OR IGNORE INTO vocabulary VALUES (?, 1)",
        [(term,) for term in sorted({stem(word) for word in spelled})],
    )


def has_vocabulary(db: sqlite3.Connection) -> bool:
    """Whether this index has the table."""
    table = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'vocabulary'")
    return table.fetchone() is not None


def words_between(
    db: sqlite3.Connection, first: str, last: str, *, lengths: tuple[int, int]
) -> Iterable[tuple[str, int]]:
    """The words from `first` up to but without `last`, and in how many notes each is."""
    table = "vocabulary"
    if not has_vocabulary(db):
        db.execute(_LISTED)
        table = "temp.listed"
    return db.execute(
        f"SELECT term, {'notes' if table == 'vocabulary' else 'doc'} FROM {table} "  # noqa: S608
        "WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
        (first, last, *lengths),
    ).fetchall()


def words_beginning(db: sqlite3.Connection, start: str, *, most: int) -> list[tuple[str, int]]:
    """The commonest words with a prefix, and in how many notes each is; none without the table."""
    if not start or not has_vocabulary(db):
        return []
    return db.execute(
        "SELECT term, notes FROM vocabulary WHERE term >= ? AND term < ? "
        "ORDER BY notes DESC, term LIMIT ?",
        (start, _after(start), most),
    ).fetchall()


def _after(start: str) -> str:
    """The first text, in sorting order, beyond those with a prefix."""
    return start[:-1] + chr(min(ord(start[-1]) + 1, 0x10FFFF))
