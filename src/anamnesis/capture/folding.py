"""Runs that nobody sat at: those that repeat one prompt share a note, which counts them."""

from __future__ import annotations

from anamnesis import config
from anamnesis.capture.extract.text import folded
from anamnesis.ground.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.story import Story
    from anamnesis.capture.summarize import Summarizer, SummaryResult
    from anamnesis.notes.note import Memory

ALL, FOLDED, NONE = CHOICES = ("all", "folded", "none")
_SESSIONS = "sessions"  # the key of a note's front matter that names every run


def treatment(story: Story) -> str:
    """What becomes of a session: `ALL`, `FOLDED` or `NONE`; one with a person is never folded."""
    if story.is_interactive:
        return ALL
    said = (config.setting("capture_noninteractive") or FOLDED).lower()
    return said if said in CHOICES else FOLDED


def ledger_name(session: ParsedSession, *, project: str) -> str:
    """The name under which the ledger knows the note of a prompt in a project."""
    from anamnesis.notes.derived import fingerprint

    prompt = folded(session.first_prompt)
    return f"prompt-{fingerprint(f'{project} {prompt}')}"


def runs_of(note: Memory | None, session: str) -> list[str]:
    """The ids of the sessions that a note tells of, `session` included, the first first."""
    if note is None:
        return [session]
    from anamnesis.notes.derived import key

    known = key(note, _SESSIONS).split() or [note.prov_session]
    return known if session in known else [*known, session]


def naming(note: Memory, runs: list[str]) -> Memory:
    """The note with the ids of all its runs in its front matter."""
    from anamnesis.notes.derived import keys

    others = [
        line
        for line in note.extra.splitlines(keepends=True)
        if not line.startswith(f"{_SESSIONS}:")
    ]
    return replace(note, extra="".join(others) + keys(**{_SESSIONS: " ".join(runs)}))


class Counting:
    """A summariser that says how many runs a note stands for."""

    def __init__(self, summarizer: Summarizer, *, runs: int) -> None:
        self._summarizer = summarizer
        self._runs = runs

    def summarize(self, session: ParsedSession) -> SummaryResult | None:
        """The summary of the latest run, with the count of all."""
        summary = self._summarizer.summarize(session)
        if summary is None or self._runs == 1:
            return summary
        count = f"**Runs:** {self._runs} of this prompt; this is the latest"
        return replace(summary, body=f"{summary.body}\n\n{count}")
