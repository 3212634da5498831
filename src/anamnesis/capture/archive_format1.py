"""Turns of an archive of format 1 as they are today, as far as they tell."""

from __future__ import annotations

import json
import re

from anamnesis.archive.turns import (
    CHOICE,
    CLIENT,
    COMMAND,
    FORMAT,
    LIST,
    PERSON,
    QUESTION,
    Transcript,
)
from anamnesis.capture.calls import _EDIT_TOOLS
from anamnesis.capture.lines import mapping
from anamnesis.capture.readers.claude_code import choices
from anamnesis.capture.recorder import Recorder
from anamnesis.ground.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.archive.turns import Turn

_SLASH_COMMAND = re.compile(r"/[A-Za-z][\w:-]{0,100}(?:\s|\Z)")


def upgraded(transcript: Transcript) -> Transcript:
    """A session of any format with what turns carry today."""
    if transcript.header.format >= FORMAT:
        return transcript
    recorder = Recorder(agent=transcript.header.agent)
    recorder.identify(cwd=transcript.header.cwd)
    after = [*transcript.turns[1:], None]
    for number, (turn, following) in enumerate(zip(transcript.turns, after, strict=False)):
        recorder.at = turn.at
        count = len(recorder.turns)
        _take(turn.own(), recorder, following=following, call=str(number))
        if turn.foreign:
            made = recorder.turns.pop() if len(recorder.turns) > count else turn
            recorder.turns.append(_with_marks(turn, made))
    # Without the digest, turns that the client still has are taken from its file again.
    header = replace(transcript.header, format=FORMAT, turns=len(recorder.turns), source="")
    return Transcript(header, recorder.turns)


def _with_marks(turn: Turn, made: Turn) -> Turn:
    """A turn that is marked already, with what it means: the words that are foreign stay in it."""
    text, marks = (made.text, made.foreign) if turn.tool else (turn.text, ())
    foreign = (*turn.foreign, *(each for each in marks if each[0] == "text"))
    meaning = {name: getattr(made, name) for name in ("kind", "to", "edits", "items", "refused")}
    return replace(turn, text=text, foreign=foreign, **meaning)


def _take(turn: Turn, recorder: Recorder, *, following: Turn | None, call: str) -> None:
    if turn.tool and turn.who == CLIENT:
        recorder.remark(turn.tool, turn.result, failed=turn.failed)
    elif turn.tool:
        _take_call(turn, recorder, following=following, call=call)
    elif turn.who == PERSON:
        question = _question(recorder, turn.text)
        kind = CHOICE if question else COMMAND if _SLASH_COMMAND.match(turn.text) else ""
        recorder.ask(turn.text, kind=kind, to=question)
    else:
        recorder.say(turn.who, turn.text)


def _take_call(turn: Turn, recorder: Recorder, *, following: Turn | None, call: str) -> None:
    arguments = _arguments(turn)
    recorder.call(turn.tool, arguments, call=call, who=turn.who)
    # Of a call that was refused with a reason, the reason stands in place of a result.
    is_answered = following is not None and following.who == PERSON
    refused = turn.tool in _EDIT_TOOLS and not turn.result and is_answered
    recorder.result(call, turn.result, failed=turn.failed, refused=refused)
    made = recorder.turns[-1]
    kind = "" if made.kind == LIST and not made.items else made.kind  # clipped, so unknown
    recorder.turns[-1] = replace(made, kind=kind, input=turn.input, file=turn.file)


def _question(recorder: Recorder, text: str) -> str:
    """The question of the agent to which a text is the answer that was chosen."""
    last = next((turn for turn in reversed(recorder.turns) if turn.kind != CHOICE), None)
    if last is None or last.kind != QUESTION:
        return ""
    return next((asked for asked, answer in choices(last.result) if answer == text), "")


def _arguments(turn: Turn) -> dict[str, Any]:
    """What a call was given; where the archive had to clip it, its file."""
    if turn.command:
        return {"command": turn.command}
    try:
        return mapping(json.loads(turn.input))
    except (ValueError, RecursionError):
        return {"file_path": turn.file}
