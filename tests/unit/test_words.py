"""Text as words: stems, identifiers, scripts without spaces."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anamnesis.text import words
from anamnesis.text.words import stem

SUFFIXES = """
s es ies sses ed eed ing ational tional enci anci izer logi bli alli entli eli ousli ization ation
ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance
ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll y
""".split()  # noqa: SIM905
stems = st.text("abcdefghijklmnopqrstuvwxyz", max_size=6)


def tokenized(word: str) -> str:
    """The word as the index keeps it."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
        db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, row)")
        db.execute("INSERT INTO t VALUES (?)", (word,))
        return str(db.execute("SELECT term FROM v").fetchone()[0])


@example("", "ies", "")
@example("", "sses", "")
@example("", "eed", "")
@example("yy", "ed", "")
@given(stems, st.sampled_from(SUFFIXES), st.sampled_from(["", *SUFFIXES]))
def test_a_stem_is_what_the_index_keeps(start: str, middle: str, end: str) -> None:
    word = start + middle + end

    assert stem(word) == tokenized(word)


@pytest.mark.parametrize(
    "word", ["connections", "Hopping", "x" * 80, "café", "日本語", "it", "yyyy"]
)
def test_unusual_words_are_stemmed_as_the_index_does(word: str) -> None:
    assert stem(words.fold(word)) == tokenized(word)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserById", {"get", "User", "By", "Id"}),
        ("HTTPServer", {"HTTP", "Server"}),
        ("MAX_RETRIES", {"MAXRETRIES"}),
        ("kubectl-apply", {"kubectlapply"}),
        ("v1.2.3", {"v", "1"}),
        ("python3 utf8", {"python", "3", "utf", "8"}),
        ("plain words, and Others", set()),
        ("a-very-long-hyphenated-sentence-of-words", set()),
        ("数据库", {"数据", "据库"}),
        ("字", {"字"}),
    ],
)
def test_parts_are_what_the_tokenizer_would_not_find(text: str, expected: set[str]) -> None:
    assert set(words.parts(text).split()) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's a “test” — of: snake_case!", ["it", "s", "a", "test", "of", "snake", "case"]),
        ("Über Café", ["uber", "cafe"]),
        ("한국어 문서", ["한국어", "문서"]),
        ("", []),
    ],
)
def test_tokens_are_folded_words(text: str, expected: list[str]) -> None:
    assert words.tokens(text) == expected


@given(st.text())
def test_no_text_breaks_the_words(text: str) -> None:
    assert all(token == token.lower() for token in words.tokens(text) if token.isascii())
    assert isinstance(words.parts(text), str)
