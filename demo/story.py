"""One piece of work on two machines, told in the order in which the client calls the hooks."""

from __future__ import annotations

import json
import sys
import urllib.request
from pathlib import Path

from anamnesis.web.serve import Server
from demo.terminal import Machine, show, step

ASK = "The nightly import fails since Monday, please find out why and fix it"
ERROR = "KeyError: 'region'"
OUTCOME = (
    "Fixed: the import read the supplier's CSV with the wrong delimiter. `orders.py` now sniffs it."
)


def begin(laptop: Machine, desk: Machine, shared: str) -> None:
    """Let two machines share a repository."""
    laptop.run("remote", "--create", shared)
    desk.run("remote", "set", shared)


def a_session_ends(laptop: Machine) -> None:
    """The hook turns the transcript into one note."""
    step("laptop", "Claude Code finishes a piece of work.", hook="SessionEnd: capture")
    transcript = _transcript(laptop)
    said = laptop.hook(
        "SessionEnd", "capture", "--no-sync", transcript_path=str(transcript), says="wrote"
    )
    show(said)
    laptop.run("sync", says="pushed=True")


def the_next_one_starts(desk: Machine) -> None:
    """Another machine begins where the first one stopped."""
    step(
        "desk",
        "The next morning, a new session starts where the laptop stopped.",
        hook="SessionStart: inject, sync",
    )
    desk.run("sync", "--detach")
    given = desk.hook("SessionStart", "inject", source="startup", says=OUTCOME)
    show(*_lines(given, "Ask:", "failed:", "Outcome:"))


def you_ask(desk: Machine) -> None:
    """A note that answers a prompt comes with it."""
    desk.run(
        "write", "The supplier's CSV files have semicolons and a byte order mark since November.",
        "--title", "Supplier CSV delimiter", "--project", "shop",
    )  # fmt: skip
    prompt = "which delimiter do the supplier's files have?"
    step("desk", f'You ask: "{prompt}"', hook="UserPromptSubmit: recall-hook")
    given = desk.hook("UserPromptSubmit", "recall-hook", prompt=prompt, says="semicolons")
    show(*_lines(given, "[semantic]", "semicolons"))


def a_command_fails(desk: Machine) -> None:
    """The fix that worked before, whichever machine it was on."""
    step("desk", f"A test fails: {ERROR}", hook="PostToolUseFailure: failure-hook")
    error = f"Exit code 1\n{ERROR}"
    given = desk.hook("PostToolUseFailure", "failure-hook", error=error, says="settings.py")
    show(*given.splitlines())


def a_file_is_read(desk: Machine) -> None:
    """Notes that name the file, from the server that runs anyway."""
    rule = "Prices in `till.py` are rounded down, by law."
    desk.run("write", rule, "--title", "Rounding", "--project", "shop")
    step("desk", "Claude reads till.py.", hook="PostToolUse: memory_moment")
    asked = {"session_id": desk.name, "cwd": str(desk.project)}
    given = desk.tool("memory_moment", {**asked, "file_path": str(desk.project / "till.py")})
    if rule not in given:
        sys.exit(f"demo: at the file it was told {given!r}")
    show(*given.splitlines()[1:2])


def both_edit_one_note(laptop: Machine, desk: Machine) -> None:
    """Different words of one note are merged, and both machines end with the same files."""
    step("both", "Each machine edits its copy of one note, then they sync.", hook="sync")
    text = "Deploys run on Fridays.\nAsk ops for the token."
    note = laptop.run("write", text, "--title", "How we deploy").strip()
    _sync(laptop, desk)
    laptop.run("edit", note, EDITOR="sed -i s/Fridays/Mondays/")
    desk.run("edit", note, EDITOR="sed -i s/ops/Kim/")
    _sync(laptop, desk, laptop)
    shown = desk.run("show", note, says="Mondays.\nAsk Kim")
    show(*_lines(shown, "Mondays", "Kim"))
    if laptop.files() != desk.files():
        sys.exit("demo: the machines differ")


def see_it_all(desk: Machine) -> None:
    """The same notes in a browser; on a terminal it stays until Enter."""
    step("desk", "All of it in a browser.", hook="anamnesis dashboard")
    with Server(desk.home) as server:
        key = {"Authorization": f"Bearer {server.keys.script}"}
        asked = urllib.request.Request(f"{server.plain_address}/", headers=key)
        with urllib.request.urlopen(asked, timeout=30) as page:
            if page.status != 200 or b"Anamnesis" not in page.read():
                sys.exit("demo: the dashboard does not answer")
        print(f"        {server.link()}", flush=True)
        if sys.stdin.isatty():
            input("\nOpen the address; press Enter to end. ")


def _sync(*machines: Machine) -> None:
    for machine in machines:
        machine.run("sync", says="conflicted=False")


def _lines(text: str, *marks: str) -> list[str]:
    """The first line with each mark."""
    lines = text.splitlines()
    return [next(line for line in lines if mark in line) for mark in marks]


def _transcript(machine: Machine) -> Path:
    """A session that failed once, was fixed, and passed, as Claude Code records it."""
    common = {"sessionId": "first", "cwd": str(machine.project), "gitBranch": "main"}
    test = {"command": "pytest -q", "description": "Run the tests"}
    edits = [{"file_path": str(machine.project / name)} for name in ("settings.py", "orders.py")]
    lines: list[dict[str, object]] = [
        {"type": "user", "message": {"role": "user", "content": ASK}},
        *_call("t1", "Bash", test, f"Exit code 1\n{ERROR}", failed=True),
        *_call("t2", "Edit", edits[0], "done"),
        *_call("t3", "Bash", test, "12 passed in 0.41s"),
        *_call("t4", "Edit", edits[1], "done"),
        _said({"type": "text", "text": OUTCOME}),
    ]
    path = machine.user / "session.jsonl"
    path.write_text("".join(json.dumps({**line, **common}) + "\n" for line in lines))
    return path


def _call(
    call: str, tool: str, given: dict[str, str], answer: str, *, failed: bool = False
) -> list[dict[str, object]]:
    result = {"type": "tool_result", "tool_use_id": call, "content": answer, "is_error": failed}
    return [
        _said({"type": "tool_use", "id": call, "name": tool, "input": given}),
        {"type": "user", "message": {"role": "user", "content": [result]}},
    ]


def _said(block: dict[str, object]) -> dict[str, object]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}
