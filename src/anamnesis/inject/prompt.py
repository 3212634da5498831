"""The notes that answer a prompt, as the text that an agent reads."""

from __future__ import annotations

from anamnesis.ground.records import record, replace
from anamnesis.inject import render
from anamnesis.project import GLOBAL
from anamnesis.text import clipping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anamnesis.archive.ask import Passage
    from anamnesis.notes.fields import Memory
    from anamnesis.search.prompt import PromptAnswer
    from anamnesis.store import MemoryStore

HEADING = "# Anamnesis recall (for this prompt)"
MOST_UNITS = 2_000
SESSION_UNITS = (
    3_000  # where a session note answers: it is long, and the words asked are not its own
)

_SKIPPED = ("<task-notification", "<command-", "<local-command", "<bash-")
_LEAST_ROOM = 120  # units of a passage; less than a sentence does not help


@record
class Match:
    """A note that answers a prompt, as it is in its file, and why it does."""

    note: Memory
    answer: PromptAnswer
    passages: tuple[Passage, ...] = ()  # in its session, where the archive has it
    remark: str = ""  # on the code that it speaks of


@record
class ShownMatch:
    """A match as it was shown."""

    match: Match
    units: int
    whole: bool


def is_worth_a_look(prompt: str) -> bool:
    """Whether a prompt was typed by the user and may ask something."""
    text = prompt.strip()
    is_command = text.startswith("/") and not text[1:2].isspace()
    if is_command or text.startswith(_SKIPPED):
        return False
    # In scripts without spaces, a sentence looks like one word.
    return len(text.split()) > 1 or not text.isascii()


def recall(
    store: MemoryStore,
    prompt: str,
    *,
    project: str,
    given: Iterable[str] = (),
    session: str = "",
    ask_archive: Callable[[], Sequence[Passage]] | None = None,
) -> list[Match]:
    """The notes that answer a prompt, best first: at most three, none given before.

    A session's own notes are left out. `ask_archive` asks the archive what was said about the
    prompt in earlier sessions; it is called at most once.
    """
    from anamnesis.search.query import Filters  # most prompts do not need the store

    known = set(given)
    filters = Filters(projects=tuple(dict.fromkeys([project, GLOBAL])))
    passages: list[Passage] = []

    def by_note() -> Mapping[str, float]:
        passages.extend(ask_archive() if ask_archive else ())
        weakest_first = sorted(passages, key=lambda each: each.strength)
        return {each.session.note: each.strength for each in weakest_first}

    found = store.answering(prompt, filters=filters, ask_archive=by_note if ask_archive else None)
    return [
        Match(note, answer, tuple(each for each in passages if each.session.note == note.id))
        for note, answer in found
        if note.id not in known and not (session and note.prov_session == session)
    ]


def rendered(matches: Sequence[Match]) -> tuple[str, list[ShownMatch]]:
    """The block for the client, and what is in it: short notes whole, of others what answers."""
    parts, shown = [HEADING, render.FRAME], list[ShownMatch]()
    from_session = any(match.note.type == "episodic" for match in matches)
    left = SESSION_UNITS if from_session else MOST_UNITS
    left -= clipping.units("\n\n".join([*parts, render.END])) + 3
    for at, match in enumerate(matches):
        text, whole = _section(match, left // (len(matches) - at))
        size = clipping.units(text) + 2
        if text and size <= left:
            left -= size
            spoken = _spoken(match.passages)
            parts += [text, *spoken]
            shown.append(ShownMatch(match, size + clipping.units("".join(spoken)), whole))
    return ("\n\n".join([*parts, render.END]) + "\n", shown) if shown else ("", [])


def _section(match: Match, room: int) -> tuple[str, bool]:
    """A note within some units, and whether it is complete; its title if there is no room."""
    from anamnesis.search.excerpts import passage

    note = match.note
    before = match.answer.before
    told = before.told(note.updated_at) if before is not None else ""
    facts = (note.updated_at[:10], f"id: {note.id}", told, match.remark)
    about = " | ".join(render.inline(fact) for fact in facts if fact)
    whole = render.section(note, also=about)
    if clipping.units(whole) + 2 <= room:
        return whole, True
    also = f"{about} | {render.REST}"
    left = room - clipping.units(render.section(replace(note, body=""), also=also)) - 2
    while left >= _LEAST_ROOM:
        part = passage(note.body, match.answer.weights, room=left)
        text = render.section(replace(note, body=part), also=also)
        if clipping.units(text) + 2 <= room:  # some characters are two units, and some are escaped
            return text, False
        left = left * 2 // 3
    return f"{render.line(note)}: memory_search for the whole", False


def _spoken(passages: Sequence[Passage]) -> list[str]:
    """What was said in a session, word for word, and how to read on."""
    if not passages:
        return []
    first = passages[0].session
    lines = [f"_Said in that session (memory://session/{render.inline(first.id)}/TURN):_"]
    texts = (render.as_data(each.text) for each in passages)
    lines += [
        f"- turn {each.number}, {each.who}: {text}"
        for each, text in zip(passages, texts, strict=True)
    ]
    return ["\n".join(lines)]
