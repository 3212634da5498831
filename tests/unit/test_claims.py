"""What a model says of a session stays only where the transcript bears it out."""

from __future__ import annotations

import pytest

from anamnesis.capture.model_summary import checked

EVIDENCE = (
    "[main 4c1d2e3] queue: renew the lease\n12 passed in 3.9s\n"
    "edited src/queue/lease.py and README.md\nlisten on port 8080\n1234 rows"
)


@pytest.mark.parametrize(
    "text",
    [
        "Committed as 4c1d2e3.",
        "Committed as `4c1d2e3f00`.",
        "All 12 tests pass; it took 3.9s.",
        "Edited src/queue/lease.py and README.md.",
        "Moved 1,234 rows.",
        "**Decided:**\n- renew the lease\n\n**Open:**\nthe dashboard",
        "1. first\n2. second",
    ],
)
def test_what_the_transcript_has_stays(text: str) -> None:
    assert checked(text, evidence=EVIDENCE) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Committed as 9f9f9f9a. The lease is renewed.", "The lease is renewed."),
        ("All 12 tests pass. Coverage is 93%.", "All 12 tests pass."),
        (
            "- edited src/queue/lease.py\n- edited src/queue/worker.py",
            "- edited src/queue/lease.py",
        ),
        ("It listens on port 80.", ""),
        ("**Open:**\n- drop 77 rows\n\n**Next:**\n- a page", "**Next:**\n- a page"),
    ],
)
def test_a_sentence_with_a_claim_that_is_not_in_it_is_dropped(text: str, left: str) -> None:
    assert checked(text, evidence=EVIDENCE) == left
