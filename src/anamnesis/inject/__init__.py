"""Which notes a session starts with, and how they are shown to the agent."""

from __future__ import annotations

from anamnesis.inject.render import render_inject
from anamnesis.inject.select import _DURABLE, _MAX_EPISODIC, select_inject
from anamnesis.project import _normalize_remote, _read_marker, resolve_project_key

__all__ = [
    "_DURABLE", "_MAX_EPISODIC", "_normalize_remote", "_read_marker", "render_inject",
    "resolve_project_key", "select_inject",
]  # fmt: skip
