"""How each client records what a command ended with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.archive.turns import Turn
from anamnesis.capture.transcript import read_transcript
from support.hooks import Transcript


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "s-1.jsonl")


def commands(path: Path) -> list[Turn]:
    return [turn for turn in read_transcript(path).transcript().turns if turn.command]


def claude_code(transcript: Transcript, output: str, *, failed: bool = False) -> Turn:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make test"}}
    block = {"type": "tool_result", "tool_use_id": "t1", "content": output, "is_error": failed}
    transcript.user("test it").assistant(call).user([block])
    return commands(transcript.path)[0]


def codex(path: Path, *payloads: dict[str, object]) -> list[Turn]:
    meta = {"type": "session_meta", "payload": {"id": "c-1", "cwd": "/home/u/shop"}}
    lines = [meta, *({"type": "response_item", "payload": each} for each in payloads)]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return commands(path)


def script(text: str, output: object) -> tuple[dict[str, object], dict[str, object]]:
    return (
        {"type": "custom_tool_call", "name": "exec", "call_id": "x", "input": text},
        {"type": "custom_tool_call_output", "call_id": "x", "output": output},
    )


@pytest.mark.parametrize(
    ("output", "failed", "exit"),
    [
        ("12 passed", False, 0),
        ("Exit code 2\n3 failed", True, 2),
        ("Command running in background with ID: b1. Output is being written to: /x", False, None),
    ],
)
def test_claude_code_names_what_is_not_0(
    transcript: Transcript, output: str, failed: bool, exit: int | None
) -> None:
    assert claude_code(transcript, output, failed=failed).exit == exit


def test_a_call_that_the_person_rejected_failed_nothing(transcript: Transcript) -> None:
    said = "The user doesn't want to proceed with this tool use. STOP what you are doing."

    turn = claude_code(transcript, said, failed=True)

    assert (turn.refused, turn.failed, turn.result) == (True, False, "")


@pytest.mark.parametrize(
    "text",
    [
        'const r = await tools.exec_command({"cmd":"make test","workdir":"/x"});\ntext(r.output);',
        "text(await tools.exec_command({cmd: 'make test'}))",
    ],
)
def test_codex_runs_commands_from_scripts(tmp_path: Path, text: str) -> None:
    blocks = ["Script completed\nWall time 0.1 seconds\nOutput:\n", "12 passed"]
    output = [{"type": "input_text", "text": each} for each in blocks]

    (turn,) = codex(tmp_path / "r.jsonl", *script(text, output))

    assert (turn.command, turn.result) == ("make test", "12 passed")


def test_the_output_of_a_command_that_goes_on_belongs_to_it(tmp_path: Path) -> None:
    (turn,) = codex(
        tmp_path / "r.jsonl",
        {"type": "function_call", "name": "exec_command", "call_id": "a",
         "arguments": json.dumps({"cmd": "npm run build"})},
        {"type": "function_call_output", "call_id": "a",
         "output": "Process running with session ID 42\nOutput:\nBuilding"},
        {"type": "function_call", "name": "write_stdin", "call_id": "b",
         "arguments": json.dumps({"session_id": 42, "chars": ""})},
        {"type": "function_call_output", "call_id": "b",
         "output": "Process exited with code 1\nOutput:\nerror: no such module"},
    )  # fmt: skip

    assert (turn.command, turn.exit, turn.failed) == ("npm run build", 1, True)
    assert turn.result == "Building\nerror: no such module"
