"""Any note survives its file; both ways of reading front matter agree."""

from __future__ import annotations

import json
import re

import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from anamnesis.ground.records import replace
from anamnesis.notes import frontmatter, yamlfront
from anamnesis.notes.fields import KEYS, SCOPES, SOURCES, TYPES, Memory, UnreadableNote
from anamnesis.notes.frontmatter import deserialize, serialize

text = st.text(st.characters(codec="utf-8"), max_size=120)
words = st.sampled_from(
    ["yes", "No", "null", "~", "12:30", "1e3", "0x1F", "2026-01-02", "- a", "a: b", "# x", "[]",
     "{}", "'", '"', "|", ">", "&a", "*a", "!t", "%", "@", "`", "a  b", "x" * 90, "word " * 30,
     "on", "y", "=", "<<", ".inf", "---", "...", "a #b", "a:", "é", "\u2028", "\x85", "\x07"]
)  # fmt: skip
plain_words = st.from_regex(r"[A-Za-z0-9_./()@+: '-]{0,90}", fullmatch=True)
field = st.one_of(text, words, plain_words)
notes = st.builds(
    Memory,
    id=st.from_regex(r"[0-9A-Za-z_-]{1,26}", fullmatch=True),
    type=st.sampled_from(TYPES),
    title=field,
    body=st.one_of(text, st.just("a\r\nb\n---\nc\n"), st.just("---\nid: x\n---\n")),
    project=field,
    machine_id=field,
    scope=st.sampled_from(SCOPES),
    tags=st.lists(field, max_size=4, unique=True),
    created_at=st.one_of(field, st.just("2026-06-24T18:33:07+00:00")),
    updated_at=field,
    prov_source=st.sampled_from(SOURCES),
    prov_model=field,
    prov_session=st.one_of(field, st.uuids().map(str)),
    confidence=st.floats(allow_nan=False, allow_infinity=False),
    supersedes=st.lists(st.from_regex(r"[0-9A-Za-z_-]{1,26}", fullmatch=True), unique=True).map(
        " ".join
    ),
)


@given(notes)
@example(Memory(id="1", type="semantic", title="", body="", tags=["no", "12:30"]))
@example(Memory(id="01E5", type="semantic", title="y", body="\n", prov_session="1234_5"))
def test_any_note_survives_its_file(note: Memory) -> None:
    written = serialize(note)

    assert deserialize(written.encode().decode()) == note
    assert serialize(deserialize(written)) == written


@given(notes)
def test_a_file_is_written_as_yaml_would_write_it(note: Memory) -> None:
    fields = frontmatter._fields(note)
    assume(not re.search("[\x85\u2028\u2029]", json.dumps(fields, ensure_ascii=False)))
    dumped = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)

    assert serialize(note) == f"---\n{dumped}---\n{note.body}\n"


@given(notes)
def test_the_path_without_yaml_reads_the_same(note: Memory) -> None:
    front = serialize(note).removeprefix("---\n").partition("\n---\n")[0] + "\n"
    plain = frontmatter._read_plain(front)

    if plain is not None:
        assert plain == yamlfront.load(front)
        assert plain[1] == ""


layout_lines = st.tuples(*[st.one_of(field, words) for _ in range(9)])


@given(layout_lines, st.lists(field, max_size=3))
def test_our_layout_with_any_values_is_read_as_yaml_reads_it(
    values: tuple[str, ...], tags: list[str]
) -> None:
    keys = ["id", "type", "title", "project", "machine_id", "scope", "prov_source"]
    keys += ["created_at", "updated_at"]
    cells = dict(zip(keys, values, strict=True))
    front = "".join(f"{key}: {cells[key]}\n" for key in keys[:7]) + "confidence: 0.50\n"
    front += "".join(f"{key}: {cells[key]}\n" for key in keys[7:])
    front += "tags:\n" if tags else "tags: []\n"
    front += "".join(f"- {tag}\n" for tag in tags)
    plain = frontmatter._read_plain(front)

    if plain is not None:
        assert plain == yamlfront.load(front)
        assert plain[1] == ""


lines = st.lists(
    st.tuples(
        st.sampled_from([*sorted(KEYS), "x", "other_key"]),
        st.sampled_from([": ", ":", ":  ", " : "]),
        st.one_of(field, st.sampled_from(["[]", "[a, b]", "\n- a\n- b", "\n  - a", "{a: 1}"])),
    ),
    max_size=6,
)


@given(lines)
def test_hand_written_front_matter_is_read_the_same_without_yaml(
    entries: list[tuple[str, str, str]],
) -> None:
    front = "id: a\ntype: semantic\n" + "".join("".join(entry) + "\n" for entry in entries)
    plain = frontmatter._read_plain(front)

    if plain is not None:
        assert plain == yamlfront.load(front)


@given(lines)
def test_hand_written_front_matter_is_read_or_refused_with_a_reason(
    entries: list[tuple[str, str, str]],
) -> None:
    front = "id: a\ntype: semantic\n" + "".join("".join(entry) + "\n" for entry in entries)
    try:
        note = deserialize(f"---\n{front}---\nbody\n")
    except UnreadableNote as error:
        assert error.reason  # noqa: PT017  both outcomes are fine
        return

    assert deserialize(serialize(note)) == note
    rewritten = deserialize(serialize(replace(note, body="new")))
    assert (rewritten.extra, rewritten.title) == (note.extra, note.title)


@given(st.one_of(st.text(), st.binary().map(lambda data: data.decode("latin-1"))))
def test_any_text_is_a_note_or_says_why_not(anything: str) -> None:
    for candidate in (anything, f"---\n{anything}\n---\n{anything}"):
        try:
            deserialize(candidate)
        except UnreadableNote as error:
            assert error.reason  # noqa: PT017  both outcomes are fine
