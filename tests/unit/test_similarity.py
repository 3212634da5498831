"""Texts that say nearly the same, and those that only look like it."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from anamnesis.reflect.similarity import groups, likeness, shape

LONG = (
    "Deploys need the VPN because the registry is only reachable from the office network, and "
    "the pipeline retries three times before it gives up with a timeout that hides the reason."
)


def alike(one: str, other: str) -> bool:
    return groups([("a", one), ("b", other)]) == [["a", "b"]]


def test_the_same_words_in_other_clothes() -> None:
    assert alike(LONG, LONG.upper().replace(",", ";"))


def test_one_word_more_in_a_long_text() -> None:
    assert alike(LONG, f"{LONG} Really.")


def test_another_number_is_another_fact() -> None:
    assert not alike(LONG, LONG.replace("three", "3"))
    assert not alike(f"{LONG} Port 8080.", f"{LONG} Port 8443.")


def test_a_negation_is_another_fact() -> None:
    assert not alike(LONG, LONG.replace("is only", "is not only"))


def test_another_word_in_the_same_place_is_another_fact() -> None:
    assert not alike(LONG, LONG.replace("registry", "database"))


def test_a_date_that_was_added_is_no_other_fact() -> None:
    assert alike(LONG, f"{LONG} (2026-05-04)")


def test_different_texts_are_not_alike() -> None:
    assert not alike(LONG, "Releases are cut on Fridays by whoever was on call in that week.")


def test_texts_without_words_are_not_alike() -> None:
    assert not alike("", "")
    assert not alike("!!!", "???")


def test_very_short_texts_must_be_equal() -> None:
    assert alike("use pnpm", "Use pnpm.")
    assert not alike("use pnpm", "use yarn")


@given(st.text(), st.text())
def test_likeness_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert likeness(shape(one), shape(other)) == likeness(shape(other), shape(one))


def test_groups_are_found_among_many() -> None:
    """Every planted pair is found, and nothing else, without comparing all with all."""
    chance = random.Random(7)
    words = [f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600)]
    texts = {f"n{n}": " ".join(chance.choices(words, k=60)) for n in range(800)}
    texts |= {f"n{n}-twin": f"{texts[f'n{n}']} {words[n % 600]}" for n in range(0, 800, 20)}

    found = groups(texts.items())

    assert sorted(map(sorted, found)) == sorted([f"n{n}", f"n{n}-twin"] for n in range(0, 800, 20))


def test_boilerplate_makes_nobody_kin() -> None:
    template = "Ask: fix it. Branch: main. Outcome: no assistant output captured in this session."
    texts = [(str(n), f"{template} {' '.join(f'x{n}y{m}' for m in range(30))}") for n in range(200)]

    assert groups(texts) == []
