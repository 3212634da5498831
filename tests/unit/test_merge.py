"""The three-way merge of one note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.sync.diff3 import marked, merge_lines, merge_text
from anamnesis.sync.merge import three_way

BASE = Memory(
    id="n", type="semantic", title="Title", body="one\ntwo\nthree\nfour\nfive", project="p",
    machine_id="laptop", tags=["a", "b"], created_at="2026-01-01T00:00:00+00:00",
    updated_at="2026-01-01T00:00:00+00:00", supersedes="x y",
)  # fmt: skip


def data(**fields: object) -> bytes:
    return serialize(replace(BASE, **fields)).encode()


def merged(mine: bytes, theirs: bytes, base: bytes | None = data()) -> Memory:
    result = three_way(base, mine, theirs)
    assert result.data is not None, result.clashes
    return deserialize(result.data.decode())


def test_different_fields_are_taken_from_their_sides() -> None:
    note = merged(data(title="New title", confidence=0.5), data(project="q", body="new body"))

    assert (note.title, note.confidence, note.project, note.body) == (
        "New title",
        0.5,
        "q",
        "new body",
    )


def test_tags_and_superseded_ids_are_sets() -> None:
    note = merged(
        data(tags=["a", "c"], supersedes="x"), data(tags=["b", "a", "d"], supersedes="x y z")
    )

    assert set(note.tags) == {"a", "c", "d"}
    assert set(note.supersedes_ids) == {"x", "z"}


@pytest.mark.parametrize("base", [None, ["x"]])
def test_both_machines_give_tags_the_same_order(base: list[str] | None) -> None:
    before = None if base is None else data(tags=base)
    mine, theirs = data(tags=["b", "x", "a"]), data(tags=["c", "x"])

    assert merged(mine, theirs, before).tags == merged(theirs, mine, before).tags


def test_tags_that_one_machine_changed_keep_its_order() -> None:
    assert merged(data(tags=["z", "b", "a"]), data(title="t")).tags == ["z", "b", "a"]


def test_the_later_time_of_change_and_the_earlier_of_creation_win() -> None:
    note = merged(
        data(updated_at="2026-03-01T00:00:00+00:00", title="t"),
        data(
            updated_at="2026-02-01T00:00:00+00:00", body="b", created_at="2025-01-01T00:00:00+00:00"
        ),
    )

    assert note.updated_at == "2026-03-01T00:00:00+00:00"
    assert note.created_at == "2025-01-01T00:00:00+00:00"


@pytest.mark.parametrize("field", ["title", "project", "type", "body"])
def test_a_field_that_both_changed_differently_is_a_clash(field: str) -> None:
    result = three_way(data(), data(**{field: "mine"}), data(**{field: "theirs"}))

    assert result.data is None
    assert result.clashes == (field,)


def test_all_clashing_fields_are_named() -> None:
    result = three_way(data(), data(title="A title", body="a"), data(title="B title", body="b"))

    assert result.clashes == ("title", "body")


def test_a_clash_alone_gives_the_others_nothing_new_to_fetch() -> None:
    theirs = data(body="ship", updated_at="2026-01-02T00:00:00+00:00", machine_id="laptop")
    mine = data(body="deploy", updated_at="2026-01-03T00:00:00+00:00", machine_id="desk")

    result = three_way(data(body="release"), mine, theirs)

    assert result.shared == theirs
    assert result.kept == mine


TITLED = "Ask the ops team for the token\n\nIt is in the vault."


def titled(body: str) -> bytes:
    return data(title=body.partition("\n")[0], body=body)


def test_a_title_that_is_the_first_line_stays_the_first_line() -> None:
    mine, theirs = TITLED.replace("Ask", "Beg"), TITLED.replace("token", "key")

    note = merged(titled(mine), titled(theirs), titled(TITLED))

    assert note.title == "Beg the ops team for the key"
    assert note.body == TITLED.replace("Ask", "Beg").replace("token", "key")


def test_a_title_that_is_the_first_line_is_held_with_that_line() -> None:
    mine, theirs = TITLED.replace("token", "badge"), TITLED.replace("token", "key")

    result = three_way(titled(TITLED), titled(mine), titled(theirs))

    assert result.clashes == ("body",)
    assert result.apart
    for version, word in ((result.apart.shared, "key"), (result.apart.kept, "badge")):
        assert deserialize(version.decode()).title == f"Ask the ops team for the {word}"


@pytest.mark.parametrize("ends", [("", "\n"), ("\n", "\n\n"), ("\n\n", ""), (" \n", "\n \n")])
def test_white_space_at_the_end_never_clashes(ends: tuple[str, str]) -> None:
    mine, theirs = (f"one\n\n{side}{end}" for side, end in zip(("M", "T"), ends, strict=True))

    note = merged(data(body=mine), data(body=theirs), data(body="one"))

    assert note.body.split() == ["one", "M", "T"]


SECTIONS = "# Plan\n\nIntro.\n\n## Old way\n\nUse the old tool here.\nIt is slow.\n\n## End\n\nBye."
CUT = "# Plan\n\nIntro.\n\n## End\n\nBye."


def test_a_section_removed_here_and_changed_there_is_named() -> None:
    changed = SECTIONS.replace("old tool", "new tool")

    result = three_way(data(body=SECTIONS), data(body=CUT), data(body=changed))

    assert result.clashes == ("body",)
    assert result.apart
    assert deserialize(result.apart.kept.decode()).body == CUT
    assert deserialize(result.apart.shared.decode()).body == changed


def test_a_section_removed_here_and_left_alone_there_is_gone() -> None:
    note = merged(
        data(body=CUT), data(body=SECTIONS.replace("Bye", "Good bye")), data(body=SECTIONS)
    )

    assert note.body == CUT.replace("Bye", "Good bye")


def test_the_same_change_on_both_sides_is_no_clash() -> None:
    assert merged(data(title="t", tags=["x"]), data(title="t", body="b")).title == "t"


def test_where_a_note_comes_from_is_never_a_clash() -> None:
    note = merged(
        data(prov_model="m1", updated_at="2026-02-01T00:00:00+00:00"),
        data(prov_model="m2", updated_at="2026-03-01T00:00:00+00:00"),
    )

    assert note.prov_model == "m2"


def test_unknown_keys_of_a_newer_version_are_merged_too() -> None:
    note = merged(data(extra="colour: red\n"), data(title="t"))

    assert note.extra == "colour: red\n"


def test_different_unknown_keys_of_both_sides_are_merged() -> None:
    base = data(extra="colour: red\nsize:\n- 1\n")
    one = data(extra="colour: red\nsize:\n- 1\n- 2\nowner: me\n# mine\n")
    two = data(extra="colour: blue\nsize:\n- 1\nage: 3\n")

    for mine, theirs in ((one, two), (two, one)):
        note = merged(mine, theirs, base)
        assert note.extra == "colour: blue\nsize:\n- 1\n- 2\nage: 3\nowner: me\n# mine\n"
        assert merged(serialize(note).encode(), theirs, base) == note
    assert merged(data(extra="a: 1\n"), data(extra="b: 2\n"), base=None).extra == "a: 1\nb: 2\n"
    assert three_way(data(), data(extra="a: 1\n"), data(extra="a: 2\n")).clashes == ("extra",)


def test_an_unknown_key_that_one_side_removed_is_gone_unless_the_other_edited_it() -> None:
    base = data(extra="a: 1\nb: 2\n")

    assert merged(data(extra="a: 1\n"), data(extra="a: 5\nb: 2\n"), base).extra == "a: 5\n"
    assert three_way(base, data(extra="a: 1\n"), data(extra="a: 1\nb: 3\n")).clashes == ("extra",)


def test_a_note_imported_on_two_machines_is_one_note() -> None:
    one = data(machine_id="laptop", updated_at="2026-01-02T00:00:00+00:00", tags=["a"])
    two = data(machine_id="desk", updated_at="2026-01-03T00:00:00+00:00", tags=["z"])

    note = merged(one, two, base=None)

    assert (note.machine_id, set(note.tags)) == ("desk", {"a", "z"})


def test_without_a_common_text_different_bodies_clash() -> None:
    assert three_way(None, data(body="a"), data(body="b")).clashes == ("body",)


def test_without_a_common_text_the_one_that_has_all_of_the_other_is_taken() -> None:
    assert merged(data(body="a\nc"), data(body="a\nb\nc"), base=None).body == "a\nb\nc"
    assert merged(data(body="a\nb\nc"), data(body="a\nc"), base=None).body == "a\nb\nc"
    assert three_way(None, data(body="a\nb"), data(body="b\na")).clashes == ("body",)


def test_a_side_that_changed_nothing_gives_way_byte_for_byte() -> None:
    odd = b"---\nid:   n\ntype: semantic\ntitle: 'Odd'\n---\nbody\n"

    assert three_way(odd, odd, data()).data == data()
    assert three_way(odd, data(), odd).data == data()


def test_files_that_are_no_notes_are_merged_by_lines() -> None:
    assert three_way(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n").data == b"A\nb\nC\n"
    assert three_way(b"a\n", b"b\n", b"\xff\n").data is None


def test_a_line_put_after_the_last_does_not_clash_with_an_edit_above() -> None:
    note = merged(data(body=f"{BASE.body}\nsix"), data(body=BASE.body.replace("one", "ONE")))

    assert note.body == "ONE\ntwo\nthree\nfour\nfive\nsix"


def test_a_very_repetitive_text_is_merged_in_no_time() -> None:
    base = "same\n" * 30_000

    assert merge_text(base, f"{base}mine\n", f"theirs\n{base}") == f"theirs\n{base}mine\n"


def test_a_draft_shows_both_sides_between_markers() -> None:
    text = marked("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n", names=("here", "there"))

    assert text == "a\n<<<<<<< here\nmine\n=======\ntheirs\n>>>>>>> there\nc\n"


LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=12)


@given(LINES, LINES)
def test_one_sided_edits_are_taken_as_they_are(base: list[str], changed: list[str]) -> None:
    assert merge_lines(base, changed, base) == changed
    assert merge_lines(base, base, changed) == changed
    assert merge_lines(base, changed, changed) == changed


@given(LINES, LINES, LINES)
def test_merging_does_not_depend_on_the_side(
    base: list[str], mine: list[str], theirs: list[str]
) -> None:
    assert merge_lines(base, mine, theirs) == merge_lines(base, theirs, mine)


@given(LINES, LINES, LINES)
def test_a_merge_keeps_every_line_that_a_side_brought(
    base: list[str], mine: list[str], theirs: list[str]
) -> None:
    mine = [*mine, "only mine"]
    theirs = ["only theirs", *theirs]

    result = merge_lines(base, mine, theirs)

    assert result is None or {"only mine", "only theirs"} <= set(result)


TEXTS = st.text(alphabet="ab\n", max_size=20)


@given(TEXTS, TEXTS, TEXTS)
def test_merging_the_result_again_changes_nothing(base: str, mine: str, theirs: str) -> None:
    once = three_way(data(body=base), data(body=mine), data(body=theirs)).data
    if once is not None:
        again = three_way(data(body=theirs), once, data(body=theirs))
        assert again.data == once
