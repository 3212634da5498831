"""Which language a question is in, and what the forms of its words share."""

from __future__ import annotations

import pytest

from anamnesis.text.languages import language_of
from anamnesis.text.words import tokens

GERMAN = "warum hängt der Druckdienst nach dem Neustart?"
FRENCH = "pourquoi est-ce que l'impression s'arrête après le redémarrage ?"
SPANISH = "¿por qué se detiene la impresión después de reiniciar?"
PORTUGUESE = "por que a impressão para depois de reiniciar o servidor, não era assim?"
ITALIAN = "perché la stampa si ferma dopo il riavvio del server?"


def test_each_language_is_told_from_the_others() -> None:
    texts = (GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN)
    found = [language_of(tokens(text)) for text in texts]

    assert None not in found
    assert len({id(language) for language in found}) == len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "why does the printer stop after a restart?",
        "Use dotenv In A Non-Rails Project",  # words that French, Italian and German have too
        "Opening Man Pages In Vim",
        "n plus one queries in the ci",
        "me no like the old one",
        "",
    ],
)
def test_english_is_never_another_language(text: str) -> None:
    assert language_of(tokens(text)) is None


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        (FRENCH, "migrations", "migration"),
        (SPANISH, "aprobarlo", "aprobado"),
        (PORTUGUESE, "conexoes", "conexao"),
        (ITALIAN, "connessioni", "connessione"),
        (GERMAN, "verbindungen", "verbindung"),
    ],
)
def test_forms_of_a_word_begin_alike(text: str, one: str, other: str) -> None:
    language = language_of(tokens(text))

    assert language is not None
    assert language.stem(one) == language.stem(other) != ""
