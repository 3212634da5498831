"""The hooks as a client runs them, cold: what a session waits for, and what runs behind it."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from anamnesis.anchors.standing import Standing, note_standings, top_of
from anamnesis.capture import parse_transcript
from anamnesis.hooks.payload import Payload
from anamnesis.index.queries import active
from anamnesis.operations.sessions.moment import notes_at_file
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from benchmarks import corpus
from benchmarks.measure import (
    COMMAND,
    INSTALLED,
    Sample,
    Table,
    adopt_orphans,
    ask_peer,
    end_orphans,
    peak_megabytes,
    peer_python,
    sample,
    sample_beside_python,
    sample_commands_beside_python,
    sample_process,
    wait_for_orphans,
)

TRANSCRIPT_BYTES = 20 * 1024 * 1024
PEAK = "import sys; from anamnesis.capture import parse_transcript; parse_transcript(sys.argv[1])"
PROJECT = corpus.PROJECTS[3]
START = {"session_id": "s", "cwd": "/", "hook_event_name": "SessionStart", "source": "startup"}
OF_PYTHON = "`python -c pass`"


class Hooks:
    """The commands of the hooks, on one store and with a home directory of their own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.told = {"ANAMNESIS_HOME": str(root), "HOME": str(root / "person")}
        (root / "person").mkdir(exist_ok=True)

    def sample(self, *arguments: str, payload: object = START) -> tuple[Sample, Sample]:
        """One hook and Python alone; what it starts is waited for and not counted."""
        taken = sample_beside_python(
            [COMMAND, *arguments], stdin=json.dumps(payload).encode(), environment=self.told,
            before=wait_for_orphans,
        )  # fmt: skip
        wait_for_orphans()
        return taken

    def run(self, *arguments: str, payload: object = START) -> bytes:
        """What one hook prints."""
        argv, told = [COMMAND, *arguments], {**os.environ, **self.told}
        stdin = json.dumps(payload).encode()
        return subprocess.run(argv, input=stdin, capture_output=True, check=True, env=told).stdout


def run(sizes: tuple[int, ...] = corpus.SIZES) -> None:
    """Print the table."""
    adopt_orphans()
    os.environ["ANAMNESIS_SWEEP"] = "0"
    table = Table("Hooks: CPU of the whole process, beside `python -c pass`")
    with tempfile.TemporaryDirectory() as directory:
        first = 0.0
        for size in sizes:
            root = Path(directory) / str(size)
            corpus.write_files(root, size)
            MemoryStore(root).close()
            first = _hook_rows(table, Hooks(root), size, first)
            shutil.rmtree(root)
        _detached_rows(table, Path(directory) / "detached")
        _session_start(table, Path(directory) / "start", 10_000)
        _capture_rows(table, Path(directory))


def _hook_rows(table: Table, hooks: Hooks, size: int, first: float) -> float:
    label = f"{size:,} notes"
    asked = {"prompt": f"what was it about {_title_of_a_note()}", "cwd": "/"}
    inject, recall = ("inject", "--project", PROJECT), ("recall-hook", "--project", PROJECT)
    for printed in (hooks.run(*inject), hooks.run(*recall, payload=asked)):
        assert b"## [" in printed, "a hook that prints nothing proves nothing"
    peer = _peer_inject(hooks.root, size) if size <= 10_000 else None
    taken, python = hooks.sample(*inject)
    table.row(f"inject, {label}", taken, baseline=python, most=3, of=OF_PYTHON, peer=peer)
    _anchored_row(table, hooks, label)
    ratio = taken.best / python.best
    _older_script(table, hooks, label)
    if first:
        table.figure("  growth over 1k notes", ratio / first, "x", most=1.1)
    most = 4 if size == 50_000 else None
    hit, python = hooks.sample(*recall, payload=asked)
    table.row(f"recall-hook that hits, {label}", hit, baseline=python, most=most, of=OF_PYTHON)
    quiet, python = hooks.sample(*recall, payload={"prompt": "thank you, go on", "cwd": "/"})
    table.row(f"recall-hook that is silent, {label}", quiet, baseline=python)
    _silent_moments(table, hooks, label)
    _without_index(table, hooks, label)
    return first or ratio


def _anchored_row(table: Table, hooks: Hooks, label: str) -> None:
    """In a repository in which the code of 2,000 notes changed since they were written."""
    with tempfile.TemporaryDirectory() as top, MemoryStore(hooks.root) as store:
        subprocess.run(["git", "init", "--quiet", top], check=True)
        ids = [note.id for note in store.ask(lambda db: active(db, project=PROJECT))]
        changed = Standing("changed", "charge in src/pay.py changed in 3f2a9c1 on 2026-11-02")
        found = dict.fromkeys((*ids, *(f"01J{number:023}" for number in range(2000))), changed)
        note_standings(store.home, top_of(top), dict(list(found.items())[:2_000]), {})
        start = {**START, "cwd": top}
        hooks.run("inject", "--project", PROJECT, payload=start)
        taken, python = hooks.sample("inject", "--project", PROJECT, payload=start)
    table.row(
        f"  code of 2,000 notes changed, {label}", taken, baseline=python, most=3, of=OF_PYTHON
    )


