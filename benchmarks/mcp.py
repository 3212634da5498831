"""The MCP server: from process start to `initialize` answered, and one call at 10k notes."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

from anamnesis.store import MemoryStore
from benchmarks import corpus
from benchmarks.measure import COMMAND, Sample, Table, ask_peer, bare_python, peer_python

NOTES = 10_000
STARTS = 15
OURS = [COMMAND, "serve"]
FASTMCP = [sys.executable, "-c", "from anamnesis.server import main; main()"]
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Server:
    """A server process that is asked one thing at a time."""

    def __init__(self, argv: list[str], home: Path) -> None:
        environment = {**os.environ, "ANAMNESIS_HOME": str(home)}
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def ready(self) -> None:
        self.ask("initialize", HELLO)
        assert self._process.stdin
        self._process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def megabytes(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def start(argv: list[str], home: Path, *, repeats: int = STARTS) -> dict[str, list[float]]:
    """CPU of a server that only answers `initialize`; time and memory until then."""
    taken: dict[str, list[float]] = {"cpu": [], "wait": [], "memory": []}
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        with Server(argv, home) as server:
            server.ask("initialize", HELLO)
            taken["wait"].append(time.perf_counter() - begin)
            taken["memory"].append(server.megabytes())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        taken["cpu"].append(spent)
    return taken


def calls(argv: list[str], home: Path, questions: list[str]) -> tuple[Sample, float]:
    """What searches by tool take, as a client sees it, and the memory of the server after them."""
    with Server(argv, home) as server:
        server.ready()
        took = []
        for question in questions:
            begin = time.perf_counter()
            asked = {"name": "memory_search", "arguments": {"query": question}}
            answer = server.ask("tools/call", asked)
            took.append(time.perf_counter() - begin)
            assert not answer["result"].get("isError"), answer
        return Sample(tuple(took[3:])), server.megabytes()


def in_process(home: Path, questions: list[str]) -> Sample:
    """What the same searches take without a server."""
    took = []
    with MemoryStore(home) as store:
        for question in questions:
            begin = time.perf_counter()
            store.search(question)
            took.append(time.perf_counter() - begin)
    return Sample(tuple(took[3:]))


def peer_figures(home: Path, questions: list[str]) -> dict[str, float]:
    """The published package: its own server on a copy of the same notes."""
    python = peer_python()
    if python is None:
        return {}
    argv = [str(python.with_name("anamnesis")), "serve"]
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "store"
        shutil.copytree(home / "memory", copy / "memory")
        asked = Path(directory) / "questions.json"
        asked.write_text(json.dumps(questions[:1]))
        ask_peer("peer_store.py", str(copy), str(asked))  # fills its index
        call, _ = calls(argv, copy, questions)
        taken = start(argv, copy, repeats=5)
        best = {"cpu": min(taken["cpu"]), "wait": min(taken["wait"])}
        return {**best, "memory": max(taken["memory"]), "call": call.median}


def run() -> None:
    """Measure and print."""
    table = Table("MCP server")
    questions = corpus.questions(63)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        corpus.write_files(home, NOTES)
        with MemoryStore(home) as store:
            store.understand()  # as the background does
        python = bare_python()
        ours = start(OURS, home)
        peer = peer_figures(home, questions)
        _start_rows(table, ours, python=python, peer=peer)
        fast = start(FASTMCP, home, repeats=5)
        table.row("  the same with FastMCP", Sample(tuple(fast["cpu"])), baseline=python)
        table.figure("  its peak memory until then", max(fast["memory"]), "MB")
        search = in_process(home, questions)
        call, used = calls(OURS, home, questions)
        table.row(f"memory_search at {NOTES:,} notes, time", call, baseline=search, most=2,
                  of="in process", by="median", peer=peer.get("call"))  # fmt: skip
        table.figure("memory after 50 searches", used, "MB", most=32)
        fast_call, _ = calls(FASTMCP, home, questions)
        table.row("  the same with FastMCP", fast_call, baseline=search, by="median")


def _start_rows(
    table: Table, ours: dict[str, list[float]], *, python: Sample, peer: dict[str, float]
) -> None:
    table.row("start to `initialize` answered, CPU", Sample(tuple(ours["cpu"])), baseline=python,
              most=2.5, of="`python -c pass`", peer=peer.get("cpu"))  # fmt: skip
    table.row("  time until then", Sample(tuple(ours["wait"])), peer=peer.get("wait"))
    theirs = f"{peer['memory']:.0f} MB" if peer else ""
    table.figure("  memory then", max(ours["memory"]), "MB", most=12, peer=theirs)


if __name__ == "__main__":
    run()
