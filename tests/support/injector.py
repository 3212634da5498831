"""Faults at the N-th change of a file, in a command and in every program that it starts.

A library in C (preload.c) is compiled by the run and loaded before all others. Commands run as
forks of one process that has the program loaded, which saves most of the time of each try.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("preload.c")
KINDS = ("kill", "tear", "full", "full-for-good", "broken", "read-only", "save")
_PAGE = 32 * 1024  # more than the library's `struct page`
_LONGEST = 300  # seconds; a command that takes longer is stuck
AT_TERMINAL = ("pin", "review")  # commands that only you may give
_GROWS, _SHRINKS, _SYNCS, _WRITES = range(4)
_MEET = {  # the calls that a fault makes a difference to
    "kill": (_GROWS, _SHRINKS, _SYNCS, _WRITES),
    "tear": (_WRITES,),
    "full": (_GROWS, _SYNCS, _WRITES),
    "full-for-good": (_GROWS, _SYNCS, _WRITES),
    "broken": (_GROWS, _SHRINKS, _SYNCS, _WRITES),
    "read-only": (_GROWS, _SHRINKS, _WRITES),
    "save": (_GROWS, _SHRINKS, _SYNCS, _WRITES),
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call that changed the disk, as the library recorded it."""

    name: str
    inode: int
    place: int
    paths: tuple[str, str]
    data: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended; the code is negative if it was killed."""

    code: int
    out: str
    err: str
    met: bool  # whether the fault happened

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


@cache
def library() -> Path:
    """The compiled library; a test that needs it is skipped, and says so, without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("no C compiler here (or not Linux): no fault was injected")
    name = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    built = Path(tempfile.gettempdir()) / f"anamnesis-faults-{os.getuid()}-{name}.so"
    if not built.exists():
        fresh = built.with_suffix(f".{os.getpid()}")
        options = ["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(fresh)]
        subprocess.run([compiler, *options, str(SOURCE), "-ldl"], check=True)
        fresh.rename(built)
    return built


@cache
def _server() -> subprocess.Popen[str]:
    """The process that has the program loaded; it ends with this one."""
    tests = Path(__file__).parents[1]
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("injected.py"))],
        env={**os.environ, "PYTHONPATH": str(tests), "LD_PRELOAD": str(library())},
        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


class Injector:
    """Runs commands with faults below some folders."""

    def __init__(self, folder: Path) -> None:
        self._page = folder / "page"
        self._log = folder / "calls"
        self._out, self._err = folder / "out", folder / "err"

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], under: Sequence[Path] = (),
        kind: str = "count", at: int = 0, only: str = "", record: bool = False,
        started: bool = False,
    ) -> Outcome:  # fmt: skip
        """Run `anamnesis ARGV`; with a fault at its N-th call, or the N-th on paths like `only`.

        `started` starts the program as a shell would, instead of forking one that is loaded.
        """
        self._page.write_bytes(bytes(_PAGE))
        faults = {
            "FAULT_PAGE": str(self._page),
            "FAULT_UNDER": ":".join(map(str, under)),
            "FAULT_KIND": kind,
            "FAULT_AT": str(at),
        }
        if only:
            faults["FAULT_ONLY"] = only
        if record:
            self._log.write_bytes(b"")
            faults["FAULT_LOG"] = str(self._log)
        around = {**env, **(faults if under else {})}
        code = (self._start if started else self._fork)(list(argv), around)
        met = self._wait()
        out, err = (path.read_text(errors="replace") for path in (self._out, self._err))
        return Outcome(code, out, err, met=met or code == -signal.SIGKILL)

    def _fork(self, argv: list[str], env: dict[str, str]) -> int:
        server = _server()
        assert server.stdin
        assert server.stdout
        request = {
            "argv": argv, "env": env, "out": str(self._out), "err": str(self._err),
            "terminal": argv[0] in AT_TERMINAL,
        }  # fmt: skip
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        if not select.select([server.stdout], [], [], _LONGEST)[0]:
            for pid in self._pids():
                os.kill(pid, signal.SIGKILL)
            server.stdout.readline()
            raise AssertionError(f"did not end: {argv}")
        return int(server.stdout.readline())

    def _start(self, argv: list[str], env: dict[str, str]) -> int:
        program = [sys.executable, "-m", "anamnesis", *argv]
        ours, theirs = os.openpty()
        given = theirs if argv[0] in AT_TERMINAL else subprocess.DEVNULL
        try:
            with self._out.open("wb") as out, self._err.open("wb") as err:
                return subprocess.run(
                    program, env={**env, "LD_PRELOAD": str(library())}, cwd=env["HOME"],
                    stdin=given, stdout=out, stderr=err, start_new_session=True,
                    check=False, timeout=_LONGEST,
                ).returncode  # fmt: skip
        finally:
            os.close(ours)
            os.close(theirs)

    def meets(self, calls: Sequence[Call], *, kind: str) -> list[int]:
        """The numbers of the calls at which a fault of a kind makes a difference."""
        found = (call for call in calls if call.name == "point")
        return [call.inode for call in found if call.place in _MEET[kind]]

    def calls(self) -> list[Call]:
        """What the run recorded last did to the disk."""
        data, found, place = self._log.read_bytes(), [], 0
        while place < len(data):
            end = data.index(b"\n", place)
            name, inode, at, size, one, two = os.fsdecode(data[place:end]).split("\t")
            place = end + 1 + int(size)
            found.append(Call(name, int(inode), int(at), (one, two), data[end + 1 : place]))
            place += 1
        return found

    def _wait(self) -> bool:
        """Let what goes on in the background end; whether a call failed on purpose."""
        deadline = time.monotonic() + _LONGEST
        # Also after a kill: a process may still be in the middle of its last call.
        while pids := self._pids():
            if time.monotonic() > deadline:
                raise AssertionError(f"still at work: {pids}")
            time.sleep(0.01)
        return bool(struct.unpack_from("4i", self._page.read_bytes())[2])

    def _pids(self) -> list[int]:
        """The processes of the command that are at work."""
        page = self._page.read_bytes()
        [processes] = struct.unpack_from("i", page, 12)
        pids = struct.unpack_from(f"{processes}i", page, 16)
        return [pid for pid in pids if pid and self._lives(pid)]

    def _lives(self, pid: int) -> bool:
        """Whether a process is one of ours; its number may belong to another one by now."""
        try:
            return str(self._page) in Path(f"/proc/{pid}/maps").read_text()
        except OSError:
            return False
