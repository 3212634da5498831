"""What repaired a failure, told from transcripts of two clients."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from anamnesis.capture.extract import repairs
from anamnesis.capture.story import EDIT, RUN, Moment, Story, story_of
from anamnesis.capture.transcript import read_transcript
from support.hooks import Transcript

SHAPES = Path(__file__).parents[1] / "data" / "repairs.txt"


@dataclass
class Step:
    """A command with what it printed, or an edit."""

    command: str = ""
    printed: list[str] = field(default_factory=list)
    failed: bool = False
    path: str = ""
    old: str = ""
    new: str = ""


@dataclass
class Shape:
    """Some steps, and what stands in the repair that they make."""

    name: str
    steps: list[Step] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def shapes() -> Iterator[Shape]:
    """The shapes of the file; its beginning says how they are written."""
    for part in SHAPES.read_text("utf-8").split("\n## ")[1:]:
        name, *lines = part.split("\n")
        shape = Shape(name)
        for line in filter(None, lines):
            mark, text = line[0], line[2:]
            if mark == "$":
                shape.steps.append(Step(command=text))
            elif mark in "!|":
                shape.steps[-1].printed.append(text)
                shape.steps[-1].failed = mark == "!"
            elif mark == "e":
                path, _, change = line.removeprefix("edit ").partition(": ")
                old, _, new = change.partition(" => ")
                shape.steps.append(Step(path=path, old=old, new=new))
            elif mark in "=~":
                (shape.told if mark == "=" else shape.left_out).append(text)
        yield shape


def as_claude_code(path: Path, shape: Shape) -> Path:
    """The transcript of a session in Claude Code."""
    transcript = Transcript(path / "session.jsonl").user("make it work")
    for number, step in enumerate(shape.steps):
        call = f"toolu_{number}"
        if step.path:
            given = {"file_path": step.path, "old_string": step.old, "new_string": step.new}
            use = {"type": "tool_use", "id": call, "name": "Edit", "input": given}
        else:
            given = {"command": step.command, "description": "run it"}
            use = {"type": "tool_use", "id": call, "name": "Bash", "input": given}
        transcript.assistant(use)
        printed = "\n".join([*["Exit code 1"] * step.failed, *step.printed])
        result = {"type": "tool_result", "tool_use_id": call, "content": printed}
        transcript.user([{**result, "is_error": step.failed}])
    return transcript.path


def as_codex(path: Path, shape: Shape) -> Path:
    """The rollout of a session in Codex."""
    meta = {"id": "s-1", "cwd": "/home/u/shop", "source": "cli"}
    lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": meta}]

    def add(**payload: object) -> None:
        lines.append({"type": "response_item", "payload": payload})

    add(type="message", role="user", content=[{"type": "input_text", "text": "make it work"}])
    for number, step in enumerate(shape.steps):
        call = f"call_{number}"
        if step.path:
            change = f"@@\n-{step.old}\n+{step.new}"
            patch = f"*** Begin Patch\n*** Update File: {step.path}\n{change}\n*** End Patch"
            add(type="custom_tool_call", name="apply_patch", call_id=call, input=patch)
            done = json.dumps({"output": "Success.", "metadata": {"exit_code": 0}})
            add(type="custom_tool_call_output", call_id=call, output=done)
        else:
            given = json.dumps({"cmd": step.command})
            add(type="function_call", name="exec_command", call_id=call, arguments=given)
            head = f"Chunk ID: a1\nProcess exited with code {int(step.failed)}\nOutput:\n"
            printed = head + "\n".join(step.printed)
            add(type="function_call_output", call_id=call, output=printed)
    file = path / "rollout-2026-11-15T20-53-46-01a1e0fc.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return file


@pytest.mark.parametrize("write", [as_claude_code, as_codex])
@pytest.mark.parametrize("shape", [*shapes()], ids=lambda shape: shape.name)
def test_a_repair_is_what_stood_between_a_failure_and_success(
    shape: Shape, write: Any, tmp_path: Path
) -> None:
    story = story_of(read_transcript(write(tmp_path, shape)).transcript())

    told = " ".join(each.fix for each in repairs.fixes(story))

    assert [each for each in shape.told if each not in told] == []
    assert [each for each in shape.left_out if each in told] == []
    assert bool(told) == bool(shape.told)


def test_several_lines_of_one_command_leave_open_which_failed(tmp_path: Path) -> None:
    steps = [
        Step(command="cp a b; make test | tail -3; ls", printed=["FAILED: price rounds up"]),
        Step(path="price.py", old="a", new="b"),
        Step(command="make test", printed=["4 passed"]),
    ]
    file = as_claude_code(tmp_path, Shape("", steps))

    assert repairs.fixes(story_of(read_transcript(file).transcript())) == []


def test_a_failure_that_one_piped_command_prints_is_one(tmp_path: Path) -> None:
    steps = [
        Step(command="cd api && go test ./... 2>&1 | tail", printed=["FAIL: total is 3, want 4"]),
        Step(path="total.go", old="a", new="b"),
        Step(command="cd api && go test ./... 2>&1 | tail", printed=["ok api 0.2s"]),
    ]
    file = as_claude_code(tmp_path, Shape("", steps))

    (fix,) = repairs.fixes(story_of(read_transcript(file).transcript()))
    assert fix.fix == "edited `total.go`"


def test_a_run_whose_end_the_client_does_not_record_is_judged_by_its_output(
    tmp_path: Path,
) -> None:
    rows = [
        ("cargo check", "error[E0433]: failed to resolve: use of undeclared type `Cart`"),
        ("touch src/cart.rs", ""),
        ("cargo check", "Finished dev profile in 1.1s"),
        ("npm run dev", "Error: another server holds the lock of this folder"),
        ("rm .lock", ""),
        ("npm run dev", "aborted by user after 55.9s"),
    ]
    lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "s", "cwd": "/u"}}]
    for number, (command, printed) in enumerate(rows):
        call = {"call_id": f"c{number}", "type": "function_call", "name": "exec_command"}
        lines.append({"payload": {**call, "arguments": json.dumps({"cmd": command})}})
        lines.append(
            {
                "payload": {
                    "type": "function_call_output",
                    "call_id": f"c{number}",
                    "output": printed,
                }
            }
        )
    file = tmp_path / "rollout-2026-11-15T20-53-46-01a1e0fc.jsonl"
    text = "".join(f"{json.dumps({'type': 'response_item', **line})}\n" for line in lines)
    file.write_text(text, "utf-8")

    told = [each.fix for each in repairs.fixes(story_of(read_transcript(file).transcript()))]

    assert told == ["`touch src/cart.rs`"]


def test_what_a_failure_costs_does_not_grow_with_the_session() -> None:
    def looked_at(failures: int) -> int:
        moments = [
            moment
            for number in range(failures)
            for moment in (
                Moment(
                    RUN, f"pytest tests/test_{number % 7}.py", "E  KeyError: 'vat'", failed=True
                ),
                Moment(EDIT, f"/shop/part{number % 9}.py"),
            )
        ]
        entered = 0

        def count(frame: FrameType, event: str, arg: object) -> None:
            nonlocal entered
            entered += event == "call"

        sys.setprofile(count)
        try:
            repairs.fixes(Story(moments=moments))
        finally:
            sys.setprofile(None)
        return entered

    assert looked_at(800) < 2.5 * looked_at(400)
