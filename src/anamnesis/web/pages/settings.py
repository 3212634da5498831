"""Where everything is, every setting with its origin, and files that cannot be read."""

from __future__ import annotations

import os
import platform
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from anamnesis.ground.errors import AnamnesisError, InvalidInput
from anamnesis.index import browse
from anamnesis.onboard import health as onboard_health
from anamnesis.onboard import journey
from anamnesis.onboard import plan as plans
from anamnesis.onboard.plan import FileChange
from anamnesis.operations.machine import settings
from anamnesis.sync.remote import shown
from anamnesis.web import differences, health
from anamnesis.web.dashboard import Notice
from anamnesis.web.visit import THEMES

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.ground.home import Home
    from anamnesis.onboard.agents.agent import Setup
    from anamnesis.onboard.plan import Plan
    from anamnesis.web.visit import Visit

_YEAR = 365 * 86_400
_SECRET = re.compile(r"(?i)key|token|secret|password|credential")


def show(visit: Visit) -> Response:
    """The page; every check of `anamnesis doctor` only when asked, for it takes a moment."""
    thorough = visit.asked("doctor") == "1"
    return visit.page(
        "settings.html",
        checks=health.thorough(visit.dashboard) if thorough else health.glance(visit.dashboard),
        thorough=thorough,
        **_agents(visit),
        lines_of=differences.of_unified,
        problems=visit.store.unreadable(),
        settings=settings.listed(),
        environment=_environment(),
        home=visit.dashboard.home,
        sizes=_sizes(visit.dashboard.home),
        versions={"Python": platform.python_version(), "SQLite": visit.store.ask(browse.engine)},
    )


def refresh(visit: Visit) -> Response:
    """Compare every file with the index."""
    changes = visit.store.refresh()
    return visit.go("/settings", Notice(f"The index is up to date: {changes}."))


def set_up(visit: Visit) -> Response:
    """Write the agents' settings exactly as they were shown."""
    home = visit.dashboard.home
    with journey.setup_lock(home):
        setup, plan = _plan(home)
        if _seal(*plan.changes) != visit.value("seal"):
            raise InvalidInput("The settings changed since they were shown.", hint="Look again.")
        plans.carry_out(plan, setup, home)
    return visit.go("/settings#agents", Notice("The agents are set up. Restart their sessions."))


def configure(visit: Visit) -> Response:
    """Show what a setting would change in config.json; write it once it was shown."""
    key = visit.value("key")
    value = None if visit.value("unset") else visit.value("value")
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
    )


def _agents(visit: Visit) -> dict[str, Any]:
    home = visit.dashboard.home
    try:
        setup, plan = _plan(home)
    except AnamnesisError as error:
        return {"plan": None, "plan_trouble": error.message, "seal": "", "present": []}
    present = [agent.title for agent in onboard_health.known_agents(setup, home)]
    return {"plan": plan, "plan_trouble": "", "seal": _seal(*plan.changes), "present": present}


def _plan(home: Home) -> tuple[Setup, Plan]:
    setup = journey.this_setup(home)
    return setup, plans.planned(setup, onboard_health.known_agents(setup, home))


def _seal(*changes: FileChange) -> str:
    """Tells whether changes still are those that were shown."""
    content = [(change.path, change.before, change.after) for change in changes]
    return blake2b(repr(content).encode(), digest_size=16).hexdigest()


def theme(visit: Visit) -> Response:
    """Remember the colours that the person wants."""
    chosen = visit.value("theme")
    answer = visit.go(visit.back("/"))
    answer.set_cookie(
        "theme",
        chosen if chosen in THEMES else "auto",
        max_age=_YEAR,
        samesite="strict",
        httponly=True,
        path="/",
    )
    return answer


def _environment() -> list[tuple[str, str]]:
    """Variables of ours that are no setting, covered where they may be secret."""
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
