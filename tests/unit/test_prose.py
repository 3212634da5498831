"""The three-way merge of a note's text."""

from __future__ import annotations

import re
from itertools import count
from textwrap import fill

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anamnesis.sync.prose import Woven, weave

CODE = "```sh\nmake\nmake test\n```"


def merged(base: str, mine: str, theirs: str) -> str | None:
    """The one text, ours first; None if a part is held."""
    woven = weave(base, mine, theirs, mine_first=True)
    return woven.shared if woven.clean else None


@pytest.mark.parametrize(
    ("what", "base", "mine", "theirs", "result"),
    [
        ("a line each at the end", "a", "a\nM", "a\nT", "a\nM\nT"),
        ("a line each at the start", "a", "M\na", "T\na", "M\nT\na"),
        ("a line each in the middle", "a\nb", "a\nM\nb", "a\nT\nb", "a\nM\nT\nb"),
        ("into an empty note", "", "M", "T", "M\nT"),
        ("a paragraph each", "a", "a\n\nM one\nM two", "a\n\nT", "a\n\nM one\nM two\n\nT"),
        ("a paragraph each above", "a", "M\n\na", "T\n\na", "M\n\nT\n\na"),
        ("a line stays with its paragraph", "a", "a\n\nM", "a\nT", "a\nT\n\nM"),
        ("the same line", "a", "a\nsame", "a\nsame", "a\nsame"),
        ("the same line and one more", "a", "a\nsame\nM", "a\nsame\nT", "a\nsame\nM\nT"),
        ("one of two lines was added by both", "a", "a\nsame", "a\nsame\nT", "a\nsame\nT"),
        ("a section each", "a", "a\n\n## M\n\nm", "a\n\n## T\n\nt", "a\n\n## M\n\nm\n\n## T\n\nt"),
        ("code each", "a", f"a\n\n{CODE}", "a\n\n```py\nx\n\ny\n```",
         f"a\n\n{CODE}\n\n```py\nx\n\ny\n```"),
        ("a blank line above an edited one", "one a b\n\ntwo a b", "\none a b M\n\ntwo a b",
         "one a b\n\ntwo a b T", "\none a b M\n\ntwo a b T"),
        ("other line ends here", "one\ntwo\nx y z", "one\r\ntwo\r\nx y z\r", "one\nTWO\nx y z",
         "one\r\nTWO\r\nx y z\r"),
        ("other line ends there", "one\r\ntwo\r", "ONE\r\ntwo\r", "one\ntwo\nT", "ONE\ntwo\nT"),
        ("no line end at the end", "one\ntwo", "one\r\ntwo\r\nM", "ONE\ntwo", "ONE\r\ntwo\r\nM\r"),
        ("neighbouring lines", "one\ntwo", "ONE\ntwo", "one\nTWO", "ONE\nTWO"),
        ("a line below an edited one", "one\ntwo", "ONE\ntwo", "one\nT\ntwo", "ONE\nT\ntwo"),
        ("a paragraph below an edited one", "one a b\n\nend", "one a b M\n\nend",
         "one a b\n\nT\n\nend", "one a b M\n\nT\n\nend"),
        ("a line each below an edited one", "a word", "a new word\nM", "a word\nT",
         "a new word\nM\nT"),
        ("a line beside a removed one", "one\ntwo\nthree", "one\nthree", "one\ntwo\nT\nthree",
         "one\nT\nthree"),
        ("a paragraph below a removed one", "A.\n\nOld b.\n\nC.", "A.\n\nC.",
         "A.\n\nOld b.\n\nNew c.\n\nC.", "A.\n\nNew c.\n\nC."),
        ("a paragraph above a removed one", "A.\n\nOld b.\n\nC.", "A.\n\nC.",
         "A.\n\nNew c.\n\nOld b.\n\nC.", "A.\n\nNew c.\n\nC."),
        ("a paragraph below the last, which was removed", "A.\n\nOld b.", "A.",
         "A.\n\nOld b.\n\nNew c.", "A.\n\nNew c."),
        ("a paragraph above the last, which was removed", "A.\n\nOld b.", "A.",
         "A.\n\nNew c.\n\nOld b.", "A.\n\nNew c."),
        ("a paragraph between removed ones", "A.\n\nOld b.\n\nOld c.\n\nD.", "A.\n\nD.",
         "A.\n\nOld b.\n\nNew.\n\nOld c.\n\nD.", "A.\n\nNew.\n\nD."),
        ("a paragraph below the first, which was removed", "Old a.\n\nB.", "B.",
         "Old a.\n\nNew.\n\nB.", "New.\n\nB."),
        ("different words of a line", "the cat sat on the mat today",
         "the dog sat on the mat today", "the cat sat on the rug today",
         "the dog sat on the rug today"),
        ("a word beside a removed one", "a b c old d e f", "a b c d e f", "a b c old new d e f",
         "a b c new d e f"),
        ("a line broken here, a word changed there", "It needs the token from the vault now.",
         "It needs\nthe token from the vault now.", "It needs the token from the safe now.",
         "It needs\nthe token from the safe now."),
        ("two lines joined here, a word changed there", "one two three\nfour five six",
         "one two three four five six", "one two three\nfour 5 six",
         "one two three four 5 six"),
        ("a sentence each", "We use it.", "We use it. It is fast.", "We use it. It is old.",
         "We use it. It is fast. It is old."),
        ("an item each", "- a\n- b", "- a\n- b\n- M", "- a\n- b\n- T", "- a\n- b\n- M\n- T"),
        ("an item each, elsewhere", "- a\n- b", "- M\n- a\n- b", "- a\n- b\n- T",
         "- M\n- a\n- b\n- T"),
        ("a removed item stays removed", "- a\n- b\n- c", "- a\n- c", "- a\n- b\n- T\n- c",
         "- a\n- T\n- c"),
        ("an item removed by each", "- a\n- b\n- c", "- b\n- c", "- a\n- c", "- c"),
        ("an item replaced by each", "- apples", "- pears", "- plums", "- pears\n- plums"),
        ("words of one item", "- buy ten apples now", "- buy nine apples now",
         "- buy ten apples later", "- buy nine apples later"),
        ("a box ticked and a word changed", "- [ ] call the bank on Monday",
         "- [x] call the bank on Monday", "- [ ] call the bank on Friday",
         "- [x] call the bank on Friday"),
        ("items with further lines", "- a\n  more\n- b", "- a\n  more\n- b\n- M\n  long",
         "- a\n  more\n- b\n- T", "- a\n  more\n- b\n- M\n  long\n- T"),
        ("items below one item", "- a\n  - x", "- a\n  - x\n  - M", "- a\n  - x\n  - T",
         "- a\n  - x\n  - M\n  - T"),
        ("a step each", "1. a", "1. a\n2. M", "1. a\n2. T", "1. a\n2. M\n2. T"),
        ("neighbouring steps", "1. a\n2. b", "1. A\n2. b", "1. a\n2. B", "1. A\n2. B"),
        ("a step here, the next one there", "1. wash\n2. dry\n3. fold",
         "1. wash\n2. spin\n3. dry\n4. fold", "1. wash\n2. dry\n3. iron\n4. fold",
         "1. wash\n2. spin\n3. dry\n3. iron\n4. fold"),
        ("a step removed here, one added there", "1. a\n2. b\n3. c", "1. b\n2. c",
         "1. a\n2. b\n3. T\n4. c", "1. b\n3. T\n4. c"),
        ("steps counted from another number", "1. a\n2. b", "5. a\n6. b", "1. a\n2. b\n3. T",
         "5. a\n6. b\n3. T"),
        ("numbers in code", "```\n1. a\n2. b\n```", "```\n0. M\n1. a\n2. b\n```",
         "```\n1. a\n2. b\n3. T\n```", "```\n0. M\n1. a\n2. b\n3. T\n```"),
        ("neighbouring lines of code", CODE, CODE.replace("make\n", "make all\n"),
         CODE.replace("test", "check"), "```sh\nmake all\nmake check\n```"),
    ],
)  # fmt: skip
def test_edits_that_do_not_overlap_are_both_made(
    what: str, base: str, mine: str, theirs: str, result: str
) -> None:
    assert merged(base, mine, theirs) == result, what


