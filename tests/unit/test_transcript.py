from __future__ import annotations

import json
import shutil
import tracemalloc
from pathlib import Path

import pytest

from anamnesis.capture import ParsedSession, _text_of, parse_transcript
from anamnesis.capture.lines import MAX_LINE
from anamnesis.capture.readers.claude_code import summary_of
from support.hooks import SAMPLES, TRANSCRIPTS, Transcript


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "s-1.jsonl")


def test_the_ask_the_outcome_and_the_files_of_a_real_session(tmp_path: Path) -> None:
    shutil.copy(TRANSCRIPTS / "01_print_full_tools_subagent.jsonl", tmp_path / "s.jsonl")
    shutil.copytree(TRANSCRIPTS / "01_subagents", tmp_path / "s" / "subagents")

    session = parse_transcript(tmp_path / "s.jsonl")

    assert session.first_prompt.startswith("Fix the thing.")
    assert session.last_outcome == "(script exhausted)"
    assert session.files_touched == [f"/home/u/proj/{name}.txt" for name in ("a", "new", "sub")]
    assert (session.git_branch, session.cwd) == ("feature/x", "/home/u/proj")
    assert session.session_id == "b63e5ddd-8082-454d-912f-ba6dd4f2ebca"


def test_nothing_that_was_injected_or_recalled_is_captured() -> None:
    session = parse_transcript(TRANSCRIPTS / "01_print_full_tools_subagent.jsonl")

    for marker in ("INJECTED-MARKER", "UPS-PLAIN-MARKER", "set busy_timeout", "system-reminder"):
        assert marker not in session.conversation


def test_the_summary_of_a_compaction_is_kept_beside_the_outcome() -> None:
    session = parse_transcript(TRANSCRIPTS / "02_resume_compact.jsonl")

    assert session.compact_summary == "1. Primary Request: FAKE SUMMARY OF CONVERSATION"
    assert session.first_prompt.startswith("first prompt")
    assert session.last_outcome.startswith("The final outcome")


def test_the_summary_is_the_outcome_while_nothing_was_said_since(transcript: Transcript) -> None:
    transcript.user("do it").assistant("working on it")
    transcript.user("…continued.\nSummary:\nall was done", isCompactSummary=True)

    assert parse_transcript(transcript.path).last_outcome == "all was done"


def test_only_the_summary_itself_is_kept() -> None:
    carried_on = (
        "This session is being continued from a previous conversation. The summary covers it.\n\n"
        "{}\n\nIf you need specific details from before compaction (like code), read the file."
    )

    assert summary_of(carried_on.format("Summary:\n1. Done\n\n2. Tested")) == "1. Done\n\n2. Tested"
    assert summary_of(carried_on.format("It is done.")) == "It is done."
    assert summary_of("<analysis>a</analysis><summary>\nDone\n</summary>") == "Done"
    assert summary_of("Just text") == "Just text"


def test_a_session_that_begins_with_clear_has_no_ask() -> None:
    session = parse_transcript(TRANSCRIPTS / "03_after_clear_print.jsonl")

    assert (session.first_prompt, session.last_outcome) == ("", "")


@pytest.mark.parametrize(
    "noise",
    [
        "<command-name>/clear</command-name><command-args></command-args>",
        "<local-command-stdout>Compacted</local-command-stdout>",
        "<local-command-caveat>The command below</local-command-caveat>",
        "<task-notification>\n<task-id>a3</task-id>\n</task-notification>",
        "<bash-stdout>total 0</bash-stdout>",
        "<system-reminder>Be nice</system-reminder>",
        "[Request interrupted by user]",
        "# Anamnesis memory (auto-injected)\n\n## [semantic] x\n\nbody",
    ],
)
def test_what_nobody_typed_is_not_the_ask(transcript: Transcript, noise: str) -> None:
    transcript.user(noise).user("the real question")

    assert parse_transcript(transcript.path).first_prompt == "the real question"


def test_meta_lines_and_other_types_are_passed_over(transcript: Transcript) -> None:
    transcript.user("meta", isMeta=True)
    transcript.line(type="api-request-blob", message={"role": "user", "content": "a request"})
    transcript.line(type="attachment", attachment={"content": "injected"})
    transcript.user("the real question").assistant("the answer")
    transcript.line(type="system", content="compacted")

    session = parse_transcript(transcript.path)

    assert session.first_prompt == "the real question"
    assert session.conversation == "User: the real question\n\nAssistant: the answer"


