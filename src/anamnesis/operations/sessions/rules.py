"""Rules that you gave in a session, proposed as durable notes."""

from __future__ import annotations

from anamnesis.capture.extract.rules import rules
from anamnesis.index.queries import tagged
from anamnesis.notes import tree
from anamnesis.notes.derived import derived_id, keys
from anamnesis.notes.fields import Memory
from anamnesis.secrets import allow_list, redact
from anamnesis.text.clipping import clipped
from anamnesis.text.terms import terms
from anamnesis.trust.policy import RULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.extract.rules import Rule
    from anamnesis.capture.story import Story
    from anamnesis.store import MemoryStore

_CONFIDENCE = 0.6  # your words, but not necessarily meant to last
_LONGEST_TITLE = 100


def propose_rules(store: MemoryStore, story: Story, session: Memory) -> list[Memory]:
    """The rules of a session as notes to review, except those that the project has.

    One that was rejected or forgotten is not proposed again from the same session.
    """
    found = rules(story)
    if not found:
        return []
    own: list[Memory] = store.ask(lambda db: tagged(db, RULE, project=session.project))
    known = {_key(note.title) for note in own}
    written = []
    for rule in found:
        note = _note(rule, session, allow=allow_list(store.home))
        is_new = _key(note.title) not in known and store.get(note.id) is None
        if is_new and not tree.is_forgotten(store.home, note.id):
            known.add(_key(note.title))
            written.append(store.create(note))
    return written


def _key(title: str) -> str:
    return " ".join(terms(title))


def _note(rule: Rule, session: Memory, *, allow: tuple[str, ...]) -> Memory:
    sentence = redact(rule.text, allow=allow)
    day = (rule.at or session.updated_at)[:10]
    body = f"{sentence}\n\nSaid in the session “{session.title}” ({session.id}) on {day}."
    return Memory(
        # A session is captured again and again while it goes on, and always on one machine.
        id=derived_id(session.id, RULE, _key(rule.text), at=session.created_at),
        type="procedural",
        title=clipped(sentence, _LONGEST_TITLE),
        body=body,
        project=session.project,
        machine_id=session.machine_id,
        scope=session.scope,
        tags=[RULE, "reflection", "pending"],
        created_at=session.created_at,
        updated_at=session.updated_at,
        prov_source="reflection",
        confidence=_CONFIDENCE,
        extra=keys(sources=session.id, said=day),
    )
