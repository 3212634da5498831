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
    found: dict[str, Any] = {
        "type": "object",
        "properties": {argument.name: _property(argument) for argument in arguments},
        "additionalProperties": False,
    }
    required = [argument.name for argument in arguments if argument.required]
    return {**found, "required": required} if required else found


def checked(
    tool: str, arguments: Sequence[Argument], given: Mapping[str, object]
) -> dict[str, Any]:
    """The values for a call, defaults filled in; InvalidInput says what is allowed."""
    names = [argument.name for argument in arguments]
    unknown = [name for name in given if name not in names]
    if unknown:
        takes = f"It takes: {', '.join(names)}." if names else "It takes none."
        raise InvalidInput(f"{tool} has no argument {unknown[0][:80]!r}.", hint=takes)
    return {argument.name: _value(argument, given.get(argument.name)) for argument in arguments}


def _property(argument: Argument) -> dict[str, Any]:
    # Plain types only: some clients translate the schema for models that know no unions.
    if argument.kind == STRINGS:
        found: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    else:
        found = {"type": argument.kind}
    found["description"] = argument.about
    if argument.choices:
        found["enum"] = list(argument.choices)
    if argument.default is not None:
        found["default"] = argument.default
    if argument.minimum is not None:
        found["minimum"] = argument.minimum
    if argument.maximum is not None:
        found["maximum"] = argument.maximum
    return found


def _value(argument: Argument, given: object) -> Any:
    if given is None:
        if argument.required:
            raise InvalidInput(f"{argument.name} is missing.", hint=argument.about)
        return argument.default
    return _KINDS[argument.kind](argument, given)


def _string(argument: Argument, given: object) -> str:
    if not isinstance(given, str):
        raise _wrong(argument, "a text")
    if argument.choices and given not in argument.choices:
        allowed = ", ".join(argument.choices)
        raise InvalidInput(f"{argument.name} {given[:80]!r} is none of: {allowed}.")
    return _whole_text(given)


def _integer(argument: Argument, given: object) -> int:
    number = _whole_number(given)
    low, high = argument.minimum, argument.maximum
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        bounds = f" from {low} to {high}" if high is not None else f", {low} or more"
        raise _wrong(argument, f"a whole number{bounds if low is not None else ''}")
    return number


def _whole_number(given: object) -> int | None:
    """The number, also for `8.0` and `"8"`, which models send now and then."""
    if isinstance(given, bool):
        return None
    if isinstance(given, str) and given.strip().isdecimal() and len(given) < 20:
        return int(given)
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given if isinstance(given, int) else None


def _boolean(argument: Argument, given: object) -> bool:
    if not isinstance(given, bool):
        raise _wrong(argument, "true or false")
    return given


def _strings(argument: Argument, given: object) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise _wrong(argument, "a list of texts")
    return [_whole_text(item) for item in given]


def _whole_text(given: str) -> str:
    """The text with U+FFFD for half a surrogate pair: JSON can carry it, a database cannot."""
    return given.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _wrong(argument: Argument, expected: str) -> InvalidInput:
    return InvalidInput(f"{argument.name} must be {expected}.")


_KINDS = {STRING: _string, INTEGER: _integer, BOOLEAN: _boolean, STRINGS: _strings}
