"""Whatever a transcript holds, capturing it gives a note or silence."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.operations.sessions.capture import capture
from support.hooks import Transcript, environment

MB = 1_000_000
ASKED = "Make the cart count items of one kind once"
ANSWERED = (
    "The cart counts items of one kind once, and the total above the list says so. Items that "
    "differ in size or colour are counted apart, as the price list has them in separate lines."
    " The tests of the cart pass."
)


def lines(*entries: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in entries)


def user(text: object, **more: object) -> dict[str, object]:
    return {"type": "user", "sessionId": "s", "message": {"content": text}, **more}


def assistant(*blocks: object, **more: object) -> dict[str, object]:
    return {"type": "assistant", "sessionId": "s", "message": {"content": list(blocks)}, **more}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def nested(depth: int) -> bytes:
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    return b'{"type":"user","sessionId":"s","message":{"content":' + deep + b"}}\n"


WHOLE = lines(user(ASKED), assistant(text(ANSWERED)))
CODEX = lines(
    {"type": "session_meta", "payload": {"id": "c", "cwd": "/u/app"}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": ASKED}},
)
GEMINI = lines({"sessionId": "g", "projectHash": "x"}, {"type": "user", "content": ASKED})
HOSTILE = {
    "circular parents": lines(
        user(ASKED, uuid="a", parentUuid="b"),
        assistant(text(ANSWERED), uuid="b", parentUuid="a"),
    ),
    "deep nesting": nested(100_000) + WHOLE,
    "truncated in a line": WHOLE + lines(user("and now"))[:-20],
    "truncated in a letter": WHOLE + '{"type":"user","message":{"content":"ü'.encode()[:-1],
    "mixed agents": WHOLE + CODEX + GEMINI,
    "mixed agents, another first": CODEX + WHOLE + GEMINI,
    "wrong types": lines(
        user(7), user(None), user([[["x"]]]), user({"text": ASKED}), assistant(1, None, ["x"]),
        {"type": ["user"]}, {"type": "user", "message": [], "timestamp": 9, "cwd": {}},
        assistant({"type": "tool_use", "id": 5, "name": {}, "input": []}),
        user([{"type": "tool_result", "tool_use_id": [], "content": 3, "is_error": "yes"}]),
    ) + WHOLE,
    "results without calls": lines(
        *(user([{"type": "tool_result", "tool_use_id": f"t{n}", "content": "x"}])
          for n in range(500))
    ) + WHOLE,
    "one id for every call": lines(
        *(assistant({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}})
          for _ in range(500))
    ) + WHOLE,
    "no white space": lines(user("a" * 300_000), assistant(text("b" * 300_000)), user(ASKED)),
    "backticks and stars": lines(user(ASKED), assistant(text("`*_[" * 60_000))),
    "surrogates": lines(
        user(f"{ASKED} \ud800\u0000\u202e"), assistant(text(f"{ANSWERED} \udfff"))
    ),
    "quotes that never end": lines(
        assistant({"type": "tool_use", "id": "t", "name": "Bash",
                   "input": {"command": "git commit -m \"$(cat <<'EOF'\n" + "(" * 50_000}}),
        user(ASKED), assistant(text(ANSWERED)),
    ),
    "bytes of no encoding": b"\xff\xfe\x00" * 1_000 + b"\n" + WHOLE,
    "empty": b"",
    "only line ends": b"\n" * 10_000,
}  # fmt: skip
SILENT = {"mixed agents, another first", "empty", "only line ends"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_transcript_gives_a_note_or_silence(
    root: Path, tmp_path: Path, name: str
) -> None:
    transcript = tmp_path / "s.jsonl"
    transcript.write_bytes(HOSTILE[name])

    payload = Payload(session_id="s", transcript_path=str(transcript))
    note = capture(Home(root), payload, source="session-end").note

    if note is not None:
        assert 0 < len(note.body) <= 6_000
        assert 0 < len(note.title) <= 80
    assert (note is None) == (name in SILENT)


@pytest.mark.parametrize("shape", ["one line", "many lines"])
def test_sixty_four_megabytes_are_read_in_bounded_memory(
    home: Path, tmp_path: Path, shape: str
) -> None:
    transcript = Transcript(tmp_path / "s-1.jsonl").user(ASKED)
    with transcript.path.open("ab") as file:
        if shape == "one line":
            file.write(b'{"type":"user","message":{"content":"' + b"x" * (64 * MB) + b'"}}\n')
        else:
            turn = lines(
                user("Change the next page of the shop. " * 20),
                assistant(text("The page is changed, see `page.html`. " * 200)),
            )
            for _ in range(64 * MB // len(turn)):
                file.write(turn)
    transcript.edit("/home/u/shop/cart.py").result().assistant(ANSWERED)

    limit = 300 * MB  # of address space, of which Python and SQLite take more than half

    done = subprocess.run(
        [sys.executable, "-c", "from anamnesis.cli import main; main(['capture', '--no-sync'])"],
        input=json.dumps({"session_id": "s-1", "transcript_path": str(transcript.path)}).encode(),
        capture_output=True, check=True, timeout=300, env=environment(home),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip

    assert b"wrote episodic note" in done.stdout
