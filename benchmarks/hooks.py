"""The hooks as a client runs them: inject and recall-hook cold, capture of a long transcript."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from anamnesis.capture import parse_transcript
from anamnesis.store import MemoryStore
from benchmarks import corpus
from benchmarks.measure import (
    Row,
    ask_peer,
    bare_python,
    cpu_of,
    cpu_of_process,
    milliseconds,
    peak_megabytes,
    peer_python,
    print_table,
    times,
)

SIZES = (1_000, 10_000, 50_000)
TRANSCRIPT_BYTES = 20 * 1024 * 1024
ENTRY = "import sys; from anamnesis.cli import main; sys.exit(main())"
PEAK = "import sys; from anamnesis.capture import parse_transcript; parse_transcript(sys.argv[1])"


def run() -> None:
    """Print the table."""
    # A hook runs from compiled files, as every installed program does.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["ANAMNESIS_SWEEP"] = "0"
    rows: list[Row] = []
    python = bare_python()
    with tempfile.TemporaryDirectory() as directory:
        for size in SIZES:
            root = Path(directory) / str(size)
            corpus.write_files(root, size)
            MemoryStore(root).close()
            rows += hook_rows(root, size, python)
            shutil.rmtree(root)
        rows += capture_rows(Path(directory))
    print_table("hooks: CPU of the whole process, beside `python -c pass`", rows)


def hook_rows(root: Path, size: int, python: float) -> list[Row]:
    os.environ["ANAMNESIS_HOME"] = str(root)
    project = corpus.PROJECTS[3]
    start = {"session_id": "s", "cwd": "/", "hook_event_name": "SessionStart", "source": "startup"}
    inject = _hook("inject", "--project", project, payload=start)
    question = f"what was it about {_title_of_a_note(project)}"
    # Another session each time: what was given once is not given again.
    recall = _hook("recall-hook", "--project", project, payload={"prompt": question, "cwd": "/"})
    peer = _peer_inject(root, size, project)
    python = min(python, bare_python())
    beside = f"{milliseconds(peer)} ({times(peer, python)})" if peer else ""
    return [
        _row(f"inject, {size:,} notes", inject, python, "<= 4x", beside),
        _row(f"recall-hook, {size:,} notes", recall, python, "<= 6x", "not there"),
    ]


def _row(what: str, ours: float, baseline: float, budget: str, peer: str) -> Row:
    ratio = times(ours, baseline)
    return Row(what, milliseconds(ours), milliseconds(baseline), ratio, budget, peer)


def _hook(*arguments: str, payload: object) -> float:
    argv = [sys.executable, "-c", ENTRY, *arguments]
    stdin = json.dumps(payload).encode()
    printed = subprocess.run(argv, input=stdin, capture_output=True, check=True).stdout
    assert b"## [" in printed, "a hook that prints nothing proves nothing"
    return cpu_of_process(argv, stdin=stdin, repeats=21)


def _title_of_a_note(project: str) -> str:
    return next(note.title for note in corpus.notes(1_000) if note.project == project)


def _peer_inject(root: Path, size: int, project: str) -> float:
    python = peer_python()
    if python is None:
        return 0.0
    home = root.with_name(f"peer-{size}")
    shutil.copytree(root / "memory", home / "memory")
    ask_peer("peer_hooks.py", "fill", str(home))
    argv = [str(python.parent / "anamnesis"), "inject", "--project", project]
    os.environ["ANAMNESIS_HOME"] = str(home)
    seconds = cpu_of_process(argv, stdin=b"{}", repeats=3)
    os.environ["ANAMNESIS_HOME"] = str(root)
    shutil.rmtree(home)
    return seconds


def capture_rows(directory: Path) -> list[Row]:
    transcript = directory / "session.jsonl"
    write_transcript(transcript, TRANSCRIPT_BYTES)
    ours = cpu_of(lambda: parse_transcript(transcript))
    bare = cpu_of(lambda: read_through_json(transcript))
    peer = ask_peer("peer_hooks.py", "parse", str(transcript)).get("seconds", 0.0)
    beside = f"{milliseconds(peer)} ({times(peer, bare)})" if peer else ""
    memory = peak_megabytes(PEAK, str(transcript))
    small = directory / "small.jsonl"
    write_transcript(small, TRANSCRIPT_BYTES // 20)
    less = peak_megabytes(PEAK, str(small))
    return [
        _row("parse a 20 MB transcript", ours, bare, "<= 2x", beside),
        Row("its peak memory", f"{memory:.0f} MB", f"{less:.0f} MB (1 MB)", times(memory, less)),
    ]


def read_through_json(path: Path) -> int:
    """The baseline: every line that is a message, through json, with the filter that we use."""
    filter_ = re.compile(rb'"type": ?"(?:user|assistant)"')
    length = 0
    with path.open("rb") as file:
        for line in file:
            if filter_.search(line):
                length += len(json.loads(line))
    return length


def write_transcript(path: Path, size: int) -> None:
    """A long session: a few per cent of it is the conversation, as in real ones."""
    chance = random.Random(4)
    words = corpus.vocabulary()

    def text(count: int) -> str:
        return " ".join(chance.choices(words, k=count))

    common = {"sessionId": "s", "cwd": "/home/u/proj", "gitBranch": "main", "version": "2.1.325"}
    written = turn = 0
    with path.open("w") as file:
        while written < size:
            turn += 1
            call, result = f"toolu_{turn}", text(700)
            lines: list[dict[str, object]] = [
                {"type": "attachment", "attachment": {"content": text(400)}},
                {"type": "api-request-blob", "message": {"role": "user", "content": text(900)}},
                {"type": "user", "message": {"role": "user", "content": text(30)}},
                {"type": "assistant", "message": {"content": [{"type": "text", "text": text(80)}]}},
                {"type": "assistant", "message": {"content": [
                    {"type": "tool_use", "id": call, "name": "Edit",
                     "input": {"file_path": f"/proj/{turn % 40}.py", "new_string": text(60)}}]}},
                {"type": "user", "message": {"content": [
                    {"type": "tool_result", "tool_use_id": call, "content": result}]},
                 "toolUseResult": {"stdout": result}},
                {"type": "file-history-snapshot", "snapshot": {"content": text(300)}},
            ]  # fmt: skip
            for line in lines:
                written += file.write(json.dumps({**line, **common}, separators=(",", ":")) + "\n")
