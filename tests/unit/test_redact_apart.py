"""Secrets in lines that were written apart from the rules, and lines without any."""

from __future__ import annotations

import re
from pathlib import Path

from anamnesis.redact import redact
from corpus import phrasings, voices
from corpus.written_apart import HARMLESS, SECRETS

_BY_HAND = Path(__file__).parents[1] / "corpus" / "passwords_by_hand.txt"
MOST_LEFT_BY_HAND = 0.12  # plain words, one digit, numbers that only a sentence explains
KNOWN_TO_PASS = 2  # a password without a digit after "pass", and one that nothing names


def _left(text: str, secret: str) -> bool:
    return secret[-12:] in redact(text)


def test_secrets_in_lines_written_apart_are_found() -> None:
    left = [text for text, secret in SECRETS if _left(text, secret)]

    assert len(left) <= KNOWN_TO_PASS, left


def test_harmless_lines_written_apart_stay_as_they_are() -> None:
    changed = [line for line in HARMLESS if redact(line) != line]

    assert changed == []


def test_most_passwords_that_people_write_by_hand_are_found() -> None:
    lines = _BY_HAND.read_text("utf-8").splitlines()
    every = [
        (re.sub("[«»]", "", line), said) for line in lines for said in re.findall("«(.*?)»", line)
    ]

    left = [line for line, password in every if password in redact(line)]

    assert len(left) <= MOST_LEFT_BY_HAND * len(every), left


def test_redacting_twice_changes_nothing_more() -> None:
    for text, _ in SECRETS:
        assert redact(redact(text)) == redact(text)


MOST_LEFT = 0.03  # of lines with a secret; values that begin like a variable are most of them
MOST_CHANGED = 0.01  # of harmless lines


def test_secrets_in_everyday_phrasings_are_found() -> None:
    lines = [drawn_line for seed in range(4) for drawn_line in phrasings.drawn(seed)]

    left = [line for line, secret in lines if secret[:8] in redact(line) or secret in redact(line)]

    assert len(left) <= MOST_LEFT * len(lines), left


def test_harmless_lines_beside_them_stay() -> None:
    changed = [line for line in phrasings.HARMLESS if redact(line) != line]

    assert len(changed) <= MOST_CHANGED * len(phrasings.HARMLESS), changed


MOST_LEFT_OF_VOICES = 0.05  # passwords that nothing names, or that are words like others
MOST_CHANGED_OF_VOICES = 0.004


def test_secrets_that_many_voices_write_down_are_found() -> None:
    every = [(line, secret) for line, secrets in voices.drawn(1) for secret in secrets]

    left = [line for line, secret in every if secret in redact(line)]

    assert len(left) <= MOST_LEFT_OF_VOICES * len(every), left


def test_what_many_voices_say_without_a_secret_stays() -> None:
    changed = [line for line in voices.HARMLESS if redact(line) != line]

    assert len(changed) <= MOST_CHANGED_OF_VOICES * len(voices.HARMLESS), changed
