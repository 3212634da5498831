"""One turn of a session: what was said, or a tool call and its result."""

from __future__ import annotations

from anamnesis.ground.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PERSON, AGENT, SUBAGENT, CLIENT = "person", "agent", "subagent", "client"
_TEXTS = ("text", "command", "input", "file", "result")


@record
class Turn:
    """What one side said or did; a tool's turn holds its call and its result."""

    who: str
    at: str = ""
    text: str = ""
    tool: str = ""
    command: str = ""  # of a tool that runs a shell
    input: str = ""  # of every other tool, clipped
    file: str = ""
    result: str = ""  # clipped
    failed: bool = False

    def as_json(self) -> dict[str, object]:
        """The turn as one line of the archive has it: only what is set."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name))}  # type: ignore[attr-defined]

    def cleaned(self, clean: Callable[[str], str]) -> Turn:
        """The turn with every text passed through `clean`."""
        texts = {name: clean(getattr(self, name)) for name in _TEXTS if getattr(self, name)}
        return replace(self, **texts)


def from_json(line: Mapping[str, object]) -> Turn | None:
    """The turn in a line; None if there is none. Unknown keys are ignored."""
    if not isinstance(line.get("who"), str):
        return None
    texts = {
        name: value
        for name in ("who", "at", "tool", *_TEXTS)
        if isinstance(value := line.get(name), str)
    }
    return Turn(**texts, failed=line.get("failed") is True)
