"""JSON for hooks: the standard library's C scanner and encoder, without the `json` module.

`import json` loads `re` and `enum`, which costs a hook half as much as starting Python (see
docs/decisions/0105-start-up-without-patterns.md). Without the C module, `json` does the work.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SPACE = " \t\n\r"


class _Reading:
    """The context that the scanner needs."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int

    def __init__(self, parse_constant: Callable[[str], Any]) -> None:
        self.parse_constant = parse_constant


def loads(text: str | bytes, *, parse_constant: Callable[[str], Any] = float) -> Any:
    """The value of a JSON text. Raises ValueError.

    `parse_constant` is given NaN, Infinity and -Infinity, which are not JSON but common.
    """
    if not isinstance(text, str):
        text = text.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    try:
        from anamnesis.ground.startup import c_json

        start = len(text) - len(text.lstrip(_SPACE))
        value, end = c_json.make_scanner(_Reading(parse_constant))(text, start)  # type: ignore[arg-type]
        if not text[end:].strip(_SPACE):
            return value
    except (ImportError, StopIteration, SystemError):
        pass  # before Python 3.12 the scanner cannot even raise an error unless `json` is loaded
    import json

    return json.loads(text, parse_constant=parse_constant)  # which says what is wrong


def dumps(value: object, *, ascii: bool = False, compact: bool = False) -> str:
    """A value as JSON on one line. Raises TypeError for other types."""
    separators = (",", ":") if compact else (", ", ": ")
    try:
        from anamnesis.ground.startup import c_json
    except ImportError:
        import json

        return json.dumps(value, ensure_ascii=ascii, separators=separators)
    quoted = c_json.encode_basestring_ascii if ascii else c_json.encode_basestring
    item, key = separators
    encode = c_json.make_encoder(None, _refuse, quoted, None, key, item, False, False, True)
    return "".join(encode(value, 0))


def _refuse(value: object) -> Any:
    raise TypeError(f"JSON cannot represent a {type(value).__name__}")
