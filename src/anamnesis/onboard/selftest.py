"""A self-test: the command that agents call writes, finds, injects and deletes a note."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground import process
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError
from anamnesis.notes.fields import is_valid_id
from anamnesis.operations.notes import undo

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anamnesis.onboard.agents.agent import Setup

_SECONDS = 15.0
_UV_SECONDS = 60.0  # it may have to build an environment first
_PROJECT = "anamnesis-self-test"
_TITLE = "Self-test"
_PROTOCOL = "2025-11-25"
_TOO_SLOW = "no answer in time"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the self-test."""

    name: str
    worked: bool
    detail: str = ""


def round_trip(setup: Setup) -> list[Step]:
    """Write a local-only note, search for it, inject it, delete it.

    A note that a killed self-test left behind is deleted too.
    """
    word = f"selftest{os.urandom(6).hex()}"
    try:
        return list(_round_trip(setup, word))
    except AnamnesisError as error:
        return [Step("run the command", worked=False, detail=error.message)]


def _round_trip(setup: Setup, word: str) -> Iterator[Step]:
    scope = ("--project", _PROJECT, "--scope", "machine-local")
    written = _call(setup, "write", f"{_TITLE} {word}", *scope)
    note_id = written.text.rpartition("\n")[2].strip()
    is_written = written.code == 0 and is_valid_id(note_id)
    yield _step("write", written, is_written)
    if not is_written:
        return
    notes = [note_id]
    try:
        hits = _call(setup, "search", f"{_TITLE} {word}", *scope, "--json", "-k", "50")
        yield _step("search", hits, note_id in hits.text)
        notes = list(dict.fromkeys([note_id, *_notes(hits.text)]))
        injected = _call(setup, "inject", "--project", _PROJECT, "--format", "text")
        yield _step("inject", injected, word in injected.text)
    finally:
        deleted = _call(setup, "delete", *notes, "--yes")
        undo.drop(setup.home, notes)  # `anamnesis undo` is for what you did
    yield _step("delete", deleted, deleted.code == 0)


def _notes(printed: str) -> list[str]:
    """The ids of the notes that a search printed as JSON."""
    try:
        return [str(note["id"]) for note in json.loads(printed)]
    except (ValueError, KeyError, TypeError):
        return []


def handshake(setup: Setup) -> Step:
    """Start the MCP server as an agent does, and ask it for its tools."""
    lines = (
        _request(1, "initialize", protocolVersion=_PROTOCOL, capabilities={}, clientInfo=_CLIENT),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        _request(2, "tools/list"),
    )
    messages = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    try:
        finished = _call(setup, "serve", input=messages)
    except AnamnesisError as error:
        return Step("MCP server", worked=False, detail=error.message)
    tools = _tools(finished.out)
    if "memory_search" in tools:
        return Step("MCP server", worked=True, detail=counted(len(tools), "tool"))
    detail = _TOO_SLOW if finished.timed_out else finished.complaint
    return Step("MCP server", worked=False, detail=detail or "it did not list its tools")


_CLIENT = {"name": "anamnesis-self-test", "version": "1"}


def _request(number: int, method: str, **parameters: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}


def _tools(out: bytes) -> list[str]:
    for line in out.splitlines():
        try:
            answer = json.loads(line)
            if answer.get("id") == 2:
                return [tool["name"] for tool in answer["result"]["tools"]]
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return []


def _call(setup: Setup, *arguments: str, input: bytes = b"{}") -> process.Finished:
    argv: Sequence[str] = [*setup.command, *arguments]
    # Agents run it in any directory; the current one would hide a relative path in the command.
    environment = {**os.environ, **setup.env}
    seconds = _UV_SECONDS if os.path.basename(argv[0]) == "uv" else _SECONDS
    return process.run(argv, timeout=seconds, cwd=os.sep, env=environment, input=input)


def _step(name: str, finished: process.Finished, worked: bool) -> Step:
    if worked:
        return Step(name, worked=True)
    detail = _TOO_SLOW if finished.timed_out else finished.complaint
    return Step(name, worked=False, detail=detail or "unexpected result")
