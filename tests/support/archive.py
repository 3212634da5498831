"""Archived sessions without a client's file, and as an older version kept them."""

from __future__ import annotations

from collections.abc import Iterable

from anamnesis.archive import files
from anamnesis.archive.turns import Header, Transcript, Turn
from anamnesis.config import Home
from anamnesis.ground.records import replace


def save(home: Home, header: Header, turns: Iterable[Turn]) -> None:
    """Keep a session of these turns."""
    files.save(home, files.joined(None, Transcript(header, list(turns))))


def as_format_1(kept: Transcript) -> Transcript:
    """A session as the first format has it: turns do not say what they mean."""
    turns = [
        Turn(
            who=turn.who, at=turn.at, text="" if turn.tool else turn.text, tool=turn.tool,
            command=turn.command, input=turn.input, file=turn.file, result=turn.result,
            failed=turn.failed,
            foreign=tuple(each for each in turn.foreign if each[0] != "text" or not turn.tool),
        )
        for turn in kept.turns
    ]  # fmt: skip
    return Transcript(replace(kept.header, format=1, scripted=False), turns)
