from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from anamnesis.onboard.jsontext import amended, parsed, same

keys = st.text(max_size=6)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
documents = st.dictionaries(keys, values, max_size=5)
layouts = st.sampled_from(
    [
        {"indent": 2},
        {"indent": 4},
        {"indent": "\t"},
        {"indent": None},
        {"indent": None, "separators": (",", ":")},
        {"indent": 2, "ensure_ascii": False},
    ]
)


def written(value: Any, layout: dict[str, Any], newline: str = "\n") -> str:
    text = json.dumps(value, **layout).encode("utf-8", "replace").decode()
    return text.replace("\n", newline) + newline


@given(documents, layouts)
def test_a_document_is_read_as_the_standard_library_reads_it(
    value: dict[str, Any], layout: dict[str, Any]
) -> None:
    text = written(value, layout)

    assert same(parsed(text).value, json.loads(text))


@given(documents, documents, layouts, st.sampled_from(["\n", "\r\n"]))
def test_an_amended_document_says_what_is_wanted(
    value: dict[str, Any], wanted: dict[str, Any], layout: dict[str, Any], newline: str
) -> None:
    text = written(value, layout, newline)

    assert same(json.loads(amended(text, wanted)), wanted)


@given(documents, layouts)
def test_a_document_that_says_it_already_is_not_touched(
    value: dict[str, Any], layout: dict[str, Any]
) -> None:
    text = written(value, layout)

    assert amended(text, json.loads(text)) == text


@given(documents, keys, values, layouts, st.sampled_from(["\n", "\r\n"]))
def test_what_was_added_can_be_taken_back_to_the_byte(
    value: dict[str, Any], key: str, added: Any, layout: dict[str, Any], newline: str
) -> None:
    value.pop(key, None)
    text = written(value, layout, newline)

    changed = amended(text, {**json.loads(text), key: added})

    assert amended(changed, json.loads(text)) == text


@given(st.lists(values, max_size=5), values, st.integers(0, 5), layouts)
def test_an_item_can_be_put_anywhere_and_taken_back_to_the_byte(
    items: list[Any], added: Any, place: int, layout: dict[str, Any]
) -> None:
    text = written({"list": items, "other": 1}, layout)
    said = json.loads(text)
    wanted = {**said, "list": [*said["list"][:place], added, *said["list"][place:]]}

    changed = amended(text, wanted)

    assert same(json.loads(changed), wanted)
    assert amended(changed, said) == text
