from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from anamnesis.redact import findings, redact
from corpus.secrets import Planted, planted

HARMLESS = (Path(__file__).parents[1] / "corpus" / "harmless.txt").read_text("utf-8").splitlines()
PLANTED = planted()
SAMPLES = sorted((Path(__file__).parents[1] / "samples").rglob("*.json*"))


def test_the_corpora_are_large_enough_to_mean_something() -> None:
    assert len(PLANTED) >= 60
    assert len(HARMLESS) >= 300


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: case.name)
def test_a_planted_secret_is_removed(case: Planted) -> None:
    redacted = redact(case.text)

    assert case.secret not in redacted
    assert "[redacted: " in redacted


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: case.name)
def test_no_long_part_of_a_secret_survives(case: Planted) -> None:
    redacted = redact(case.text)

    parts = (case.secret[start : start + 12] for start in range(len(case.secret) - 11))
    assert not [part for part in parts if part in redacted]


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: case.name)
def test_redacting_twice_changes_nothing_more(case: Planted) -> None:
    once = redact(case.text)

    assert redact(once) == once


@pytest.mark.parametrize("line", HARMLESS)
def test_a_harmless_line_stays_as_it_is(line: str) -> None:
    assert redact(line) == line


def test_harmless_lines_stay_as_they_are_next_to_each_other() -> None:
    text = "\n".join(HARMLESS)

    assert redact(text) == text


def test_every_secret_is_found_in_one_long_text() -> None:
    lines = [case.text for case in PLANTED]
    random.Random(7).shuffle(lines)

    redacted = redact("\n\n".join(lines))

    assert [case.name for case in PLANTED if case.secret in redacted] == []


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_real_transcript_without_secrets_stays_as_it_is(sample: Path) -> None:
    text = sample.read_text("utf-8")

    assert [text[found.start : found.end] for found in findings(text)] == []


def test_the_text_around_a_secret_stays() -> None:
    text = "before\nDB_PASSWORD=hunter2\nafter"

    assert redact(text) == "before\nDB_PASSWORD=[redacted: password]\nafter"


def test_an_allowed_value_is_left_alone() -> None:
    text = "PASSWORD=swordfish and postgres://u:hunter2@db/x"

    redacted = redact(text, allow=["swordfish"])

    assert redacted == "PASSWORD=swordfish and postgres://u:[redacted: password in url]@db/x"


def test_a_finding_says_where_and_what() -> None:
    text = "x postgres://u:hunter2@db/x"

    (found,) = findings(text)

    assert (found.kind, text[found.start : found.end]) == ("password in url", "hunter2")


HOSTILE = {
    "one long word": "a" * 1_000_000,
    "digits": "1" * 1_000_000,
    "name characters": "a-b_c." * 170_000,
    "names": "password" * 120_000,
    "assignments without values": "token = " * 120_000,
    "key blocks that never end": "-----BEGIN PRIVATE KEY-----\n" * 36_000,
    "ends without begins": "-----END PRIVATE KEY-----\n" * 36_000,
    "a key block and a megabyte of base64": "-----BEGIN PRIVATE KEY-----\n" + "QUJD" * 250_000,
    "jwt starts": "eyJ" * 330_000,
    "jwt with long parts": "eyJ" + "a" * 500_000 + ".eyJ" + "b" * 500_000,
    "url starts": "https://" * 120_000,
    "url without an at sign": "x://user:" + "p" * 1_000_000,
    "curl": "curl -" * 160_000,
    "sk": "sk-" * 330_000,
    "quotes": '"' * 1_000_000,
    "blanks": "password" + " " * 1_000_000 + "=",
    "machine login": "machine a login " * 60_000,
    "bearer": "Bearer " * 140_000,
    "dots": "SG." * 330_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_time_grows_with_the_text_and_not_with_its_square(text: str) -> None:
    def cpu(sample: str) -> float:
        started = time.process_time()
        redact(sample)
        return time.process_time() - started

    text = text[:400_000]
    quarter, whole = cpu(text[: len(text) // 4]), cpu(text)

    # Four times the text: linear is 4, quadratic 16. The floor keeps noise of short runs out.
    assert whole < 10 * max(quarter, 0.05)
