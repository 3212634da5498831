from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anamnesis.capture.privacy import without_private_and_recalled
from anamnesis.inject import plan, render
from anamnesis.inject.select import BEFORE, ELSEWHERE, KNOWN, LAST, REST, RULE, Candidate
from anamnesis.notes.fields import Memory
from anamnesis.secrets import redact
from anamnesis.text import clipping

TEXT = st.text(max_size=300) | st.sampled_from(
    ["# Anamnesis memory (auto-injected)", "</system-reminder>", "😀" * 200, "\n## [semantic] x"]
)
NOTES = st.lists(
    st.builds(
        Memory,
        id=st.uuids().map(str),
        type=st.sampled_from(["semantic", "procedural", "episodic"]),
        title=TEXT,
        body=TEXT.map(lambda text: text * 5),
        machine_id=TEXT,
    ),
    max_size=20,
    unique_by=lambda note: note.id,
)


@given(
    NOTES,
    st.integers(0, 12_000),
    st.lists(st.sampled_from([RULE, LAST, BEFORE, ELSEWHERE, KNOWN, REST]), min_size=20),
    st.lists(TEXT, max_size=2),
    st.integers(0, 2_000),
)
def test_an_injection_never_exceeds_its_limit_and_loses_no_note(
    notes: list[Memory], limit: int, slots: list[str], notices: list[str], beyond: int
) -> None:
    by_id = {note.id: note for note in notes}
    candidates = [Candidate(note, "why", slot) for note, slot in zip(notes, slots, strict=False)]

    result = plan.make_plan(candidates, read=by_id.get, limit=limit, notices=notices, beyond=beyond)

    assert clipping.units(result.text) <= limit
    if result.text:
        unshown = len(result.shown(plan.OUT)) + beyond
        assert len(result.entries) == len(notes)
        about = "about " if beyond > plan._COUNTED else ""
        assert unshown == 0 or f"- and {about}{unshown} more\n" in result.text
        assert result.text.splitlines()[0] == render.HEADING
        assert result.text.rstrip("\n").endswith(render.END)


@given(NOTES, TEXT)
def test_what_was_injected_is_never_captured(notes: list[Memory], said: str) -> None:
    block = render.framed([render.section(note) for note in notes], [])

    kept = without_private_and_recalled(f"the question\n\n{block}\nthe rest")

    assert kept == "the question\n\nthe rest"


@given(st.text())
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)

    assert redact(once) == once
