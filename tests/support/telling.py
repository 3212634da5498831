"""A session that a test tells moment by moment."""

from __future__ import annotations

from anamnesis.archive.turns import AGENT
from anamnesis.capture.extract import note
from anamnesis.capture.recorder import Recorder
from anamnesis.capture.session import ParsedSession
from anamnesis.capture.story import ANSWER, EDIT, Story, story_of


class Telling:
    """A session that is told moment by moment."""

    def __init__(self) -> None:
        self.recorder = Recorder(agent="claude-code")

    def add_text(self, kind: str, text: str) -> None:
        if kind == EDIT:
            self.recorder.call("Edit", {"file_path": text}, call="e")
        elif kind == ANSWER:
            self.recorder.say(AGENT, text)
        else:
            self.recorder.ask(text)

    def run(
        self, command: str, output: str = "", *, failed: bool = False, exit: int | None = None
    ) -> None:
        self.recorder.call("Bash", {"command": command}, call="c")
        self.recorder.result("c", output, failed=failed or bool(exit), exit=exit)

    def story(self) -> Story:
        return story_of(self.recorder.transcript())

    def note(self, cwd: str = "/repo") -> str:
        return note.body(ParsedSession(cwd=cwd), self.story())


def block(body: str, label: str) -> list[str]:
    """The lines of a block of a note."""
    _, found, rest = body.partition(f"**{label}:**\n")
    lines = rest.split("\n\n")[0].split("\n") if found else []
    return [line.removeprefix("- ") for line in lines]
