from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.ground import locks
from anamnesis.ground.errors import StoreBusy


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


def test_who_takes_a_lock_again_and_again_does_not_overtake_who_waits(tmp_path: Path) -> None:
    path, count = str(tmp_path / "store.lock"), tmp_path / "count"
    count.write_text("0")
    code = (
        "import itertools, pathlib, sys, time; from anamnesis.ground import locks\n"
        "for number in itertools.count(1):\n"
        "  with locks.held(sys.argv[1], name='store', timeout=60):\n"
        "    pathlib.Path(sys.argv[2]).write_text(str(number)); time.sleep(0.02)\n"
        "    if number == 1: print('held', flush=True)\n"
    )
    command = [sys.executable, "-c", code, path, str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as greedy:
        assert greedy.stdout is not None
        greedy.stdout.readline()
        before = int(count.read_text() or 0)

        with locks.held(path, name="store", timeout=60):
            turns = int(count.read_text()) - before

        greedy.kill()
    assert turns <= 5


def test_a_program_that_is_being_started_keeps_no_lock(tmp_path: Path) -> None:
    """Between fork and exec it has a copy of every descriptor; here it stays that way."""
    path = str(tmp_path / "sync.lock")
    reader, writer = os.pipe()
    with locks.held(path, name="sync", timeout=1):
        child = os.fork()
        if child == 0:
            os.close(writer)
            os.read(reader, 1)  # until the parent closes its end
            os._exit(0)

    try:
        assert not locks.is_held(path)
    finally:
        os.close(writer)
        os.waitpid(child, 0)
        os.close(reader)
