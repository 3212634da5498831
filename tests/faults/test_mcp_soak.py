"""Eight servers on one store, four callers each, reading and writing while notes are synced."""

from __future__ import annotations

import random
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from anamnesis.store import MemoryStore
from support.mcp_client import PATIENCE, Server, line

SERVERS = 8
CALLERS = 4
CALLS = 100  # of each caller
SETTLED = 0.4  # of the calls: caches are filled and every thread has started by then
BUSY = 10  # so many times a caller's patience: on a busy computer an answer takes long
GROWTH_MEGABYTES = 6.0


class Shared(Server):
    """A server that several callers share, as the parallel calls of one agent do."""

    def __init__(self, home: Path) -> None:
        self._sending = threading.Lock()
        self._inboxes: dict[object, SimpleQueue[dict[str, Any]]] = {}
        super().__init__(home)
        self.initialize()
        self._sorter = threading.Thread(target=self._sort)
        self._sorter.start()

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        inbox: SimpleQueue[dict[str, Any]] = SimpleQueue()
        params = {"name": tool, "arguments": arguments}
        with self._sending:
            self._next += 1
            number = self._next
            self._inboxes[number] = inbox
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            self.send(line(message))
        answer = inbox.get(timeout=BUSY * PATIENCE)
        del self._inboxes[number]
        found: dict[str, Any] = answer["result"]
        return found

    def resident_megabytes(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def end(self) -> int:
        code = super().end()
        self._sorter.join()
        return code

    def _sort(self) -> None:
        while data := self._received.get():
            message = _parsed(data)
            self._inboxes[message["id"]].put(message)


class Caller(threading.Thread):
    """Searches, lists, writes and corrects, as fast as it is answered."""

    def __init__(self, server: Shared, *, seed: int, syncs: bool) -> None:
        super().__init__()
        self._server = server
        self._chance = random.Random(seed)
        self._syncs = syncs
        self._name = f"caller{seed}"
        self.written: list[str] = []
        self.calls = 0
        self.problems: list[str] = []

    def run(self) -> None:
        while self.calls < CALLS and not self.problems:
            tool, arguments = self._next_call()
            answer = self._server.call(tool, **arguments)
            self.calls += 1
            if answer["isError"]:
                self.problems.append(f"{tool}: {answer['content'][0]['text']}")
            elif tool == "memory_write":
                self.written.append(answer["structuredContent"]["id"])

    def _next_call(self) -> tuple[str, dict[str, object]]:
        number = len(self.written)
        if self._syncs and self.calls % 50 == 49:
            return "memory_sync", {}
        kind = self._chance.random()
        if kind < 0.45:
            return "memory_search", {"query": f"fact {self._chance.randrange(50)} of anybody"}
        if kind < 0.6:
            return "memory_list", {"limit": 20}
        if kind < 0.65:
            return "memory_status", {}
        replaced = {"supersedes": self.written[-1]} if number and kind > 0.9 else {}
        title = f"Fact {number} of {self._name}"
        return "memory_write", {"type": "semantic", "title": title, "body": title * 9, **replaced}


@pytest.mark.soak
def test_eight_servers_share_one_store(root: Path) -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(Shared(root)) for _ in range(SERVERS)]
        callers = [
            Caller(server, seed=seed, syncs=seed == 0)
            for seed, server in enumerate(servers * CALLERS)
        ]
        for caller in callers:
            caller.start()
        while sum(caller.calls for caller in callers) < SETTLED * CALLS * len(callers):
            assert any(caller.is_alive() for caller in callers)
            time.sleep(0.1)
        settled = [server.resident_megabytes() for server in servers]
        for caller in callers:
            caller.join()
        grown = [
            server.resident_megabytes() - before
            for server, before in zip(servers, settled, strict=True)
        ]
        codes = [server.end() for server in servers]

    problems = [problem for caller in callers for problem in caller.problems]
    written = {note_id for caller in callers for note_id in caller.written}
    print(f"{sum(caller.calls for caller in callers)} calls, {len(written)} notes, {max(grown)=}")
    assert problems == []
    assert codes == [0] * SERVERS
    assert max(grown) < GROWTH_MEGABYTES
    with MemoryStore(root) as store:
        store.refresh()
        assert {note.id for note in store.headers()} == written
        assert {path.stem for path in root.glob("memory/*/*.md")} == written
        assert not store.unreadable()


def _parsed(data: bytes) -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads(data)
    return found
