"""A self-test: the command that agents call writes, finds, injects and deletes a note."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.ground import locks, process
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError
from anamnesis.notes.fields import is_valid_id

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
    """Write a note, search for it, inject it, delete it, in a store of its own beside yours."""
    lock, apart = setup.home.lock("self-test"), setup.home.state("self-test")
    try:
        with locks.held(lock, name="self-test", timeout=_UV_SECONDS):
            shutil.rmtree(apart, ignore_errors=True)  # left behind by a killed one
            try:
                return list(_round_trip(replace(setup, env={**setup.env, "ANAMNESIS_HOME": apart})))
            finally:
                shutil.rmtree(apart, ignore_errors=True)
    except AnamnesisError as error:
        return [Step("run the command", worked=False, detail=error.message)]


def _round_trip(setup: Setup) -> Iterator[Step]:
    word = f"selftest{os.urandom(6).hex()}"
    scope = ("--project", _PROJECT, "--scope", "machine-local")
    written = _call(setup, "write", f"{_TITLE} {word}", *scope)
    note_id = written.text.rpartition("\n")[2].strip()
    is_written = written.code == 0 and is_valid_id(note_id)
    yield _step("write", written, is_written)
    if not is_written:
        return
    hits = _call(setup, "search", f"{_TITLE} {word}", *scope, "--json")
    yield _step("search", hits, note_id in hits.text)
    injected = _call(setup, "inject", "--project", _PROJECT, "--format", "text")
    yield _step("inject", injected, word in injected.text)
    deleted = _call(setup, "delete", note_id, "--yes")
    yield _step("delete", deleted, deleted.code == 0)


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
