"""The encoder of `anamnesis-memory[semantic]`: its numbers and its vectors, with the real model."""

from __future__ import annotations

import numpy as np
import pytest

from anamnesis.search import encoder
from anamnesis.search.encoder import model
from anamnesis.search.encoder.model import Tokenizer


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(model.read(encoder._path()).tokenizer)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        # What the library of the model's makers gives for these.
        ("", []),
        ("Hello world", [31414, 232]),
        (
            "__init__.py don't x²  é\n\tend ",
            [
                30529,
                25153,
                30529,
                4,
                17163,
                218,
                75,
                3023,
                40632,
                1437,
                7935,
                50118,
                50117,
                1397,
                1437,
            ],
        ),
        ("データベース", [49729, 48438, 49343, 49742, 48438, 48791]),
    ],
)
def test_a_text_has_the_numbers_that_the_model_was_taught_with(
    tokenizer: Tokenizer, text: str, numbers: list[int]
) -> None:
    assert tokenizer.tokens(text) == numbers


def test_a_word_without_end_is_cut(tokenizer: Tokenizer) -> None:
    key = "qxzj" * 5_000
    assert tokenizer.tokens(key)[:50] == tokenizer.tokens(key[:200])[:50]


@pytest.mark.parametrize(
    "text", ["", "\ud800 half a character", "\x00", "a" * 100_000, "👩‍💻" * 99]
)
def test_any_text_has_a_vector_of_length_one(text: str) -> None:
    vector = encoder.load().question(text)
    assert vector.shape == (384,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_the_vectors_are_those_of_the_model() -> None:
    """The first numbers that an implementation of another project gives for the same weights."""
    vector = encoder.load().question("a short note on sqlite busy timeouts")
    assert vector[:6] == pytest.approx(
        [-0.06543, 0.02136, 0.06531, 0.02642, -0.07013, -0.02554], abs=1e-4
    )


def test_a_long_text_is_read_in_parts_and_up_to_an_end() -> None:
    model = encoder.load()
    assert len(model.passages("one word")) == 1
    assert len(model.passages("word " * 200)) == 2
    assert len(list(model._windows("word " * 50_000))) == 16


def test_a_short_rest_takes_the_words_before_it_along() -> None:
    model = encoder.load()
    windows = list(model._windows("word " * 130))
    assert [len(window) for window in windows] == [128, 128]


@pytest.mark.parametrize("content", [b"", b"something else entirely", b"HMSEMB01" + b"\xff" * 8])
def test_a_file_that_is_no_model_is_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("pack") / "model"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r".+"):
        model.read(str(path))
