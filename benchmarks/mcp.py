"""The MCP server: from process start to `initialize` answered, and one call at 10k notes."""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

from anamnesis.store import MemoryStore
from benchmarks import corpus
from benchmarks.measure import (
    Row,
    ask_peer,
    bare_python,
    milliseconds,
    peer_python,
    print_table,
    times,
)

NOTES = 10_000
STARTS = 15
OURS = [str(Path(sys.executable).with_name("anamnesis")), "serve"]
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

    def peak_megabytes(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def start(argv: list[str], home: Path, *, repeats: int = STARTS) -> dict[str, float]:
    """CPU of a server that only answers `initialize`; time and memory until then."""
    cpu, waited, memory = [], [], []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        with Server(argv, home) as server:
            server.ask("initialize", HELLO)
            waited.append(time.perf_counter() - begin)
            memory.append(server.peak_megabytes())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"cpu": min(cpu), "wait": statistics.median(waited), "memory": max(memory)}


def call_p50(argv: list[str], home: Path, questions: list[str]) -> float:
    """The median time of a search by tool, as a client sees it."""
    with Server(argv, home) as server:
        server.ready()
        took = []
        for question in questions:
            begin = time.perf_counter()
            asked = {"name": "memory_search", "arguments": {"query": question}}
            answer = server.ask("tools/call", asked)
            took.append(time.perf_counter() - begin)
            assert not answer["result"].get("isError"), answer
    return statistics.median(took[3:])


def in_process_p50(home: Path, questions: list[str]) -> float:
    """The median time of the same searches without a server."""
    took = []
    with MemoryStore(home) as store:
        for question in questions:
            begin = time.perf_counter()
            store.search(question)
            took.append(time.perf_counter() - begin)
    return statistics.median(took[3:])


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
        call = call_p50(argv, copy, questions)
        return {**start(argv, copy, repeats=5), "call": call}


def run() -> None:
    """Measure and print."""
    python = bare_python()
    questions = corpus.questions(63)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        corpus.write_files(home, NOTES)
        MemoryStore(home).close()
        ours, fast = start(OURS, home), start(FASTMCP, home, repeats=5)
        peer = peer_figures(home, questions)
        search = in_process_p50(home, questions)
        call, fast_call = call_p50(OURS, home, questions), call_p50(FASTMCP, home, questions)
    rows = _rows(python, ours=ours, fast=fast, peer=peer, calls=(search, call, fast_call))
    print_table("MCP server", rows)


def _rows(
    python: float,
    *,
    ours: dict[str, float],
    fast: dict[str, float],
    peer: dict[str, float],
    calls: tuple[float, float, float],
) -> list[Row]:
    search, call, fast_call = calls

    def theirs(key: str) -> str:
        return milliseconds(peer[key]) if key in peer else ""

    def megabytes(figures: dict[str, float]) -> str:
        return f"{figures['memory']:.0f} MB" if figures else ""

    return [
        Row("start to `initialize` answered, CPU of the process", milliseconds(ours["cpu"]),
            milliseconds(python), times(ours["cpu"], python), "4x `python -c pass`",
            theirs("cpu")),
        Row("  time until then", milliseconds(ours["wait"]), peer=theirs("wait")),
        Row("  peak memory until then", megabytes(ours), budget="25 MB", peer=megabytes(peer)),
        Row("  the same with FastMCP, CPU", milliseconds(fast["cpu"]), milliseconds(python),
            times(fast["cpu"], python)),
        Row("  FastMCP, time and memory", f"{milliseconds(fast['wait'])}, {megabytes(fast)}"),
        Row(f"memory_search at {NOTES:,} notes, p50", milliseconds(call), milliseconds(search),
            times(call, search), "2x search in process", theirs("call")),
        Row("  the same with FastMCP", milliseconds(fast_call), milliseconds(search),
            times(fast_call, search)),
    ]  # fmt: skip


if __name__ == "__main__":
    run()
