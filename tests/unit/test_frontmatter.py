from __future__ import annotations

import pytest
import yaml

from anamnesis.ground.records import replace
from anamnesis.notes import frontmatter, yamlfront
from anamnesis.notes.fields import Memory, UnreadableNote
from anamnesis.notes.frontmatter import deserialize, serialize

NOTE = Memory(
    id="01J9Z8YPM7Q3X2V4WT6B5N0KGD",
    type="semantic",
    title="Dashboard grid minmax convention",
    body="Wrap every Tailwind grid-cols track in minmax(0, ...).",
    project="github.com/oscardvs/anamnesis",
    machine_id="thinkpad",
    tags=["dashboard", "css"],
    created_at="2026-06-24T18:33:07+00:00",
    updated_at="2026-06-24T18:33:07+00:00",
)
FILE = """\
---
id: 01J9Z8YPM7Q3X2V4WT6B5N0KGD
type: semantic
title: Dashboard grid minmax convention
project: github.com/oscardvs/anamnesis
machine_id: thinkpad
scope: portable
prov_source: human
confidence: 1.0
created_at: '2026-06-24T18:33:07+00:00'
updated_at: '2026-06-24T18:33:07+00:00'
tags:
- dashboard
- css
---
Wrap every Tailwind grid-cols track in minmax(0, ...).
"""


def test_a_note_is_written_as_the_format_says() -> None:
    assert serialize(NOTE) == FILE
    assert deserialize(FILE) == NOTE


def test_optional_keys_stand_between_confidence_and_created_at() -> None:
    note = replace(
        NOTE, prov_model="claude-opus-4-8", prov_session="3bf75f14-4c3f", supersedes="01J9", tags=[]
    )

    keys = [line.partition(":")[0] for line in serialize(note).splitlines()[1:-2]]

    assert keys == [
        "id",
        "type",
        "title",
        "project",
        "machine_id",
        "scope",
        "prov_source",
        "confidence",
        "prov_model",
        "prov_session",
        "supersedes",
        "created_at",
        "updated_at",
        "tags",
    ]


def test_the_fast_path_writes_what_yaml_writes() -> None:
    for title in (
        "plain",
        "yes",
        "12:30",
        "a: b",
        "x " * 60,
        "ünï",
        "'q'",
        "",
        " lead",
        "#1",
        "-",
        "7 ways",
        "2026-01-02 10:00:00 x",
        "word, " * 40,
        "it's: so " * 20,
    ):
        note = replace(NOTE, title=title)

        fields = yaml.safe_load(serialize(note).split("---\n")[1])

        assert fields["title"] == title
        assert serialize(note) == (
            "---\n"
            + yaml.safe_dump(frontmatter._fields(note), sort_keys=False, allow_unicode=True)
            + f"---\n{note.body}\n"
        )


def test_an_own_file_is_read_without_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamlfront, "load", lambda front: pytest.fail("YAML was loaded"))

    assert deserialize(FILE) == NOTE


def test_notes_with_quotes_folds_and_keys_of_others_need_no_yaml(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(yamlfront, "load", lambda front: pytest.fail("YAML was loaded"))
    monkeypatch.setattr(yamlfront, "dump", lambda fields: pytest.fail("YAML was loaded"))
    for title in (
        "fix: it's `this` #1",
        '3 ways to say "no"',
        "über " * 30 + "alles",
        "a: b " * 30,
    ):
        note = replace(NOTE, title=title.strip(), extra="import_from: mem0:17\n")

        assert deserialize(serialize(note)) == note


def test_a_minimal_note_gets_the_defaults() -> None:
    note = deserialize("---\nid: a\ntype: semantic\ntitle: T\n---\nBody")

    assert note == Memory(id="a", type="semantic", title="T", body="Body")


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("title: 12:30", "12:30"),
        ("title: no", "no"),
        ("title: 2026-01-02", "2026-01-02"),
        ("title: 1e3", "1e3"),
        ("title: 0x1F", "0x1F"),
        ("title: 'it''s'", "it's"),
        ("title: |\n  two\n  lines", "two\nlines\n"),
    ],
)
def test_what_a_person_wrote_stays_text(line: str, title: str) -> None:
    assert deserialize(f"---\nid: a\ntype: semantic\n{line}\n---\nx").title == title


