"""Whatever happens to a hook: exit code 0, nothing on stderr, and the failure is visible later."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks import runs
from anamnesis.store import MemoryStore
from support.hooks import ENTRY, Transcript, environment, hook

HOOKS = ("inject", "recall-hook", "capture")
GARBAGE = {
    "nothing": b"",
    "bytes": bytes(range(256)) * 50,
    "half a payload": b'{"session_id": "s", "cwd": ',
    "a list": b"[]",
    "wrong types": b'{"session_id": 1, "cwd": [], "transcript_path": {}, "prompt": null}',
    "a surrogate": b'{"cwd": "\\ud83d", "prompt": "\\ud83d \\ud83d word", "session_id": "\\ud83d"}',
    "a NUL in a path": b'{"cwd": "a\\u0000b", "transcript_path": "a\\u0000b", "prompt": "x y z"}',
    "a very long line": b'{"prompt": "' + b"word " * 2_000_000 + b'", "cwd": "/x"}',
    "a path too long": json.dumps({"cwd": "/x" * 5_000, "transcript_path": "y" * 9_000}).encode(),
}


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_on_standard_input(home: Path, name: str, data: bytes) -> None:
    done = hook(home, name, "--no-sync", "--nonsense", "--k", "many", data=data)

    assert (done.returncode, done.stderr) == (0, b"")
    assert re.fullmatch(
        rb"|capture: no transcript\n|capture: skipped trivial session \([^\n]+\)\n", done.stdout
    )


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-", ">/dev/full"])
def test_closed_streams(home: Path, name: str, closed: str) -> None:
    root = home / ".anamnesis"
    with MemoryStore(root) as store:
        store.write(type="semantic", title="A rule", body="Always " * 50)
    command = f"{sys.executable} -c '{ENTRY}' {name} --no-sync {closed}"

    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env=environment(home), input=b'{"cwd": "/x"}', capture_output=True, check=False, timeout=60,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, b"")
    with MemoryStore(root) as store:  # what was printed did not end up in the index
        assert store.search("always")
        assert store.degraded == ""


@pytest.mark.parametrize("name", HOOKS)
def test_a_reader_that_goes_away(home: Path, name: str) -> None:
    with MemoryStore(home / ".anamnesis") as store:
        for number in range(20):
            store.write(type="semantic", title=f"Rule {number}", body="Always " * 100)
    child = subprocess.Popen(
        [sys.executable, "-c", ENTRY, name, "--max-chars", "200000"],
        env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip
    assert child.stdout
    child.stdout.close()

    _, complaint = child.communicate(b"{}", timeout=60)

    assert (child.returncode, complaint) == (0, b"")


@pytest.mark.parametrize("what", ["missing", "a directory", "unreadable", "a FIFO nobody writes"])
def test_a_transcript_that_cannot_be_read(home: Path, tmp_path: Path, what: str) -> None:
    path = tmp_path / "t.jsonl"
    if what == "a directory":
        path.mkdir()
    elif what == "unreadable":
        path.write_text("{}")
        path.chmod(0)
    elif what == "a FIFO nobody writes":
        os.mkfifo(path)

    told = {"transcript_path": str(path), "session_id": "s1", "hook_event_name": "SessionEnd"}
    done = hook(home, "capture", "--no-sync", payload=told)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"capture: skipped trivial session (")


@pytest.mark.parametrize("what", ["a FIFO nobody writes", "a line without an end"])
def test_a_strange_neighbour_of_a_transcript(home: Path, tmp_path: Path, what: str) -> None:
    transcript = Transcript(tmp_path / "t.jsonl").user("a real ask").assistant("an answer " * 9)
    if what == "a FIFO nobody writes":
        os.mkfifo(tmp_path / "other.jsonl")
    else:
        (tmp_path / "other.jsonl").write_bytes(b'{"type":"user"' + b" " * (20 << 20))
    told = {"transcript_path": str(transcript.path), "session_id": "s1"}

    done = hook(home, "capture", "--no-sync", payload=told)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"capture: wrote episodic note ")


def test_a_store_that_cannot_be_written_is_told_to_nobody_but_the_log(
    home: Path, tmp_path: Path
) -> None:
    (home / ".anamnesis").write_text("a file where the store should be")
    transcript = Transcript(tmp_path / "t.jsonl").user("a real ask").assistant("an answer " * 9)

    for name in HOOKS:
        done = hook(home, name, "--no-sync", payload={"transcript_path": str(transcript.path)})
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_failing_capture_is_visible_until_one_works(home: Path, tmp_path: Path) -> None:
    root = home / ".anamnesis"
    transcript = Transcript(tmp_path / "t.jsonl").user("a real ask").assistant("an answer " * 9)
    payload = {"transcript_path": str(transcript.path), "cwd": str(tmp_path)}
    (root / "locks").mkdir(parents=True)
    (root / "locks" / "capture.lock").mkdir()

    hook(home, "capture", "--no-sync", payload=payload)
    hook(home, "capture", "--no-sync", payload=payload)
    injected = hook(home, "inject", payload={"cwd": "/x"}).stdout.decode()

    (failing,) = runs.failing(Home(root))
    assert (failing.area, failing.times) == ("capture", 2)
    assert failing.sentence in injected
    (root / "locks" / "capture.lock").rmdir()
    hook(home, "capture", "--no-sync", payload=payload)
    assert runs.failing(Home(root)) == []
    assert hook(home, "inject", payload={"cwd": "/x"}).stdout == b""


def test_exit_codes_that_would_block_a_client_are_swallowed(
    monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    from anamnesis.cli import hooks

    for error in (SystemExit(2), KeyboardInterrupt(), MemoryError(), RecursionError(), OSError()):

        def work(error: BaseException = error) -> str:
            raise error

        assert hooks.guarded("capture", work, area="capture") == 0
    assert runs.failing(Home(root))[0].times == 5


@pytest.mark.soak
def test_a_line_of_a_gigabyte(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    transcript = Transcript(path).user("a real ask")
    with path.open("ab") as file:
        file.write(b'{"type": "user", "message": {"content": "')
        for _ in range(1024):
            file.write(b"x" * (1 << 20))
        file.write(b'"}}\n')
    transcript.assistant("an answer " * 9)

    limited = f"ulimit -v 400000; exec {sys.executable} -c '{ENTRY}' capture --no-sync"
    done = subprocess.run(
        ["/bin/sh", "-c", f"{limited} --transcript {path}"],
        env=environment(home), stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"wrote episodic note" in done.stdout
