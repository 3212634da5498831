"""The lean loop under fire: whatever comes in, every request gets its own answer and no other."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.mcp.conversation import Conversation
from anamnesis.mcp.tools import TOOLS
from anamnesis.mcp.workspace import Binding
from anamnesis.store import MemoryStore
from support.mcp_client import Server, line

if TYPE_CHECKING:
    from pathlib import Path

METHODS = [
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read",
    "resources/templates/list", "prompts/list", "prompts/get", "logging/setLevel",
    "notifications/initialized", "notifications/cancelled", "server/discover", "no/such/method",
]  # fmt: skip
WORDS = ["memory_write", "memory_search", "semantic", "portable", "../../etc/passwd", "recall", ""]
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=20)
)
values = st.recursive(
    scalars | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
keys = st.sampled_from(
    "name arguments uri protocolVersion query type title body k limit requestId".split()  # noqa: SIM905
)
versions = st.sampled_from(["2026-07-28", "2025-11-25"]) | values
metas = st.fixed_dictionaries(
    {"io.modelcontextprotocol/protocolVersion": versions},
    optional={"io.modelcontextprotocol/clientInfo": values | st.just({"name": "fuzz"})},
)
stateless = st.fixed_dictionaries({"_meta": metas}, optional={"name": st.sampled_from(WORDS)})
params = (
    st.none() | values | stateless | st.dictionaries(keys, values | st.dictionaries(keys, values))
)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | values},
    optional={
        "id": st.integers() | st.text(max_size=5) | values,
        "method": st.sampled_from(METHODS) | values,
        "params": params,
    },
)


@given(messages=st.lists(messages | values | st.lists(messages, max_size=3), max_size=6))
def test_every_message_is_answered_once_or_not_at_all(
    tmp_path_factory: pytest.TempPathFactory, messages: list[Any]
) -> None:
    answers: list[Any] = []
    with MemoryStore(tmp_path_factory.getbasetemp() / "fuzzed") as store:
        conversation = Conversation(Binding(store, machine_id="m"), answers.append)
        for message in messages:
            conversation.take(line(message))
        assert conversation.finish(30)

    asked = Counter(_id(message["id"]) for message in messages if _is_request(message))
    for answer in answers:
        for one in answer if isinstance(answer, list) else [answer]:
            assert one["jsonrpc"] == "2.0"
            assert ("result" in one) != ("error" in one)
            json.dumps(one)
    answered = Counter(
        _id(answer["id"])
        for answer in answers
        if isinstance(answer, dict) and answer["id"] is not None
    )
    cancelled = any(
        isinstance(message, dict) and message.get("method") == "notifications/cancelled"
        for message in messages
    )
    assert answered <= asked if cancelled else answered == asked


@given(data=st.binary(max_size=200))
def test_random_bytes_get_at_most_one_error(data: bytes) -> None:
    answers: list[Any] = []

    Conversation(Binding(machine_id="m"), answers.append).take(data)

    assert len(answers) <= 1


@given(arguments=st.dictionaries(keys, values), tool=st.sampled_from(sorted(TOOLS)))
def test_a_tool_answers_whatever_it_is_given(
    tmp_path_factory: pytest.TempPathFactory, arguments: dict[str, Any], tool: str
) -> None:
    answers: list[Any] = []
    call = {"name": tool, "arguments": arguments}
    with MemoryStore(tmp_path_factory.getbasetemp() / "called") as store:
        conversation = Conversation(Binding(store, machine_id="m"), answers.append)
        conversation.take(line({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}))
        assert conversation.finish(30)

    [answer] = answers
    text = answer["result"]["content"][0]["text"]
    assert "failed:" not in text, text


def test_a_process_survives_garbage_between_good_requests(root: Path) -> None:
    chance = random.Random(4711)
    good = line({"jsonrpc": "2.0", "id": 0, "method": "tools/list"})
    with Server(root) as server:
        for _ in range(300):
            server.send(_damaged(good, chance))
            if chance.random() < 0.2:
                request = server.start(chance.choice(["ping", "prompts/list", "tools/list"]))
                assert "result" in server.answer_to(request)

        found = server.call("memory_status")

        assert found["structuredContent"]["total"] == 0
        assert server.end() == 0


def _damaged(good: bytes, chance: random.Random) -> bytes:
    data = bytearray(good.rstrip())
    kind = chance.randrange(4)
    if kind == 0:
        del data[chance.randrange(len(data)) :]
    elif kind == 1:
        for _ in range(5):
            data[chance.randrange(len(data))] = chance.randrange(256)
    elif kind == 2:
        data += bytes(chance.randrange(256) for _ in range(50))
    else:
        data = bytearray(b'{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"')
        data += b"y" * chance.randrange(200_000) + b'"}}'
    return bytes(data).replace(b"\n", b" ") + b"\n"


def _is_request(message: object) -> bool:
    if not isinstance(message, dict) or "id" not in message:
        return False
    is_id = isinstance(message["id"], (int, str)) and not isinstance(message["id"], bool)
    return is_id and ("method" in message or not {"result", "error"} & message.keys())


def _id(value: object) -> tuple[str, object]:
    return type(value).__name__, value
