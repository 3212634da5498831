"""Which words of a note are shown as the reason that it was found."""

from __future__ import annotations

from anamnesis.index.note_filter import NoteFilter
from anamnesis.operations.notes.browse import find_page
from anamnesis.search.excerpts import END, START
from anamnesis.store import MemoryStore


def _marked(store: MemoryStore, query: str) -> str:
    (hit, *_) = find_page(store, query, NoteFilter(), limit=1)
    assert hit.excerpt is not None
    text = f"{hit.excerpt.title} | {hit.excerpt.passage}"
    return text.replace(START, "[").replace(END, "]")


def test_other_forms_of_a_word_are_marked(store: MemoryStore) -> None:
    store.write(
        type="semantic", title="Connections", body="The connection hangs, it HANGED before."
    )

    assert _marked(store, "hanging connections") == (
        "[Connections] | The [connection] [hangs], it [HANGED] before."
    )


def test_a_word_in_the_writing_is_marked(store: MemoryStore) -> None:
    store.write(type="semantic", title="t", body="the staging database")

    assert _marked(store, "staging datab") == "t | the [staging] [database]"


def test_the_passage_is_the_one_with_most_of_the_question(store: MemoryStore) -> None:
    body = "alpha " + "filler " * 80 + "here alpha meets beta " + "filler " * 80

    store.write(type="semantic", title="t", body=body)

    passage = _marked(store, "alpha beta")
    assert "[alpha] meets [beta]" in passage
    assert passage.startswith("t | …")
    assert passage.endswith("…")


def test_parts_of_identifiers_and_other_scripts_are_marked(store: MemoryStore) -> None:
    store.write(type="semantic", title="getUserById", body="検索はどの言語でも動く")

    assert "[User]" in _marked(store, "user by id")
    assert "[検索]" in _marked(store, "検索")


def test_a_tag_is_a_reason_too(store: MemoryStore) -> None:
    store.write(type="semantic", title="t", body="b", tags=["database"])

    (hit,) = find_page(store, "databases", NoteFilter(), limit=1)

    assert hit.excerpt is not None
    assert hit.excerpt.words == ("database",)


def test_a_note_cannot_forge_marks(store: MemoryStore) -> None:
    store.write(type="semantic", title="t", body=f"a {START}forged{END} needle")

    assert _marked(store, "needle") == "t | a forged [needle]"


def test_filters_of_the_list_hold_for_a_search_too(store: MemoryStore) -> None:
    old = store.write(type="semantic", title="needle old", body="", prov_session="s")
    store.write(type="semantic", title="needle new", body="", supersedes=old.id)

    def titles(shown: NoteFilter) -> list[str]:
        hits = find_page(store, "needle", shown, limit=9)
        return [hit.row.note.title for hit in hits]

    assert titles(NoteFilter()) == ["needle new"]
    assert titles(NoteFilter(state="superseded")) == ["needle old"]
    assert titles(NoteFilter(state="all", session="s")) == ["needle old"]
    assert titles(NoteFilter(day="1999-01-01")) == []
