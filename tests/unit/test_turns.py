"""The list of turns: what each says of its call, and that a story loses nothing to its limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.archive.turns import AGENT, CHOICE, Turn, from_json
from anamnesis.capture import recorder, story
from anamnesis.capture.recorder import Recorder
from anamnesis.capture.session import session_of
from anamnesis.capture.story import EDIT, RUN, story_of
from anamnesis.capture.transcript import read_transcript
from anamnesis.text.clipping import both_ends
from support.hooks import Transcript


def test_a_turn_is_the_same_after_the_archive() -> None:
    turn = Turn(
        who=AGENT, at="2026-11-10T09:00:00Z", kind=CHOICE, text="SQLite", to="Which one?",
        tool="Bash", command="make", input="{}", file="a", edits=("a", "b"),
        items=(("1", "Split it", "pending"),), result="done", failed=True, refused=True, exit=0,
        foreign=(("result", 0, 2),),
    )  # fmt: skip

    assert from_json(json.loads(json.dumps(turn.as_json()))) == turn
    assert Turn(who=AGENT, text="yes").as_json() == {"who": AGENT, "text": "yes"}


@pytest.mark.parametrize(
    "line",
    [
        {"who": 1},
        {"who": "agent", "text": 1, "exit": "2", "failed": 1, "edits": "a", "items": {}},
        {"who": "agent", "edits": [1, ["a"]], "items": [["a"], ["a", 1, "b"], 3]},
        {"who": "agent", "foreign": [["who", 0, 1], ["text", "0", 1], [], None]},
    ],
)
def test_what_a_line_has_wrong_is_left_out(line: dict[str, Any]) -> None:
    turn = from_json(line)

    assert turn is None or turn == Turn(who="agent", edits=turn.edits)


def test_a_turn_holds_at_least_what_a_story_takes_of_it() -> None:
    assert recorder._LONGEST_RESULT >= story._LONGEST_OUTPUT
    assert max(story._LONGEST_ERROR, story._LONGEST_OTHER) <= recorder._LONGEST_ERROR
    assert story._LONGEST[story.ANSWER] <= recorder._LONGEST_REPORT
    assert max(story._LONGEST.values()) <= recorder._LONGEST_TEXT


@pytest.mark.parametrize("failed", [False, True])
def test_a_clipped_turn_tells_the_same_story(failed: bool) -> None:
    output = "\n".join(f"line {number} of a long output" for number in range(1_000))
    recording = Recorder(agent="claude-code")
    recording.call("Bash", {"command": "make"}, call="c")
    recording.result("c", output, failed=failed)

    (moment,) = story_of(recording.transcript()).of(RUN)

    most = story._LONGEST_ERROR if failed else story._LONGEST_OUTPUT
    assert moment.answer == both_ends(output, most)


def test_an_edit_that_failed_or_was_refused_is_not_told() -> None:
    recording = Recorder(agent="claude-code")
    for call, failed, refused in (("a", True, False), ("b", False, True), ("c", False, False)):
        recording.call("Edit", {"file_path": f"/shop/{call}"}, call=call)
        recording.result(call, "", failed=failed, refused=refused)

    transcript = recording.transcript()

    assert session_of(transcript).files_touched == ["/shop/c"]
    assert [each.text for each in story_of(transcript).of(EDIT)] == ["/shop/c"]


def test_a_result_that_is_written_twice_counts_once() -> None:
    recording = Recorder(agent="claude-code")
    recording.call("Bash", {"command": "make"}, call="c")
    for output in ("first", "second"):
        recording.result("c", output, failed=False)

    assert [turn.result for turn in recording.turns] == ["first"]


def test_the_exit_status_is_kept_where_the_client_records_it(tmp_path: Path) -> None:
    said = Transcript(tmp_path / "s.jsonl").user("Build it")
    run = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "c", "is_error": True,
              "content": "Exit code 2\nmake: no target"}  # fmt: skip
    said.assistant(run).user([result])
    codex = tmp_path / "rollout.jsonl"
    call = {
        "type": "function_call",
        "name": "shell",
        "call_id": "c",
        "arguments": '{"cmd": "make"}',
    }
    output = {"output": "make: no target", "metadata": {"exit_code": 0}}
    payloads = [
        call,
        {"type": "function_call_output", "call_id": "c", "output": json.dumps(output)},
    ]
    lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "x"}}]
    lines += [{"type": "response_item", "payload": each} for each in payloads]
    codex.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")

    found = [[turn.exit for turn in read_transcript(path).turns if turn.tool]
             for path in (said.path, codex)]  # fmt: skip

    assert found == [[2], [0]]
