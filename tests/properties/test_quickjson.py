"""The quick reader and writer of JSON agree with the standard library's."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.ground import quickjson

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.booleans())
def test_a_value_is_written_as_json_writes_it(value: Any, ascii: bool) -> None:
    assert quickjson.dumps(value, ascii=ascii) == json.dumps(value, ensure_ascii=ascii)
    compact = json.dumps(value, ensure_ascii=ascii, separators=(",", ":"))
    assert quickjson.dumps(value, ascii=ascii, compact=True) == compact


@given(VALUES, st.sampled_from(["", " ", "\n\t"]))
def test_a_text_is_read_as_json_reads_it(value: Any, space: str) -> None:
    text = f"{space}{json.dumps(value)}{space}"

    assert quickjson.loads(text) == json.loads(text) == quickjson.loads(text.encode())


@given(st.text(alphabet='[]{}",:0-1.eEtruefalsn\\u \n\ufeff'))
def test_what_json_refuses_is_refused(text: str) -> None:
    try:
        known = json.loads(text)
    except ValueError:
        with pytest.raises(json.JSONDecodeError):
            quickjson.loads(text)
    else:
        assert repr(quickjson.loads(text)) == repr(known)


def test_a_constant_that_is_no_json_is_the_callers_to_decide() -> None:
    assert quickjson.loads("-Infinity") == float("-inf")
    assert quickjson.loads("[NaN]", parse_constant=str) == ["NaN"]


def test_what_json_has_no_word_for_is_refused() -> None:
    with pytest.raises(TypeError):
        quickjson.dumps({"a": {1, 2}})


@pytest.mark.parametrize("text", ["{not json}", '{"a": 1', '"x', "", "{} {}", '{"a" 1}'])
def test_a_process_that_has_not_loaded_json_refuses_nonsense_too(text: str) -> None:
    code = (
        "import sys; from anamnesis.ground import quickjson\n"
        "try: quickjson.loads(sys.argv[1])\n"
        "except ValueError: print('refused')"
    )

    done = subprocess.run([sys.executable, "-c", code, text], capture_output=True, check=True)

    assert done.stdout == b"refused\n"
