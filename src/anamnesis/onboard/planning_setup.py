"""From the options of a set-up to its plan: which store, which agents, what to write."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground import atomic, locks, process
from anamnesis.ground.errors import InvalidInput, NotWritable, ToolMissing
from anamnesis.onboard import plan as plans
from anamnesis.onboard import receipt as receipts
from anamnesis.onboard.agents import chosen, claude
from anamnesis.onboard.agents.agent import Setup
from anamnesis.onboard.command import detect_command, needed_env
from anamnesis.onboard.edits import Edit
from anamnesis.onboard.settings import UnusualSettings, amended_store_config

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from anamnesis.config import Home
    from anamnesis.onboard.agents.agent import Agent
    from anamnesis.onboard.plan import Plan
    from anamnesis.onboard.receipt import Receipt

_SERVER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_MACHINE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LOCK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of a set-up ask for."""

    machine_id: str
    install_id: str = ""
    remote: str | None = None
    agents: str = "auto"
    rules: tuple[str, ...] = ()
    command: str | None = None
    uv_project: str | None = None
    name: str = "anamnesis"
    mcp: bool = True
    hooks: bool = True


@dataclass(frozen=True, slots=True)
class Journey:
    """A set-up that has been planned."""

    setup: Setup
    agents: tuple[Agent, ...]
    plan: Plan


def use_home(named: str | None) -> Home:
    """Use this store from now on, also in commands that this process starts."""
    if named:
        os.environ["ANAMNESIS_HOME"] = os.path.abspath(os.path.expanduser(named))
    return config.home_directory()


def forget_missing_home() -> None:
    """Forget where the store was if it is not there any more."""
    if (pointed := config.pointed_to()) and not os.path.isdir(pointed):
        point_to(None)


def earlier_home() -> str | None:
    """The store that hooks of version 0.1.x work on; None if there are none.

    That version named machine and store in each hook's command, and nowhere else.
    """
    from anamnesis.onboard.settings import UnusualSettings, read_bytes

    try:
        folder = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(user_home(), ".claude")
        data = read_bytes(os.path.join(folder, "settings.json")) or b""
    except UnusualSettings:
        return None
    for line in re.findall(r'"command":\s*"((?:[^"\\]|\\.)*)"', data.decode("utf-8", "replace")):
        if not line.startswith("ANAMNESIS_MACHINE_ID="):
            continue
        words = process.words(line.replace('\\"', '"'))
        named = [word.partition("=")[2] for word in words if word.startswith("ANAMNESIS_HOME=")]
        return named[0] if named else os.path.join(user_home(), ".anamnesis")
    return None


def user_home() -> str:
    """The home directory of the user. Raises InvalidInput where there is none."""
    home = os.path.expanduser("~")
    if not os.path.isabs(home) or not os.path.isdir(home):
        raise InvalidInput(
            f"The home directory {home} does not exist.", hint="Set HOME and run the command again."
        )
    return home


def machine_name(text: str) -> str:
    """A name that notes, commits and file names may contain. Raises InvalidInput."""
    cleaned = re.sub(r"[^A-Za-z0-9._-]+", "-", text.strip()).strip("-.")[:64]
    if not _MACHINE.fullmatch(cleaned):
        raise InvalidInput(
            f"{text!r} is not a machine name.", hint="Use letters, digits, dots and dashes."
        )
    return cleaned


def server_name(text: str) -> str:
    """A name that every agent accepts for an MCP server. Raises InvalidInput."""
    if not _SERVER.fullmatch(text):
        raise InvalidInput(
            f"{text!r} is not a name for a server.",
            hint="Use letters, digits, dashes and underscores.",
        )
    return text


def command_line(line: str | None) -> str | None:
    """A command line with the full path of its program.

    Raises InvalidInput.
    """
    if line is None:
        return None
    program, *arguments = detect_command(override_command=line)
    path = shutil.which(program)
    if path is None:
        raise InvalidInput(
            f"There is no program {program}.", hint="Pass one that can be run with --command."
        )
    return shlex.join([os.path.abspath(path) if os.sep in program else program, *arguments])


def checkout(directory: str | None) -> str | None:
    """A directory that uv can run Anamnesis from. Raises InvalidInput and ToolMissing."""
    if directory is None:
        return None
    if not os.path.isfile(os.path.join(directory, "pyproject.toml")):
        raise InvalidInput(
            f"{directory} is not a uv project.", hint="Pass a checkout of Anamnesis."
        )
    if shutil.which("uv") is None:
        raise ToolMissing("uv")
    return directory


