"""What happened in a session, in order: asked, run, answered. Bounded, however long it was."""

from __future__ import annotations

from anamnesis.capture.privacy import SOLID, without_private_and_recalled
from anamnesis.ground.records import fresh, record, replace

PROMPT, ANSWER, RUN, EDIT, SUBAGENT, SUMMARY, RECAP = (
    "prompt", "answer", "run", "edit", "agent", "summary", "recap"
)  # fmt: skip

_LONGEST = {PROMPT: 12_000, ANSWER: 16_000, SUMMARY: 40_000}  # characters; the rest are lines
_LONGEST_OTHER = 4_000
_LONGEST_OUTPUT = 1_200  # both ends: what was run stands at the top, the verdict at the bottom
_LONGEST_ERROR = 2_400
_MOST_CHARACTERS = 800_000  # of one session; what is older goes first, but for its beginning
_BEGINNING = 40  # moments that are never dropped
_MOST_TODOS = 200
_MOST_FORMER_TODOS = 1_000
_SPANS_LINES = "-----BEGIN"


@record
class Moment:
    """One thing that was said or done."""

    kind: str
    text: str  # what was said; the command; the path; a subagent's task
    answer: str = ""  # a command's output, a subagent's result, the question a choice answers
    failed: bool = False
    at: str = ""


@record
class Todo:
    """One item of the agent's own list."""

    text: str
    is_done: bool


@record
class Story:
    """A session as its transcript tells it."""

    moments: list[Moment] = fresh(default_factory=list)
    todos: list[Todo] = fresh(default_factory=list)
    former_todos: list[str] = fresh(default_factory=list)  # items of lists that were replaced
    client_title: str = ""  # what the client calls the session
    is_interactive: bool = True
    own_calls: int = 0  # calls of Anamnesis' tools
    other_calls: int = 0

    def of(self, *kinds: str) -> list[Moment]:
        """The moments of these kinds, in order."""
        return [each for each in self.moments if each.kind in kinds]


class StoryDraft:
    """A story while its transcript is being read."""

    def __init__(self) -> None:
        self._moments: list[Moment] = []
        self._open: dict[str, int] = {}  # calls whose result has not come, by their place
        self._todos: dict[str, Todo] = {}
        self._former_todos: dict[str, None] = {}
        self._size = 0
        self.client_title = ""
        self.is_interactive = True
        self.own_calls = self.other_calls = 0
        self.at = ""

    def add_text(self, kind: str, text: str, *, answer: str = "") -> None:
        """Add a text of the user or the agent, as `clean` gives it."""
        if not text:
            return
        last = self._moments[-1] if self._moments else None
        if last is not None and last.kind == kind and last.text == text:
            return  # clients write some lines twice
        self._add(
            Moment(kind, clipped(text, _LONGEST.get(kind, _LONGEST_OTHER)), answer, at=self.at)
        )

    def start_call(self, kind: str, text: object, *, call: object) -> None:
        """Add a call of a tool; its result comes later."""
        if isinstance(text, str) and text.strip():
            self._add(Moment(kind, clipped(clean(text), _LONGEST_OTHER), at=self.at))
            if isinstance(call, str):
                self._open[call] = len(self._moments) - 1

    def finish_call(self, call: object, text: str, *, failed: bool) -> None:
        """Add the result of a call."""
        place = self._open.pop(call, None) if isinstance(call, str) else None
        if place is not None and place < len(self._moments):
            most = _LONGEST_ERROR if failed else _LONGEST_OUTPUT
            if self._moments[place].kind != RUN:
                most = _LONGEST[ANSWER]
            answer = clipped(clean(text), most)
            self._moments[place] = replace(self._moments[place], answer=answer, failed=failed)
            self._size += len(answer)

    def awaits(self, call: str) -> bool:
        """Whether the result of a call is wanted."""
        return call in self._open

    def call_kind(self, call: object) -> str:
        """What kind of call this was; empty if its result is not wanted."""
        place = self._open.get(call) if isinstance(call, str) else None
        return self._moments[place].kind if place is not None else ""

    def call_text(self, call: object) -> str:
        """What a call asked for."""
        place = self._open.get(call) if isinstance(call, str) else None
        return self._moments[place].text if place is not None else ""

    def count_call(self, tool: object) -> None:
        """Count a call of a tool: Anamnesis' or another's."""
        if isinstance(tool, str) and "anamnesis" in tool:
            self.own_calls += 1
        else:
            self.other_calls += 1

    def replace_todos(self, todos: list[tuple[object, object]]) -> None:
        """Replace the agent's todo list: text and status of each item."""
        if len(self._former_todos) < _MOST_FORMER_TODOS:
            self._former_todos.update((each.text, None) for each in self._todos.values())
        self._todos.clear()
        for text, status in todos[:_MOST_TODOS]:
            if isinstance(text, str) and text.strip():
                self.set_todo(text, text, status)

    def set_todo(self, key: str, text: object, status: object) -> None:
        """Add one todo item, or change it."""
        known = self._todos.get(key)
        words = text if isinstance(text, str) and text else known.text if known else ""
        if words and (known or len(self._todos) < _MOST_TODOS):
            is_done = str(status) in {"completed", "done", "cancelled", "deleted"}
            self._todos[key] = Todo(without_private_and_recalled(words)[:300], is_done)

    def story(self) -> Story:
        """The story as far as the transcript was read."""
        return Story(
            moments=list(self._moments),
            todos=list(self._todos.values()),
            former_todos=list(self._former_todos),
            client_title=self.client_title,
            is_interactive=self.is_interactive,
            own_calls=self.own_calls,
            other_calls=self.other_calls,
        )

    def _add(self, moment: Moment) -> None:
        self._moments.append(moment)
        self._size += len(moment.text) + len(moment.answer)
        if self._size > _MOST_CHARACTERS:
            self._drop_the_oldest()

    def _drop_the_oldest(self) -> None:
        # Half at once: a list that lost one at a time would be moved for every line.
        keep_from = _BEGINNING + (len(self._moments) - _BEGINNING) // 2
        self._moments[_BEGINNING:keep_from] = []
        self._size = sum(len(each.text) + len(each.answer) for each in self._moments)
        self._open.clear()


def clean(text: str) -> str:
    """A text without what must not be kept, and without secrets that span lines.

    A single line of such a secret has no shape any more by which it could be found later.
    """
    text = without_private_and_recalled(text)
    if _SPANS_LINES in text:
        from anamnesis.secrets import redact

        return redact(text)
    return text


def clipped(text: str, longest: int) -> str:
    """A text's beginning and end, where the middle is too much."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half].rstrip(SOLID)}\n…\n{text[-half:].lstrip(SOLID)}"
