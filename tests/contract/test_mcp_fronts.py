"""Both fronts of the server, driven by the official client and by FastMCP's: the same answers."""

from __future__ import annotations

import asyncio
import re
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import fastmcp
import mcp
import pytest
from fastmcp.client.transports import StdioTransport

from anamnesis.mcp import guidance, resources, tools
from anamnesis.mcp.protocol import STATELESS
from anamnesis.notes.fields import LATER
from anamnesis.server import build_server
from anamnesis.store import MemoryStore
from support.mcp_client import SERVE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable
    from pathlib import Path

LEAN = "lean"
FAST = "fast"
_FASTMCP = [sys.executable, "-c", "from anamnesis.server import main; main()"]
_LONG = "A line of a pasted log.\n" * 1_000

# What is asked, in order. The store starts empty; {0}, {1} … are the ids of the notes so far.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_status", {}),
    ("memory_search", {"query": "anything"}),
    ("memory_list", {}),
    ("memory_write", {"type": "procedural", "title": "WAL mode", "body": "set busy_timeout"}),
    ("memory_write", {"type": "procedural", "title": "WAL mode", "body": "set busy_timeout"}),
    (
        "memory_write",
        {
            "type": "semantic",
            "title": "Tabs, not spaces ✓ \u2028 日本語",
            "body": "in the *whole* repository\r\n",
            "project": "demo",
            "tags": ["style", "style", "tabs"],
            "scope": "machine-local",
        },
    ),
    ("memory_write", {"type": "semantic", "title": "Pasted", "body": _LONG}),
    (
        "memory_write",
        {"type": "semantic", "title": "WAL is on", "body": "since May", "supersedes": "{0}"},
    ),
    ("memory_search", {"query": "wal mode busy timeout"}),
    ("memory_search", {"query": "whole repository", "project": "demo", "k": 1}),
    ("memory_search", {"query": "pasted log", "scope": None}),
    ("memory_search", {"query": "{3}"}),
    ("memory_search", {"query": "{3}", "project": "another"}),
    ("memory_search", {"query": 'AND OR NOT "(*'}),
    ("memory_search", {"query": "the", "k": "2"}),
    ("memory_list", {"type": "semantic"}),
    ("memory_list", {"limit": 2}),
    ("memory_list", {"limit": 2, "offset": 2}),
    ("memory_status", {}),
    ("memory_sync", {}),
    ("memory_sync", {"force": True}),
    # refused
    ("memory_search", {}),
    ("memory_search", {"query": 7}),
    ("memory_search", {"query": "x", "k": -1}),
    ("memory_search", {"query": "x", "k": True}),
    ("memory_search", {"query": "x", "type": "secret"}),
    ("memory_list", {"offset": -1}),
    ("memory_write", {"type": "nope", "title": "t", "body": "b"}),
    ("memory_write", {"type": "semantic", "title": "t", "body": "b", "scope": "everywhere"}),
    ("memory_write", {"type": "semantic", "title": "  ", "body": "b"}),
    ("memory_write", {"type": "semantic", "title": "t", "body": "b" * (256 * 1024 + 1)}),
    ("memory_write", {"type": "semantic", "title": "t", "body": "b", "tags": "a,b"}),
    ("memory_write", {"type": "semantic", "title": "t", "body": "b", "machine_id": "evil"}),
    ("memory_write", {"type": "semantic", "title": "t", "body": "b", "supersedes": "nobody"}),
    ("memory_write", {"type": "semantic", "title": "t", "body": "b", "supersedes": "../../x"}),
    ("memory_status", {"verbose": True}),
    ("memory_delete", {"id": "{0}"}),
]
ADDRESSES = [
    "memory://status",
    "memory://note/{0}",
    "memory://note/nobody",
    "memory://note/..%2F..%2Fconfig",
    "memory://elsewhere",
]
PICKED: list[tuple[str, dict[str, str]]] = [
    ("recall", {"topic": "how do we deploy"}),
    ("recall", {}),
    ("remember", {}),
    ("remember", {"what": "the port is 8443"}),
    ("forget", {}),
]


