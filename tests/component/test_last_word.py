"""Of two notes that answer a question alike, the later one comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.inject.prompt import recall
from anamnesis.mcp import tools
from anamnesis.mcp.answers import ToolAnswer
from anamnesis.mcp.workspace import Binding
from anamnesis.notes.fields import Memory
from anamnesis.operations.notes.search import search
from anamnesis.operations.sessions.prompt import preview
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of

EARLIER, LATER = "2026-02-03T00:00:00+00:00", "2026-07-21T00:00:00+00:00"
OTHERS = (
    "Backups leave at night", "Icons are drawn as vectors", "The lift needs a badge",
    "Plants are watered on Mondays", "Invoices go out as paper", "The door code is changed in May",
    "Coffee comes from Trieste", "Lamps are turned off by the last one", "Tea is upstairs",
)  # fmt: skip


def filled(root: Path, *notes: tuple[str, str, str, str]) -> MemoryStore:
    store = MemoryStore(root)
    others = [(f"other{at}", title, title, LATER) for at, title in enumerate(OTHERS)]
    for id, title, body, day in (*notes, *others):
        store.put(
            Memory(id=id, type="semantic", title=title, body=body, created_at=day, updated_at=day)
        )
    return store


def found(store: MemoryStore, question: str) -> list[str]:
    return [note.id for note in store.search(question)]


def call(store: MemoryStore, question: str) -> ToolAnswer:
    binding = Binding(store, machine_id="box", backend=backend_of(store.home, machine_id="box"))
    return tools.call(binding, "memory_search", {"query": question})


DELAY = (
    ("old", "Retry delay of the webhook sender", "The webhook sender waits 60 s.", EARLIER),
    ("new", "Webhook sender", "Its retry delay is 15 s, partners complained.", LATER),
)
QUESTION = "what is the retry delay of the webhook sender?"


def test_a_later_decision_is_found_before_the_one_it_changes(tmp_path: Path) -> None:
    with filled(tmp_path, *DELAY) as store:
        assert found(store, QUESTION)[:2] == ["new", "old"]


def test_a_prompt_gets_the_later_decision_first(tmp_path: Path) -> None:
    with filled(tmp_path, *DELAY) as store:
        given = [match.note.id for match in recall(store, QUESTION, project="global")]

    assert given[0] == "new"


def test_search_and_prompt_say_since_when_and_what_was_before(tmp_path: Path) -> None:
    told = "since 2026-07-21; before: The webhook sender waits 60 s. (2026-02-03, old)"
    with filled(tmp_path, *DELAY) as store:
        first, second, *_ = search(store, QUESTION, limit=8).hits
        asked, _ = preview(store, QUESTION, project="global")
        tool = call(store, QUESTION)

    assert first.before is not None
    assert first.before.told(first.note.updated_at) == told
    assert second.before is None
    assert told in asked
    assert told in tool.text
    assert tool.structured["result"][0]["before"] == told


def test_the_word_before_is_one_step_back(tmp_path: Path) -> None:
    between = ("mid", "Webhook sender", "Its retry delay is 30 s since May.", "2026-05-02")
    with filled(tmp_path, *DELAY, between) as store:
        hits = search(store, QUESTION, limit=3).hits
        given = [match.note.id for match in recall(store, QUESTION, project="global")]

    steps = {hit.note.id: hit.before.id if hit.before else "" for hit in hits}
    assert steps == {"new": "mid", "mid": "old", "old": ""}
    assert [hits[0].note.id, given[0]] == ["new", "new"]


def test_a_note_that_says_the_same_again_changes_nothing(tmp_path: Path) -> None:
    _, title, body, _ = DELAY[0]
    with filled(tmp_path, DELAY[0], ("again", title, f"{body} It still does.", LATER)) as store:
        assert [hit.before for hit in search(store, QUESTION, limit=2).hits] == [None, None]


def test_foreign_words_neither_amend_nor_are_told(tmp_path: Path) -> None:
    old, (id, title, body, day) = DELAY
    with filled(tmp_path, old) as store:
        store.put(
            Memory(
                id=id,
                type="semantic",
                title=title,
                body=body,
                created_at=day,
                updated_at=day,
                origin="import:mem0",
                tags=["pending"],
            )
        )
        assert all(hit.before is None for hit in search(store, QUESTION, limit=8).hits)


def test_an_older_sibling_stays_first_by_the_word_that_differs(tmp_path: Path) -> None:
    notes = (
        ("cpu", "CPU of the indexer", "The indexer gets 2 CPUs.", EARLIER),
        ("memory", "Memory of the indexer", "The indexer gets 4 Gi of memory.", LATER),
    )
    with filled(tmp_path, *notes) as store:
        assert found(store, "how many CPUs does the indexer get?")[0] == "cpu"


def test_the_same_decision_in_other_words_of_the_question_is_a_later_word(tmp_path: Path) -> None:
    notes = (
        ("old", "Webhook sender", "The webhook sender waits 60 s between attempts.", EARLIER),
        ("new", "Faster", "We agreed on 15 s between attempts of the webhook sender.", LATER),
    )
    with filled(tmp_path, *notes) as store:
        assert found(store, "how long does the webhook sender wait between attempts")[0] == "new"


@pytest.mark.parametrize(
    ("earlier", "later", "question"),
    [
        ("The importer gives up after 90 s.", "The exporter gives up after 20 s.",
         "when does the importer give up?"),
        ("Unit prices are rounded to 4 decimals.", "Totals are rounded to 2 decimals.",
         "to how many decimals are unit prices rounded?"),
        ("The test account of the shop is buyer-77.",
         "The test account of the admin panel is root-test.",
         "what is the test account of the shop?"),
    ],
)  # fmt: skip
def test_another_name_in_the_same_place_makes_another_matter(
    tmp_path: Path, earlier: str, later: str, question: str
) -> None:
    notes = (("old", earlier, earlier, EARLIER), ("new", later, later, LATER))
    with filled(tmp_path, *notes) as store:
        assert found(store, question)[0] == "old"


def test_words_scattered_over_a_note_are_no_later_word_on_the_matter(tmp_path: Path) -> None:
    scattered = "A webhook failed.\nThe sender of the mail was away.\nNo retry.\nA delay of trains."
    notes = (DELAY[0], ("diary", "Tuesday", scattered, LATER))
    with filled(tmp_path, *notes) as store:
        assert found(store, QUESTION)[0] == "old"


def test_of_notes_of_one_day_the_better_one_stays_first(tmp_path: Path) -> None:
    old, (id, title, body, _) = DELAY
    with filled(tmp_path, old, (id, title, body, EARLIER)) as store:
        assert found(store, QUESTION)[0] == "old"