def _silent_moments(table: Table, hooks: Hooks, label: str) -> None:
    """A failure and a file that no note is about; a file is asked about in the running server."""
    failed = {"hook_event_name": "PostToolUseFailure", "error": "E   KeyError: 'region'"}
    quiet, python = hooks.sample("failure-hook", payload={**START, **failed})
    table.row(f"failure-hook that is silent, {label}", quiet, baseline=python, most=3, of=OF_PYTHON)
    with MemoryStore(hooks.root) as store:
        asked = Payload(session_id="s", cwd="/", file_path="/src/no_such_file.py")
        at_file = sample(lambda: notes_at_file(store, asked), repeats=31)
    table.row(f"at a file, in the server, silent, {label}", at_file, baseline=python, most=3,
              of=OF_PYTHON)  # fmt: skip


def _older_script(table: Table, hooks: Hooks, label: str) -> None:
    """The same through the command that pip made of this checkout, if it loads `re`."""
    if "import re\n" not in Path(INSTALLED).read_text():
        return
    argv = [INSTALLED, "inject", "--project", PROJECT]
    stdin = json.dumps(START).encode()
    taken, python = sample_beside_python(argv, stdin=stdin, environment=hooks.told)
    table.row(f"  started by pip 23's script, {label}", taken, baseline=python)


def _without_index(table: Table, hooks: Hooks, label: str) -> None:
    """Each time the rebuild that the hook started is ended, and what it built removed again."""

    def remove() -> None:
        end_orphans()
        for path in hooks.root.glob("index.db*"):
            path.unlink()

    argv = [COMMAND, "inject", "--project", PROJECT]
    taken, python = sample_beside_python(
        argv, stdin=json.dumps(START).encode(), environment=hooks.told, repeats=7, before=remove
    )
    table.row(f"inject without an index, {label}", taken, baseline=python, most=4, of=OF_PYTHON)
    end_orphans()


def _detached_rows(table: Table, root: Path) -> None:
    hooks = _synced(root, 1_000)
    transcript = root / "session.jsonl"
    write_transcript(transcript, 100_000)
    ended = {"session_id": "s", "cwd": "/", "transcript_path": str(transcript)}
    for what in ("sync", "capture"):
        payload = {**ended, "hook_event_name": "SessionEnd"}
        taken, python = hooks.sample(what, "--detach", payload=payload)
        table.row(f"{what} --detach, in the foreground", taken, baseline=python, most=2.3,
                  of=OF_PYTHON)  # fmt: skip


def _session_start(table: Table, root: Path, size: int) -> None:
    """Both hooks of a session start and all that runs behind them."""
    hooks = _synced(root, size)
    os.environ.pop("ANAMNESIS_SWEEP")

    def start() -> None:
        hooks.run("inject", "--project", PROJECT)
        hooks.run("sync", "--detach")
        wait_for_orphans()

    start()
    label = f"whole session start, background included, {size:,} notes"
    whole, python = sample_commands_beside_python(start, repeats=9)
    table.row(label, whole, baseline=python, most=14, of=OF_PYTHON)

    def swept() -> None:
        for path in (root / "state").glob("last-*"):
            path.unlink()
        start()

    first, python = sample_commands_beside_python(swept, repeats=5)
    table.row("  the first of an hour, which looks for missed sessions", first, baseline=python)
    os.environ["ANAMNESIS_SWEEP"] = "0"


def _synced(root: Path, size: int) -> Hooks:
    """A store that is in step with its remote."""
    corpus.write_files(root, size)
    remote = root.with_name(f"{root.name}.git")
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    (root / "config.json").write_text(json.dumps({"remote": str(remote), "machine_id": "b"}))
    backend = GitSyncBackend(root / "memory", remote=str(remote), machine_id="b")
    backend.sync()
    time.sleep(1.1)  # git reads a file again that is as young as its index
    hooks = Hooks(root)
    hooks.run("sync")
    hooks.run("sync")
    return hooks


def _title_of_a_note() -> str:
    return next(note.title for note in corpus.notes(1_000) if note.project == PROJECT)


def _peer_inject(root: Path, size: int) -> float | None:
    python = peer_python()
    if python is None:
        return None
    home = root.with_name(f"peer-{size}")
    shutil.copytree(root / "memory", home / "memory")
    ask_peer("peer_hooks.py", "fill", str(home))
    argv = [str(python.parent / "anamnesis"), "inject", "--project", PROJECT]
    told = {"ANAMNESIS_HOME": str(home), "HOME": str(home)}
    taken = sample_process(argv, stdin=b"{}", repeats=3, environment=told)
    shutil.rmtree(home)
    return taken.best


def _capture_rows(table: Table, directory: Path) -> None:
    transcript = directory / "session.jsonl"
    write_transcript(transcript, TRANSCRIPT_BYTES)
    ours = sample(lambda: parse_transcript(transcript), repeats=5)
    bare = sample(lambda: read_through_json(transcript), repeats=5)
    peer = ask_peer("peer_hooks.py", "parse", str(transcript)).get("seconds")
    table.row("parse a 20 MB transcript", ours, baseline=bare, most=2, of="json.loads", peer=peer)
    small = directory / "small.jsonl"
    write_transcript(small, TRANSCRIPT_BYTES // 20)
    for path, label in ((transcript, "20"), (small, "1")):
        table.figure(f"peak memory, {label} MB transcript", peak_megabytes(PEAK, str(path)), "MB")


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
