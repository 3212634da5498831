"""What reaches a model or a terminal neither acts nor hides, whatever it says."""

# ruff: noqa: RUF001  (letters of many alphabets)

from __future__ import annotations

import json

import pytest

from anamnesis.text.display import displayed, escaped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nof two lines", "plain\ttext\nof two lines"),
        ("\x1b[2J\x1b]0;title\x07gone", "␛[2J␛]0;title␇gone"),
        ("a\x00b\x7fc", "a␀b␡c"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("c1 \x9b31m", "c1 \ufffd31m"),
        ("invo\u202ecod.exe", "invocod.exe"),
        ("\u2066isolated\u2069 and \u200fmarked", "isolated and marked"),
        ("zero\u200bwidth\ufeff and soft\u00adhyphen", "zerowidth and softhyphen"),
        ("flag " + "".join(chr(0xE0000 + ord(each)) for each in "obey me"), "flag "),
        ("selectors" + "".join(chr(0xE0100 + each) for each in range(9)), "selectors"),
        ("next\u2028line", "next\nline"),
        ("Grüße, 你好, שלום, สวัสดี, 🙂", "Grüße, 你好, שלום, สวัสดี, 🙂"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # Persian spells words with it
        ("👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3", "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3"),
        ("la\u200dtin and \u200c\u200d\u200cruns 语\u200d\u200c\u200d", "latin and runs 语\u200d"),
    ],
)
def test_what_acts_or_hides_is_removed_or_shown_as_a_mark(text: str, shown: str) -> None:
    assert displayed(text) == shown
    assert displayed(shown) == shown


def test_json_keeps_the_text_and_escapes_what_would_act() -> None:
    value = {"title": "a\u202eb \x9b \U000e0041 می\u200cخواهم 👩\u200d💻 ü", "raw": "\x1b[2J"}

    text = escaped(json.dumps(value, ensure_ascii=False))

    assert json.loads(text) == value
    assert displayed(text) == text
    assert "ü" in text
