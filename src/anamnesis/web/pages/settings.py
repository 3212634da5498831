"""The settings and where they come from, agents, health checks and unreadable files."""

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
from anamnesis.onboard import plan as plans
from anamnesis.onboard import planning_setup
from anamnesis.onboard.agents import AGENTS
from anamnesis.onboard.plan import FileChange
from anamnesis.operations.machine import index, settings
from anamnesis.operations.machine.model_test import prove_provider
from anamnesis.operations.travel.remote import prove, shown, switch_to
from anamnesis.web import differences, health
from anamnesis.web.dashboard import Notice
from anamnesis.web.formatting import plural
from anamnesis.web.pages import background
from anamnesis.web.request import APPEARANCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from anamnesis.config import Home
    from anamnesis.web.dashboard import Work
    from anamnesis.web.request import Visit

_DOCTOR = "doctor"  # the key of its latest findings, until they are shown
_SECTIONS = {  # by the first setting of each, in the order of the list
    "machine_id": "This machine",
    "remote": "Syncing",
    "start_wait": "Notes for sessions",
    "meaning": "Searching",
    "capture_noninteractive": "Capturing sessions",
    "reflection_provider": "Model",
    "trust_native": "Trust and review",
}
_NAMES = {
    "machine_id": "Machine name",
    "display_name": "Display name",
    "remote": "Remote",
    "ephemeral": "Ephemeral machine",
    "sealed": "Sealed remote",
    "import_native": "Import Claude Code's memory",
    "start_wait": "Wait for other machines",
    "moment_start": "Notes at the start of a session",
    "moment_prompt": "Notes for a prompt",
    "moment_failure": "Help when a command fails",
    "moment_file": "Notes about a file",
    "meaning": "Related words",
    "semantic": "Search by meaning",
    "capture_noninteractive": "Sessions that scripts run",
    "archive": "Keep sessions word for word",
    "archive_days": "Keep sessions for, in days",
    "archive_mb": "Space for sessions, in MB",
    "reflection_provider": "Provider",
    "reflection_model": "Model",
    "reflection_base_url": "Provider URL",
    "reflection_api_key": "API key",
    "reflection_api_key_command": "Command that prints the key",
    "reflection_timeout": "Response timeout, in seconds",
    "reflection_max_tokens": "Longest request, in tokens",
    "reflection_answer_tokens": "Longest response, in tokens",
    "reflect_min_episodics": "Sessions before a reflection",
    "reflect_auto": "Reflect automatically",
    "trust_native": "Claude Code's own memory",
    "trust_repository": "Notes that a trusted repository carries",
    "trust_agent": "Notes that agents write",
    "trust_web": "Notes that agents write after reading the web",
    "trust_import": "Imported notes",
    "review_keep_days": "Keep notes to review after, in days",
}
_CHOICE_LABELS = {  # for values whose name in the file says too little
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
    """All settings and findings; every check of `anamnesis doctor` on request, as they are slow."""
    jobs = visit.dashboard.jobs
    findings = jobs.results.pop(_DOCTOR, None) if visit.parameter("doctor") == "1" else None
    if visit.parameter("doctor") == "1" and findings is None:
        return background.run(
            visit, "Running all checks", _run_checks(visit), back="/settings?doctor=1"
        )
    agents, absent = _agents(visit)
    return visit.page(
        "settings.html",
        checks=findings or health.quick_checks(visit.dashboard),
        all_checks=findings is not None,
        agents=agents,
        absent=absent,
        lines_of=differences.of_unified,
        problems=index.unreadable(visit.store),
        sections=_sections(),
        names=_NAMES,
        choice_labels=_CHOICE_LABELS,
        environment=_environment(),
        home=visit.dashboard.home,
        sizes=_sizes(visit.dashboard.home),
        choices=APPEARANCE,
        sessions=visit.dashboard.keys.sessions,
        current=visit.request.state.session,
        versions={"Python": platform.python_version(), "SQLite": index.sqlite_version(visit.store)},
    )


def _run_checks(visit: Visit) -> Work:
    """A job that runs every check and keeps the findings for the next page."""

    def run_checks(_advance: object) -> None:
        visit.dashboard.jobs.results[_DOCTOR] = health.all_checks(visit.dashboard)

    return run_checks


def _sections() -> dict[str, list[settings.Value]]:
    """The current settings by section."""
    sections: dict[str, list[settings.Value]] = {}
    title = ""
    for value in settings.listed():
        title = _SECTIONS.get(value.setting.key, title)
        sections.setdefault(title, []).append(value)
    return sections


def test(visit: Visit) -> Response:
    """Ask the model a short question, or push a commit to the remote and fetch it."""
    is_model = visit.value("what") == "model"
    title = "Testing the model" if is_model else "Testing the remote"
    run_test = _test_model if is_model else _test_remote
    return background.run(visit, title, lambda _advance: run_test(), back="/settings#settings")


def _test_model() -> Notice:
    proof = prove_provider()
    model = " ".join(filter(None, (proof.provider, proof.model)))
    text = f"{model}: {proof.detail} ({proof.seconds:g} s)."
    return Notice(text, "done" if proof.answered else "trouble")


def _test_remote() -> Notice:
    address = config.resolve_remote()
    if not address:
        return Notice("No remote is set.", "trouble")
    try:
        prove(address, may_be_sealed=True)
    except AnamnesisError as error:
        return Notice(f"{error.message} {error.hint}", "trouble")
    return Notice(f"{shown(address)} works: a commit was sent and came back.")


def refresh(visit: Visit) -> Response:
    """Compare every file with the index."""

    def compare(_advance: object) -> Notice:
        return Notice(f"The index is up to date: {index.refresh(visit.store)}.")

    return background.run(visit, "Comparing every file with the index", compare, back="/settings")


def set_up_agents(visit: Visit) -> Response:
    """Write the settings of agents exactly as they were shown."""
    visit.require_fresh("how agents are set up")
    home = visit.dashboard.home
    with planning_setup.setup_lock(home):
        setup = planning_setup.this_setup(home)
        name = visit.value("agent")
        agents = [agent for agent in onboard_health.known_agents(setup) if name in ("", agent.name)]
        plan = plans.make_plan(setup, agents)
        if _seal(*plan.changes) != visit.value("seal"):
            raise InvalidInput(
                "The settings changed since they were shown.", hint="Reload the page."
            )
        visit.confirm()
        plans.carry_out(plan, setup)
    text = f"{plural(len(agents), 'agent')} set up. Restart running sessions."
    return visit.redirect("/settings#agents", Notice(text))


def configure(visit: Visit) -> Response:
    """Show what a new value changes in config.json, and write it once that was shown."""
    key = visit.value("key")
    value = None if visit.value("unset") else visit.value("value")
    setting = settings.setting_named(key)
    if setting.runs_a_command:
        raise InvalidInput(
            f"{setting.key} names a command that this machine runs; the dashboard never sets it.",
            hint=f"In a terminal:  anamnesis config set {setting.key} COMMAND",
        )
    if setting.set_by:
        raise InvalidInput(f"{setting.key} has its own command.", hint=setting.set_by)
    if setting.is_delicate:
        visit.require_fresh(setting.key)
    edit = settings.rewritten(key, value)
    change = FileChange(edit.path, "settings of this machine", edit.before, edit.after)
    if visit.value("seal") == _seal(change):
        if setting.is_delicate:
            visit.confirm()
        settings.change(key, value)
        text = "Setting saved. Programs that are already running use the old value until restarted."
        return visit.redirect("/settings#settings", Notice(text))
    return visit.page(
        "settings_change.html",
        status=409 if visit.value("seal") else 200,
        change=change,
        lines=differences.of_unified(change.diff),
        seal=_seal(change),
        current=settings.value_of(key),
        value=value,
        switch=switch_to(value) if key == "remote" and value else None,
    )


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent on this machine: the changes to its files, and the seal of those changes."""

    name: str
    title: str
    changes: Sequence[FileChange]
    seal: str
    error: str = ""  # why no changes can be planned


def _agents(visit: Visit) -> tuple[list[AgentRow], list[str]]:
    """The agents on this machine, and the titles of those that are not installed."""
    setup = planning_setup.this_setup(visit.dashboard.home)
    installed = onboard_health.known_agents(setup)
    rows = []
    for agent in installed:
        try:
            changes = plans.make_plan(setup, [agent]).changes
        except AnamnesisError as error:
            rows.append(AgentRow(agent.name, agent.title, (), "", error.message))
            continue
        rows.append(AgentRow(agent.name, agent.title, changes, _seal(*changes)))
    return rows, [agent.title for agent in AGENTS.values() if agent not in installed]


def _seal(*changes: FileChange) -> str:
    """A digest that tells whether the changes are still those that were shown."""
    content = [(change.path, change.before, change.after) for change in changes]
    return blake2b(repr(content).encode(), digest_size=16).hexdigest()


def sign_out(visit: Visit) -> Response:
    """End this browser's session, another one, or all of them."""
    keys, digest = visit.dashboard.keys, visit.value("session")
    if digest == "all":
        keys.end_all()
    else:
        keys.end(digest)
    return visit.redirect("/settings#sessions", Notice("Signed out."))


def set_appearance(visit: Visit) -> Response:
    """Save the theme, the density and the shortcut setting."""
    for name, choices in APPEARANCE.items():
        if (value := visit.value(name)) in choices:
            visit.dashboard.set_appearance(name, value)
    return visit.redirect(visit.return_address("/"))


def _environment() -> list[tuple[str, str]]:
    """ANAMNESIS_ variables that are not settings, masked where they may be secret."""
    variables = {setting.variable_name for setting in settings.SETTINGS.values()}
    return [
        (name, masked(name, value))
        for name, value in sorted(os.environ.items())
        if name.startswith("ANAMNESIS_") and name not in variables
    ]


def masked(name: str, value: str) -> str:
    """A value with anything that may be secret hidden."""
    return "••••••••" if _SECRET.search(name) else shown(value)


def _sizes(home: Home) -> dict[str, int]:
    names = ("index.db", "index.db-wal", "config.json")
    paths = {name: os.path.join(home, name) for name in names}
    return {name: os.path.getsize(path) for name, path in paths.items() if os.path.exists(path)}
