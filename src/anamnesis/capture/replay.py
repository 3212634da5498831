"""A session replayed from the archive, as its transcript was when it was captured."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from anamnesis.archive.turns import AGENT, CLIENT, PERSON, SUBAGENT
from anamnesis.capture.lines import mapping, mappings
from anamnesis.capture.readers import claude_code
from anamnesis.capture.session import SessionDraft
from anamnesis.capture.story import RECAP, RUN

if TYPE_CHECKING:
    from typing import Any

    from anamnesis.archive.files import Archived
    from anamnesis.archive.turns import Turn

_CLAUDES_EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_EDITS = _CLAUDES_EDITS | {"write_file", "replace", "edit", "write", "multiedit", "patch", "create"}
# Where the other agents' lists have their items, and where an item has its text.
_LISTS = {
    "update_plan": ("plan", "step"),
    "write_todos": ("todos", "description"),
    "todowrite": ("todos", "content"),
}
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,500})$", re.MULTILINE)
_SLASH_COMMAND = re.compile(r"/[A-Za-z][\w:-]{0,100}(?:\s|\Z)")


def replayed(archived: Archived) -> SessionDraft:
    """The draft of an archived session, from its turns."""
    header = archived.header
    draft = SessionDraft(agent=header.agent)
    draft.identify(session_id=header.session, cwd=header.cwd, branch=header.branch)
    draft.story.client_title = header.client_title
    replay = _Replay(draft)
    after = [*archived.turns[1:], None]
    for number, (turn, following) in enumerate(zip(archived.turns, after, strict=False)):
        replay.take(turn, call=str(number), following=following)
    return draft


class _Replay:
    """Reads the turns of one session into a draft."""

    def __init__(self, draft: SessionDraft) -> None:
        self._draft = draft
        self._chosen: list[str] = []  # answers to a question of the agent, kept with it

    def take(self, turn: Turn, *, call: str, following: Turn | None) -> None:
        """Read one turn; the next one tells whether a call was refused."""
        turn = turn.own()
        self._draft.see_time(turn.at)
        if turn.tool and turn.who == CLIENT:
            self._take_clients_own(turn)
        elif turn.tool:
            self._take_edits(turn, call, was_refused=_was_refused(turn, following))
            if turn.who != SUBAGENT:  # the rest is between the two agents
                self._take_call(turn, call)
        elif turn.who == PERSON:
            self._take_ask(turn.text)
        elif turn.who == AGENT:
            self._draft.answer(turn.text)
        elif turn.who == CLIENT:
            self._draft.summarise(turn.text)

    def _take_clients_own(self, turn: Turn) -> None:
        if turn.tool == RECAP:
            self._draft.recap(turn.result)
        else:
            self._draft.add_objection(turn.tool, turn.result)

    def _take_ask(self, text: str) -> None:
        if text in self._chosen:
            self._chosen.remove(text)
        elif _SLASH_COMMAND.match(text):
            self._draft.ask_by_command(text)
        else:
            self._draft.ask(text)

    def _take_edits(self, turn: Turn, call: str, *, was_refused: bool) -> None:
        for path in _edited(turn):
            self._draft.edit(os.path.join(self._draft.cwd, path), call=call)
        if was_refused:
            self._draft.refuse(call)

    def _take_call(self, turn: Turn, call: str) -> None:
        arguments, story = _arguments(turn), self._draft.story
        claude_code.take_call({"name": turn.tool, "id": call, "input": arguments}, self._draft)
        if turn.tool in _LISTS and arguments:
            items, text = _LISTS[turn.tool]
            todos = mappings(arguments.get(items))
            story.replace_todos([(each.get(text), each.get("status")) for each in todos])
        elif not story.awaits(call) and "*** Begin Patch" not in turn.command:
            story.start_call(RUN, turn.command, call=call)
        if story.call_kind(call) == claude_code.QUESTION and not turn.failed:
            self._chosen = [answer for _, answer in claude_code.choices(turn.result)]
        result = {"tool_use_id": call, "content": turn.result, "is_error": turn.failed}
        claude_code.take_result(result, None, self._draft)


def _was_refused(turn: Turn, following: Turn | None) -> bool:
    """Whether a call failed, or was refused with a reason.

    Of a call that was refused with a reason, the archive has the reason in place of a result.
    """
    is_answered = following is not None and following.who == PERSON
    return turn.failed or (turn.tool in _CLAUDES_EDITS and not turn.result and is_answered)


def _edited(turn: Turn) -> list[str]:
    """The files that a call was to change."""
    if turn.tool in _EDITS and turn.file:
        return [turn.file]
    patch = turn.command or _arguments(turn).get("input")
    return [path.strip() for path in _PATCHED.findall(patch)] if isinstance(patch, str) else []


def _arguments(turn: Turn) -> dict[str, Any]:
    """What a call was given; nothing where the archive had to clip it."""
    if turn.command:
        return {"command": turn.command}
    try:
        return mapping(json.loads(turn.input))
    except (ValueError, RecursionError):
        return {}
