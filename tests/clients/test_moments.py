"""What Claude Code's model is given at the right moment: from another machine, and at a failure."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clients import claude, others
from clients.desk import Desk, client, eventually
from clients.model import ScriptedModel
from support.ssh_server import SshServer, Visitor, serving

pytestmark = pytest.mark.client

BUILD = "test -e seat.txt || { echo 'ZorbelError: flange 12 is not seated' >&2; exit 1; }; echo ok"
RUN = json.dumps({"command": "sh build.sh"})
OUTCOME = "The flange of the export is seated now and the build is green again."
OF_SHOP = ("--project", "example.org/team/shop")
MAY = ("--allowedTools", "Bash", "Write", "Read")


def machine(place: Path, model: ScriptedModel, server: SshServer, name: str) -> Desk:
    """A machine with a key of its own, set up with a repository behind ssh."""
    desk = Desk(place, model, name=name)
    visitor = Visitor(desk.home, server)
    visitor.is_introduced()
    desk.variables["GIT_SSH_COMMAND"] = visitor.ssh
    others.opencode_settings(desk)
    remote = server.url(place / "shared.git")
    desk.anamnesis("init", "--yes", "--agents", "claude,opencode", "--remote", remote)
    desk.anamnesis("config", "set", "start_wait", "60000")  # however busy whoever runs this is
    (desk.project / "build.sh").write_text(BUILD)
    return desk


@pytest.fixture(scope="module")
def machines(
    tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel
) -> Iterator[tuple[Desk, Desk]]:
    """Two machines; on the first, a session met an error and overcame it."""
    place = tmp_path_factory.mktemp("moments")
    with serving(place / "server") as server:
        desk, laptop = (machine(place, model, server, name) for name in ("desk", "laptop"))
        seat = json.dumps({"file_path": str(laptop.project / "seat.txt"), "content": "seated"})
        claude.session(
            laptop,
            f"Make the export build [[Bash {RUN}]] [[Write {seat}]] [[Bash {RUN}]]"
            f" [[say {OUTCOME}]]",
            *MAY,
        )
        # Its background work alone brings the note to the others: to capture, then to sync.
        eventually(lambda: is_published(place / "shared.git", OUTCOME))
        yield laptop, desk


def is_published(bare: Path, words: str) -> bool:
    """Whether a note with these words is in the repository that the machines share."""
    found = subprocess.run(["git", "-C", bare, "grep", "-q", words, "main"], capture_output=True)
    return found.returncode == 0


def requests_about(model: ScriptedModel, words: str) -> list[str]:
    """What the model was sent of one session, request by request."""
    sent = [json.dumps(body, ensure_ascii=False) for _, body in model.requests]
    return [text for text in sent if words in text]


def test_a_start_knows_what_ended_on_the_other_machine(
    machines: tuple[Desk, Desk], model: ScriptedModel
) -> None:
    _, desk = machines
    model.forget()

    claude.session(desk, "Good morning [[say Good morning, let us begin with the day's work.]]")

    assert OUTCOME in requests_about(model, "Good morning")[0]


def test_so_does_the_first_one_after_a_while(
    machines: tuple[Desk, Desk], model: ScriptedModel
) -> None:
    laptop, desk = machines
    laptop.anamnesis("write", "The flange is cleaned with vinegar.", *OF_SHOP)
    laptop.anamnesis("sync")
    desk.comes_to_rest()  # else a sync of the last session is taken for the one to wait for
    (desk.store / "state" / "exchange.json").unlink()
    model.forget()

    claude.session(desk, "Good evening [[say Good evening, let us end the day's work.]]")

    assert "cleaned with vinegar" in requests_about(model, "Good evening")[0]


@pytest.mark.parametrize(
    ("session", "call"),
    [
        (lambda desk, prompt: claude.session(desk, prompt, *MAY), "Bash"),
        (others.opencode, "bash"),
    ],
    ids=["claude", "opencode"],
)
def test_a_failure_brings_the_fix_of_the_other_machine(
    machines: tuple[Desk, Desk],
    model: ScriptedModel,
    session: Callable[[Desk, str], object],
    call: str,
) -> None:
    _, desk = machines
    before = len(desk.runs("failure-hook"))
    run, other = (
        json.dumps({"command": command, "description": "it"})
        for command in ("sh build.sh", "ls /nowhere/at/all")
    )
    model.forget()

    session(desk, f"Build now [[{call} {run}]] [[{call} {other}]] [[say It does not build.]]")

    sent = requests_about(model, "Build now")
    after_failure = next(
        text for text in sent if '"tool_result"' in text or '"role": "tool"' in text
    )
    assert "Anamnesis: met before" not in sent[0]
    assert "Anamnesis: met before" in after_failure
    assert "flange 12 is not seated → edited `seat.txt`" in after_failure
    assert len(desk.runs("failure-hook")) == before + 1


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
