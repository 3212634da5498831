"""Running other programs: always with a time limit, never through a shell."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress

from anamnesis.ground.errors import InvalidInput, ToolBroken, ToolMissing, reason_of
from anamnesis.ground.records import record
from anamnesis.ground.system import let_go

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO

_POLL_SECONDS = 0.5  # how often to check whether a program has ended
_SHORT_SECONDS = 0.05  # for the last output of a terminated program


@record
class Finished:
    """How a program ended and what it printed."""

    code: int
    out: bytes
    err: bytes
    timed_out: bool = False

    @property
    def text(self) -> str:
        """Standard output as text, without trailing newlines."""
        return self.out.decode("utf-8", "replace").rstrip("\n")

    @property
    def complaint(self) -> str:
        """The last line of standard error, which usually is the reason."""
        lines = self.err.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""


def run(
    argv: Sequence[str],
    *,
    timeout: float,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    input: bytes | None = None,
) -> Finished:
    """Run a program until it ends or times out; on a timeout its children are killed as well.

    Raises ToolMissing or ToolBroken.
    """
    try:
        child = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (FileNotFoundError, PermissionError) as error:
        if cwd is not None and not os.path.isdir(cwd):
            raise
        raise ToolMissing(argv[0]) from error
    except OSError as error:
        raise ToolBroken(argv[0], reason=reason_of(error)) from error
    with child:
        try:
            if input is not None:
                _hand_over(child, input)
            return _finished(child, timeout)
        except BaseException:
            _kill(child)
            raise


def _hand_over(child: subprocess.Popen[bytes], data: bytes) -> None:
    """Write a program's input in a thread: `communicate` loses it after a timeout."""
    from threading import Thread

    stream, child.stdin = child.stdin, None
    assert stream is not None  # noqa: S101  for the type checker; it is a pipe

    def write() -> None:
        with suppress(OSError), stream:  # a program need not read to the end
            stream.write(data)

    Thread(target=write, daemon=True).start()


def _finished(child: subprocess.Popen[bytes], timeout: float) -> Finished:
    """Collect a program's output until it has ended.

    It may end before its streams close: ssh, for one, can leave a process behind that keeps them
    open for hours and that no signal to the group reaches.
    """
    deadline = time.monotonic() + timeout
    received, ended, timed_out = 0, False, False
    while True:
        try:
            left = max(deadline - time.monotonic(), _SHORT_SECONDS)
            out, err = child.communicate(timeout=min(left, _POLL_SECONDS))
        except subprocess.TimeoutExpired as still:
            out, err = still.output or b"", still.stderr or b""
        else:
            return Finished(child.returncode, out, err, timed_out)
        if ended and len(out) + len(err) == received:
            return Finished(child.returncode, out, err, timed_out)
        # It may have written since this read; only a read that starts after its end is complete.
        received, ended = len(out) + len(err), child.poll() is not None
        if time.monotonic() > deadline and not timed_out:
            timed_out = True
            _kill(child)


@contextmanager
def piped(argv: Sequence[str], file: IO[bytes]) -> Iterator[IO[bytes]]:
    """What a program makes of a file, while it does; leaving early ends the program.

    Raises OSError if it cannot be started.
    """
    child = subprocess.Popen(argv, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with child:
        assert child.stdout is not None  # noqa: S101  for the type checker; it is a pipe
        yield child.stdout


def words(line: str) -> list[str]:
    """The words of a configured command line. Raises InvalidInput."""
    import shlex

    try:
        split = shlex.split(line)
    except ValueError as error:
        raise InvalidInput(f"{line!r} is not a command line: {str(error).lower()}.") from None
    if not split:
        raise InvalidInput("The command line is empty.")
    return split


def interact(argv: Sequence[str]) -> int:
    """Run a program on your terminal, such as an editor; returns its exit code.

    Raises ToolMissing or ToolBroken.
    """
    try:
        return subprocess.call(argv)
    except (FileNotFoundError, PermissionError) as error:
        raise ToolMissing(argv[0]) from error
    except OSError as error:
        raise ToolBroken(argv[0], reason=reason_of(error)) from error


def detach(
    argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Start a program that outlives this process and cannot write to its streams."""
    options: dict[str, object] = {"start_new_session": True}
    if os.name == "nt":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS  # type: ignore[attr-defined]
        options = {"creationflags": flags}
    child = subprocess.Popen(  # type: ignore[call-overload]
        argv,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        **options,
    )
    child.returncode = 0  # it is not waited for; this keeps the interpreter from warning at exit
    let_go(child.pid)


def _kill(child: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        child.kill()
        return
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
