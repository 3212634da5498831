"""At a failure: the fix that worked before, once, and silence for everything else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks import payload, receipts, switches
from anamnesis.hooks.payload import Payload
from anamnesis.index.fixes import signature
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.moment import MOST_UNITS, help_after_failure
from anamnesis.store import MemoryStore
from anamnesis.text.clipping import units
from support.hooks import Transcript
from support.notes import write_file

OVERCOME = """\
**Ask:** make the shipment export work

**Errors and fixes:**
- `make export` failed: ZorbelError: flange 12 of /srv/a/x.toml is not seated → edited `seat.py`
- `pytest -q` failed: KeyError: 'region' → edited `settings.py`
- `tsc` failed: SyntaxError: invalid syntax → edited `a.ts`

**Outcome:** it exports
"""
ERROR = "Exit code 2\nreading…\n  ZorbelError: flange 7 of /home/u/b/x.toml is not seated\n\n"
FAILED = Payload(event="PostToolUseFailure", session_id="s-2", cwd="/u/demo", error=ERROR)


def put(store: MemoryStore, **fields: object) -> None:
    given: dict[str, object] = {"type": "episodic", "title": "Export works", "project": "demo"}
    given |= {"id": "E1", "body": OVERCOME}
    given |= {"machine_id": "desk", "prov_session": "s-1", "prov_source": "session-end"}
    given |= {"created_at": "2026-01-05T00:00:00+00:00", "updated_at": "2026-01-05T00:00:00+00:00"}
    store.put(Memory(**(given | fields)))  # type: ignore[arg-type]


def given_text(printed: str) -> str:
    return str(json.loads(printed)["hookSpecificOutput"]["additionalContext"]) if printed else ""


def test_an_error_that_was_overcome_brings_its_fix(store: MemoryStore, root: Path) -> None:
    put(store)

    text = given_text(help_after_failure(Home(root), FAILED))

    assert "2026-01-05 on desk, note E1" in text
    assert text.endswith("→ edited `seat.py`")
    assert units(text) <= MOST_UNITS


def test_it_is_said_once_per_error_and_session(store: MemoryStore, root: Path) -> None:
    put(store)
    other = Payload(session_id="s-2", cwd="/u/demo", error="E   KeyError: 'region'")

    assert help_after_failure(Home(root), FAILED)
    assert help_after_failure(Home(root), FAILED) == ""
    assert help_after_failure(Home(root), other)
    assert help_after_failure(Home(root), Payload(session_id="s-3", cwd="/u/demo", error=ERROR))
    assert [each["event"] for each in receipts.latest(Home(root))] == ["failure"] * 3


def test_a_session_is_not_told_its_own_fix(store: MemoryStore, root: Path) -> None:
    put(store, prov_session="s-2")

    assert help_after_failure(Home(root), FAILED) == ""


@pytest.mark.parametrize(
    "changes",
    [
        {"project": "elsewhere"},
        {"tags": ["pending"], "origin": "import:somewhere"},
    ],
)
def test_neither_other_projects_nor_foreign_notes_speak(
    store: MemoryStore, root: Path, changes: dict[str, object]
) -> None:
    put(store, **changes)

    assert help_after_failure(Home(root), FAILED) == ""


def test_a_setting_a_pause_and_an_interruption_keep_it_silent(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store)
    stopped = Payload(cwd="/u/demo", error=ERROR, is_interrupt=True)

    assert help_after_failure(Home(root), stopped) == ""
    monkeypatch.setenv("ANAMNESIS_MOMENT_FAILURE", "0")
    assert help_after_failure(Home(root), FAILED) == ""
    monkeypatch.delenv("ANAMNESIS_MOMENT_FAILURE")
    switches.pause(Home(root))
    assert help_after_failure(Home(root), FAILED) == ""


def test_the_index_forgets_a_fix_with_its_note(store: MemoryStore, root: Path) -> None:
    put(store)
    put(store, body="**Ask:** nothing")

    assert help_after_failure(Home(root), FAILED) == ""


def test_a_note_that_was_pulled_is_found_as_well(store: MemoryStore, root: Path) -> None:
    front = "id: E2\ntype: episodic\ntitle: T\nproject: demo\nmachine_id: desk\n"
    times = 'created_at: "2026-01-05T00:00:00+00:00"\nupdated_at: "2026-01-05T00:00:00+00:00"\n'
    write_file(root, "memory/episodic/E2.md", f"---\n{front}{times}---\n{OVERCOME}")
    store.refresh()

    assert help_after_failure(Home(root), FAILED)


def test_a_note_whose_title_names_the_error_is_told(store: MemoryStore, root: Path) -> None:
    about = {"type": "semantic", "prov_session": None, "prov_source": "manual"}
    put(store, **about, title="EADDRINUSE on start", body="The old server keeps it.\n\n`make stop`")
    put(store, **about, id="E2", title="ENOENT in the export", body="The folder is missing.")
    put(store, **about, id="E3", title="Ports", body="EPROTOTYPE comes from the proxy.")
    failed = Payload(
        session_id="s-2", cwd="/u/demo", error="Error: listen EADDRINUSE: address in use :::3000"
    )

    text = given_text(help_after_failure(Home(root), failed))

    assert text.endswith("EADDRINUSE on start → The old server keeps it. `make stop`")
    for other in ("Error: ENOENT: no such file, open 'a.toml'", "write EPROTOTYPE", "EADDRINUSED"):
        assert help_after_failure(Home(root), Payload(cwd="/u/demo", error=other)) == ""


def test_a_long_pair_keeps_its_fix(store: MemoryStore, root: Path) -> None:
    line = f"- `{'make ' * 40}` failed: ZorbelError: flange 1 is not seated {'x' * 300} → run `fix`"
    put(store, body=f"**Errors and fixes:**\n{line}")
    failed = Payload(cwd="/u/demo", error=f"ZorbelError: flange 2 is not seated {'x' * 300}")

    text = given_text(help_after_failure(Home(root), failed))

    assert units(text) <= MOST_UNITS
    assert text.endswith("→ run `fix`")


def ran(transcript: Transcript, command: str, said: str, *, bad: bool = False) -> None:
    call = {"type": "tool_use", "id": command, "name": "Bash", "input": {"command": command}}
    transcript.assistant(call)
    answer = {"type": "tool_result", "tool_use_id": command, "content": said, "is_error": bad}
    transcript.user([answer])


def test_what_a_session_overcame_helps_the_next_one(root: Path, tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t.jsonl", session="s-1", cwd="/u/demo")
    transcript.user("Make the shipment export work, please, and tell me why it did not.")
    ran(transcript, "make export", "Exit code 2\nZorbelError: flange 12 is not seated", bad=True)
    transcript.edit("/u/demo/seat.py", call="edited").result(call="edited")
    ran(transcript, "make export", "42 shipments exported")
    transcript.assistant("Done: the flange has to be seated before the export can run at all.")
    capture(Home(root), Payload(transcript_path=str(transcript.path)), source="session-end")
    error = "Exit code 2\nZorbelError: flange 99 is not seated"

    text = given_text(
        help_after_failure(Home(root), Payload(session_id="s-2", cwd="/u/demo", error=error))
    )

    assert text.endswith("is not seated → edited `seat.py`")


def test_two_hundred_other_failures_bring_nothing(store: MemoryStore, root: Path) -> None:
    put(store)
    kinds = [
        "ZorbelError: gasket {0} of export.toml is torn",
        "KeyError: 'name{0}'",
        "SyntaxError: invalid syntax",
        "bash: line 1: tool{0}: command not found",
        "cat: /srv/a/file{0}.toml: No such file or directory",
        "make: *** [Makefile:{0}: export] Error 2",
        "src/m{0}.ts({0},5): error TS2307: Cannot find module './seat{0}'",
        "FAILED tests/test_{0}.py::test_region - AssertionError: assert {0} == 2",
        "error: failed to push some refs to 'origin{0}'",
        "E   TypeError: 'NoneType' object is not subscriptable",
    ]
    errors = [f"Exit code 1\n{kinds[at % 10].format(at)}\nTraceback" for at in range(200)]

    said = [
        help_after_failure(Home(root), Payload(session_id=f"o-{at}", cwd="/u/demo", error=error))
        for at, error in enumerate(errors)
    ]

    assert [text for text in said if text] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/home/a/p/x.py:12: error: no Foo", "C:\\p\\x.py:7: error: no Foo"),
        ("\x1b[31mlisten EADDRINUSE :::3000\x1b[0m", "listen EADDRINUSE :::8080"),
        ("segfault in render_frame at 0x7ffe12ab", "segfault in render_frame at 0x55aa00ff"),
    ],
)
def test_an_error_is_the_same_in_another_place(one: str, other: str) -> None:
    assert signature(one) == signature(other) != ""


@pytest.mark.parametrize(
    "line", ["Exit code 1", "make: *** [Makefile:3: test] Error 2", "3 failed, 2 passed in 0.3s",
             "Traceback (most recent call last):", "SyntaxError: invalid syntax", "", "→ → →"]
)  # fmt: skip
def test_a_line_that_any_failure_prints_is_no_sign(line: str) -> None:
    assert signature(line) == ""


def test_the_payload_of_a_failure_is_read() -> None:
    told = {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "cwd": "/u/demo",
            "tool_input": {"command": "make"}, "error": ERROR, "is_interrupt": False}  # fmt: skip

    assert payload.parse(json.dumps(told).encode()).error == ERROR
