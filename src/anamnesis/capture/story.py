"""What happened in a session, in order: asked, run, answered. Bounded, however long it was."""

from __future__ import annotations

import json

from anamnesis.archive import turns
from anamnesis.capture.calls import PATCH
from anamnesis.ground.records import fresh, record, replace
from anamnesis.text.clipping import both_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.archive.turns import Transcript, Turn

PROMPT, ANSWER, RUN, EDIT, SUBAGENT, SUMMARY, RECAP = (
    "prompt", "answer", "run", "edit", "agent", "summary", "recap"
)  # fmt: skip
CUT = "cut"  # a command that the transcript does not end
_SAID = (PROMPT, ANSWER, EDIT, SUMMARY, RECAP)

_LONGEST = {PROMPT: 12_000, ANSWER: 16_000, SUMMARY: 40_000}  # characters; the rest are lines
_LONGEST_OTHER = 4_000
_LONGEST_OUTPUT = 1_200  # both ends: what was run stands at the top, the verdict at the bottom
_LONGEST_ERROR = 2_400
_MOST_CHARACTERS = 800_000  # of one session; what is older goes first, but for its beginning
_BEGINNING = 40  # moments that are never dropped
_MOST_TODOS = 200
_MOST_FORMER_TODOS = 1_000
_SINCE_THE_LIST = 2  # prompts; a list that no later work touched was left behind
_DONE = frozenset({"completed", "done", "cancelled", "deleted"})
_OURS = "anamnesis"


@record
class Moment:
    """One thing that was said or done."""

    kind: str
    text: str  # what was said; the command; the path; a subagent's task
    answer: str = ""  # a command's output, what an edit replaced, a subagent's result, the
    # question a choice answers
    failed: bool = False
    at: str = ""
    exit: int | None = None  # status of a command, where the client records one


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


def story_of(transcript: Transcript) -> Story:
    """What a session's turns tell, without what is foreign in them."""
    calls = [each for each in transcript.turns if each.tool and each.who == turns.AGENT]
    ends = any(each.exit is not None for each in calls)  # the client records how commands end
    own_calls = sum(_OURS in each.tool for each in calls)
    todos, former = _todos(transcript.turns)
    return Story(
        moments=_bounded(
            each for turn in transcript.turns for each in _moments(turn.own(), ends=ends)
        ),
        todos=todos,
        former_todos=former,
        client_title=transcript.header.client_title,
        is_interactive=not transcript.header.scripted,
        own_calls=own_calls,
        other_calls=len(calls) - own_calls,
    )


def _moments(turn: Turn, *, ends: bool) -> Iterator[Moment]:
    """What one turn tells; of a subagent only its edits: the rest is between the two agents."""
    if not (turn.failed or turn.refused):
        for path in turn.edits:
            yield Moment(EDIT, both_ends(path, _LONGEST_OTHER), _changed(turn), at=turn.at)
    if turn.who == turns.SUBAGENT:
        return
    if not turn.tool:
        kind = {turns.PERSON: PROMPT, turns.CLIENT: SUMMARY}.get(turn.who, ANSWER)
        asked = turn.to or ("…" if turn.kind == turns.CHOICE else "")
        yield Moment(kind, both_ends(turn.text, _LONGEST[kind]), asked, at=turn.at)
    elif turn.who == turns.CLIENT and turn.tool == turns.RECAP:
        yield Moment(RECAP, both_ends(turn.result, _LONGEST_OTHER), at=turn.at)
    elif turn.who == turns.CLIENT:  # a hook that objected
        yield _call(turn, RUN, turn.tool)
    elif turn.command and PATCH not in turn.command and not turn.refused:
        has_no_end = ends and turn.exit is None and not (turn.result or turn.failed)
        yield _call(turn, CUT if has_no_end else RUN, turn.command)
    elif turn.text:
        yield _call(turn, SUBAGENT if turn.kind == turns.TASK else turn.kind, turn.text)


def _changed(turn: Turn) -> str:
    """What an edit replaced, as JSON on one line, as far as it is recorded."""
    return json.dumps({"input": turn.command}) if PATCH in turn.command else turn.input


def _call(turn: Turn, kind: str, text: str) -> Moment:
    longest = _LONGEST_ERROR if turn.failed else _LONGEST_OUTPUT
    answer = both_ends(turn.result, longest if kind == RUN else _LONGEST[ANSWER])
    text = both_ends(text, _LONGEST_OTHER)
    return Moment(kind, text, answer, turn.failed or turn.refused, turn.at, turn.exit)


def _bounded(moments: Iterable[Moment]) -> list[Moment]:
    """The moments that say something, each once; of too many the beginning and the latest."""
    kept: list[Moment] = []
    size = 0
    for moment in moments:
        last = kept[-1] if kept and moment.kind in _SAID else None
        is_told = moment.text or moment.kind == EDIT
        if not is_told or (last and (last.kind, last.text) == (moment.kind, moment.text)):
            if moment.kind == EDIT and last:  # one after the other
                size += len(moment.answer)
                kept[-1] = replace(last, answer=f"{last.answer}\n{moment.answer}")
            continue  # clients write some lines twice
        kept.append(moment)
        size += len(moment.text) + len(moment.answer)
        if size > _MOST_CHARACTERS:
            # Half at once: a list that lost one at a time would be moved for every line.
            kept[_BEGINNING : _BEGINNING + (len(kept) - _BEGINNING) // 2] = []
            size = sum(len(each.text) + len(each.answer) for each in kept)
    return kept


def _todos(told: Iterable[Turn]) -> tuple[list[Todo], list[str]]:
    """The agent's list at the end, and items of lists that it replaced or left behind."""
    todos: dict[str, Todo] = {}
    former: dict[str, None] = {}
    asked = 0  # since the list was touched
    for turn in told:
        asked += turn.who == turns.PERSON and not turn.kind
        if turn.who != turns.AGENT or not turn.tool:
            continue
        if turn.kind == turns.LIST:
            if len(former) < _MOST_FORMER_TODOS:
                former.update((each.text, None) for each in todos.values())
            todos.clear()
        for key, text, status in turn.items:
            asked = 0
            known = todos.get(key or text)
            if (text := text or (known.text if known else "")) and (
                known or len(todos) < _MOST_TODOS
            ):
                todos[key or text] = Todo(text, status in _DONE)
    if asked > _SINCE_THE_LIST:
        former.update((each.text, None) for each in todos.values())
        todos.clear()
    return list(todos.values()), list(former)
