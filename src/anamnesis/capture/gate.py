"""The second gate: whether a session left anything that somebody would look up later."""

from __future__ import annotations

from anamnesis.capture.extract.text import QUESTION, folded, words
from anamnesis.capture.story import AGENT, ANSWER, EDIT, PROMPT, SUMMARY
from anamnesis.capture.triage import is_trivial_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.story import Story

_SHORT_ANSWER = 200  # characters; one line, or two
_GREETING = 2  # words: "hi", "good morning", "what's 2+2"
_A_LOOK = 2  # calls: read a file and say what it says


def is_worth_a_note(session: ParsedSession, story: Story) -> bool:
    """Whether a session is more than a greeting, an aborted run or a question in passing."""
    if is_trivial_session(session):
        return False
    if session.files_touched or story.of(EDIT, SUMMARY, AGENT):
        return True
    asked = [folded(each.text) for each in story.of(PROMPT)]
    answered = " ".join(folded(each.text) for each in story.of(ANSWER))
    if not asked or not answered:
        return False
    if story.own_calls and not story.other_calls:
        return False
    if len(answered) >= _SHORT_ANSWER or len(asked) > 1:
        return any(len(words(each)) > _GREETING for each in asked)
    # A short answer to one prompt: kept if it reports work, which a look or a question is not.
    is_question = asked[0].endswith(QUESTION) or answered.endswith(QUESTION)
    only_looked = 0 < story.other_calls <= _A_LOOK
    return not is_question and not only_looked and len(words(asked[0])) > _GREETING
