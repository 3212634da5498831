"""What a prompt brings to mind, as the text that an agent reads: the passages that answer."""

from __future__ import annotations

from anamnesis.ground.records import record, replace
from anamnesis.inject import budget, render
from anamnesis.project import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.note import Memory
    from anamnesis.search.prompt import Answer
    from anamnesis.store import MemoryStore

HEADING = "# Anamnesis recall (for this prompt)"
MOST_UNITS = 2_000

_SKIPPED = ("<task-notification", "<command-", "<local-command", "<bash-")
_LEAST_ROOM = 120  # units of a passage; less than a sentence helps nobody
_REST = "part of the note, memory_search for the whole"


@record
class Match:
    """A note that answers a prompt, as it is in its file, and why it does."""

    note: Memory
    answer: Answer


@record
class Shown:
    """A match as it was given."""

    match: Match
    units: int
    whole: bool


def is_worth_a_look(prompt: str) -> bool:
    """Whether a prompt is a person's and may ask something."""
    text = prompt.strip()
    is_command = text.startswith("/") and not text[1:2].isspace()
    if is_command or text.startswith(_SKIPPED):
        return False
    # Scripts without spaces say a sentence in one word.
    return len(text.split()) > 1 or not text.isascii()


def recall(
    store: MemoryStore,
    prompt: str,
    *,
    project: str,
    given: Iterable[str] = (),
    session: str = "",
) -> list[Match]:
    """The notes that answer a prompt, best first: at most three, none given before.

    What a session did itself it need not be told.
    """
    from anamnesis.search.filters import Filters  # most prompts are not worth opening a store

    known = set(given)
    filters = Filters(projects=tuple(dict.fromkeys([project, GLOBAL])))
    return [
        Match(note, answer)
        for note, answer in store.answering(prompt, filters=filters)
        if note.id not in known and not (session and note.prov_session == session)
    ]


def rendered(matches: Sequence[Match]) -> tuple[str, list[Shown]]:
    """The block for the client, and what is in it: short notes whole, of others what answers."""
    parts, shown = [HEADING, render.FRAME], list[Shown]()
    left = MOST_UNITS - budget.units("\n\n".join([*parts, render.END])) - 3
    for at, match in enumerate(matches):
        text, whole = _section(match, left // (len(matches) - at))
        size = budget.units(text) + 2
        if text and size <= left:
            parts.append(text)
            shown.append(Shown(match, size, whole))
            left -= size
    return ("\n\n".join([*parts, render.END]) + "\n", shown) if shown else ("", [])


def _section(match: Match, room: int) -> tuple[str, bool]:
    """A note within so many units, and whether that is all of it; its title if there is no room."""
    from anamnesis.search.passages import passage

    note = match.note
    whole = render.section(note, also=f"id: {note.id}")
    if budget.units(whole) + 2 <= room:
        return whole, True
    also = f"id: {note.id} | {_REST}"
    left = room - budget.units(render.section(replace(note, body=""), also=also)) - 2
    while left >= _LEAST_ROOM:
        part = passage(note.body, match.answer.weights, room=left)
        text = render.section(replace(note, body=part), also=also)
        if budget.units(text) + 2 <= room:  # some characters are two units, and some are escaped
            return text, False
        left = left * 2 // 3
    return f"{render.line(note)}: memory_search for the whole", False