def test_what_the_client_says_in_the_models_place_is_not_the_outcome(
    transcript: Transcript,
) -> None:
    transcript.user("the ask").assistant("the answer")
    filler = {"role": "assistant", "model": "<synthetic>", "content": "No response requested."}
    transcript.line(type="assistant", message=filler)

    assert parse_transcript(transcript.path).last_outcome == "the answer"


def test_a_command_of_the_project_is_the_ask_if_nothing_else_is(transcript: Transcript) -> None:
    transcript.user("<command-name>/fix-issue</command-name><command-args>123</command-args>")

    assert parse_transcript(transcript.path).first_prompt == "/fix-issue 123"


def test_private_text_is_left_out(transcript: Transcript) -> None:
    transcript.user("before <private>my salary</private> after")
    transcript.assistant("fine <PRIVATE>also this, never closed")

    session = parse_transcript(transcript.path)

    assert session.first_prompt == "before  after"
    assert session.last_outcome == "fine"


def test_a_refused_edit_is_not_a_touched_file(transcript: Transcript) -> None:
    transcript.edit("/a", call="t1").result(call="t1", failed=True)
    transcript.edit("/b", call="t2").result(call="t2")
    transcript.edit("/c", call="t3")
    transcript.edit("/a", call="t4", tool="Write").result(call="t4")
    transcript.edit("/d", call="t5", tool="Read").result(call="t5")

    assert parse_transcript(transcript.path).files_touched == ["/a", "/b", "/c"]


