"""A session as a list of turns: what was said, and tool calls with their results.

A reader makes the list from a client's file, the archive keeps it, and everything else is made
from it: the note, the passages that a search finds, what `sessions show` prints.
"""

from __future__ import annotations

from anamnesis.ground.records import fresh, record, replace
from anamnesis.text.spans import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from anamnesis.text.spans import Span

    Foreign = tuple[tuple[str, int, int], ...]
    Item = tuple[str, str, str]  # of a list: key, text, status

FORMAT = 2
PERSON, AGENT, SUBAGENT, CLIENT = "person", "agent", "subagent", "client"
# Programs whose conversations are imported; the ids of these begin with the name and a dash.
BROUGHT = CHATGPT, CLAUDE_AI = "chatgpt", "claude-ai"
# What a person said other than a prompt, and calls that say something beside their result.
COMMAND, CHOICE, REMARK = "command", "choice", "remark"
TASK, QUESTION, PLAN, ITEM, LIST = "task", "question", "plan", "item", "list"
RECAP = "recap"  # the tool of the client's own recap
_TEXTS = ("text", "to", "command", "input", "file", "result")


@record
class Turn:
    """What one side said or did; a tool's turn holds its call and its result."""

    who: str
    at: str = ""
    kind: str = ""  # of what a person said, and of a call that says something; see above
    text: str = ""  # what was said; the task of a subagent, a plan, an item of a list
    to: str = ""  # the question that a choice answers
    tool: str = ""
    command: str = ""  # of a tool that runs a shell
    input: str = ""  # of every other tool, clipped
    file: str = ""
    edits: tuple[str, ...] = ()  # files that the call was to change; "" if it must not be named
    items: tuple[Item, ...] = ()  # of the agent's list that the call set
    result: str = ""  # clipped
    failed: bool = False
    refused: bool = False  # by the person, who may have said why in the next turn
    exit: int | None = None  # status, where the client records one
    foreign: Foreign = ()  # what was read elsewhere or repeats it: text, start and end

    def as_json(self) -> dict[str, object]:
        """The turn as one line of the archive has it: only what is set."""
        return {
            name: value
            for name, default in _DEFAULTS
            if (value := getattr(self, name)) is not default and value != default
        }

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
        edits = tuple(map(clean, self.edits))
        items = tuple((key, clean(text), status) for key, text, status in self.items)
        return replace(self, **texts, edits=edits, items=items, foreign=foreign)

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


_DEFAULTS = [
    (name, Turn.__record_defaults__.get(name, ""))  # type: ignore[attr-defined]
    for name in Turn.__slots__  # type: ignore[attr-defined]
]


@record
class Header:
    """Which session it is."""

    session: str
    agent: str = ""
    project: str = ""
    machine: str = ""
    cwd: str = ""
    branch: str = ""
    started: str = ""
    ended: str = ""
    title: str = ""
    note: str = ""  # the id of the note that was made from it
    client_title: str = ""  # what the client calls the session
    scripted: bool = False  # a program asked, not a person
    turns: int = 0
    taken: int = 0  # turns that the client's file had when it was read
    source: str = ""  # their digest, by which the next capture recognises them
    format: int = FORMAT


@record
class Transcript:
    """A session and what was said in it: as just read, or as kept in the archive."""

    header: Header
    turns: list[Turn] = fresh(default_factory=list)


def from_json(line: Mapping[str, object]) -> Turn | None:
    """The turn in a line; None if there is none. Unknown keys are ignored."""
    if not isinstance(line.get("who"), str):
        return None
    fields = {
        name: _rows(value, _ROWS[name]) if name in _ROWS else value
        for name, value in line.items()
        if type(value) is _TYPES.get(name)
    }
    return Turn(**fields)  # type: ignore[arg-type]


_ROWS = {"edits": (str,), "items": (str, str, str), "foreign": (str, int, int)}
_TYPES: dict[str, type] = {
    **{name: type(default) for name, default in _DEFAULTS},
    **dict.fromkeys(_ROWS, list),
    "exit": int,
}


def _rows(value: object, shape: tuple[type, ...]) -> tuple[object, ...]:
    """The sound ones of the rows in a list; a row of one value is the value."""
    found = []
    for each in value if isinstance(value, list) else []:
        row = tuple(each) if isinstance(each, list) else (each,)
        if tuple(map(type, row)) == shape and (shape[-1] is str or row[0] in _TEXTS):
            found.append(row if len(shape) > 1 else each)
    return tuple(found)
