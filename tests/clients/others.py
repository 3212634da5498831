"""Codex, Gemini CLI, opencode and Copilot CLI, driven by their command lines."""

from __future__ import annotations

import json

from clients.desk import Desk, client


def codex(desk: Desk, prompt: str) -> str:
    """One run of Codex; its hooks are trusted for this run as a person would do once."""
    options = ["--dangerously-bypass-hook-trust", "--skip-git-repo-check"]
    words = [client("codex"), "exec", *options, prompt]
    return desk.run(words, env=desk.environment(SCRIPTED_KEY="none"))


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


def gemini(desk: Desk, prompt: str) -> str:
    environment = desk.environment(
        GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=desk.model.url, GEMINI_CLI_TRUST_WORKSPACE="1"
    )
    # A named model: otherwise another one is asked first which model to ask.
    words = [client("gemini"), "--yolo", "-m", "gemini-2.5-pro", "-p", prompt]
    return desk.run(words, env=environment)


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
    environment = desk.environment(
        OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_LSP_DOWNLOAD="1"
    )
    # On standard input, because it puts quotes around an argument with blanks.
    return desk.run([client("opencode"), "run"], env=environment, input=prompt)


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


def copilot(desk: Desk, prompt: str) -> str:
    environment = desk.environment(
        COPILOT_PROVIDER_BASE_URL=f"{desk.model.url}/v1",
        COPILOT_PROVIDER_TYPE="openai",
        COPILOT_PROVIDER_API_KEY="none",
        COPILOT_MODEL="scripted",
        COPILOT_OFFLINE="1",
        COPILOT_AUTO_UPDATE="false",
    )
    return desk.run([client("copilot"), "-p", prompt, "--allow-all-tools"], env=environment)


def copilot_settings(desk: Desk) -> None:
    (desk.home / ".copilot").mkdir()