def test_head_is_not_a_branch(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    line = {"type": "user", "gitBranch": "HEAD", "message": {"content": "x y"}}
    file.write_text(json.dumps(line) + "\n" + json.dumps({**line, "gitBranch": "topic"}) + "\n")

    assert parse_transcript(file).git_branch == "topic"


def test_a_subagent_inside_of_the_transcript_only_brings_its_edits(transcript: Transcript) -> None:
    transcript.user("the ask").assistant("the answer")
    transcript.user("task for the helper", isSidechain=True)
    transcript.line(
        type="assistant",
        isSidechain=True,
        message={
            "content": [
                {"type": "text", "text": "helper speaks"},
                {"type": "tool_use", "id": "x", "name": "Write", "input": {"file_path": "/sub"}},
            ]
        },
    )

    session = parse_transcript(transcript.path)

    assert (session.last_outcome, session.files_touched) == ("the answer", ["/sub"])


def test_a_fork_does_not_tell_its_parents_story() -> None:
    session = parse_transcript(SAMPLES / "claude-code" / "fork.jsonl")

    assert session.first_prompt == "a new question in the fork"
    assert "parent prompt" not in session.conversation


def test_a_fork_is_told_from_its_parent_by_the_time_it_began(transcript: Transcript) -> None:
    transcript.user("the parent's ask", timestamp="2026-11-15T10:00:00.000Z")
    transcript.assistant("the parent's answer", timestamp="2026-11-15T10:00:01.000Z")
    transcript.user("the fork's ask", timestamp="2026-11-15T11:00:00.500Z")

    session = parse_transcript(transcript.path, since="2026-11-15T11:00:00+00:00")

    assert (session.first_prompt, session.last_outcome) == ("the fork's ask", "")


def test_a_message_that_waited_does_not_hide_what_was_said_before(transcript: Transcript) -> None:
    transcript.user("the ask", timestamp="2026-11-15T10:00:00.000Z")
    transcript.line(type="queue-operation", timestamp="2026-11-15T10:05:00.000Z")
    transcript.assistant("the answer", timestamp="2026-11-15T10:04:59.900Z")

    session = parse_transcript(transcript.path)

    assert (session.first_prompt, session.last_outcome) == ("the ask", "the answer")


@pytest.mark.parametrize(
    ("sample", "agent", "files", "outcome"),
    [
        ("codex/rollout_full.jsonl", "codex", ["a.txt"], "All done, the outcome"),
        ("copilot/events.jsonl", "copilot", ["new.txt"], "Hello from the fake copilot"),
        ("opencode/export.json", "opencode", ["new.txt"], "Hello from the fake opencode"),
        ("gemini/session-2026-11-15T20-54-aea9d728.jsonl", "gemini", ["new.txt"], "Hello from"),
    ],
)
def test_transcripts_of_other_agents(
    sample: str, agent: str, files: list[str], outcome: str, tmp_path: Path
) -> None:
    nameless = tmp_path / "anything"
    shutil.copy(SAMPLES / sample, nameless)

    session = parse_transcript(nameless)

    assert session.agent == agent
    assert session.files_touched == [f"/home/u/proj/{name}" for name in files]
    assert session.last_outcome.startswith(outcome)
    assert session.first_prompt
    assert session.session_id
    for marker in ("MARKER", "busy_timeout", "<hook_context", "<environment_context"):
        assert marker not in session.conversation


def test_a_gemini_chat_of_the_older_kind(tmp_path: Path) -> None:
    chat = {
        "sessionId": "g-1",
        "projectHash": "x",
        "messages": [
            {"type": "user", "content": "the ask"},
            {"type": "gemini", "content": "the answer"},
        ],
    }
    (tmp_path / "chat.json").write_text(json.dumps(chat, indent=1))

    session = parse_transcript(tmp_path / "chat.json")

    assert (session.agent, session.first_prompt, session.last_outcome) == (
        "gemini",
        "the ask",
        "the answer",
    )


def test_what_cannot_be_read_is_an_empty_session(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "lists").write_text('[1]\n"text"\nnull\n{"type": "user", "message": [1]}\n')
    (tmp_path / "deep").write_text("[" * 100_000 + "\n")

    odd = [tmp_path, tmp_path / "missing", Path("a\0b")]
    for path in odd:
        assert parse_transcript(path) == ParsedSession()
    for path in tmp_path.iterdir():
        session = parse_transcript(path)
        assert (session.first_prompt, session.last_outcome) == ("", "")


def test_a_broken_line_costs_only_itself(transcript: Transcript) -> None:
    transcript.user("the ask")
    with transcript.path.open("ab") as file:
        file.write(b'{"type": "user", "message": {"content": "half\n')
        file.write(b'{"type": "assistant", "message": {"content": "\xff\xfe"}}\n')
    transcript.assistant("the answer")

    session = parse_transcript(transcript.path)

    assert (session.first_prompt, session.last_outcome) == ("the ask", "the answer")


def test_odd_characters_do_not_end_a_line_or_the_capture(transcript: Transcript) -> None:
    with transcript.path.open("a") as file:
        line = {"type": "user", "message": {"content": "a\u2028b \ud83d c\0d"}}
        file.write(json.dumps(line).replace("\\u2028", "\u2028") + "\n")

    prompt = parse_transcript(transcript.path).first_prompt

    assert prompt == "a\u2028b ? cd"
    prompt.encode()


def test_a_line_that_is_too_long_is_passed_over(transcript: Transcript) -> None:
    transcript.user("the ask")
    with transcript.path.open("ab") as file:
        file.write(b'{"type": "user", "message": {"content": "' + b"x" * (2 * MAX_LINE) + b'"}}\n')
    transcript.assistant("the answer")

    assert parse_transcript(transcript.path).last_outcome == "the answer"


def test_the_memory_does_not_grow_with_the_transcript(transcript: Transcript) -> None:
    transcript.user("the ask")
    with transcript.path.open("a") as file:
        for number in range(2_000):
            text = f"answer {number} " + "word " * 1_500
            message = {"content": [{"type": "text", "text": text}]}
            file.write(json.dumps({"type": "assistant", "message": message}) + "\n")
    assert transcript.path.stat().st_size > 14_000_000

    tracemalloc.start()
    session = parse_transcript(transcript.path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert session.last_outcome.startswith("answer 1999")
    assert peak < 2_000_000


def test_the_text_of_a_message() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "tool_use"}, {"type": "text", "text": "b"}]

    assert _text_of("plain") == "plain"
    assert _text_of(blocks) == "a\nb"
    assert _text_of(None) == ""


def test_a_session_can_be_made_by_hand() -> None:
    assert ParsedSession().files_touched == []