@pytest.mark.parametrize(
    ("what", "base", "mine", "theirs"),
    [
        ("the same word", "the port is 1", "the port is 2", "the port is 3"),
        ("the same place in a sentence", "we ship on Friday", "we ship on Friday morning",
         "we ship on Friday evening"),
        ("a sentence rewritten by both", "one two three", "quite another", "something else"),
        ("words of a step", "1. stop the old server first", "1. stop the new server first",
         "1. stop the old server last"),
        ("words of a line of code", "```\nrun the old thing -a -b\n```",
         "```\nrun the old thing -x -b\n```", "```\nrun the old thing -a -y\n```"),
        ("a word of an item", "- the port is 1", "- the port is 2", "- the port is 3"),
        ("a version", "use at least 1.2.3", "use at least 1.3.3", "use at least 1.2.4"),
        ("a line removed here and edited there", "one\nthe long line\ntwo", "one\ntwo",
         "one\nthe very long line\ntwo"),
        ("an item removed here and edited there", "- buy ten apples", "", "- buy ten red apples"),
        ("a row of a table removed here", "| a | b |\n|---|---|\n| c | d |", "",
         "| a | b |\n|---|---|\n| c | d |\n| T | e |"),
        ("a line of code removed here", CODE, "", CODE.replace("make\n", "make\nmake T\n")),
    ],
)  # fmt: skip
def test_what_both_sides_said_differently_is_held(
    what: str, base: str, mine: str, theirs: str
) -> None:
    woven = weave(base, mine, theirs, mine_first=True)

    assert woven == Woven(theirs, mine, base, clean=False), what


