"""Rules that you gave in a session, proposed as durable notes."""

from __future__ import annotations

from anamnesis.capture.extract.rules import is_same, rules
from anamnesis.ground.records import replace
from anamnesis.index.queries import tagged
from anamnesis.notes import tree
from anamnesis.notes.derived import derived_id, key, keys
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
    written = []
    for rule in found:
        note = _note(rule, session, allow=allow_list(store.home))
        told = next((each for each in own if is_same(each.title, note.title)), None)
        if told is not None:
            _add_evidence(store, told, note, session)
        elif store.get(note.id) is None and not tree.is_forgotten(store.home, note.id):
            own.append(note)
            written.append(store.create(note))
    return written


def _add_evidence(store: MemoryStore, told: Memory, note: Memory, session: Memory) -> None:
    """Add to a proposal that another session asked for the same; what was reviewed stays."""
    said = note.body.partition("\n\n")[2]

    def added(proposal: Memory) -> Memory:
        known = key(proposal, "sources").split()
        if "pending" not in proposal.tags or session.id in known:
            return proposal
        others = keys(sources=" ".join([*known, session.id]), said=key(note, "said"))
        return replace(proposal, body=f"{proposal.body.rstrip()}\n{said}", extra=others)

    if told.prov_source == note.prov_source:
        store.revise(told.id, added)


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
