"""Codex, Gemini CLI, opencode and Copilot CLI, driven by their command lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager

from clients.desk import Desk, client, eventually
from clients.screen import Screen
from clients.terminal import Terminal


def codex(desk: Desk, prompt: str, *, options: tuple[str, ...] = ()) -> str:
    """One run of Codex; its hooks are trusted for this run as a person would do once."""
    usual = ["--dangerously-bypass-hook-trust", "--skip-git-repo-check"]
    words = [client("codex"), "exec", *usual, *options, prompt]
    return desk.run(words, env=desk.environment(SCRIPTED_KEY="none"))


def codex_terminal(desk: Desk) -> Terminal:
    """Codex as a person has it, the project trusted, ready for a line."""
    words = [client("codex"), "--dangerously-bypass-hook-trust"]
    terminal = Terminal(words, cwd=desk.project, env=desk.environment(SCRIPTED_KEY="none"))
    terminal.see("Trust and continue")
    terminal.settle()
    terminal.press("\r")
    terminal.see("YOLO mode")  # the line below its prompt
    terminal.settle()
    return terminal


def codex_settings(desk: Desk) -> None:
    folder = desk.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(f"""\
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{desk.model.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
""")


def gemini(desk: Desk, prompt: str, *, options: tuple[str, ...] = ("--yolo",)) -> str:
    words = [*_gemini_words(), *options, "-p", prompt]
    return desk.run(words, env=_gemini_environment(desk))


def gemini_terminal(desk: Desk) -> Terminal:
    words = [*_gemini_words(), "--yolo"]
    terminal = Terminal(words, cwd=desk.project, env=_gemini_environment(desk))
    terminal.see("1 MCP server")
    eventually(lambda: desk.runs("inject"))  # a return is lost while its start hooks run
    terminal.settle()
    return terminal


def _gemini_words() -> list[str]:
    # A named model: otherwise another one is asked first which model to ask.
    return [client("gemini"), "-m", "gemini-2.5-pro"]


def _gemini_environment(desk: Desk) -> dict[str, str]:
    return desk.environment(
        GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=desk.model.url, GEMINI_CLI_TRUST_WORKSPACE="1"
    )


def gemini_settings(desk: Desk) -> None:
    folder = desk.home / ".gemini"
    folder.mkdir()
    said = {
        "security": {
            "auth": {"selectedType": "gemini-api-key"},
            "folderTrust": {"enabled": False},
        },
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    (folder / "settings.json").write_text(json.dumps(said, indent=2))


def opencode(desk: Desk, prompt: str) -> str:
    # On standard input, because it puts quotes around an argument with blanks.
    return desk.run([client("opencode"), "run"], env=_opencode_environment(desk), input=prompt)


@contextmanager
def opencode_screen(desk: Desk) -> Iterator[Screen]:
    """opencode as a person has it, ready for a line, until the window is closed."""
    words, environment = [client("opencode")], _opencode_environment(desk)
    with closing(Screen(words, cwd=desk.project, env=environment)) as screen:
        screen.see("Ask anything")
        screen.see("1 MCP")
        yield screen


def _opencode_environment(desk: Desk) -> dict[str, str]:
    return desk.environment(OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_LSP_DOWNLOAD="1")


def opencode_settings(desk: Desk) -> None:
    folder = desk.home / ".config" / "opencode"
    folder.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{desk.model.url}/v1", "apiKey": "none"},
        "models": {
            "scripted": {
                "name": "scripted", "tool_call": True, "limit": {"context": 100000, "output": 4000}
            }
        },
    }  # fmt: skip
    said = {
        "autoupdate": False,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
        "permission": {"*": "allow"},
    }
    (folder / "opencode.json").write_text(json.dumps(said, indent=2))


def copilot(desk: Desk, prompt: str, *, options: tuple[str, ...] = ("--allow-all-tools",)) -> str:
    return desk.run([client("copilot"), "-p", prompt, *options], env=_copilot_environment(desk))


def copilot_terminal(desk: Desk) -> Terminal:
    words = [client("copilot"), "--allow-all-tools"]
    terminal = Terminal(words, cwd=desk.project, env=_copilot_environment(desk))
    terminal.see("/commands")
    terminal.settle()
    return terminal


def _copilot_environment(desk: Desk) -> dict[str, str]:
    return desk.environment(
        COPILOT_PROVIDER_BASE_URL=f"{desk.model.url}/v1",
        COPILOT_PROVIDER_TYPE="openai",
        COPILOT_PROVIDER_API_KEY="none",
        COPILOT_MODEL="scripted",
        COPILOT_OFFLINE="1",
        COPILOT_AUTO_UPDATE="false",
    )


def copilot_settings(desk: Desk) -> None:
    folder = desk.home / ".copilot"
    folder.mkdir()
    said = {"trusted_folders": [str(desk.project)], "banner": "never"}
    (folder / "config.json").write_text(json.dumps(said))
