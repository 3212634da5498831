"""Nearness in meaning by the vectors of words."""

from __future__ import annotations

from zlib import crc32

import pytest

from anamnesis.index.database import _SCHEMA
from anamnesis.search import meaning


def near(question: str, text: str) -> float:
    understood = meaning.of(question.split())
    assert understood is not None
    return understood.nearness(understood.vector(text.split()))


def test_a_text_means_what_it_says() -> None:
    assert near("restore a backup", "restore a backup") == pytest.approx(1.0, abs=1e-3)


def test_related_words_are_nearer_than_unrelated_ones() -> None:
    assert near("car", "vehicle engine") > near("car", "vegetable soup") + 0.2
    assert near("database migration", "schema sql column") > near("database migration", "holiday")


def test_pieces_stand_for_a_word_that_the_table_lacks() -> None:
    assert near("kubernetes", "kubernetes cluster") > 0.3


@pytest.mark.parametrize("text", ["", "12345 0x1f", "日本語", "\ud83d", "z" * 5000])
def test_what_has_no_meaning_here_is_near_to_nothing(text: str) -> None:
    assert near("backup", text) == pytest.approx(0.0, abs=0.3)
    assert near(text, "backup") == pytest.approx(0.0, abs=0.3)


def test_a_long_text_is_read_evenly() -> None:
    assert near("backup", "soup " * 300 + "backup " * 300) == pytest.approx(
        near("backup", "soup " * 100 + "backup " * 100), abs=0.05
    )


def test_a_vector_of_another_size_is_near_to_nothing() -> None:
    understood = meaning.of(["backup"])

    assert understood is not None
    assert [understood.nearness(vector) for vector in (b"", b"\x01", bytes(256))] == [0.0, 0.0, 0.0]


def test_the_index_names_the_table_that_its_vectors_are_made_with() -> None:
    with open(meaning._FILE, "rb") as stream:
        checksum = crc32(stream.read())

    assert f"by table {checksum:08x} of word vectors" in _SCHEMA


def test_meaning_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_MEANING", "off")

    assert meaning.of(["backup"]) is None
    assert meaning.problem() == ""


@pytest.mark.parametrize("content", [None, b"", b"junk", b'{"words": 3}\n'])
def test_a_missing_or_damaged_table_is_said_and_done_without(
    content: bytes | None, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{tmp_path}/table"
    if content is not None:
        with open(path, "wb") as stream:
            stream.write(content)
    monkeypatch.setattr(meaning, "_FILE", path)
    meaning._table.cache_clear()
    try:
        assert meaning.of(["backup"]) is None
        assert "found by their words alone" in meaning.problem()
    finally:
        meaning._table.cache_clear()
