"""Claude Code in a terminal, as a person uses it: typed lines, commands, and every way to leave."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clients import claude
from clients.desk import Desk, eventually
from clients.model import ScriptedModel
from clients.script import steps
from clients.terminal import Terminal

pytestmark = pytest.mark.client

PROJECT = "example.org/team/shop"
FACT = "The cart rounds half to even because the bank does"
SEARCH = '[[mcp__anamnesis__memory_search {"query": "cart rounding"}]]'


@dataclass
class Person:
    """Somebody at a desk, and the sessions that were had there."""

    desk: Desk
    sessions: list[str] = field(default_factory=list)

    def starts(self, *options: str) -> Terminal:
        before = len(self.desk.runs("inject"))
        terminal = claude.terminal(self.desk, *options)
        eventually(lambda: len(self.desk.runs("inject")) > before)
        self.is_in(self.desk.runs("inject")[-1]["session"])
        return terminal

    def is_in(self, session: str) -> None:
        if session not in self.sessions:
            self.sessions.append(session)

    def says(self, terminal: Terminal, line: str) -> None:
        """Type a line and wait until the model has answered: its turn ends with our hook."""
        spoken, last = self.desk.model.spoken, steps(line)[-1].words
        before = len(self.desk.runs("capture"))
        terminal.type(line)
        eventually(lambda: last in spoken and len(self.desk.runs("capture")) > before)

    def note(self, session: str) -> dict[str, str]:
        notes = self.desk.notes(prov_session=session)
        assert len(notes) == 1
        return notes[0]


@pytest.fixture
def person(tmp_path: Path, model: ScriptedModel) -> Person:
    desk = Desk(tmp_path, model)
    claude.answer_its_first_questions(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "claude")
    model.forget()
    return Person(desk)


@dataclass
class Day:
    person: Person
    after_compaction: str
    given_to_second: str
    found_by_second: list[str]
    after_clear: str


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> Day:
    """An edit, a note, a compaction and an exit; then a search, a fresh start and Ctrl-D."""
    desk = Desk(tmp_path_factory.mktemp("terminal"), model)
    claude.answer_its_first_questions(desk)
    desk.anamnesis("init", "--yes", "--local-only", "--agents", "claude")
    person = Person(desk)

    first = person.starts(
        *("--permission-mode", "acceptEdits", "--allowedTools", "mcp__anamnesis__memory_write")
    )
    write = {"file_path": str(desk.project / "cart.py"), "content": "x = 1"}
    note = {"type": "semantic", "title": FACT, "body": f"{FACT}.", "project": PROJECT}
    person.says(
        first,
        f"Fix the rounding of the cart [[Write {json.dumps(write)}]]"
        f" [[mcp__anamnesis__memory_write {json.dumps(note)}]] [[say The rounding is fixed.]]",
    )
    before = len(desk.runs("inject"))
    first.type("/compact keep the cart")
    eventually(lambda: len(desk.runs("inject")) > before)
    first.settle()
    model.forget()
    person.says(first, "And now? [[say Every test of the cart passes.]]")
    after_compaction = model.said_to_it()
    first.type("/exit")
    assert first.ended() == 0

    model.forget()
    second = person.starts("--permission-mode", "acceptEdits")
    rule = {"file_path": str(desk.project / "ROUNDING.md"), "content": "Half to even."}
    person.says(
        second,
        f"What did we decide? {SEARCH} [[Write {json.dumps(rule)}]]"  # only asked, it is no note
        " [[say That the cart rounds to even.]]",
    )
    given, found = model.said_to_it(), list(model.results)
    before = len(desk.runs("capture"))
    second.type("/clear")
    eventually(lambda: desk.runs("inject")[-1]["session"] != person.sessions[-1])
    eventually(lambda: len(desk.runs("capture")) > before)
    person.is_in(desk.runs("inject")[-1]["session"])
    model.forget()
    person.says(second, "Go on with the cart [[say The cart is done after the fresh start.]]")
    after_clear = model.said_to_it()
    for _ in range(2):
        second.press("\x04")
        time.sleep(0.5)
    assert second.ended() == 0
    eventually(lambda: len(desk.notes(type="episodic")) == 3)
    return Day(person, after_compaction, given, found, after_clear)


def test_the_session_becomes_one_note_with_project_branch_and_files(day: Day) -> None:
    note = day.person.note(day.person.sessions[0])

    assert note["project"] == PROJECT
    assert "**Branch:** feature" in note["body"]
    assert "cart.py" in note["body"].partition("**Files")[2]
    assert "Every test of the cart passes." in note["body"].partition("**Outcome:**")[2]


def test_memory_is_given_again_after_compaction(day: Day) -> None:
    assert "SessionStart:compact hook success: # Anamnesis memory" in day.after_compaction
    assert f"{FACT}." in day.after_compaction


def test_the_next_session_is_given_what_was_learned(day: Day) -> None:
    assert f"{FACT}." in day.given_to_second


def test_searching_needs_no_permission(day: Day) -> None:
    """Nobody pressed a key, and the model got its answer."""
    assert any(FACT in text for text in day.found_by_second)


def test_a_cleared_session_leaves_its_note_and_the_new_one_has_memory(day: Day) -> None:
    cleared, fresh = day.person.sessions[1:]

    assert "That the cart rounds to even." in day.person.note(cleared)["body"]
    assert "done after the fresh start" in day.person.note(fresh)["body"]
    assert f"{FACT}." in day.after_clear


def test_writing_asks_first(person: Person) -> None:
    """So the test above would have noticed a question."""
    terminal = person.starts("--permission-mode", "default")  # newer versions have another default

    terminal.type('Save it [[mcp__anamnesis__memory_write {"title": "x", "body": "y"}]]')

    terminal.see("\u276f1.")  # the first of the choices, marked
    terminal.kill()


def test_resuming_and_forking_leave_one_note_for_each_session(person: Person) -> None:
    first = person.starts()
    person.says(first, "Fix the rounding of the cart [[say The rounding of the cart is fixed.]]")
    first.type("/exit")
    first.ended()
    session = person.sessions[0]

    for options in (("--resume", session), ("--resume", session, "--fork-session")):
        terminal = person.starts(*options)
        person.says(terminal, f"Go on [[say It went on with {options[-1]} to a good end.]]")
        terminal.type("/exit")
        terminal.ended()

    eventually(lambda: session in person.note(session)["body"])
    eventually(lambda: len(person.desk.notes(type="episodic")) == 2)
    eventually(lambda: "--fork-session" in forked_note(person, session)["body"])
    assert forked_note(person, session)["title"].startswith("Go on")


def forked_note(person: Person, parent: str) -> dict[str, str]:
    notes = person.desk.notes(type="episodic")
    return next(note for note in notes if note["prov_session"] != parent)


def test_closing_the_window_keeps_the_end_of_the_session(person: Person) -> None:
    terminal = person.starts()
    person.says(terminal, "Fix the rounding of the cart [[say The rounding is fixed.]]")
    person.says(terminal, "And the tests? [[say All tests of the cart pass, too.]]")

    terminal.hang_up()

    session = person.sessions[0]
    eventually(lambda: "All tests of the cart pass, too." in person.note(session)["body"])


def test_a_killed_session_is_looked_after_by_the_next_one(person: Person) -> None:
    terminal = person.starts()
    session = person.sessions[0]
    person.says(terminal, "Fix the rounding of the cart [[say The rounding is fixed.]]")
    eventually(lambda: person.desk.notes(prov_session=session))
    person.says(terminal, "And the tests? [[say All tests of the cart pass, too.]]")
    terminal.kill()
    assert "All tests of the cart pass, too." not in person.note(session)["body"]

    transcripts = (person.desk.home / ".claude" / "projects").glob(f"*/{session}.jsonl")
    person.desk.an_hour_passes(*transcripts)
    person.starts().kill()

    eventually(lambda: "All tests of the cart pass, too." in person.note(session)["body"])
