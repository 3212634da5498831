"""A session word for word on a terminal, or as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis.cli import output
from anamnesis.operations.sessions.archive import SPEAKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.operations.sessions.archive import Transcript, Turn

AROUND = 10  # turns shown before and after the requested one


def say_session(archived: Transcript, *, around: int | None = None, as_json: bool) -> None:
    """Print a session, or the turns around one of its turns."""
    numbered = list(enumerate(archived.turns))
    if around is not None:
        numbered = numbered[max(0, around - AROUND) : around + AROUND + 1]
    if as_json:
        turns = [{"number": number, **turn.as_json()} for number, turn in numbered]
        output.say_json({**asdict(archived.header), "turns": turns})
        return
    head = archived.header
    lines = [
        head.title or head.session,
        f"{head.agent}  {head.project}  {head.started} to {head.ended}",
    ]
    if head.note:
        lines.append(f"note: anamnesis show {head.note}")
    for number, turn in numbered:
        lines += ["", *_lines(number, turn)]
    output.page(lines)


def _lines(number: int, turn: Turn) -> Iterator[str]:
    head = f"#{number} {SPEAKERS.get(turn.who, turn.who)} {turn.at[11:16]}".rstrip()
    if not turn.tool:
        yield head
        yield turn.text
        return
    yield f"{head} {turn.tool}{' FAILED' if turn.failed else ''}"
    yield f"$ {turn.command}" if turn.command else turn.file or turn.input
    yield from (f"  | {line}" for line in turn.result.splitlines())
