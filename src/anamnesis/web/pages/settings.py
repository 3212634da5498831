"""Where everything is, every setting with its origin, and files that cannot be read."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground.errors import AnamnesisError, InvalidInput
from anamnesis.onboard import health as onboard_health
from anamnesis.onboard import journey
from anamnesis.onboard import plan as plans
from anamnesis.onboard.agents import AGENTS
from anamnesis.onboard.plan import FileChange
from anamnesis.operations.machine import index, settings
from anamnesis.operations.machine.prove import prove_provider
from anamnesis.operations.travel.remote import prove, shown, switch_to
from anamnesis.web import differences, health
from anamnesis.web.dashboard import Notice
from anamnesis.web.pages import work
from anamnesis.web.visit import LOOKS
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from anamnesis.config import Home
    from anamnesis.web.dashboard import Work
    from anamnesis.web.visit import Visit

_YEAR = 365 * 86_400
_DOCTOR = "doctor"  # what its checks found last, until it was shown
_SECTIONS = {  # the first setting of each, in the order of their list
    "machine_id": "This machine",
    "remote": "Syncing",
    "start_wait": "What sessions are given",
    "meaning": "Searching",
    "capture_noninteractive": "What is kept of sessions",
    "reflection_provider": "Model",
    "trust_native": "Trust and review",
}
_NAMES = {
    "machine_id": "Machine name",
    "display_name": "Name on screen",
    "remote": "Remote",
    "ephemeral": "Ephemeral machine",
    "sealed": "Sealed remote",
    "import_native": "Import Claude Code's memory",
    "start_wait": "Wait for other machines",
    "moment_start": "Notes at the start of a session",
    "moment_prompt": "Notes for a prompt",
    "moment_failure": "Help when a command fails",
    "moment_file": "Notes about a file",
    "usefulness": "Prefer notes that were used",
    "meaning": "Related words",
    "semantic": "Search by meaning",
    "capture_noninteractive": "Sessions that scripts run",
    "archive": "Keep sessions word for word",
    "archive_days": "Keep them for, in days",
    "archive_mb": "Room for them, in MB",
    "reflection_provider": "Provider",
    "reflection_model": "Model",
    "reflection_base_url": "Address of the provider",
    "reflection_api_key": "Key of the provider",
    "reflection_api_key_command": "Command that prints the key",
    "reflection_timeout": "Time for an answer, in seconds",
    "reflection_max_tokens": "Longest request, in tokens",
    "reflection_answer_tokens": "Longest answer, in tokens",
    "reflect_min_episodics": "Sessions before a reflection",
    "reflect_auto": "Reflect automatically",
    "trust_native": "Claude Code's own memory",
    "trust_agent": "What agents write",
    "trust_web": "What agents write after reading the web",
    "trust_import": "What is imported",
    "review_keep_days": "Keep unreviewed notes after, in days",
}
_CHOICES = {  # what values are called where the file has a word of its own
    "inject": "give it to sessions",
    "review": "wait for my review",
    "search": "find it by search only",
    "all": "a note for each",
    "folded": "one note for all runs of a prompt",
    "none": "no note",
    "heuristic": "no model, only rules",
}
_SECRET = re.compile(r"(?i)key|token|secret|password|credential")


def show(visit: Visit) -> Response:
    """The page; every check of `anamnesis doctor` only when asked, for it takes a moment."""
    jobs = visit.dashboard.jobs
    thorough = jobs.found.pop(_DOCTOR, None) if visit.parameter("doctor") == "1" else None
    if visit.parameter("doctor") == "1" and thorough is None:
        return work.run(visit, "Running every check", _examine(visit), back="/settings?doctor=1")
    agents, absent = _agents(visit)
    return visit.page(
        "settings.html",
        checks=thorough or health.glance(visit.dashboard),
        thorough=thorough is not None,
        agents=agents,
        absent=absent,
        lines_of=differences.of_unified,
        problems=index.unreadable(visit.store),
        sections=_sections(),
        names=_NAMES,
        called=_CHOICES,
        environment=_environment(),
        home=visit.dashboard.home,
        sizes=_sizes(visit.dashboard.home),
        choices=LOOKS,
        sessions=visit.dashboard.keys.sessions,
        current=visit.request.state.session,
        versions={"Python": platform.python_version(), "SQLite": index.sqlite_version(visit.store)},
    )


def _examine(visit: Visit) -> Work:
    """Every check; what they find is kept for the page that is shown next."""

    def examine(_advance: object) -> None:
        visit.dashboard.jobs.found[_DOCTOR] = health.thorough(visit.dashboard)

    return examine


def _sections() -> dict[str, list[settings.Value]]:
    """Every setting as it is now, in the sections of the page."""
    sections: dict[str, list[settings.Value]] = {}
    title = ""
    for value in settings.listed():
        title = _SECTIONS.get(value.setting.key, title)
        sections.setdefault(title, []).append(value)
    return sections


def test(visit: Visit) -> Response:
    """Ask the model one small question, or send a commit to the remote and back."""
    is_model = visit.value("what") == "model"
    title = "Testing the model" if is_model else "Testing the remote"
    tested = _test_model if is_model else _test_remote
    return work.run(visit, title, lambda _advance: tested(), back="/settings#settings")


def _test_model() -> Notice:
    proof = prove_provider()
    where = " ".join(filter(None, (proof.provider, proof.model)))
    text = f"{where}: {proof.detail} ({proof.seconds:g} s)."
    return Notice(text, "done" if proof.answered else "trouble")


def _test_remote() -> Notice:
    address = config.resolve_remote()
    if not address:
        return Notice("There is no remote to test.", "trouble")
    try:
        prove(address, may_be_sealed=True)
    except AnamnesisError as error:
        return Notice(f"{error.message} {error.hint}", "trouble")
    return Notice(f"{shown(address)} works: a commit was sent and came back.")


def refresh(visit: Visit) -> Response:
    """Compare every file with the index."""

    def compare(_advance: object) -> Notice:
        return Notice(f"The index is up to date: {index.refresh(visit.store)}.")

    return work.run(visit, "Comparing every file with the index", compare, back="/settings")


def set_up(visit: Visit) -> Response:
    """Write the agents' settings exactly as they were shown."""
    visit.require_fresh("how agents are set up")
    home = visit.dashboard.home
    with journey.setup_lock(home):
        setup = journey.this_setup(home)
        wanted = visit.value("agent")
        agents = [
            agent for agent in onboard_health.known_agents(setup) if wanted in ("", agent.name)
        ]
        plan = plans.make_plan(setup, agents)
        if _seal(*plan.changes) != visit.value("seal"):
            raise InvalidInput("The settings changed since they were shown.", hint="Look again.")
        plans.carry_out(plan, setup)
    text = f"{plural(len(agents), 'agent')} set up. Restart the sessions."
    return visit.go("/settings#agents", Notice(text))


