"""The hooks: which there are, and that nobody else's is touched."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from anamnesis.onboard import build_env, build_hooks, merge_hooks
from anamnesis.onboard.hooks import is_ours, ours_in, without_hooks

REPOSITORY = Path(__file__).parent.parent.parent
BASE = ["/opt/a b/anamnesis"]


def group(command: str, *, matcher: str = "startup") -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}


def commands(hooks: dict[str, Any], event: str) -> list[str]:
    return [" ".join(hook["args"]) for entry in hooks[event] for hook in entry["hooks"]]


def test_hooks_run_without_a_shell() -> None:
    hook = build_hooks(BASE, {})["SessionStart"][0]["hooks"][0]

    assert hook == {"type": "command", "command": BASE[0], "args": ["inject"], "timeout": 15}


def test_memory_comes_back_after_compaction_and_in_a_fork() -> None:
    matcher = build_hooks(BASE, {})["SessionStart"][0]["matcher"]

    assert matcher.split("|") == ["startup", "resume", "clear", "compact", "fork"]


def test_no_hook_keeps_the_client_waiting() -> None:
    hooks = build_hooks(BASE, {})

    assert commands(hooks, "SessionStart") == ["inject", "sync --detach"]
    assert commands(hooks, "SessionEnd") == ["capture --detach"]
    assert commands(hooks, "PreCompact") == ["capture --source precompact --no-sync"]
    assert commands(hooks, "Stop") == ["capture --detach --no-sync"]


def test_no_hook_is_async() -> None:
    """In `claude -p` an async hook that still runs keeps SessionEnd from being run at all."""
    groups = [group for entries in build_hooks(BASE, {}).values() for group in entries]

    assert not [hook for group in groups for hook in group["hooks"] if "async" in hook]


def test_an_environment_makes_shell_lines() -> None:
    env = build_env(machine_id="desk", remote="me@host:m.git", home=Path("/data/my notes"))

    hook = build_hooks(BASE, env)["SessionStart"][0]["hooks"][0]

    assert hook["command"] == (
        "ANAMNESIS_MACHINE_ID=desk ANAMNESIS_GIT_REMOTE=me@host:m.git "
        "ANAMNESIS_HOME='/data/my notes' '/opt/a b/anamnesis' inject"
    )
    assert is_ours(hook)


@pytest.mark.parametrize("env", [{}, {"ANAMNESIS_HOME": "/data/my notes"}], ids=["usual", "moved"])
def test_a_guarded_hook_is_silent_once_the_command_is_gone(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "a b" / "anamnesis"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "ran $1 with ${ANAMNESIS_HOME-no home}"\nexit 3\n')
    program.chmod(0o755)
    hook = build_hooks([str(program)], env, guarded=True)["SessionStart"][0]["hooks"][0]

    monkeypatch.delenv("ANAMNESIS_HOME", raising=False)
    there = subprocess.run(hook["command"], shell=True, capture_output=True, text=True)
    program.unlink()
    gone = subprocess.run(hook["command"], shell=True, capture_output=True, text=True)

    home = env.get("ANAMNESIS_HOME", "no home")
    assert (there.returncode, there.stdout) == (3, f"ran inject with {home}\n")
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, "", "")
    assert is_ours(hook)


def test_the_example_shows_what_is_installed() -> None:
    example = json.loads((REPOSITORY / "examples" / "hooks.settings.json").read_text())

    assert example["hooks"] == build_hooks(["/ABSOLUTE/PATH/TO/anamnesis"], {})


def test_the_plugin_has_the_same_hooks() -> None:
    plugin = json.loads((REPOSITORY / "plugin" / "hooks" / "hooks.json").read_text())

    base = ["${CLAUDE_PLUGIN_ROOT}/bin/anamnesis"]
    assert plugin["hooks"] == build_hooks(base, {}, server="plugin:anamnesis:anamnesis")


def test_the_hook_at_a_file_calls_the_server_and_no_process() -> None:
    (group,) = build_hooks(BASE, {}, server="anamnesis")["PostToolUse"]

    assert group["matcher"] == "Read"
    (hook,) = group["hooks"]
    assert (hook["type"], hook["server"], hook["tool"]) == (
        "mcp_tool",
        "anamnesis",
        "memory_moment",
    )
    assert "tool_response" not in json.dumps(hook), "whole files would go over the pipe"
    assert "PostToolUse" not in build_hooks(BASE, {})


def test_the_hook_at_a_file_is_removed_and_those_of_others_stay() -> None:
    own = build_hooks(BASE, {}, server="anamnesis")
    other = {"type": "mcp_tool", "server": "scan", "tool": "scan_file"}
    settings = {"hooks": {**own, "PostToolUse": [{"matcher": "Read", "hooks": [other]}]}}

    merged = merge_hooks(settings, own)

    assert merged["hooks"]["PostToolUse"][0] == {"matcher": "Read", "hooks": [other]}
    assert len(merged["hooks"]["PostToolUse"]) == 2
    assert without_hooks(merged)["hooks"] == {
        "PostToolUse": [{"matcher": "Read", "hooks": [other]}]
    }


@pytest.mark.parametrize(
    "command",
    [
        "anamnesis inject",
        "/opt/anamnesis capture --source precompact --no-sync",
        "ANAMNESIS_MACHINE_ID=x '/a b/anamnesis' sync",
        "uv run --project /src anamnesis inject",
        "/usr/bin/uv run --project '/my src' anamnesis sync",
        "command -v /opt/anamnesis >/dev/null || exit 0; exec /opt/anamnesis inject",
        "command -v uv >/dev/null || exit 0; ANAMNESIS_HOME='/a b' exec uv run anamnesis sync",
    ],
)
def test_a_hook_that_runs_us_is_ours(command: str) -> None:
    assert is_ours({"type": "command", "command": command})


@pytest.mark.parametrize(
    "command",
    [
        "echo anamnesis inject",
        "anamnesis inject | tee /tmp/log",
        "anamnesis inject && say done",
        "my-wrapper anamnesis inject",
        "anamnesis-backup sync",
        "command -v anamnesis >/dev/null || exit 0; exec my-wrapper anamnesis inject",
        "command -v anamnesis >/dev/null || exit 1; exec anamnesis inject",
        "/opt/anamnesis status",
        "ANAMNESIS_HOME=/x ./report.sh",
        "'unbalanced",
        "",
    ],
)
def test_a_hook_that_only_mentions_us_is_not(command: str) -> None:
    assert not is_ours({"type": "command", "command": command})


def test_a_command_of_another_name_is_recognised_when_it_is_known() -> None:
    hook = {"type": "command", "command": "/opt/wrapper.sh", "args": ["inject"]}

    assert not is_ours(hook)
    assert is_ours(hook, [["/opt/wrapper.sh"]])


def test_other_hooks_and_keys_stay() -> None:
    settings = {"model": "x", "hooks": {"SessionStart": [group("echo hi")], "Other": []}}

    merged = merge_hooks(settings, build_hooks(BASE, {}))

    assert merged["model"] == "x"
    assert merged["hooks"]["SessionStart"][0] == group("echo hi")
    assert merged["hooks"]["Other"] == []


def test_a_hook_that_shares_our_group_stays() -> None:
    shared = group("anamnesis inject")
    shared["hooks"].append({"type": "command", "command": "echo mine"})

    merged = merge_hooks({"hooks": {"SessionStart": [shared]}}, build_hooks(BASE, {}))

    assert merged["hooks"]["SessionStart"][0] == group("echo mine")


def test_merging_twice_changes_nothing() -> None:
    once = merge_hooks({}, build_hooks(BASE, {}))
    once["hooks"]["SessionStart"].append(group("echo later"))

    assert merge_hooks(once, build_hooks(BASE, {})) == once


def test_hooks_of_an_older_version_are_replaced() -> None:
    older = {
        "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "anamnesis capture"}]}]}
    }

    merged = merge_hooks(older, build_hooks(BASE, {}))

    assert merged["hooks"]["SessionEnd"] == build_hooks(BASE, {})["SessionEnd"]


def test_removing_gives_back_what_was_there() -> None:
    before = {"hooks": {"SessionStart": [group("echo hi")]}, "model": "x"}

    merged = merge_hooks(before, build_hooks(BASE, {}))

    assert without_hooks(merged) == before
    assert ours_in(without_hooks(merged)) == {}
