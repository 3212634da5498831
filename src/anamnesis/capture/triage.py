"""Whether a session is worth a note, or shares one with others like it; decided without a model."""

from __future__ import annotations

import re

from anamnesis import config
from anamnesis.capture.story import ANSWER, EDIT, PROMPT, SUBAGENT, SUMMARY
from anamnesis.ground.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.story import Story
    from anamnesis.capture.summarize import Summarizer, SummaryResult
    from anamnesis.notes.fields import Memory

_TRIVIAL_OUTCOME_FLOOR = 40  # characters; "Done." and "OK, cleared." teach nothing
_LONE_COMMAND = re.compile(r"^/\S+$")
_SHORT_ANSWER = 200  # characters; one line, or two
_GREETING = 2  # words: "hi", "good morning", "what's 2+2"
_A_LOOK = 2  # calls: read a file and say what it says
ALL, FOLDED, NONE = CHOICES = ("all", "folded", "none")
_SESSIONS = "sessions"  # the key of a note's front matter that names every run


def is_trivial_session(session: ParsedSession) -> bool:
    """Whether nothing worth recalling happened."""
    if session.files_touched or session.compact_summary:
        return False
    prompt, outcome = session.first_prompt.strip(), session.last_outcome.strip()
    if not prompt and not outcome:
        return True
    asked_nothing = not prompt or _LONE_COMMAND.match(prompt) is not None
    return asked_nothing and len(outcome) < _TRIVIAL_OUTCOME_FLOOR


def is_worth_a_note(session: ParsedSession, story: Story) -> bool:
    """Whether a session is more than a greeting, an aborted run or a question in passing.

    Stricter than `is_trivial_session`; the capture command asks this one.
    """
    if is_trivial_session(session):
        return False
    if session.files_touched or story.of(EDIT, SUMMARY, SUBAGENT):
        return True
    from anamnesis.text.sentences import QUESTION, folded  # `status` does without
    from anamnesis.text.terms import terms

    asked = [folded(each.text) for each in story.of(PROMPT)]
    answered = " ".join(folded(each.text) for each in story.of(ANSWER))
    if not asked or not answered:
        return False
    if story.own_calls and not story.other_calls:
        return False
    if len(answered) >= _SHORT_ANSWER or len(asked) > 1:
        return any(len(terms(each)) > _GREETING for each in asked)
    # A short answer to one prompt: kept if it reports work, which a look or a question is not.
    is_question = asked[0].endswith(QUESTION) or answered.endswith(QUESTION)
    only_looked = 0 < story.other_calls <= _A_LOOK
    return not is_question and not only_looked and len(terms(asked[0])) > _GREETING


def treatment(story: Story) -> str:
    """How to treat a session: `ALL`, `FOLDED` or `NONE`; interactive ones are never folded."""
    if story.is_interactive:
        return ALL
    choice = (config.setting("capture_noninteractive") or FOLDED).lower()
    return choice if choice in CHOICES else FOLDED


def ledger_name(session: ParsedSession, *, project: str) -> str:
    """The ledger's name for the note of a prompt in a project."""
    from anamnesis.notes.derived import fingerprint
    from anamnesis.text.sentences import folded

    prompt = folded(session.first_prompt)
    return f"prompt-{fingerprint(f'{project} {prompt}')}"


def runs_of(note: Memory | None, session: str) -> list[str]:
    """The ids of the sessions in a note, `session` included, oldest first."""
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
    """A summariser that adds how many runs a note stands for."""

    def __init__(self, summarizer: Summarizer, *, runs: int) -> None:
        self._summarizer = summarizer
        self._runs = runs
        self.reads_conversation = getattr(summarizer, "reads_conversation", True)

    def summarize(self, session: ParsedSession) -> SummaryResult | None:
        """The summary of the latest run, with the count of all."""
        summary = self._summarizer.summarize(session)
        if summary is None or self._runs == 1:
            return summary
        count = f"**Runs:** {self._runs} of this prompt; this is the latest"
        return replace(summary, body=f"{summary.body}\n\n{count}")
