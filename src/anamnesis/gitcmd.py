"""Calling git so that neither its surroundings nor a prompt can get in the way."""

from __future__ import annotations

import os

from anamnesis import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def clean_environment() -> dict[str, str]:
    """The environment without what a git hook or a linked worktree left in it.

    With an inherited GIT_DIR or GIT_INDEX_FILE every command would quietly work on the
    repository that the person is in, not on the one that we name.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


def git(
    args: Sequence[str],
    *,
    cwd: str,
    timeout: float,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> process.Finished:
    """Run one git command in a directory."""
    surroundings = {**clean_environment(), **(env or {})}
    return process.run(["git", *args], cwd=cwd, env=surroundings, timeout=timeout, input=input)
