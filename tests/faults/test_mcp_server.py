"""The server while something goes wrong around it: signals, closed pipes, a broken store."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from anamnesis.store import MemoryStore
from support.mcp_client import PATIENCE, SERVE, Server, line

if TYPE_CHECKING:
    from pathlib import Path

WRITE = {"type": "semantic", "title": "A title", "body": "A body."}


def test_end_of_input_ends_it_with_every_answer_given(root: Path) -> None:
    with Server(root) as server:
        calls = [
            server.start(
                "tools/call",
                {"name": "memory_write", "arguments": {**WRITE, "title": f"Note {number}"}},
            )
            for number in range(20)
        ]

        assert server.end() == 0
        answers = [server.answer_to(call) for call in calls]
        assert not any(answer["result"]["isError"] for answer in answers)
    with MemoryStore(root) as store:
        assert store.stats()["total"] == 20


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_quietly(root: Path, number: signal.Signals) -> None:
    with Server(root) as server:
        server.initialize()
        server.call("memory_write", **WRITE)

        server.process.send_signal(number)

        assert server.process.wait(PATIENCE) == 0
    assert server.talk == []


def test_two_signals_at_once_always_end_it(root: Path) -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(Server(root)) for _ in range(12)]
        for server in servers:
            server.call("memory_status")  # a second thread that could take the signals

        for server in servers:
            server.process.send_signal(signal.SIGINT)
            server.process.send_signal(signal.SIGTERM)

        assert [server.process.wait(PATIENCE) for server in servers] == [0] * 12
    assert [server.talk for server in servers] == [[]] * 12


def test_a_client_that_is_gone_ends_it_quietly(root: Path) -> None:
    with Server(root) as server:
        server.initialize()
        assert server.process.stdout is not None
        reader = server.process.stdout.fileno()
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, reader)  # closes our end of the pipe under the reading thread
        os.close(null)

        deadline = time.monotonic() + PATIENCE
        while server.process.poll() is None and time.monotonic() < deadline:
            try:
                server.tell("ping")
                server.send(line({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
            except BrokenPipeError:
                break
            time.sleep(0.02)

        assert server.process.wait(PATIENCE) == 0
    assert server.talk == []


def test_closed_output_is_no_reason_for_a_traceback(root: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *SERVE],
        input=line({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
    )

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_closed_standard_error_does_not_matter(root: Path) -> None:
    call = {"name": "memory_write", "arguments": WRITE}
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", *SERVE],
        input=line({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
        stdout=subprocess.PIPE,
        timeout=PATIENCE,
        check=True,
    )

    assert b'"isError":false' in done.stdout


def test_a_stray_print_does_not_reach_the_client(root: Path) -> None:
    noisy = (
        "import os, sys\n"
        "from anamnesis.mcp import tools\n"
        "from anamnesis.mcp.workspace import Binding\n"
        "from anamnesis.mcp.answers import ToolAnswer\n"
        "from anamnesis.mcp.stdio import serve\n"
        "def answer(binding):\n"
        "    print('printed')\n"
        "    os.write(1, b'written\\n')\n"
        "    return ToolAnswer('fine')\n"
        "status = tools.TOOLS['memory_status']\n"
        "tools.TOOLS['memory_status'] = tools.Tool(\n"
        "    name=status.name, title=status.title, about=status.about, answer=answer)\n"
        "serve(Binding())\n"
    )
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}

    done = subprocess.run(
        [sys.executable, "-c", noisy],
        input=line({**asked, "params": {"name": "memory_status"}}),
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )

    assert done.stdout.count(b"\n") == 1
    assert b'"text":"fine"' in done.stdout
    assert sorted(done.stderr.split()) == [b"printed", b"written"]


def test_on_a_terminal_it_says_what_it_waits_for(root: Path) -> None:
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        SERVE, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(terminal)
        assert process.stderr is not None
        said = process.stderr.readline()
        os.write(controller, b"\x04")  # Ctrl-D
        assert process.wait(PATIENCE) == 0
    os.close(controller)

    assert b"waiting for an MCP client" in said


def test_a_broken_index_is_mended_under_a_running_server(root: Path) -> None:
    with Server(root) as server:
        server.call("memory_write", **WRITE)
        (root / "index.db").write_bytes(b"not a database, certainly not one of ours" * 100)

        found = server.call("memory_search", query="title")

        assert [note["title"] for note in found["structuredContent"]["result"]] == ["A title"]


def test_a_folder_that_cannot_be_written_refuses_in_words(root: Path) -> None:
    with MemoryStore(root) as store:
        store.write(type="episodic", title="Before", body="x")
    (root / "memory" / "semantic").write_text("a file where the folder should be")

    with Server(root) as server:
        answer = server.call("memory_write", **WRITE)
        found = server.call("memory_search", query="before")

    assert answer["isError"]
    assert "Cannot write" in answer["content"][0]["text"]
    assert found["structuredContent"]["result"]


@pytest.mark.parametrize(
    "note_id",
    ["../../config", "..%2f..%2fconfig.json", "/etc/passwd", "a/../../config", "config.json", ""],
)
def test_an_id_that_leaves_the_store_reads_nothing(root: Path, note_id: str) -> None:
    (root.parent / "config.md").write_text("---\nid: x\n---\nsecret text\n")
    with Server(root) as server:
        server.call("memory_write", **WRITE)
        (root / "config.json").write_text('{"remote": "secret text"}')
        (root / "config.md").write_text("secret text")

        resource = server.ask("resources/read", {"uri": f"memory://note/{note_id}"})
        search = server.call("memory_search", query=note_id)
        write = server.call("memory_write", **WRITE, supersedes=note_id or "../x")

    assert resource["error"]["code"] == -32602
    assert "secret text" not in str((resource, search, write))
    assert write["isError"]


def test_the_machine_of_origin_cannot_be_chosen_by_a_caller(root: Path) -> None:
    with Server(root, env={"ANAMNESIS_MACHINE_ID": "desk"}) as server:
        refused = server.call("memory_write", **WRITE, machine_id="evil")
        written = server.call("memory_write", **WRITE)

    assert refused["isError"]
    assert "machine_id" in refused["content"][0]["text"]
    assert written["structuredContent"]["machine_id"] == "desk"
    with MemoryStore(root) as store:
        assert [note.machine_id for note in store.list()] == ["desk"]
