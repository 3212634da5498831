"""What is offered unasked of labelled sessions: at a start, at a prompt, at a failure.

A replay shows whether the answer was put before the agent. It cannot show whether an agent would
have used it, whether it would have searched by itself, or whether a list of titles keeps it from
searching; that needs real sessions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from anamnesis.capture import parse_transcript
from anamnesis.index import fixes
from anamnesis.inject.prompt import Match, recall, rendered
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.inject import preview
from anamnesis.operations.sessions.prompt import archive_search
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from benchmarks.memory import Labelled, Score

_TITLES = "## Not shown in full"


def score_all(
    score: Score, sessions: Sequence[Labelled], notes: Sequence[Memory], store: MemoryStore
) -> None:
    """Score every session's questions, later needs and errors."""
    told = [each for each in sessions if not each.gold.get("trivial")]
    projects = {each.name: _project(each, notes) for each in told}
    for at, session in enumerate(told):
        own = projects[session.name]
        others = [name for name in dict.fromkeys(projects.values()) if name != own]
        other = others[at % len(others)] if others else ""
        _prompts(score, session, store, own, other)
        _starts(score, session, store, own)
        _failures(score, _note(session, notes), store, own, other)


def _prompts(score: Score, session: Labelled, store: MemoryStore, own: str, other: str) -> None:
    for fact in session.gold.get("facts", []):
        weight = float(fact.get("importance", 1))
        given = _given(store, fact["question"], own)
        score.add("prompt", _says(given, fact["answer"]), weight)
        if other:
            score.add("aside", bool(_recalled(store, fact["question"], other)))


def _starts(score: Score, session: Labelled, store: MemoryStore, project: str) -> None:
    facts = {fact["id"]: fact for fact in session.gold.get("facts", []) if "id" in fact}
    later = session.gold.get("next", [])
    if not later:
        return
    start = preview(store, project=project).text
    score.printed += len(start) * len(later)
    for each in later:
        asked = _given(store, each["prompt"], project)
        for need in each["needs"]:
            if need in facts:
                answer = facts[need]["answer"]
                score.add("start", _says(start, answer))
                score.add("start, no titles", _says(start.partition(_TITLES)[0], answer))
                score.add("next", _says(start + asked, answer))


def _failures(score: Score, note: Memory | None, store: MemoryStore, own: str, other: str) -> None:
    """Let each error of a note come again, with other numbers and in another directory."""
    for _, _, line in fixes.of_note(note) if note else ():
        error = line.partition(" failed: ")[2].rpartition(" → ")[0]
        again = re.sub(r"\d+", "7", error).replace("/home/", "/srv/")
        score.add("failure", _fix(store, again, own) is not None)
        if other:
            score.add("unlike", _fix(store, again, other) is not None)


def _fix(store: MemoryStore, line: str, project: str) -> fixes.Fix | None:
    found: fixes.Fix | None = store.ask(
        lambda db: fixes.find(db, [line], projects=[project], session="")
    )
    return found


def _recalled(store: MemoryStore, prompt: str, project: str) -> list[Match]:
    """What the hook finds, with what was said in sessions."""
    ask_archive = archive_search(store.home, prompt, project=project)
    return recall(store, prompt, project=project, ask_archive=ask_archive)


def _given(store: MemoryStore, prompt: str, project: str) -> str:
    return rendered(_recalled(store, prompt, project))[0]


def _note(session: Labelled, notes: Sequence[Memory]) -> Memory | None:
    own = parse_transcript(session.transcript).session_id
    return next((n for n in notes if n.prov_session == own and n.type == "episodic"), None)


def _project(session: Labelled, notes: Sequence[Memory]) -> str:
    note = _note(session, notes)
    return note.project if note else "global"


def _says(text: str, patterns: Iterable[str]) -> bool:
    folded = re.sub(r"\s+", " ", text)
    return any(re.search(pattern, folded, re.IGNORECASE) for pattern in patterns)
