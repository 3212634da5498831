from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamnesis.git import command as gitcmd
from anamnesis.ground import process
from anamnesis.ground.errors import InvalidInput, ToolBroken, ToolMissing


def test_a_program_is_ended_at_its_time_limit_with_all_it_started() -> None:
    script = "sleep 60 & echo $!; wait"

    finished = process.run(["sh", "-c", script], timeout=0.3)

    assert finished.timed_out
    grandchild = int(finished.text)
    deadline = time.monotonic() + 5
    while _is_running(grandchild):
        assert time.monotonic() < deadline, "the grandchild survived"
        time.sleep(0.01)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_a_program_that_may_not_be_run_is_named(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program")

    with pytest.raises(ToolMissing, match="plain"):
        process.run([str(tmp_path / "plain")], timeout=1)


def test_a_program_that_the_system_cannot_run_is_named(tmp_path: Path) -> None:
    program = tmp_path / "plain"
    program.write_text("no program")
    program.chmod(0o700)

    with pytest.raises(ToolBroken, match="plain cannot be run"):
        process.interact([str(program)])
    with pytest.raises(ToolBroken, match="plain cannot be run"):
        process.run([str(program)], timeout=1)


@pytest.mark.parametrize("line", ["vi 'unclosed", "", "  "])
def test_what_is_no_command_line_is_told(line: str) -> None:
    with pytest.raises(InvalidInput, match="command line"):
        process.words(line)


def test_children_that_go_on_without_us_leave_no_remains() -> None:
    code = (
        "import os, sys\n"
        "from anamnesis.ground import process; from anamnesis.hooks import background\n"
        "for number in range(6):\n"
        "    if number % 2:\n"
        "        process.detach(['true'])\n"
        "    else:\n"
        "        background._spawn(['/bin/sh', '-c', 'exit 0'])\n"
        "    os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)\n"
        "remains = 0\n"
        "while True:\n"
        "    try:\n"
        "        os.waitpid(-1, 0)\n"
        "    except ChildProcessError:\n"
        "        sys.exit(remains)\n"
        "    remains += 1\n"
    )

    ended = subprocess.run([sys.executable, "-c", code], timeout=20)

    assert ended.returncode == 1  # the last one, which the next would clear away


@pytest.mark.parametrize(
    ("script", "limit", "code"),
    [("echo said; exit 3", 20.0, 3), ("echo said; sleep 60", 0.3, -signal.SIGKILL)],
    ids=["ended", "out-of-time"],
)
def test_nobody_waits_for_what_a_program_left_behind(script: str, limit: float, code: int) -> None:
    # As ssh does with ControlPersist: in a session of its own, with our streams still open.
    left_behind = "setsid sleep 30 & echo $!"
    began = time.monotonic()

    finished = process.run(["sh", "-c", f"{left_behind}; {script}"], timeout=limit)

    pid, said = finished.text.splitlines()
    assert _is_running(int(pid))
    os.kill(int(pid), signal.SIGKILL)
    assert time.monotonic() - began < 15
    assert (finished.code, finished.timed_out, said) == (code, code < 0, "said")


def test_the_last_words_of_a_program_are_heard_although_it_ended_between_two_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    polled = 0
    poll = subprocess.Popen.poll

    def late(child: subprocess.Popen[bytes]) -> int | None:
        nonlocal polled
        polled += 1
        if polled == 2:
            time.sleep(1)  # a busy machine: everything happens after the look, before the question
        return poll(child)

    monkeypatch.setattr(subprocess.Popen, "poll", late)
    monkeypatch.setattr(process, "_POLL_SECONDS", 0.05)

    finished = process.run(["sh", "-c", "sleep 0.4; echo the end"], timeout=30)

    assert finished.text == "the end"


def test_a_program_that_takes_its_time_is_given_all_of_its_input() -> None:
    long = b"x" * 1_000_000

    finished = process.run(["sh", "-c", "sleep 0.8; cat"], timeout=20, input=long)

    assert finished.out == long


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(ToolMissing, match="no-such-program"):
        process.run(["no-such-program"], timeout=1)


def test_a_detached_program_outlives_its_parent(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = (
        "import sys; from anamnesis.ground import process\n"
        "process.detach(['sh', '-c', 'sleep 0.2; touch \"$0\"', sys.argv[1]])\n"
    )

    subprocess.run([sys.executable, "-W", "error", "-c", code, str(mark)], check=True, timeout=10)

    deadline = time.monotonic() + 10
    while not mark.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_git_does_not_inherit_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))

    gitcmd.git(["init", "-q"], cwd=str(tmp_path), timeout=10)

    assert (tmp_path / ".git").is_dir()
