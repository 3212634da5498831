"""Runs commands in forks of a process that has the program loaded and warm (see injector.py).

Warm means: what the program works out once in each process, from its code alone, is worked out. A
fork then does only what the command itself does; `test_injector.py` compares its calls with those
of the program as it is really started.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import sys
import traceback

from anamnesis import sync
from anamnesis.cli import COMMANDS, command, main
from anamnesis.secrets import findings

_LIBRARY = os.environ["LD_PRELOAD"]


def _warm_up() -> None:
    for name in COMMANDS:
        command(name)
    for found in pkgutil.walk_packages([*sync.__path__], "anamnesis.sync."):
        importlib.import_module(found.name)  # much of it is loaded where it is needed
    for text in ("Use the new parser.", "password = hunter2hunter2"):
        findings(text)
    gc.collect()
    gc.freeze()  # or each fork would copy all of it, only to count references


def _run(request: dict[str, str], argv: list[str], env: dict[str, str]) -> int:
    for at, path in enumerate(("out", "err"), 1):
        os.dup2(os.open(request[path], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), at)
    given = os.openpty()[1] if request["terminal"] else os.open(os.devnull, os.O_RDONLY)
    os.dup2(given, 0)
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
    _warm_up()
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
