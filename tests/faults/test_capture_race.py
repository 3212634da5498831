"""You edit a session's note while its capture waits for a model: what you wrote stays."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.history import undo
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from support import model_server as play
from support.fronts import PROGRAM, Commands, Dashboard, Editor, Front, Library
from support.hooks import Transcript, environment

FIRST = "**Outcome:** The cart rounds half to even."
LINE = "The accountant asked for that rounding."


def answer(body: str) -> play.Behaviour:
    return play.says(json.dumps({"keep": True, "title": "The rounding", "body": body}))


class SlowModel:
    """Answers once, and then only when it is told to."""

    def __init__(self, later: str) -> None:
        self.asked, self.may_answer = threading.Event(), threading.Event()
        self._later = later

    def script(self) -> list[play.Behaviour]:
        return [answer(FIRST), self._answer_late]

    def _answer_late(self, handler: play.Handler) -> None:
        self.asked.set()
        self.may_answer.wait(60)
        answer(self._later)(handler)


class Session:
    """A session with a note, whose second capture can be held up."""

    def __init__(self, home: Path, model: SlowModel, url: str) -> None:
        self._home, self._model = home, model
        self._told = {
            "ANAMNESIS_REFLECTION_PROVIDER": "local",
            "ANAMNESIS_REFLECTION_MODEL": "small",
            "ANAMNESIS_REFLECTION_BASE_URL": f"{url}/v1",
            "ANAMNESIS_REFLECTION_TIMEOUT": "60",
        }
        self.transcript = Transcript(home / "s-1.jsonl")
        self.transcript.user("Make the cart round half to even, as the shop does")
        self.transcript.edit("/u/shop/cart.py").result()
        self.transcript.assistant("The cart rounds half to even now, and its tests pass.")
        self._capture().communicate(timeout=60)
        self.transcript.assistant("The invoices round half to even as well, as their tests show.")

    def _capture(self) -> subprocess.Popen[bytes]:
        payload = {"session_id": "s-1", "transcript_path": str(self.transcript.path)}
        child = subprocess.Popen(
            [*PROGRAM, "capture"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment(self._home, **self._told),
        )  # fmt: skip
        assert child.stdin is not None
        child.stdin.write(json.dumps(payload).encode())
        child.stdin.close()
        child.stdin = None
        return child

    @contextmanager
    def being_captured(self) -> Iterator[None]:
        """While a second capture waits for the model."""
        child = self._capture()
        try:
            assert self._model.asked.wait(60)
            yield
        finally:
            self._model.may_answer.set()
            child.communicate(timeout=60)
        assert child.returncode == 0

    def note(self) -> Memory:
        with MemoryStore(self._home / ".anamnesis") as store:
            (note,) = (each for each in store.list() if each.type == "episodic")
            return note


@contextmanager
def session(home: Path, *, later: str) -> Iterator[Session]:
    model = SlowModel(later)
    with play.serving(*model.script()) as server:
        yield Session(home, model, server.url)


@pytest.fixture(params=["command", "dashboard", "library", "editor"])
def front(request: pytest.FixtureRequest, home: Path) -> Iterator[Front]:
    with ExitStack() as at_the_end:
        if request.param == "dashboard":
            dashboard = Dashboard(home)
            at_the_end.callback(dashboard.end)
            yield dashboard
        else:
            ways = {"command": Commands, "library": Library, "editor": Editor}
            yield ways[request.param](home)


def test_what_you_add_and_what_happened_since_are_both_there(home: Path, front: Front) -> None:
    with session(home, later=f"**Found:** The invoices round alike.\n\n{FIRST}") as its:
        with its.being_captured():
            assert front.add(its.note().id, LINE)

        body = its.note().body

    assert LINE in body
    assert "The invoices round alike." in body
    assert FIRST in body


def test_where_both_say_something_else_yours_stands_and_undo_has_the_other(
    home: Path, front: Front
) -> None:
    later = "**Outcome:** Cart and invoices round alike."
    with session(home, later=later) as its:
        with its.being_captured():
            own = its.note()
            with MemoryStore(home / ".anamnesis") as store:
                path = store.files_of(own)[0]
            file = home / ".anamnesis" / path
            saved = file.with_suffix(".swp")
            saved.write_text(file.read_text().replace("half to even", "half up, for the bank"))
            os.replace(saved, file)
            assert front.add(own.id, LINE)

        body = its.note().body

    assert "half up, for the bank" in body
    assert LINE in body
    assert "Cart and invoices" not in body
    kept = [u for u in undo.undoable(Home(home / ".anamnesis")) if u.redoes == "capture"]
    assert [later.encode() in (unit.files[0].before or b"") for unit in kept] == [True]


def test_a_note_that_you_delete_meanwhile_does_not_come_back(home: Path) -> None:
    later = "**Outcome:** Cart and invoices round alike."
    with session(home, later=later) as its, its.being_captured():
        assert Commands(home).run("delete", its.note().id, "--yes")[0] == 0

    with MemoryStore(home / ".anamnesis") as store:
        assert [note for note in store.list() if note.type == "episodic"] == []
