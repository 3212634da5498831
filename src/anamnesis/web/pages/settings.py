"""Where everything is, every setting with its origin, and files that need a person."""

from __future__ import annotations

import os
import platform
import re
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.index import browse
from anamnesis.records import record
from anamnesis.web import health
from anamnesis.web.dashboard import Notice
from anamnesis.web.visit import THEMES

if TYPE_CHECKING:
    from starlette.responses import Response

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
    """The page."""
    return visit.page(
        "settings.html",
        checks=health.checks(visit.dashboard),
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
