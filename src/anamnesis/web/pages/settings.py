"""Where everything is, every setting with its origin, and files that need a person."""

from __future__ import annotations

import os
import platform
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from anamnesis import config
from anamnesis.errors import AnamnesisError, InvalidInput
from anamnesis.index import browse
from anamnesis.onboard import journey
from anamnesis.onboard import plan as plans
from anamnesis.onboard.agents import AGENTS
from anamnesis.records import record
from anamnesis.web import health
from anamnesis.web.dashboard import Notice
from anamnesis.web.visit import THEMES

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.onboard.agents.agent import Setup
    from anamnesis.onboard.plan import Plan
    from anamnesis.web.visit import Visit

_YEAR = 365 * 86_400
_SECRET = re.compile(r"(?i)key|token|secret|password|credential")
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+(?=@)")


@record
class Setting:
    """One setting, where it comes from, and its value with secrets covered."""

    name: str
    value: str
    origin: str


def show(visit: Visit) -> Response:
    """The page; every check of `anamnesis doctor` only when asked, for it takes a moment."""
    thorough = visit.asked("doctor") == "1"
    return visit.page(
        "settings.html",
        checks=health.examined(visit.dashboard) if thorough else health.checks(visit.dashboard),
        thorough=thorough,
        **_agents(visit),
        problems=visit.store.unreadable(),
        settings=settings(),
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
        if _seal(plan) != visit.value("seal"):
            raise InvalidInput("The settings changed since they were shown.", hint="Look again.")
        plans.carry_out(plan, setup, home)
    return visit.go("/settings#agents", Notice("The agents are set up. Restart their sessions."))


def _agents(visit: Visit) -> dict[str, Any]:
    try:
        setup, plan = _plan(visit.dashboard.home)
    except AnamnesisError as error:
        return {"plan": None, "plan_trouble": error.message, "seal": "", "present": []}
    present = [agent.title for agent in AGENTS.values() if agent.is_here(setup)]
    return {"plan": plan, "plan_trouble": "", "seal": _seal(plan), "present": present}


def _plan(home: str) -> tuple[Setup, Plan]:
    setup = journey.this_setup(home)
    return setup, plans.planned(setup, [agent for agent in AGENTS.values() if agent.is_here(setup)])


def _seal(plan: Plan) -> str:
    """Tells whether a plan still is the one that was shown."""
    content = [(change.path, change.before, change.after) for change in plan.changes]
    return blake2b(repr(content).encode(), digest_size=16).hexdigest()


def theme(visit: Visit) -> Response:
    """Remember the colours that the person wants."""
    chosen = visit.value("theme")
    answer = visit.go(visit.back("/"))
    answer.set_cookie(
        "theme", chosen if chosen in THEMES else "auto", max_age=_YEAR, samesite="lax"
    )
    return answer


def settings() -> list[Setting]:
    """What the environment and config.json say, covered where it may be secret."""
    stored = config._store_config()  # noqa: SLF001
    found = [
        Setting(key, covered(key, str(value)), "config.json")
        for key, value in sorted(stored.items())
        if not isinstance(value, (dict, list))
    ]
    found += [
        Setting(name, covered(name, value), "environment")
        for name, value in sorted(os.environ.items())
        if name.startswith("ANAMNESIS_")
    ]
    return found


def covered(name: str, value: str) -> str:
    """A value without what may be secret in it."""
    if _SECRET.search(name):
        return "••••••••"
    return _IN_ADDRESS.sub("••••", value)


def _sizes(home: str) -> dict[str, int]:
    names = ("index.db", "index.db-wal", "config.json")
    paths = {name: os.path.join(home, name) for name in names}
    return {name: os.path.getsize(path) for name, path in paths.items() if os.path.exists(path)}