def test_only_the_clashing_part_is_held() -> None:
    base = "intro\n\nthe port is 1\n\n- a\n- b\n\nend"
    mine = "INTRO\n\nthe port is 2\n\n- a\n- b\n- M\n\nend"
    theirs = "intro\n\nthe port is 3\n\n- a\n- b\n- T\n\nEND"

    woven = weave(base, mine, theirs, mine_first=False)

    around = "INTRO\n\nthe port is {}\n\n- a\n- b\n- T\n- M\n\nEND"
    assert woven == Woven(around.format(3), around.format(2), around.format(1), clean=False)


def test_a_line_with_a_clash_does_not_hold_the_next() -> None:
    base = "the port is 1\nthe host is old"
    mine = "the port is 2\nthe host is new"
    theirs = "the port is 3\nthe host is old"

    woven = weave(base, mine, theirs, mine_first=True)

    assert woven.shared == "the port is 3\nthe host is new"
    assert woven.kept == "the port is 2\nthe host is new"


def test_other_line_ends_leave_only_the_clashing_part_held() -> None:
    woven = weave("one\ntwo", "one\r\nM\r", "one\nT", mine_first=True)

    assert woven == Woven("one\r\nT\r", "one\r\nM\r", "one\r\ntwo\r", clean=False)


def test_a_text_with_zero_bytes_before_its_steps_comes_back_as_it_was() -> None:
    text = "\0. odd\n1. a\n2. \0"

    assert merged(text, f"{text}\n3. M", f"T\n{text}") == f"T\n{text}\n3. M"


def test_the_edit_made_first_stands_first() -> None:
    assert weave("a", "a\nM", "a\nT", mine_first=False).shared == "a\nT\nM"


MARK = re.compile(r"[bmt]\d+")  # what only one line of one side has
WORDS = st.sampled_from(["ant", "bee", "cat", "dog", "elk"])
LINE = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
PROSE = st.lists(
    st.one_of(
        LINE,
        st.just(""),
        LINE.map("- {}".format),
        LINE.map("1. {}".format),
        LINE.map("{}.".format),
        st.just("```"),
    ),
    max_size=8,
)


@st.composite
def three_texts(draw: st.DrawFn) -> tuple[str, str, str]:
    """A text and two edits of it, each line with a word that no other has."""
    base = [f"{line} b{n}" if line.strip("`") else line for n, line in enumerate(draw(PROSE))]
    sides = []
    for name in "mt":
        lines = list(base)
        for number in range(draw(st.integers(0, 4))):
            at = draw(st.integers(0, len(lines)))
            kind = draw(st.sampled_from(["insert", "delete", "word", "rewrite"]))
            if kind == "insert" or at == len(lines):
                new = draw(PROSE.filter(bool))[0]
                lines.insert(at, f"{new} {name}{number}" if new.strip("`") else new)
            elif kind == "delete":
                del lines[at]
            elif kind == "word":
                lines[at] = f"{lines[at]} {name}{number}"
            else:
                lines[at] = f"{draw(LINE)} {name}{number}"
        sides.append("\n".join(lines))
    return "\n".join(base), sides[0], sides[1]


@st.composite
def edited_texts(draw: st.DrawFn, kind: str) -> tuple[str, str, str]:
    """A text of one kind and two edits of it, in which no word occurs twice."""
    number = count()

    def text(name: str, fewest: int) -> str:
        length = draw(st.integers(fewest, fewest + 6))
        return " ".join(f"{name}{next(number)}" for _ in range(length))

    fewest = 6 if kind == "wrapped" else 1
    base = [text("b", fewest) for _ in range(draw(st.integers(1, 6)))]
    versions = [written(base, kind, 30)]
    for name in "mt":
        units = list(base)
        for _ in range(draw(st.integers(1, 3))):
            at = draw(st.integers(0, len(units)))
            change = draw(st.sampled_from(["insert", "delete", "word"]))
            if change == "insert" or at == len(units):
                units.insert(at, text(name, fewest))
            elif change == "delete":
                del units[at]
            else:
                words = units[at].split()
                place = draw(st.integers(0, len(words)))
                words[place : place + draw(st.integers(0, 1))] = [f"{name}{next(number)}"]
                units[at] = " ".join(words)
        versions.append(written(units, kind, draw(st.sampled_from([20, 30, 40]))))
    return versions[0], versions[1], versions[2]