def test_a_note_without_a_title_is_called_by_its_first_line() -> None:
    assert deserialize("---\nid: a\ntype: semantic\n---\n\n# Heading\ntext").title == "Heading"


def test_tags_may_be_written_as_words() -> None:
    assert deserialize("---\nid: a\ntype: semantic\ntags: x, y , x\n---\n").tags == ["x", "y"]


def test_several_superseded_ids_are_a_list() -> None:
    note = replace(NOTE, supersedes="01A 01B")

    assert "supersedes:\n- 01A\n- 01B\n" in serialize(note)
    assert deserialize(serialize(note)).supersedes_ids == ("01A", "01B")


@pytest.mark.parametrize(
    ("front", "kept"),
    [
        ("title: &t hello\nmine: *t\nn: [1, yes]\n", "mine: hello\nn: [1, yes]\n"),
        ("tags: &t [a, b]\nmine: {of: *t}\n", "mine: {of: [a, b]}\n"),
        ("x: &x [a]\ny: *x\n", "x: &x [a]\ny: *x\n"),
    ],
)
def test_an_unknown_key_that_refers_to_a_known_one_survives_a_rewrite(
    front: str, kept: str
) -> None:
    note = deserialize(f"---\nid: A1\ntype: semantic\n{front}---\nbody\n")

    assert note.extra == kept
    assert deserialize(serialize(note)) == note


def test_unknown_keys_survive_a_rewrite_word_for_word() -> None:
    text = (
        "---\nid: a\ntype: semantic\nmood:   0x10 # why\nnested:\n  - 1\n  - {a: 12:30}\n"
        "title: T\n---\nbody"
    )
    note = deserialize(text)

    again = serialize(replace(note, body="new"))

    assert "mood:   0x10 # why\nnested:\n  - 1\n  - {a: 12:30}\n---\nnew\n" in again
    assert deserialize(again).extra == note.extra


def test_values_of_a_newer_version_survive() -> None:
    note = deserialize("---\nid: a\ntype: insight\ntitle: T\nprov_source: oracle\n---\nb")

    assert deserialize(serialize(note)) == note
    assert (note.type, note.prov_source) == ("insight", "oracle")


def test_line_ends_of_the_body_are_kept() -> None:
    note = replace(NOTE, body="a\r\nb\n\n---\n\r\n\u2028c\n")

    assert deserialize(serialize(note)) == note


def test_a_file_from_windows_can_be_read() -> None:
    note = deserialize("\ufeff---\r\nid: a\r\ntype: semantic\r\ntitle: T\r\n---\r\none\r\ntwo")

    assert (note.title, note.body) == ("T", "one\r\ntwo")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "missing YAML front-matter"),
        ("no front matter", "missing YAML front-matter"),
        ("---\nid: a\ntype: semantic\ntitle: cut off", "not closed"),
        ("---\nid: [\n---\n", "not valid YAML"),
        ("---\ntype: semantic\ntitle: T\n---\n", "no id"),
        ("---\nid: a\ntitle: T\n---\n", "no type"),
        ("---\n- a\n- b\n---\n", "not a list of"),
        ("---\nid: a\ntype: semantic\nconfidence: high\n---\n", "not a number"),
        ("---\nid: a\ntype: semantic\nconfidence: .nan\n---\n", "not a number"),
        ("---\nid: a\ntype: semantic\ntitle: [x]\n---\n", "title is a list"),
        ("---\nid: a\n<<<<<<< ours\ntype: semantic\n=======\n>>>>>>> t\n---\n", "conflict markers"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, reason: str) -> None:
    with pytest.raises(UnreadableNote, match=reason):
        deserialize(text)


def test_an_unreadable_note_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="memory file missing YAML front-matter"):
        deserialize("hello")
