"""Runs commands in forks of a process that has the program loaded (see injector.py)."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import traceback

from anamnesis.cli import COMMANDS, command, main

_LIBRARY = os.environ["LD_PRELOAD"]
for name in COMMANDS:
    command(name)  # before the fork, once for all


def _run(request: dict[str, str], argv: list[str], env: dict[str, str]) -> int:
    for at, path in enumerate(("out", "err"), 1):
        os.dup2(os.open(request[path], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), at)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.setsid()
    os.environ.clear()
    os.environ.update(env, LD_PRELOAD=_LIBRARY)
    os.chdir(env["HOME"])
    sys.argv = ["anamnesis", *argv]
    ctypes.CDLL(_LIBRARY).begin_faults()
    try:
        return main(argv)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001  as the interpreter would
        traceback.print_exc()
        return 1


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            code = _run(request, request["argv"], request["env"])
            sys.stdout.flush()
            sys.stderr.flush()
            ctypes.CDLL(_LIBRARY).end_faults()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
