"""What Claude Code's model is given at the right moment: from another machine, and at a failure."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clients import claude
from clients.desk import Desk, client, eventually
from clients.model import ScriptedModel

pytestmark = pytest.mark.client

BUILD = "test -e seat.txt || { echo 'ZorbelError: flange 12 is not seated' >&2; exit 1; }; echo ok"
OUTCOME = "The flange of the export is seated now and the build is green again."
OF_SHOP = ("--project", "example.org/team/shop")
MAY = ("--allowedTools", "Bash", "Write", "Read")


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> tuple[Desk, Desk]:
    """Two machines; on the first, a session met an error and overcame it."""
    place = tmp_path_factory.mktemp("moments")
    laptop, desk = (Desk(place, model, name=name) for name in ("laptop", "desk"))
    remote = place / "shared.git"
    for each in (laptop, desk):
        each.anamnesis("init", "--yes", "--agents", "claude", "--remote", str(remote))
        each.anamnesis("config", "set", "start_wait", "60000")
        (each.project / "build.sh").write_text(BUILD)
    run = json.dumps({"command": "sh build.sh"})
    seat = json.dumps({"file_path": str(laptop.project / "seat.txt"), "content": "seated"})
    claude.session(
        laptop,
        f"Make the export build [[Bash {run}]] [[Write {seat}]] [[Bash {run}]] [[say {OUTCOME}]]",
        *MAY,
    )
    eventually(lambda: laptop.notes(type="episodic"))
    laptop.anamnesis("sync")
    (desk.store / "state" / "exchange.json").unlink(missing_ok=True)  # it was off since
    return laptop, desk


def test_a_start_knows_what_ended_on_the_other_machine(
    machines: tuple[Desk, Desk], model: ScriptedModel
) -> None:
    _, desk = machines
    model.forget()

    claude.session(desk, "Good morning [[say Good morning, let us begin with the day's work.]]")

    assert OUTCOME in model.said_to_it()


def test_a_failure_brings_the_fix_of_the_other_machine(
    machines: tuple[Desk, Desk], model: ScriptedModel
) -> None:
    _, desk = machines
    run = json.dumps({"command": "sh build.sh"})
    other = json.dumps({"command": "ls /nowhere/at/all"})
    model.forget()

    claude.session(desk, f"Build [[Bash {run}]] [[Bash {other}]] [[say It does not build.]]", *MAY)

    said = model.said_to_it()
    assert "Anamnesis: met before" in said
    assert "flange 12 is not seated → edited `seat.txt`" in said
    assert len(desk.runs("failure-hook")) == 1


def test_reading_a_file_brings_the_note_that_names_it(tmp_path: Path, model: ScriptedModel) -> None:
    desk = Desk(tmp_path, model)
    path = os.pathsep.join([os.path.dirname(client("claude")), desk.environment()["PATH"]])
    words = ["init", "--yes", "--local-only", "--agents", "claude"]
    desk.run([desk.command, *words], env=desk.environment(PATH=path))
    desk.anamnesis("config", "set", "moment_start", "0")  # else it is known from the start
    desk.anamnesis("write", "`till.py` rounds down, by law.", "--title", "Rounding", *OF_SHOP)
    (desk.project / "till.py").write_text("price = 1\n")
    read = json.dumps({"file_path": str(desk.project / "till.py")})
    model.forget()

    claude.session(desk, f"Look [[Read {read}]] [[Read {read}]] [[say Seen, all of it.]]", *MAY)

    said = model.said_to_it()
    assert "Anamnesis: notes about till.py" in said
    assert [run["did"] for run in desk.runs("file")] == ["1 note for a file"]
    assert "till.py` rounds down, by law." in said
    assert "hook error" not in said


def test_a_client_that_init_did_not_find_gets_no_hook_that_calls_a_server(
    tmp_path: Path, model: ScriptedModel
) -> None:
    desk = Desk(tmp_path, model)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "claude")

    assert "mcp_tool" not in (desk.home / ".claude" / "settings.json").read_text()