def written(units: list[str], kind: str, width: int) -> str:
    """The units as paragraphs, as wrapped paragraphs or as a list."""
    if kind == "steps":
        return "\n".join(f"{at}. {unit}" for at, unit in enumerate(units, 1))
    if kind == "items":
        return "\n".join(f"- {unit}" for unit in units)
    return "\n\n".join(fill(unit, width) if kind == "wrapped" else unit for unit in units)


KINDS = ["paragraphs", "wrapped", "items", "steps"]
ANY_TEXTS = st.one_of(three_texts(), st.sampled_from(KINDS).flatmap(edited_texts))


@settings(max_examples=300, deadline=None)
@given(ANY_TEXTS)
@example(("a b0", "a b0 m0", "a b0\n\nb m1"))
def test_both_machines_merge_to_the_same(texts: tuple[str, str, str]) -> None:
    base, mine, theirs = texts

    here = weave(base, mine, theirs, mine_first=True)
    there = weave(base, theirs, mine, mine_first=False)

    assert (here.shared, here.kept, here.clean) == (there.kept, there.shared, there.clean)
    assert here.base == there.base


@settings(max_examples=300, deadline=None)
@given(three_texts())
def test_no_word_is_lost_unless_a_side_removed_it(texts: tuple[str, str, str]) -> None:
    base, mine, theirs = (set(MARK.findall(text)) for text in texts)

    woven = weave(*texts, mine_first=True)

    found = set(MARK.findall(f"{woven.shared} {woven.kept}"))
    assert (mine | theirs) - base <= found
    assert base & mine & theirs <= found


@settings(max_examples=300, deadline=None)
@given(ANY_TEXTS, st.booleans())
@example(("\n```\nant b2", "ant m0\n\nant m3\nant b2", "ant t0\nant b2\nant t2"), False)
def test_merging_again_changes_nothing(texts: tuple[str, str, str], mine_first: bool) -> None:
    base, mine, theirs = texts

    once = weave(base, mine, theirs, mine_first=mine_first)

    for sides in ((base, mine, once.shared), (once.base, once.kept, once.shared)):
        again = weave(*sides, mine_first=not mine_first)
        assert (again.shared, again.kept, again.clean) == (once.shared, once.kept, once.clean)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_file_keeps_its_words_and_has_none_twice(kind: str, data: st.DataObject) -> None:
    texts = data.draw(edited_texts(kind))

    woven = weave(*texts, mine_first=data.draw(st.booleans()))

    before, own, other = (set(MARK.findall(text)) for text in texts)
    for text, has, removed in (
        (woven.kept, own, before - other),
        (woven.shared, other, before - own),
    ):
        words = MARK.findall(text)
        assert has - removed <= set(words)
        assert len(set(words)) == len(words)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(KINDS).flatmap(edited_texts), st.booleans())
def test_a_part_that_is_held_holds_no_other_paragraph(
    texts: tuple[str, str, str], mine_first: bool
) -> None:
    below = "\n\nNobody touched this.\n\nThe end is {}."
    base, mine, theirs = (
        f"The start.\n\n{text}{below.format(end)}"
        for text, end in zip(texts, ("old", "old", "new"), strict=True)
    )

    woven = weave(base, mine, theirs, mine_first=mine_first)

    for text in (woven.kept, woven.shared):
        assert text.endswith(below.format("new"))


@settings(max_examples=200, deadline=None)
@given(three_texts())
def test_one_sided_edits_are_taken_as_they_are(texts: tuple[str, str, str]) -> None:
    base, mine, _ = texts

    assert weave(base, mine, base, mine_first=True).shared == mine
    assert weave(base, base, mine, mine_first=True).shared == mine
    assert weave(base, mine, mine, mine_first=True).shared == mine


def test_most_edits_of_a_real_text_are_merged() -> None:
    """Two random small edits each, in paragraphs and lists: a hold is the rare case."""
    from random import Random

    rng = Random(7)
    base = [f"This is line {n} of a text about topic {n}." for n in range(12)]
    held = 0
    for _ in range(300):
        sides = []
        for name in "mt":
            lines = list(base)
            for _ in range(2):
                at = rng.randrange(len(lines))
                if rng.random() < 0.5:
                    lines.insert(at, f"New by {name} with {rng.random()}.")
                else:
                    lines[at] = lines[at].replace("text", f"text of {name}")
            sides.append("\n".join(lines))
        held += not weave("\n".join(base), *sides, mine_first=True).clean
    assert held < 60