def this_setup(home: Home, *, wishes: Wishes | None = None) -> Setup:
    """How agents call Anamnesis: as the options ask, else as it was set up before."""
    receipt = receipts.load(home)
    if wishes is None:
        command = receipt.command or tuple(detect_command())
        wishes = Wishes(machine_id="", name=receipt.name, mcp=receipt.mcp, hooks=receipt.hooks)
    else:
        command = tuple(
            detect_command(override_command=wishes.command, override_uv_project=wishes.uv_project)
        )
    known = dict.fromkeys([*receipt.earlier, receipt.command])
    names = dict.fromkeys([*receipt.names, receipt.name])
    return Setup(
        command=command,
        user_home=user_home(),
        home=home,
        name=wishes.name,
        mcp=wishes.mcp,
        hooks=wishes.hooks,
        env=needed_env(home),
        variables=dict(os.environ),
        earlier=tuple(each for each in known if each and each != command),
        former=tuple(each for each in names if receipt.agents and each != wishes.name),
    )


def prepared(home: Home, wishes: Wishes) -> Journey:
    """Plan a set-up; nothing is changed."""
    setup = this_setup(home, wishes=wishes)
    agents = chosen(wishes.agents, setup)
    first = [_config_edit(home, wishes)]
    with _naming_the_others(setup, agents):
        plan = plans.make_plan(setup, agents, rules=wishes.rules, first=first)
    return Journey(setup, tuple(agents), plan)


@contextmanager
def _naming_the_others(setup: Setup, agents: Sequence[Agent]) -> Iterator[None]:
    """If a settings file of one agent stops the set-up, how to set up the others without it."""
    try:
        yield
    except (NotWritable, UnusualSettings) as error:
        stops = {
            agent.name
            for agent in agents
            if any(os.path.realpath(each.path) == os.path.realpath(error.path)
                   for each in agent.edits(setup))
        }  # fmt: skip
        others = [agent.name for agent in agents if agent.name not in stops]
        if stops:
            error.hint = "Nothing was changed. Repair the file and run the command again."
        if stops and others:
            error.hint += f"\nTo set up the other agents now, add:  --agents {','.join(others)}"
        raise


def carry_out(journey: Journey, wishes: Wishes) -> Receipt:
    """Carry out a set-up. It is planned again under a lock: another may just have finished."""
    home = journey.setup.home
    with setup_lock(home):
        fresh = prepared(home, wishes)
        point_to(home)
        with _naming_the_others(fresh.setup, fresh.agents):
            receipt = plans.carry_out(fresh.plan, fresh.setup)
        _tell_plugin(fresh)
    return receipt


def point_to(home: Home | None) -> None:
    """Let every later command find this store; the default one needs no pointer."""
    pointer = os.path.expanduser(config.POINTER)
    if home is None or not needed_env(home):
        atomic.remove(pointer)
        with suppress(OSError):  # something else is there, or nothing is
            os.rmdir(os.path.dirname(pointer))
    elif config.pointed_to() != home:
        atomic.write_text(pointer, f"{home}\n")


def _tell_plugin(journey: Journey) -> None:
    """Let a plugin that is installed later know that the hooks already exist."""
    if not journey.setup.hooks or "claude" not in journey.plan.agents:
        return
    marker = receipts.hooks_marker(journey.setup.home)
    if claude.has_plugin(journey.setup):
        atomic.remove(marker)
    elif not os.path.exists(marker):
        atomic.write_text(marker, "")


def setup_lock(home: Home) -> AbstractContextManager[None]:
    """A lock around reading and writing settings files, so that two set-ups do not mix."""
    atomic.make_directory(home)
    path = home.lock("setup")
    return locks.held(path, name="set-up", timeout=_LOCK_SECONDS)


def hooks_elsewhere(setup: Setup, directory: str) -> Iterator[str]:
    """Project files that also run Anamnesis, so that a session there would run it twice."""
    from anamnesis.onboard import jsontext
    from anamnesis.onboard.hooks import ours_in
    from anamnesis.onboard.settings import read_bytes

    for name in ("settings.json", "settings.local.json"):
        path = os.path.join(os.path.abspath(directory), ".claude", name)
        try:
            settings = jsontext.parsed((read_bytes(path) or b"{}").decode()).value
        except (jsontext.NotJson, UnicodeDecodeError):
            continue
        in_home = os.path.dirname(os.path.dirname(path)) == setup.user_home
        if isinstance(settings, dict) and not in_home and ours_in(settings, bases=setup.bases):
            yield path


def _config_edit(home: Home, wishes: Wishes) -> Edit:
    path = home.settings
    return Edit(
        path,
        "settings of this machine",
        install=lambda data: amended_store_config(
            path,
            data,
            machine_id=wishes.machine_id,
            remote=wishes.remote,
            install_id=wishes.install_id,
        ),
        remove=lambda data: data,
    )