def configure(visit: Visit) -> Response:
    """Show what a setting would change in config.json; write it once it was shown."""
    key = visit.value("key")
    value = None if visit.value("unset") else visit.value("value")
    setting = settings.setting_named(key)
    if setting.runs_a_command:
        raise InvalidInput(
            f"{setting.key} names a command that this machine runs; the dashboard never sets it.",
            hint=f"In a terminal:  anamnesis config set {setting.key} COMMAND",
        )
    if setting.set_by:
        raise InvalidInput(f"{setting.key} is set by a command of its own.", hint=setting.set_by)
    if setting.is_delicate:
        visit.require_fresh(setting.key)
    planned = settings.rewritten(key, value)
    change = FileChange(planned.path, "settings of this machine", planned.before, planned.after)
    if visit.value("seal") == _seal(change):
        settings.change(key, value)
        text = "The setting was written. What runs already keeps the old one until it is restarted."
        return visit.go("/settings#settings", Notice(text))
    return visit.page(
        "settings_change.html",
        status=409 if visit.value("seal") else 200,
        change=change,
        lines=differences.of_unified(change.diff),
        seal=_seal(change),
        now=settings.value_of(key),
        value=value,
        switch=switch_to(value) if key == "remote" and value else None,
    )


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent of this machine: what would be written for it, and the seal of that."""

    name: str
    title: str
    changes: Sequence[FileChange]
    seal: str
    trouble: str = ""  # why nothing can be planned


def _agents(visit: Visit) -> tuple[list[AgentRow], list[str]]:
    """The agents of this machine, and the names of those that are not here."""
    setup = journey.this_setup(visit.dashboard.home)
    here = onboard_health.known_agents(setup)
    rows = []
    for agent in here:
        try:
            changes = plans.make_plan(setup, [agent]).changes
        except AnamnesisError as error:
            rows.append(AgentRow(agent.name, agent.title, (), "", error.message))
            continue
        rows.append(AgentRow(agent.name, agent.title, changes, _seal(*changes)))
    return rows, [agent.title for agent in AGENTS.values() if agent not in here]


def _seal(*changes: FileChange) -> str:
    """Tells whether changes still are those that were shown."""
    content = [(change.path, change.before, change.after) for change in changes]
    return blake2b(repr(content).encode(), digest_size=16).hexdigest()


def sign_out(visit: Visit) -> Response:
    """End this browser's session, another one, or all of them."""
    keys, which = visit.dashboard.keys, visit.value("session")
    if which == "all":
        keys.end_all()
    else:
        keys.end(which)
    return visit.go("/settings#sessions", Notice("Signed out."))


def appear(visit: Visit) -> Response:
    """Remember the colours, the density and the keys that were chosen, in this browser."""
    answer = visit.go(visit.back("/"))
    for name, choices in LOOKS.items():
        if (chosen := visit.value(name)) in choices:
            answer.set_cookie(
                name, chosen, max_age=_YEAR, samesite="strict", httponly=True, path="/"
            )
    return answer


def _environment() -> list[tuple[str, str]]:
    """ANAMNESIS_ variables that are no setting, covered where they may be secret."""
    named = {setting.named for setting in settings.SETTINGS.values()}
    return [
        (name, covered(name, value))
        for name, value in sorted(os.environ.items())
        if name.startswith("ANAMNESIS_") and name not in named
    ]


def covered(name: str, value: str) -> str:
    """A value without what may be secret in it."""
    return "••••••••" if _SECRET.search(name) else shown(value)


def _sizes(home: Home) -> dict[str, int]:
    names = ("index.db", "index.db-wal", "config.json")
    paths = {name: os.path.join(home, name) for name in names}
    return {name: os.path.getsize(path) for name, path in paths.items() if os.path.exists(path)}
