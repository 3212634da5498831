"""Claude Code, driven by its command line."""

from __future__ import annotations

import json
from typing import Any

from clients.desk import Desk, client


def environment(desk: Desk) -> dict[str, str]:
    return desk.environment(
        ANTHROPIC_BASE_URL=desk.model.url,
        ANTHROPIC_API_KEY="sk-ant-test",
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
