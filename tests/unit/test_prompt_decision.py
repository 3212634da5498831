"""Which notes answer a prompt, decided on a real index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.index import database, rows
from anamnesis.inject.prompt import MOST_UNITS, Match, is_worth_a_look, rendered
from anamnesis.notes.fields import Memory
from anamnesis.search import prompt
from anamnesis.search.excerpts import passage
from anamnesis.search.prompt import PromptAnswer, answers
from anamnesis.search.query import Filters
from anamnesis.text.words import stem

WAL = Memory(
    id="WAL", type="semantic", title="SQLite in WAL mode", tags=["database", "locking"],
    body="Set busy_timeout to 5000. Readers never block the writer; checkpoint in the background.",
)  # fmt: skip
PORT = Memory(
    id="PORT", type="procedural", title="EADDRINUSE on start",
    body="A stale worker keeps the port: stop it with `fuser -k 5433/tcp` and start again.",
)  # fmt: skip
SUBJECTS = (
    "invoice rounding", "login page colours", "image upload", "customer address import",
    "release notes", "search suggestions", "password reset mail", "calendar export",
)  # fmt: skip


def crowd(count: int) -> list[Memory]:
    """Notes about other things, in words that they share with one another."""
    return [
        Memory(
            id=f"N{number:05}",
            type="semantic",
            title=f"{SUBJECTS[number % len(SUBJECTS)]} {number}",
            body=f"We changed the {SUBJECTS[number * 3 % len(SUBJECTS)]} in the second sprint.",
        )
        for number in range(count)
    ]


def index(notes: list[Memory]) -> sqlite3.Connection:
    db = database.connect(":memory:")
    database.create(db)
    rows.insert_all(db, [(at, note, f"{note.id}.md") for at, note in enumerate(notes, 1)])
    return db


def asked(db: sqlite3.Connection, prompt: str) -> list[str]:
    return [answer.id for answer in answers(db, prompt, filters=Filters())]


@pytest.fixture(scope="module")
def store() -> Iterator[sqlite3.Connection]:
    with closing(index([WAL, PORT, *crowd(60)])) as db:
        yield db


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "continue",
        "  yes ",
        "/compact keep the plan",
        "<task-notification>\n<task-id>a</task-id>",
        "<command-name>/x</command-name> y",
    ],
)
def test_prompts_that_ask_nothing_are_not_looked_at(prompt: str) -> None:
    assert not is_worth_a_look(prompt)


@pytest.mark.parametrize("prompt", ["why is sqlite locked?", "连接池为什么这么小?"])
def test_a_question_is_looked_at(prompt: str) -> None:
    assert is_worth_a_look(prompt)


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("why does sqlite still lock in WAL mode?", "WAL"),
        ("sqlite locking", "WAL"),
        ("what did we decide about busy_timeout for the database", "WAL"),
        ("Readers block the writer although the database is in WAL mode, see store.py", "WAL"),
        ("EADDRINUSE again, what was the fix?", "PORT"),
        ("what listens on 5433", "PORT"),
    ],
)
def test_a_note_that_answers_is_given(store: sqlite3.Connection, prompt: str, answer: str) -> None:
    assert asked(store, prompt) == [answer]


@pytest.mark.parametrize(
    "prompt",
    [
        "please fix the login page and add a test for it",
        "which mode of transport is cheapest for readers in Berlin",
        "rename the writer class to Author everywhere and update all imports in the package",
        "set the background color of the header to blue",
        "the database migration of customer addresses fails on staging with a timeout error",
        "PLEASE START AGAIN",
        "commit this and push",
    ],
)
def test_a_note_that_shares_a_word_or_two_is_not(store: sqlite3.Connection, prompt: str) -> None:
    assert asked(store, prompt) == []


PHONES = Memory(
    id="CHAT", type="semantic", title="Phones refuse the chat gateway",
    body="Phones refuse its certificate until the intermediate is appended to the chain.",
)  # fmt: skip
GATEWAYS = [
    Memory(
        id=name.upper(), type="semantic", title=f"Certificate of the {name} gateway",
        body=f"The certificate of the {name} gateway is renewed by {how}.",
    )
    for name, how in (("mail", "hand every spring"), ("web", "certbot every night"))
]  # fmt: skip


@pytest.mark.parametrize(
    "prompt",
    [
        "why do phones refuse the certificate of the chat gateway",
        "who renews the key and certificate of the chat gateway on phones",
    ],
)
def test_notes_on_other_matters_do_not_stand_in_for_the_one_that_is_missing(prompt: str) -> None:
    assert asked(index([*crowd(200), *GATEWAYS, PHONES]), prompt) == ["CHAT"]
    assert asked(index([*crowd(200), *GATEWAYS]), prompt) == []


@pytest.mark.parametrize("size", [0, 25, 300, 5_000])
def test_the_decision_does_not_depend_on_the_size_of_the_store(size: int) -> None:
    with closing(index([WAL, PORT, *crowd(size)])) as db:
        assert asked(db, "why does sqlite still lock in WAL mode?") == ["WAL"]
        assert asked(db, "EADDRINUSE again, what was the fix?") == ["PORT"]
        assert asked(db, "please run the tests and fix whatever fails") == []
        assert asked(db, "set the background color of the header to blue") == []


@pytest.mark.parametrize(
    ("title", "body", "prompt", "generic"),
    [
        (
            "Mahnungen laufen über die Warteschlange",
            "Der Cronjob lief auf zwei Servern und verschickte jede Mahnung doppelt.",
            "warum werden die Mahnungen doppelt verschickt?",
            "kannst du bitte die Tests laufen lassen und die Fehler beheben?",
        ),
        (
            "连接池大小",
            "生产环境的连接池设为 20,因为数据库最多允许 100 个连接。",
            "为什么连接池设得这么小?",
            "请运行测试并修复错误",
        ),
        (
            "デプロイは火曜日のみ",
            "本番環境へのデプロイは火曜日だけ許可されています。",
            "本番環境のデプロイはいつ許可されていますか",
            "テストを実行してください",
        ),
        (
            "Les factures sans trou",
            "La numérotation des factures vient d'une table verrouillée, pas d'une séquence.",
            "pourquoi la numérotation des factures ne vient pas d'une séquence ?",
            "peux-tu lancer les tests et corriger les erreurs ?",
        ),
    ],
)
def test_other_languages_are_answered(title: str, body: str, prompt: str, generic: str) -> None:
    note = Memory(id="HIT", type="semantic", title=title, body=body)
    with closing(index([note, WAL, PORT, *crowd(60)])) as db:
        assert asked(db, prompt) == ["HIT"]
        assert asked(db, generic) == []


def test_a_name_that_many_notes_have_is_not_enough() -> None:
    common = [
        Memory(id=f"C{n}", type="semantic", title=f"topic {n}", body=f"see config_file, part {n}")
        for n in range(10)
    ]
    with closing(index([*common, *crowd(60)])) as db:
        assert asked(db, "open config_file for me") == []


def test_the_reason_can_be_read(store: sqlite3.Connection) -> None:
    (found,) = answers(store, "what did we decide about busy_timeout", filters=Filters())

    assert found.why.startswith("names busy_timeout; ")
    assert "coverage" in found.why
    assert "busy (in 1 note)" in found.why


@pytest.mark.parametrize(
    "word",
    ["busy_timeout", "getUserById", "src/store.py", "HTTPError", "utf8mb4", "ORA-01555", "EPIPE",
     "5432", "api/users/all"],
)  # fmt: skip
def test_names(word: str) -> None:
    assert prompt.mentioned(f"look at {word}, please") == [word]


@pytest.mark.parametrize(
    "word", ["timeout", "SQL", "Berlin", "don", "PLEASE", "2024", "100", "42", "and/or", "e.g"]
)
def test_words_that_are_no_names(word: str) -> None:
    assert prompt.mentioned(f"look at {word}, please") == []


@given(st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=3, max_size=14))
def test_a_word_begins_like_its_stem(word: str) -> None:
    """The ranking passes over all words that begin otherwise."""
    assert word.startswith(stem(word)[:-1])


def match(note: Memory, *words: str) -> Match:
    return Match(note, PromptAnswer(note.id, "portable", "x.md", "why", dict.fromkeys(words, 1.0)))


def test_what_answers_is_shown_and_not_the_head_of_the_note() -> None:
    filler = "\n".join(f"- step {n}: nothing of interest happened here at all" for n in range(80))
    note = Memory(
        id="LONG", type="episodic", title="A long day",
        body=f"{filler}\n- the flaky test waited for the clock of the kestrel\n{filler}",
    )  # fmt: skip

    text, (shown,) = rendered([match(note, "kestrel", "clock")])

    assert "the flaky test waited for the clock of the kestrel" in text
    assert "id: LONG | part of the note, memory_search for the whole" in text
    assert not shown.whole
    assert len(text) <= MOST_UNITS


def test_only_so_much_is_given() -> None:
    notes = [
        Memory(id=f"N{n}", type="semantic", title=f"note {n}", body="word " * 160) for n in range(3)
    ]

    text, shown = rendered([match(note, "word") for note in notes])

    assert len(text) <= MOST_UNITS
    assert [each.match.note.id for each in shown] == ["N0", "N1", "N2"]
    assert rendered([]) == ("", [])


@given(st.text(max_size=900), st.integers(20, 400))
def test_a_passage_keeps_to_its_room(body: str, room: int) -> None:
    assert len(passage(body, {"word": 1.0}, room=room)) <= room


LEFT = Memory(
    id="LEFT", type="episodic", title="Tidy the pipeline",
    body="**Decided and found:**\n- golangci-lint was pinned; errcheck and unused were silenced\n\n"
    "**Open:**\n- the complaints about shadowed names in the parser\n\n"
    "**Outcome:** The pipeline is green; the parser still shadows names.",
)  # fmt: skip


def beside_a_session() -> sqlite3.Connection:
    db = database.connect(":memory:")
    database.create(db)
    notes = [*crowd(60), LEFT]
    paths = [f"{note.type}/{note.id}.md" for note in notes]
    rows.insert_all(db, [(at, *each) for at, each in enumerate(zip(notes, paths, strict=True), 1)])
    return db


def test_a_question_in_half_remembered_words_brings_the_session() -> None:
    with closing(beside_a_session()) as db:
        assert asked(db, "which linter complaints about names were left in the parser?") == ["LEFT"]


def test_an_order_in_the_same_words_does_not() -> None:
    with closing(beside_a_session()) as db:
        assert asked(db, "fix the linter complaints left in the parser back then") == []


def test_a_question_of_one_or_two_words_does_not() -> None:
    with closing(beside_a_session()) as db:
        assert asked(db, "is it green?") == []


@pytest.mark.parametrize(
    "text",
    ["what was left?", "So, why did it fail", "ok. did we ship it", "welche Tests sind rot",
     "pourquoi la compilation casse", "¿dónde quedó el token?", "為什麼沒有公開"],
)  # fmt: skip
def test_a_question_is_known_in_several_languages(text: str) -> None:
    assert prompt._is_question(text)


@pytest.mark.parametrize(
    "text", ["please fix the tests", "rename whatever is wrong", "mach weiter"]
)
def test_an_order_is_no_question(text: str) -> None:
    assert not prompt._is_question(text)


def test_what_was_said_in_a_session_speaks_for_its_note() -> None:
    question = "which linter complaints were left in the parser back then?"
    everything = Filters()
    with closing(beside_a_session()) as db:
        alone = answers(db, question, filters=everything)
        beside = answers(db, question, filters=everything, ask_archive=lambda: {"LEFT": 0.9})
        weakly = answers(db, question, filters=everything, ask_archive=lambda: {"LEFT": 0.3})

    assert [len(alone), len(weakly)] == [0, 0]
    assert [each.id for each in beside] == ["LEFT"]
    assert "0.90 said in its session" in beside[0].why


def test_what_was_said_is_asked_for_questions_only() -> None:
    def never() -> dict[str, float]:
        raise AssertionError("the archive was opened for an order")

    with closing(beside_a_session()) as db:
        answers(db, "fix the complaints of the parser", filters=Filters(), ask_archive=never)


@pytest.mark.parametrize(
    ("title", "body", "question", "generic"),
    [
        (
            "Les étiquettes sont imprimées par lots",
            "L'imprimante de l'entrepôt n'accepte que cinquante étiquettes par lot.",
            "pourquoi on n'imprime pas plus de cinquante étiquettes d'un coup ?",
            "bon, fais comme ça et continue avec la suite",
        ),
        (
            "Las etiquetas se imprimen por lotes",
            "La impresora del almacén solo acepta cincuenta etiquetas por lote.",
            "¿por qué no imprimimos más de cincuenta etiquetas de una vez?",
            "vale, hazlo así y sigue con lo que falta",
        ),
        (
            "As etiquetas são impressas por lotes",
            "A impressora do armazém só aceita cinquenta etiquetas por lote.",
            "por que a impressora não aceita mais de cinquenta etiquetas de uma vez?",
            "está bem, faz assim e continua com o que falta",
        ),
        (
            "Le etichette si stampano a lotti",
            "La stampante del magazzino accetta solo cinquanta etichette per lotto.",
            "perché non stampiamo più di cinquanta etichette alla volta?",
            "va bene, fai così e vai avanti con quello che resta",
        ),
    ],
    ids=["french", "spanish", "portuguese", "italian"],
)
def test_romance_languages_are_read(title: str, body: str, question: str, generic: str) -> None:
    labels = Memory(id="LABELS", type="semantic", title=title, body=body)
    with closing(index([*crowd(40), labels])) as db, closing(index(crowd(41))) as without:
        assert asked(db, question) == ["LABELS"]
        assert asked(db, generic) == []
        assert asked(without, question) == []
