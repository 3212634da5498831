from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from anamnesis.git import command as gitcmd
from anamnesis.ground import atomic, locks, process
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput, NotWritable, StoreBusy, ToolBroken, ToolMissing
from anamnesis.notes.ids import is_valid_id, new_id


def test_ids_are_unique_and_sort_by_time() -> None:
    first = new_id()
    time.sleep(0.002)
    later = [new_id() for _ in range(1000)]

    assert len(set(later)) == 1000
    assert all(first < one for one in later)
    assert all(len(one) == 26 and is_valid_id(one) for one in later)


@pytest.mark.parametrize("text", ["", "../x", "a/b", "a.b", "a" * 65, "a\n", "ä", None, 5])
def test_what_could_leave_the_tree_is_no_id(text: object) -> None:
    assert not is_valid_id(text)


def test_a_write_replaces_the_whole_file_and_is_private(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b.md"

    atomic.write_text(str(target), "one")
    atomic.write_text(str(target), "two")

    assert target.read_text() == "two"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.parent.stat().st_mode) == 0o700
    assert os.listdir(target.parent) == ["b.md"]


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "b.md"
    target.mkdir()

    with pytest.raises(NotWritable, match="directory"):
        atomic.write_text(str(target), "two")

    assert os.listdir(tmp_path) == ["b.md"]


def test_a_new_name_survives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    (tmp_path / "old").write_text("x")

    atomic.rename(str(tmp_path / "old"), str(tmp_path / "new"))

    assert os.listdir(tmp_path) == ["new"]
    assert tmp_path.stat().st_ino in synced


@pytest.mark.parametrize(("code", "told"), [(errno.EIO, True), (errno.EINVAL, False)])
def test_a_disk_that_breaks_is_told_and_one_that_cannot_sync_a_folder_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, told: bool
) -> None:
    def fails_for_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fails_for_folders)

    with pytest.raises(NotWritable) if told else nullcontext():
        atomic.write_text(str(tmp_path / "note"), "x")


def test_a_mac_is_asked_to_empty_the_cache_of_its_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda _, command: asked.append(command))

    atomic.write_text(str(tmp_path / "note"), "x")

    assert asked == [51, 51]  # the file, and the folder that names it


def test_a_lock_is_given_up_after_its_time_and_names_its_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "locks" / "store.lock")

    with (
        locks.held(path, name="store", timeout=1),
        pytest.raises(StoreBusy, match=f"process {os.getpid()} ") as caught,
        locks.held(path, name="store", timeout=0.05),
    ):
        pytest.fail("two hold one lock")

    assert caught.value.exit_code == 5


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    path = str(tmp_path / "store.lock")
    code = (
        "import sys, time; from anamnesis.ground import locks\n"
        "with locks.held(sys.argv[1], name='store', timeout=1):\n"
        "  print('held', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        child.kill()
        child.wait()

        with locks.held(path, name="store", timeout=5):
            assert "process" in locks.holder_of(path)


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


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 notes wait"), (1, "1 note waits"), (2, "2 notes wait")]
)
def test_numbers_agree_with_their_nouns(number: int, expected: str) -> None:
    assert counted(number, "note waits", "notes wait") == expected
    assert counted(number, "note").endswith("note" if number == 1 else "notes")
