"""`anamnesis serve --transport http`: only from this machine, only with the token."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import fastmcp
import httpx2
import mcp
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from mcp.client.streamable_http import streamable_http_client

from anamnesis.ground.records import record
from support.mcp_client import INITIALIZE, PATIENCE, SERVE, line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@record
class Listening:
    url: str
    token: str


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """One server for all tests here: FastMCP needs seconds to start."""
    with _served(tmp_path_factory.mktemp("served")) as found:
        yield found


def test_a_client_with_the_token_is_served(listening: Listening) -> None:
    async def written() -> object:
        headers = {"Authorization": f"Bearer {listening.token}"}
        transport = StreamableHttpTransport(listening.url, headers=headers)
        async with fastmcp.Client(transport) as client:
            note = {"type": "semantic", "title": "Over HTTP", "body": "it came"}
            await client.call_tool("memory_write", note)
            return (await client.call_tool("memory_search", {"query": "came"})).data

    found = asyncio.run(written())

    assert isinstance(found, list)
    assert found[0]["title"] == "Over HTTP"


def test_the_newest_client_needs_no_handshake(listening: Listening) -> None:
    async def found() -> tuple[str, str, str]:
        client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {listening.token}"})
        async with (
            client,
            mcp.Client(streamable_http_client(listening.url, http_client=client)) as newest,
        ):
            note = {"type": "semantic", "title": "Newest", "body": "without a handshake"}
            await newest.call_tool("memory_write", note)
            hits = await newest.call_tool("memory_search", {"query": "handshake"})
            [hit] = (hits.structured_content or {})["result"]
            return newest.protocol_version, hit["title"], hit["origin"]

    assert asyncio.run(found()) == ("2026-07-28", "Newest", "agent:mcp")


@pytest.mark.parametrize("token", ["", "wrong", "Bearer"])
def test_a_client_without_the_token_is_refused(listening: Listening, token: str) -> None:
    assert _status(listening.url, {"Authorization": f"Bearer {token}"}) == 401
    assert _status(listening.url, {}) == 401


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_a_web_page_cannot_reach_it_even_with_the_token(
    listening: Listening, header: dict[str, str]
) -> None:
    allowed = {"Authorization": f"Bearer {listening.token}"}

    assert _status(listening.url, allowed) == 200
    assert _status(listening.url, {**allowed, **header}) in (400, 403, 421)


def test_a_taken_port_is_told_in_words(listening: Listening) -> None:
    port = listening.url.split(":")[2].partition("/")[0]

    done = subprocess.run(
        [*SERVE, "--transport", "http", "--port", port],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert done.returncode == 1
    assert f"Cannot listen on port {port}" in done.stderr
    assert "--port 0" in done.stderr


def test_a_token_from_the_environment_is_not_printed(root: Path) -> None:
    with _served(root, ANAMNESIS_HTTP_TOKEN="s3cret-of-mine") as listening:
        assert listening.token != "s3cret-of-mine"
        assert _status(listening.url, {"Authorization": "Bearer s3cret-of-mine"}) == 200


@contextmanager
def _served(root: Path, **variables: str) -> Iterator[Listening]:
    with subprocess.Popen(
        [*SERVE, "--transport", "http", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ANAMNESIS_HOME": str(root), **variables},
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline() + process.stderr.readline()
        found = re.search(r"listening on (\S+)\nAuthorization: Bearer (.+)\n", said)
        assert found, said
        try:
            _wait_for(found[1])
            yield Listening(*found.groups())
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
        assert "Traceback" not in process.stderr.read()


def _wait_for(url: str) -> None:
    # The socket is bound before the server accepts: a request waits in its queue until then.
    assert _status(url, {}) == 401


def _status(url: str, headers: dict[str, str]) -> int:
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    types = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(url, data=line(message), headers={**types, **headers})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