# "official" is the newest client as it comes, "legacy" the same one told to shake hands.
@pytest.fixture(params=["official", "legacy", "fastmcp"])
def client(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_both_fronts_show_the_same_tools_resources_and_prompts(client: str, tmp_path: Path) -> None:
    lean = asyncio.run(_listings(LEAN, client, tmp_path))
    fast = asyncio.run(_listings(FAST, client, tmp_path))

    assert lean == fast
    assert lean["tools"] == [tool.listed() for tool in tools.TOOLS.values()]
    assert lean["instructions"] == guidance.INSTRUCTIONS
    assert lean["resources"] == [resources.STATUS]


def test_both_fronts_give_the_same_answers(client: str, tmp_path: Path) -> None:
    lean = asyncio.run(_transcript(LEAN, client, tmp_path))
    fast = asyncio.run(_transcript(FAST, client, tmp_path))

    for asked, answer in lean.items():
        assert answer == fast[asked], asked
    assert lean.keys() == fast.keys()


def test_structured_content_has_the_documented_shapes(client: str, tmp_path: Path) -> None:
    answers = asyncio.run(_transcript(LEAN, client, tmp_path))
    written = answers["3 memory_write"]["structuredContent"]
    hit = answers["8 memory_search"]["structuredContent"]["result"][0]
    listed = answers["15 memory_list"]["structuredContent"]["result"][0]

    keys = "id type title project machine_id scope tags created_at updated_at".split()  # noqa: SIM905
    keys += [name for name, row in LATER.items() if row.shown] + ["body"]
    assert list(written) == keys
    assert list(hit) == [*keys, "origin"]
    assert hit["origin"].startswith("agent:")
    assert list(listed) == keys[:-1]
    assert list(answers["18 memory_status"]["structuredContent"]) == (
        "root db_path total by_type by_project by_scope sync".split()  # noqa: SIM905
    )
    assert list(answers["19 memory_sync"]["structuredContent"]) == (
        "pushed pulled conflicted head indexed detail".split()  # noqa: SIM905
    )


def test_the_fastmcp_client_unwraps_lists(tmp_path: Path) -> None:
    async def listed() -> object:
        with MemoryStore(tmp_path) as store:
            store.write(type="semantic", title="One", body="note")
            async with fastmcp.Client(build_server(store)) as session:
                return (await session.call_tool("memory_list", {})).data

    found = asyncio.run(listed())

    assert isinstance(found, list)
    assert [note["title"] for note in found] == ["One"]


def test_the_machine_is_bound_when_the_server_is_built(tmp_path: Path) -> None:
    async def written() -> Any:
        note = {"type": "semantic", "title": "Whose", "body": "is it"}
        with MemoryStore(tmp_path) as store:
            async with fastmcp.Client(build_server(store, machine_id="m-test")) as session:
                return (await session.call_tool("memory_write", note)).data

    assert asyncio.run(written())["machine_id"] == "m-test"


class Session:
    """What the test needs of a client, in wire form."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._is_fastmcp = isinstance(client, fastmcp.Client)

    async def listings(self) -> dict[str, Any]:
        client = self._client
        found = {
            "tools": await client.list_tools(),
            "resources": await client.list_resources(),
            "templates": await client.list_resource_templates(),
            "prompts": await client.list_prompts(),
        }
        if not self._is_fastmcp:
            return {
                "instructions": client.instructions,
                "tools": _wire(found["tools"].tools),
                "resources": _wire(found["resources"].resources),
                "templates": _wire(found["templates"].resource_templates),
                "prompts": _wire(found["prompts"].prompts),
            }
        listed = {name: _wire(value) for name, value in found.items()}
        return {"instructions": client.instructions, **listed}

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        ask = self._client.call_tool_mcp if self._is_fastmcp else self._client.call_tool
        answer = _wire(await ask(name, arguments))
        return {key: answer.get(key) for key in ("content", "structuredContent", "isError")}

    async def read(self, uri: str) -> Any:
        found = await _outcome(self._client.read_resource(uri))
        return found if isinstance(found, (list, tuple)) else found["contents"]

    async def prompt(self, name: str, arguments: dict[str, str]) -> Any:
        found = await _outcome(self._client.get_prompt(name, arguments))
        return found if isinstance(found, tuple) else (found["description"], found["messages"])


@asynccontextmanager
async def _connected(front: str, client: str, root: Path) -> AsyncIterator[Session]:
    env = {"ANAMNESIS_HOME": str(root), "ANAMNESIS_MACHINE_ID": "m-test"}
    command, *arguments = SERVE if front == LEAN else _FASTMCP
    if client in ("official", "legacy"):
        parameters = mcp.StdioServerParameters(command=command, args=arguments, env=env)
        mode = "auto" if client == "official" else "legacy"
        async with mcp.Client(parameters, mode=mode) as official:
            assert (official.protocol_version in STATELESS) == (client == "official")
            yield Session(official)
    elif front == LEAN:
        transport = StdioTransport(command, arguments, env=env, keep_alive=False)
        async with fastmcp.Client(transport) as over_stdio:
            yield Session(over_stdio)
    else:
        with MemoryStore(root) as store:
            async with fastmcp.Client(build_server(store, machine_id="m-test")) as in_memory:
                yield Session(in_memory)


async def _listings(front: str, client: str, directory: Path) -> dict[str, Any]:
    async with _connected(front, client, directory / front) as session:
        return await session.listings()


async def _transcript(front: str, client: str, directory: Path) -> dict[str, Any]:
    root = directory / front
    found: dict[str, Any] = {}
    ids: list[str] = []
    async with _connected(front, client, root) as session:
        for number, (tool, arguments) in enumerate(CALLS):
            filled = {
                key: value.format(*ids) if re.fullmatch(r"\{\d\}", str(value)) else value
                for key, value in arguments.items()
            }
            answer = await session.call(tool, filled)
            if tool == "memory_write" and not answer["isError"]:
                ids.append(answer["structuredContent"]["id"])
            found[f"{number} {tool}"] = answer
        for uri in ADDRESSES:
            found[uri] = await session.read(uri.format(*ids))
        for number, (name, given) in enumerate(PICKED):
            found[f"{number} {name}"] = await session.prompt(name, given)
    return {asked: _masked(answer, root, ids) for asked, answer in found.items()}


async def _outcome(asked: Awaitable[Any]) -> Any:
    try:
        return _wire(await asked)
    except mcp.MCPError as error:
        return (error.error.code, error.error.message, error.error.data)


def _wire(value: Any) -> Any:
    if isinstance(value, list):
        return [_wire(item) for item in value]
    return value.model_dump(by_alias=True, exclude_none=True, mode="json")


def _masked(value: Any, root: Path, ids: list[str]) -> Any:
    """The answer without what differs from store to store: ids, times, commits, the place."""
    if isinstance(value, dict):
        found = {key: _masked(item, root, ids) for key, item in value.items()}
        return {**found, "head": "HEAD"} if found.get("head") else found
    if isinstance(value, (list, tuple)):
        return [_masked(item, root, ids) for item in value]
    if not isinstance(value, str):
        return value
    text = value.replace(str(root), "ROOT")
    for number, note_id in enumerate(ids):
        text = text.replace(note_id, f"ID{number}")
    text = re.sub(r'"head": "\w+"', '"head": "HEAD"', text)
    return re.sub(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\+00:00)?", "TIME", text)
