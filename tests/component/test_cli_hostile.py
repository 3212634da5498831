"""A hostile user at the command line: odd arguments, poor locales, closed and full outputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from anamnesis.cli import main
from anamnesis.operations.curate import forget
from anamnesis.store import MemoryStore
from support.fleet import Fleet, quiet
from support.notes import write_file

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
PROGRAM = "import sys; from anamnesis.cli import main; sys.exit(main())"
ODD = "Grüße — 漢字 🎉"


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(arguments)
    except SystemExit as error:  # argparse
        code = int(error.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def child(*arguments: str, output: int = subprocess.PIPE, **environment: str) -> tuple[int, bytes]:
    """A command in a process of its own; its exit code, and all that it said."""
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, **environment}, stdout=output, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    return finished.returncode, (finished.stdout or b"") + finished.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "--limit", "-1"], "0 or more"),
        (["search", "x", "-k", "0"], "1 or more"),
        (["log", "--limit", "0"], "1 or more"),
        (["history", "x", "--limit", "many"], "1 or more"),
        (["dashboard", "--port", "99999999"], "not a port from 0 to 65535"),
        (["serve", "--transport", "http", "--port", "-5"], "not a port from 0 to 65535"),
        (["stale", "/nowhere"], "There is no directory /nowhere"),
        (["migrate", "nowhere.json"], "Cannot read nowhere.json: no such file"),
        (["write", "--file", "."], "Cannot read .: is a directory."),
        (["forget", "--before", "last week", "--yes"], "'last week' is not a time"),
        (["capture", "--backfill", "--since", "last week"], "'last week' is not a time"),
    ],
)
def test_a_wrong_argument_is_named(capsys: Capture, arguments: list[str], said: str) -> None:
    code, _, complaint = run(capsys, *arguments)

    assert code == 2
    assert said in complaint


def test_forgetting_before_a_date_takes_only_what_is_older(store: MemoryStore) -> None:
    store.write(type="semantic", title="new", body="b")

    assert forget.choose(store, before="2020-01") == []
    assert forget.choose(store, before="1d") == []
    assert len(forget.choose(store, before="2999-01-31")) == 1


def test_a_note_named_twice_is_deleted_once(capsys: Capture, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="t", body="b")

    code, printed, _ = run(capsys, "delete", note.id, note.id[-8:], "--yes")

    assert (code, printed) == (0, f"{note.id}\n")


def test_a_part_of_an_id_that_fits_many_lists_them(capsys: Capture, store: MemoryStore) -> None:
    for number in range(12):
        store.write(type="semantic", title=f"t{number}", body="b")

    code, _, said = run(capsys, "show", "01")

    assert code == 2
    assert said.count("01") >= 8
    assert "…" in said
    assert "Give more of the id." in said


def test_help_of_a_command_comes_both_ways(capsys: Capture) -> None:
    assert run(capsys, "help", "pin") == run(capsys, "pin", "--help")


def test_a_difference_of_no_note_is_an_error(capsys: Capture, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="t", body="b")
    run(capsys, "sync")

    assert run(capsys, "diff", "nothing")[0] == 1
    assert json.loads(run(capsys, "diff", note.id, "--json")[1]) == {"diff": ""}


@pytest.mark.parametrize("arguments", [["--json"], ["list", "--json"], ["--json", "list"]])
@pytest.mark.usefixtures("store")
def test_conflicts_are_data_however_one_asks(capsys: Capture, arguments: list[str]) -> None:
    assert json.loads(run(capsys, "conflicts", *arguments)[1]) == []


@pytest.mark.parametrize("command", ["list", "export", "log"])
def test_every_text_comes_out_in_a_poor_locale(store: MemoryStore, command: str) -> None:
    store.write(type="semantic", title=ODD, body=ODD)
    store.close()
    child("sync")

    code, printed = child(command, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    assert code == 0
    assert command == "log" or ODD.encode() in printed


def test_what_a_terminal_cannot_show_is_written_out(store: MemoryStore) -> None:
    store.write(type="semantic", title=ODD, body=ODD)

    code, printed = child("list", PYTHONIOENCODING="ascii")

    assert code == 0
    assert b"Gr\\xfc\\xdfe" in printed


def test_arguments_are_utf8_in_a_poor_locale(store: MemoryStore) -> None:
    store.write(type="semantic", title="Grüße", body=ODD)

    code, printed = child("search", "Grüße", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    assert code == 0
    assert "Grüße".encode() in printed


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_output_is_told(store: MemoryStore) -> None:
    store.write(type="semantic", title="t", body="b")
    with open("/dev/full", "wb") as full:
        code, said = child("list", output=full.fileno())

    assert code == 1
    assert said == b"list: Cannot write the output: the disk is full.\n"


def test_a_closed_output_is_no_error(store: MemoryStore) -> None:
    store.write(type="semantic", title="t", body="b")
    command = f"'{sys.executable}' -c '{PROGRAM}' list >&-"

    finished = subprocess.run(["sh", "-c", command], capture_output=True, check=False)

    assert (finished.returncode, finished.stderr) == (0, b"")


def test_forgetting_all_notes_is_no_lost_disk(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    for name in ("one", "two", "three"):
        laptop.write(name, "body")
    named = "---\nid: four\ntype: semantic\ntitle: T\n---\nbody\n"
    write_file(laptop.home, "memory/semantic/by hand.md", named)
    quiet(laptop, desk)
    with MemoryStore(laptop.home) as store:
        forget.forget(store, [note.id for note in store.headers()])

    assert "put back" not in laptop.sync().detail
    assert "put back" not in desk.sync().detail

    assert laptop.files() == desk.files() == {}


def test_notes_that_vanished_beside_forgotten_ones_are_put_back(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    laptop = fleet.machine("laptop")
    for name in ("one", "two", "three"):
        laptop.write(name, "body")
    laptop.sync()
    with MemoryStore(laptop.home) as store:
        forget.forget(store, ["one"])
    laptop.delete("two")
    laptop.delete("three")

    result = laptop.sync()

    assert "all 2 notes were gone from this machine and were put back" in result.detail
    assert set(laptop.files()) == {"semantic/two.md", "semantic/three.md"}
