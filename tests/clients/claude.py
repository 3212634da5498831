"""Claude Code, driven by its command line."""

from __future__ import annotations

import json
from typing import Any

from clients.desk import Desk, client
from clients.terminal import Terminal

_KEY = "sk-ant-test"


def environment(desk: Desk) -> dict[str, str]:
    return desk.environment(
        ANTHROPIC_BASE_URL=desk.model.url,
        ANTHROPIC_API_KEY=_KEY,
        DISABLE_AUTOUPDATER="1",
        DISABLE_TELEMETRY="1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        CLAUDE_CODE_MAX_RETRIES="1",
        CLAUDE_CODE_TMPDIR=str(desk.home / "tmp"),
    )


def command(desk: Desk, *words: str) -> str:
    """Run a subcommand such as `mcp list`."""
    return desk.run([client("claude"), *words], env=environment(desk))


def session(desk: Desk, prompt: str, *options: str) -> dict[str, Any]:
    """One session that answers a prompt and ends; what the client reports about it."""
    words = [client("claude"), "-p", prompt, "--output-format", "json", *options]
    reported: dict[str, Any] = json.loads(desk.run(words, env=environment(desk)))
    return reported


def answer_its_first_questions(desk: Desk) -> None:
    """What a person answers once: the theme, whether to trust the project, and to use the key."""
    said = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [_KEY], "rejected": []},
        "projects": {str(desk.project): {"hasTrustDialogAccepted": True}},
    }
    (desk.home / ".claude.json").write_text(json.dumps(said, indent=2))


def terminal(desk: Desk, *options: str) -> Terminal:
    """The client as a person has it, ready for a line."""
    started = Terminal([client("claude"), *options], cwd=desk.project, env=environment(desk))
    started.see("\u2500" * 60)  # the line above the box to type into
    started.settle()
    return started
