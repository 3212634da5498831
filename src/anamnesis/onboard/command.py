"""How an agent calls Anamnesis: the command, and the environment it needs."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis.ground import process
from anamnesis.operations.travel.remote import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PROGRAM = "anamnesis"


def detect_command(
    *,
    override_command: str | None = None,
    override_uv_project: str | None = None,
    which: Callable[[str], str | None] = shutil.which,
) -> list[str]:
    """The base of every command line: as given, else the installed one, else this checkout."""
    if override_command is not None:
        return process.words(override_command)
    if override_uv_project:
        return ["uv", "run", "--project", os.path.abspath(override_uv_project), PROGRAM]
    installed = which(PROGRAM) or _beside_this_python()
    if installed:
        return [os.path.abspath(installed)]
    return ["uv", "run", "--project", str(_checkout()), PROGRAM]


def build_env(*, machine_id: str, remote: str | None, home: Path | None) -> dict[str, str]:
    """The ANAMNESIS_ variables of this machine, for a command line that has to name them all.

    A remote with a password or token in it is left out: it stays in config.json, which only its
    owner can read.
    """
    env = {"ANAMNESIS_MACHINE_ID": machine_id}
    if remote and not has_secret(remote):
        env["ANAMNESIS_GIT_REMOTE"] = remote
    return env | needed_env(home)


def needed_env(home: Path | str | None) -> dict[str, str]:
    """The variables that config.json cannot carry: where config.json is."""
    usual = os.path.join(os.path.expanduser("~"), ".anamnesis")
    if home is None or os.path.abspath(home) == os.path.abspath(usual):
        return {}
    return {"ANAMNESIS_HOME": os.path.abspath(home)}


def shell_line(base: Sequence[str], env: Mapping[str, str], *arguments: str) -> str:
    """A command with its environment as one line for a shell."""
    assignments = [f"{name}={shlex.quote(value)}" for name, value in env.items()]
    return " ".join([*assignments, shlex.join([*base, *arguments])])


def hook_line(base: Sequence[str], env: Mapping[str, str], *arguments: str) -> str:
    """A shell line that runs a command, and does nothing if the command is gone.

    Removing the package before `anamnesis uninstall` would otherwise cause an error in every
    session. The shells of Windows have no common syntax for this.
    """
    if os.name == "nt":
        return shell_line(base, env, *arguments)
    assignments = [f"{name}={shlex.quote(value)}" for name, value in env.items()]
    run = " ".join([*assignments, "exec", shlex.join([*base, *arguments])])
    return f"command -v {shlex.quote(base[0])} >/dev/null || exit 0; {run}"


def unguarded(words: list[str]) -> list[str]:
    """The words of a shell line without the guard that `hook_line` adds."""
    guard = ["command", "-v", *words[2:3], ">", "/dev/null", "||", "exit", "0", ";"]
    return words[len(guard) :] if words[: len(guard)] == guard else words


def is_program(word: str) -> bool:
    """Whether a word of a command line is the anamnesis program, wherever it is installed."""
    name = os.path.basename(word.replace("\\", "/"))
    return name.removesuffix(".exe") == PROGRAM


def has_secret(url: str) -> bool:
    """Whether an address carries a password or a token."""
    return shown(url) != url


def _beside_this_python() -> str | None:
    """The command next to this Python, even if it is not on PATH."""
    name = f"{PROGRAM}.exe" if os.name == "nt" else PROGRAM
    candidate = os.path.join(os.path.dirname(sys.executable), name)
    return candidate if os.path.isfile(candidate) else None


def _checkout() -> Path:
    return Path(__file__).resolve().parents[3]
