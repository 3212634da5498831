"""The ranking as a pure function: what makes one note better than another."""

from __future__ import annotations

import pytest

from anamnesis.search import rank
from anamnesis.search.engine import explanation
from anamnesis.search.query import _fts_query, read
from anamnesis.search.rank import Candidate, Ranked, Statistics


def note(id: str, body: str = "", **fields: object) -> Candidate:
    given = {"title": "", "tags": "", "parts": "", "updated_at": "2026-01-01", "confidence": 1.0}
    return Candidate(id=id, body=body, **{**given, **fields})  # type: ignore[arg-type]


def ranked(question: str, *notes: Candidate, common: dict[str, int] | None = None) -> list[Ranked]:
    query = read(question)
    frequencies = {term.stem: 5 for term in query.terms} | (common or {})
    return rank.ranked(query, notes, Statistics(100, 10.0, frequencies))


def order(question: str, *notes: Candidate, common: dict[str, int] | None = None) -> list[str]:
    return [hit.candidate.id for hit in ranked(question, *notes, common=common)]


def test_more_of_the_question_is_better() -> None:
    assert order("sqlite lock error", note("one", "sqlite"), note("two", "sqlite lock")) == [
        "two",
        "one",
    ]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    notes = note("common", "error"), note("rare", "sqlite")

    assert order("sqlite error", *notes, common={"error": 60}) == ["rare", "common"]


def test_a_word_in_the_title_counts_more() -> None:
    assert order("sqlite", note("body", "sqlite"), note("title", title="sqlite")) == [
        "title",
        "body",
    ]


def test_words_that_stand_together_are_better() -> None:
    near, far = note("near", "a b lock timeout c d"), note("far", "lock a b c d timeout")

    assert order("lock timeout", far, near) == ["near", "far"]


def test_the_tenth_occurrence_does_not_beat_a_second_word() -> None:
    assert order("sqlite lock", note("many", "sqlite " * 10), note("both", "sqlite lock")) == [
        "both",
        "many",
    ]


def test_the_later_and_the_more_certain_of_equals_come_first() -> None:
    old, new = note("old", "sqlite"), note("new", "sqlite", updated_at="2026-06-01")
    unsure = note("unsure", "sqlite", updated_at="2026-06-01", confidence=0.2)

    assert order("sqlite", unsure, old, new) == ["new", "old", "unsure"]


def test_being_new_and_certain_does_not_beat_a_better_match() -> None:
    old = note("old", "sqlite lock", updated_at="2001-01-01", confidence=0.0)
    new = note("new", "sqlite", updated_at="2026-06-01")

    assert order("sqlite lock", new, old) == ["old", "new"]


def test_equal_notes_are_ordered_by_id() -> None:
    assert order("sqlite", note("a", "sqlite"), note("b", "sqlite")) == ["b", "a"]


@pytest.mark.parametrize("updated_at", ["", "soon", "2026-13-45", "0001-01-01T00:00:00+00:00"])
def test_any_date_is_survived(updated_at: str) -> None:
    assert order("sqlite", note("a", "sqlite", updated_at=updated_at), note("b", "sqlite"))


def test_the_explanation_adds_up() -> None:
    (best, second) = ranked(
        "how do we lock sqlite", note("two", "lock sqlite"), note("one", "sqlite we")
    )

    why = second.why()

    points = sum(share.points for share in why.shares) + why.together
    whole = best.points
    assert why.words == pytest.approx(points / whole)
    assert second.score == pytest.approx((why.words + rank.MEANING * why.meaning) * why.prior)
    assert {share.word for share in why.shares} == {"sqlite", "we"}
    assert 0 < why.coverage < 1


def test_the_explanation_is_readable() -> None:
    (hit,) = ranked("lock sqlite", note("a", "lock sqlite"))

    lines = explanation(hit.score, hit.why())

    assert lines[0].startswith(f"{hit.score:.3f} = (1.000 words + 0.8 x 0.000 meaning)")
    assert any("sqlite: 1 here, in 5 notes" in line for line in lines)
    assert lines[-1].endswith("words that stand together")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("state-of-the-art 16:9", '"state" OR "of" OR "the" OR "art" OR "16" OR "9"'),
        ('"; DROP', '"DROP"'),
        ("-", ""),
    ],
)
def test_the_match_expression_of_the_specification(text: str, expected: str) -> None:
    assert _fts_query(text) == expected


def test_a_question_of_function_words_is_taken_at_its_word() -> None:
    assert [(term.text, term.kind) for term in read("to be or not to be").terms] == [
        ("to", "function"),
        ("be", "function"),
        ("or", "function"),
        ("not", "light"),
    ]
    assert {term.kind for term in read("to be").terms} == {"word"}


def test_a_page_of_text_gives_a_bounded_number_of_terms() -> None:
    long = " ".join(f"word{number}x" for number in range(5000))

    assert len(read(long).terms) < 200
