"""One turn of a session: what was said, or a tool call and its result."""

from __future__ import annotations

from anamnesis.ground.records import record, replace
from anamnesis.text.spans import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from anamnesis.text.spans import Span

    Foreign = tuple[tuple[str, int, int], ...]

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
    foreign: Foreign = ()  # what was read elsewhere or repeats it: text, start and end

    def as_json(self) -> dict[str, object]:
        """The turn as one line of the archive has it: only what is set."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name))}  # type: ignore[attr-defined]

    def cleaned(self, clean: Callable[[str], str]) -> Turn:
        """The turn with every text passed through `clean`."""
        texts = {name: clean(getattr(self, name)) for name in _TEXTS if getattr(self, name)}
        foreign = tuple(
            # Where a secret was replaced, places have moved; such a text is foreign as a whole.
            each
            if texts.get(each[0]) == getattr(self, each[0])
            else (each[0], 0, len(texts[each[0]]))
            for each in self.foreign
        )
        return replace(self, **texts, foreign=foreign)

    def with_foreign(self, name: str, spans: Iterable[Span]) -> Turn:
        """The turn with places of one of its texts marked as foreign."""
        marks = tuple((name, start, end) for start, end in spans)
        return replace(self, foreign=(*self.foreign, *marks)) if marks else self

    def own(self) -> Turn:
        """The turn without what is foreign: what other sessions may be given."""
        if not self.foreign:
            return self
        texts = {
            name: cut(getattr(self, name), [each[1:] for each in self.foreign if each[0] == name])
            for name in {each[0] for each in self.foreign}
        }
        return replace(self, **texts, foreign=())


def from_json(line: Mapping[str, object]) -> Turn | None:
    """The turn in a line; None if there is none. Unknown keys are ignored."""
    if not isinstance(line.get("who"), str):
        return None
    texts = {
        name: value
        for name in ("who", "at", "tool", *_TEXTS)
        if isinstance(value := line.get(name), str)
    }
    return Turn(**texts, failed=line.get("failed") is True, foreign=_foreign(line.get("foreign")))


def _foreign(value: object) -> Foreign:
    marks = (
        [tuple(each) for each in value if isinstance(each, list)] if isinstance(value, list) else []
    )
    return tuple(
        (name, start, end)
        for name, start, end in (each for each in marks if len(each) == 3)
        if name in _TEXTS and isinstance(start, int) and isinstance(end, int)
    )
