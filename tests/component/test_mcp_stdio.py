"""`anamnesis serve` as a process: the protocol, line by line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from anamnesis.ground import locks
from anamnesis.mcp.guidance import INSTRUCTIONS
from anamnesis.mcp.protocol import STATELESS, VERSIONS
from support.mcp_client import Server, line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server(root: Path) -> Iterator[Server]:
    with Server(root) as running:
        yield running


@pytest.mark.parametrize("version", VERSIONS)
def test_a_known_version_is_agreed_on(server: Server, version: str) -> None:
    answer = server.initialize(version)["result"]

    assert answer["protocolVersion"] == version
    assert answer["serverInfo"]["name"] == "anamnesis"
    assert answer["instructions"] == INSTRUCTIONS


def test_an_unknown_version_is_met_with_our_newest(server: Server) -> None:
    assert server.initialize("2099-01-01")["result"]["protocolVersion"] == "2025-11-25"


def stateless(version: object = "2026-07-28") -> dict[str, Any]:
    """The parameters of a request that needs no handshake."""
    ours = "io.modelcontextprotocol/"
    return {
        "_meta": {
            f"{ours}protocolVersion": version,
            f"{ours}clientCapabilities": {},
            f"{ours}clientInfo": {"name": "newest", "version": "1"},
        }
    }


def test_a_client_without_a_handshake_discovers_the_server(server: Server) -> None:
    found = server.ask("server/discover", stateless())["result"]

    assert found["supportedVersions"] == list(STATELESS)
    assert found["instructions"] == INSTRUCTIONS
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "anamnesis"
    assert (found["resultType"], found["ttlMs"], found["cacheScope"]) == ("complete", 0, "private")


def test_its_calls_stand_alone_and_say_who_asks(server: Server) -> None:
    note = {"name": "memory_write", "arguments": {"type": "semantic", "title": "t", "body": "b"}}

    written = server.ask("tools/call", {**note, **stateless()})["result"]

    assert written["resultType"] == "complete"
    found = server.call("memory_search", query="t")["structuredContent"]["result"]
    assert found[0]["origin"] == "agent:newest"


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("server/discover", {}, -32601),
        ("server/discover", {"_meta": {}}, -32601),
        ("server/discover", stateless("2099-01-01"), -32022),
        ("server/discover", stateless(7), -32602),
        ("ping", stateless(), -32601),
        ("subscriptions/listen", stateless(), -32601),
    ],
)
def test_what_a_version_does_not_have_is_refused(
    server: Server, method: str, params: dict[str, Any], code: int
) -> None:
    error = server.ask(method, params)["error"]

    assert error["code"] == code
    if code == -32022:
        assert error["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}
    assert server.initialize()["result"]


def test_initialize_opens_no_store(server: Server, root: Path) -> None:
    server.initialize()
    server.ask("tools/list")

    assert not root.exists()


def test_search_is_always_loaded_and_reading_tools_say_so(server: Server) -> None:
    tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}

    assert tools["memory_search"]["_meta"] == {"anthropic/alwaysLoad": True}
    reading = {name for name, tool in tools.items() if tool["annotations"]["readOnlyHint"]}
    assert reading == {"memory_search", "memory_list", "memory_status"}
    assert tools["memory_sync"]["annotations"]["openWorldHint"] is True
    assert tools["memory_write"]["annotations"]["destructiveHint"] is False


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"{not json}\n", -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"\n', -32700),
        (b"\xff\xfe\x00\n", -32700),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}\n', -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b'"ping"\n', -32600),
        (b"[]\n", -32600),
        (b'{"id": 1, "method": "ping"}\n', -32600),
        (b'{"jsonrpc": "2.0", "id": 1}\n', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 7}\n', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}\n', -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]\n', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": 3}\n', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 1}}\n', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read"}\n', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}\n', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"}\n', -32601),
        (b"x" * (4 * 1024 * 1024 + 10) + b"\n", -32600),
    ],
)
def test_nonsense_gets_an_error_and_the_next_request_its_answer(
    server: Server, sent: bytes, code: int
) -> None:
    server.send(sent)

    assert server.receive()["error"]["code"] == code
    assert server.ask("ping")["result"] == {}


def test_notifications_answers_and_empty_lines_are_passed_over(server: Server) -> None:
    server.send(b"\n  \n")
    server.tell("notifications/initialized")
    server.tell("notifications/cancelled", {"requestId": "nothing"})
    server.tell("notifications/roots/list_changed")
    server.tell("something/unheard-of")
    server.send(line({"jsonrpc": "2.0", "id": 4711, "result": {}}))

    assert server.ask("ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_batch_is_answered_in_the_versions_that_have_batches(server: Server) -> None:
    server.initialize("2025-03-26")
    ping = {"jsonrpc": "2.0", "method": "ping"}
    search = {
        "jsonrpc": "2.0",
        "id": "b",
        "method": "tools/call",
        "params": {"name": "memory_list"},
    }

    server.send(line([{**ping, "id": "a"}, ping, search, 5]))

    answers: list[dict[str, Any]] = server.receive()
    assert [answer["id"] for answer in answers] == ["a", "b", None]
    assert answers[2]["error"]["code"] == -32600


def test_a_quick_request_overtakes_slow_calls(server: Server, root: Path) -> None:
    with locks.held(str(root / "locks" / "store.lock"), name="store", timeout=1):
        calls = [server.start("tools/call", _write(number)) for number in range(12)]
        ping = server.start("ping")

        assert server.receive()["id"] == ping

    assert sorted(server.receive()["id"] for _ in calls) == calls


def test_a_cancelled_call_gets_no_answer(server: Server, root: Path) -> None:
    with locks.held(str(root / "locks" / "store.lock"), name="store", timeout=1):
        calls = [server.start("tools/call", _write(number)) for number in range(10)]
        for cancelled in (calls[0], calls[-1]):  # one under way, one that waits for a thread
            server.tell("notifications/cancelled", {"requestId": cancelled, "reason": "enough"})
        assert server.ask("ping")["result"] == {}

    assert sorted(server.receive()["id"] for _ in calls[1:-1]) == calls[1:-1]
    listed = server.call("memory_list")["structuredContent"]["result"]
    assert "Note 9" not in {note["title"] for note in listed}


def test_what_is_written_can_be_found_and_read_whole(server: Server) -> None:
    body = "0123456789" * 1_000
    written = server.call("memory_write", type="semantic", title="Long", body=body)
    note_id = written["structuredContent"]["id"]

    found = server.call("memory_search", query="long")["structuredContent"]["result"][0]
    by_id = server.call("memory_search", query=note_id)["structuredContent"]["result"][0]
    resource = server.ask("resources/read", {"uri": f"memory://note/{note_id}"})["result"]

    assert len(found["body"]) < 4_300
    assert f'memory_search with query "{note_id}"' in found["body"]
    assert by_id["body"] == body
    assert body in resource["contents"][0]["text"]


def test_a_search_shows_what_matched_and_how_many_more_there_are(server: Server) -> None:
    before = "Nothing of interest stands in this line.\n" * 40
    for number in range(5):
        body = f"{before}The zorbel valve {number} opens to the left.\n{before}"
        server.call("memory_write", type="semantic", title=f"Plant {number}", body=body)

    answer = server.call("memory_search", query="zorbel valve", k=2)

    text = answer["content"][0]["text"]
    assert text.count("opens to the left.") == 2
    assert "[3 further notes match" in text
    assert len(answer["structuredContent"]["result"]) == 2


def test_the_project_of_the_directory_is_a_dot(server: Server, home: Path) -> None:
    server.call("memory_write", type="semantic", title="Here", body="x", project=".")

    found = server.call("memory_list", project=".")["structuredContent"]["result"]

    assert [note["project"] for note in found] == [home.name]


def test_a_lone_surrogate_comes_back_as_json(server: Server) -> None:
    server.send(
        b'{"jsonrpc":"2.0","id":"\\ud83d","method":"tools/call","params":{"name":"memory_write",'
        b'"arguments":{"type":"semantic","title":"half \\ud83d","body":"a smile"}}}\n'
    )

    answer = server.receive()

    assert answer["id"] == "\ud83d"
    assert answer["result"]["structuredContent"]["title"] == "half \ufffd"


def test_answers_are_single_lines_of_ascii(root: Path) -> None:
    with Server(root) as server:
        server.call("memory_write", type="semantic", title="日本語 \u2028 x", body="é\n\u2029")
        answer = server.call("memory_search", query="日本語")

    assert "日本語" in json.dumps(answer, ensure_ascii=False)


def _write(number: int) -> dict[str, object]:
    arguments = {"type": "semantic", "title": f"Note {number}", "body": "words"}
    return {"name": "memory_write", "arguments": arguments}
