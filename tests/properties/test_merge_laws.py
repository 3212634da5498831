"""The laws of the merge, over notes as people write them: see docs/concepts/sync.md."""

from __future__ import annotations

import re
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.sync.lists import is_whole
from anamnesis.sync.merge import Merged, three_way

WORD = re.compile(r"[bmt]\d+x")
FILLER = ["deploy", "the port", "Straße", "кэш", "ключ", "サーバー", "مخزن", "8080", "`make`", "ok"]
SHAPES = {
    "paragraph": "{}", "item": "- {}", "step": "{n}. {}", "box": "- [ ] {}", "quote": "> {}",
    "row": "| {} | x |", "code": "{}",
}  # fmt: skip
Unit = tuple[str, list[str]]
Doc = list[Unit]


def _block(draw: st.DrawFn, name: str, number: count[int]) -> Unit:
    kind = draw(st.sampled_from(sorted(SHAPES)))
    return kind, [_text(draw, name, number) for _ in range(draw(st.integers(1, 4)))]


def _text(draw: st.DrawFn, name: str, number: count[int]) -> str:
    filler = draw(st.lists(st.sampled_from(FILLER), min_size=0, max_size=4))
    return " ".join([f"{name}{next(number)}x", *filler])


@st.composite
def docs(draw: st.DrawFn) -> tuple[Doc, Doc, Doc]:
    """A text in blocks, and two edits of it; every line has a word that no other has."""
    number = count()
    base = [_block(draw, "b", number) for _ in range(draw(st.integers(1, 4)))]
    sides = []
    for name in "mt":
        side = [(kind, list(lines)) for kind, lines in base]
        for _ in range(draw(st.integers(1, 3))):
            what = draw(st.sampled_from(["block", "no block", "line", "no line", "word"]))
            at = draw(st.integers(0, len(side)))
            if what == "block" or at == len(side):
                side.insert(at, _block(draw, name, number))
                continue
            lines = side[at][1]
            place = draw(st.integers(0, len(lines) - 1))
            if what == "line":
                lines.insert(place, _text(draw, name, number))
            elif what == "word":
                lines[place] += f" {name}{next(number)}x"
            elif what == "no line" and len(lines) > 1:
                del lines[place]
            else:
                del side[at]
        sides.append(side)
    return base, sides[0], sides[1]


def written(doc: Doc) -> str:
    blocks = []
    for kind, lines in doc:
        rows = [SHAPES[kind].format(line, n=n) for n, line in enumerate(lines, 1)]
        around = {"row": (["| head | x |", "|---|---|"], []), "code": (["```sh"], ["```"])}
        above, below = around.get(kind, ([], []))
        blocks.append("\n".join([*above, *rows, *below]))
    return "\n\n".join(blocks)


def note(body: str, *, when: int, machine: str) -> bytes:
    stamp = f"2026-01-0{when}T00:00:00+00:00"
    memory = Memory(
        id="n", type="semantic", title="t", body=body, machine_id=machine,
        created_at="2026-01-01T00:00:00+00:00", updated_at=stamp,
    )  # fmt: skip
    return serialize(memory).encode()


@st.composite
def notes(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    base, mine, theirs = map(written, draw(docs()))
    ends = [draw(st.sampled_from(["", "\n", "\n\n", "  ", "  \n"])) for _ in "mt"]
    if draw(st.booleans()) and draw(st.booleans()):
        mine = mine.replace("\n", "\r\n")
    return (
        note(base, when=1, machine="b"),
        note(mine + ends[0], when=draw(st.integers(2, 3)), machine="m"),
        note(theirs + ends[1], when=draw(st.integers(2, 3)), machine="t"),
    )


def body(data: bytes | None) -> str:
    assert data is not None
    return deserialize(data.decode()).body.replace("\r\n", "\n")


@settings(max_examples=400, deadline=None)
@given(notes())
def test_what_was_added_is_there_once_and_what_was_removed_is_gone(
    sides: tuple[bytes, bytes, bytes],
) -> None:
    merged = three_way(*sides)
    base, mine, theirs = (set(WORD.findall(body(side))) for side in sides)

    for data, own, other in ((merged.shared, theirs, mine), (merged.kept, mine, theirs)):
        words = WORD.findall(body(data))
        assert len(words) == len(set(words))
        assert own - (base - other) <= set(words)
    if merged.data is not None:
        lines = [_lines(body(side)) for side in sides]
        assert not lines[0] & (lines[1] ^ lines[2]) & _lines(body(merged.data))


def _lines(text: str) -> set[str]:
    plain = (re.sub(r"^\d+\. ", "", line.rstrip()) for line in text.split("\n"))
    return {line for line in plain if WORD.search(line)}


@settings(max_examples=400, deadline=None)
@given(notes())
def test_the_result_is_the_same_in_whatever_order_machines_sync(
    sides: tuple[bytes, bytes, bytes],
) -> None:
    base, mine, theirs = sides

    here, there = three_way(base, mine, theirs), three_way(base, theirs, mine)

    assert here.clashes == there.clashes
    if here.data is not None:
        assert there.data is not None
        assert body(here.data) == body(there.data)
    assert body(here.shared) == body(there.kept)


@settings(max_examples=400, deadline=None)
@given(notes())
def test_merging_again_changes_nothing(sides: tuple[bytes, bytes, bytes]) -> None:
    base, mine, theirs = sides
    once = three_way(*sides)
    assert once.shared is not None

    for again in (three_way(base, mine, once.shared), three_way(base, once.shared, once.shared)):
        assert body(again.shared) == body(once.shared)
    if once.data is not None:
        assert body(three_way(base, once.data, theirs).data) == body(once.data)


@settings(max_examples=400, deadline=None)
@given(notes())
def test_what_was_closed_stays_closed(sides: tuple[bytes, bytes, bytes]) -> None:
    merged: Merged = three_way(*sides)

    for data in (merged.shared, merged.kept):
        assert is_whole([f"{line}\n" for line in body(data).split("\n")])
