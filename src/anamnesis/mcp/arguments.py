"""Arguments of tools: declared once, shown to clients as a schema, checked before a call."""

from __future__ import annotations

from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

STRING, INTEGER, BOOLEAN, STRINGS = "string", "integer", "boolean", "strings"


@record
class Argument:
    """One argument of a tool."""

    name: str
    about: str
    kind: str = STRING
    required: bool = False
    choices: tuple[str, ...] = ()
    default: object = None
    minimum: int | None = None
    maximum: int | None = None


def schema(arguments: Sequence[Argument]) -> dict[str, Any]:
    """The JSON schema that clients see."""
    description: dict[str, Any] = {
        "type": "object",
        "properties": {argument.name: _property(argument) for argument in arguments},
        "additionalProperties": False,
    }
    required = [argument.name for argument in arguments if argument.required]
    return {**description, "required": required} if required else description


def checked(
    tool: str, arguments: Sequence[Argument], values: Mapping[str, object]
) -> dict[str, Any]:
    """The values for a call, with defaults filled in. Raises InvalidInput with what is allowed."""
    names = [argument.name for argument in arguments]
    unknown = [name for name in values if name not in names]
    if unknown:
        takes = f"It takes: {', '.join(names)}." if names else "It takes none."
        raise InvalidInput(f"{tool} has no argument {unknown[0][:80]!r}.", hint=takes)
    return {argument.name: _value(argument, values.get(argument.name)) for argument in arguments}


def _property(argument: Argument) -> dict[str, Any]:
    # Plain types only: some clients translate the schema for models without union types.
    if argument.kind == STRINGS:
        described: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    else:
        described = {"type": argument.kind}
    described["description"] = argument.about
    if argument.choices:
        described["enum"] = list(argument.choices)
    if argument.default is not None:
        described["default"] = argument.default
    if argument.minimum is not None:
        described["minimum"] = argument.minimum
    if argument.maximum is not None:
        described["maximum"] = argument.maximum
    return described


def _value(argument: Argument, value: object) -> Any:
    if value is None:
        if argument.required:
            raise InvalidInput(f"{argument.name} is missing.", hint=argument.about)
        return argument.default
    return _KINDS[argument.kind](argument, value)


def _string(argument: Argument, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(argument, "a text")
    if argument.choices and value not in argument.choices:
        allowed = ", ".join(argument.choices)
        raise InvalidInput(f"{argument.name} {value[:80]!r} is none of: {allowed}.")
    return _whole_text(value)


def _integer(argument: Argument, value: object) -> int:
    number = _whole_number(value)
    low, high = argument.minimum, argument.maximum
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        bounds = f" from {low} to {high}" if high is not None else f", {low} or more"
        raise _wrong(argument, f"a whole number{bounds if low is not None else ''}")
    return number


def _whole_number(value: object) -> int | None:
    """The number; also accepts `8.0` and `"8"`, which models sometimes send."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def _boolean(argument: Argument, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(argument, "true or false")
    return value


def _strings(argument: Argument, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong(argument, "a list of texts")
    return [_whole_text(item) for item in value]


def _whole_text(text: str) -> str:
    """The text with U+FFFD for half a surrogate pair: JSON can carry it, a database cannot."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _wrong(argument: Argument, expected: str) -> InvalidInput:
    return InvalidInput(f"{argument.name} must be {expected}.")


_KINDS = {STRING: _string, INTEGER: _integer, BOOLEAN: _boolean, STRINGS: _strings}
