"""Wishes of a person that become proposals: few, and each once."""

from __future__ import annotations

from pathlib import Path

from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.notes.derived import key
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.capture import capture
from anamnesis.store import MemoryStore
from support.hooks import Transcript


def told(root: Path, session: str, *prompts: str) -> None:
    """Capture a session in which a person said this."""
    transcript = Transcript(root.parent / f"{session}.jsonl", session=session)
    for prompt in prompts:
        transcript.user(prompt).edit("/home/u/shop/cart.py").result()
        transcript.assistant("The cart counts the items of one kind once, and shows their total.")
    path = str(transcript.path)
    capture(Home(root), Payload(session_id=session, transcript_path=path), source="session-end")


def proposals(store: MemoryStore) -> list[Memory]:
    return [store.require(each.id).note for each in store.list(type="procedural")]


def test_a_wish_of_two_sessions_is_one_proposal_with_both(store: MemoryStore, root: Path) -> None:
    told(root, "s-1", "Always run make lint before you commit.")
    told(root, "s-2", "And always run make lint before you commit anything.")

    (proposal,) = proposals(store)

    assert proposal.body.count("Said in the session") == 2
    assert len(key(proposal, "sources").split()) == 2


def test_two_wishes_that_differ_in_one_name_are_two(store: MemoryStore, root: Path) -> None:
    told(root, "s-1", "never use Redis")
    told(root, "s-2", "never use MySQL")

    assert len(proposals(store)) == 2


def test_a_session_proposes_three_rules_at_most(store: MemoryStore, root: Path) -> None:
    told(root, "s-1", *(f"Never use the package {name} here again." for name in "abcdef"))

    assert len(proposals(store)) <= 3
