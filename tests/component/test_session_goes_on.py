"""A session that goes on updates its note and loses nothing that was in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.capture.extract.earlier_note import MOST, carried
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.capture import capture
from support.hooks import Transcript

REPORT = "The cart counts items of one kind once, because `merge_lines` joins them before the sum."


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return (
        Transcript(tmp_path / "s-1.jsonl", cwd=str(tmp_path / "shop"))
        .user("Make the cart count items of one kind once, and never round prices")
        .edit(str(tmp_path / "shop" / "cart.py"))
        .result()
        .assistant(REPORT)
    )


def captured(root: Path, transcript: Transcript, source: str = "checkpoint") -> Memory:
    told = Payload(session_id="s-1", transcript_path=str(transcript.path))
    note = capture(Home(root), told, source=source).note
    assert note is not None
    return note


def todos(listed: list[dict[str, str]]) -> dict[str, object]:
    return {"type": "tool_use", "id": "l", "name": "TodoWrite", "input": {"todos": listed}}


def long_day(transcript: Transcript, *, turns: int) -> None:
    for number in range(turns):
        transcript.user(f"Now change page {number} of the shop so that it shows {number} offers")
        transcript.edit(f"/home/u/shop/page{number}.html", call=f"p{number}").result(
            call=f"p{number}"
        )
        transcript.assistant(
            f"Page {number} shows {number} offers -> see `page{number}.html`. " * 4
        )


def test_what_was_in_the_note_is_still_there_after_a_long_day(
    root: Path, transcript: Transcript
) -> None:
    first = captured(root, transcript)
    long_day(transcript, turns=80)

    last = captured(root, transcript, "session-end")

    assert last.id == first.id
    assert "never round prices" in last.body
    assert REPORT in last.body
    assert "Page 79" in last.body
    assert len(last.body) <= MOST


def test_a_transcript_that_the_client_began_anew_takes_nothing_from_the_note(
    root: Path, transcript: Transcript, tmp_path: Path
) -> None:
    captured(root, transcript)
    transcript.path.write_text("")
    transcript.user("And now translate the page of the terms into French, please")
    transcript.edit(str(tmp_path / "shop" / "terms.html"), call="t2").result(call="t2")
    transcript.assistant("The terms are there in French; the English ones stay the default.")

    body = captured(root, transcript, "session-end").body

    assert "in French" in body
    assert "never round prices" in body
    assert REPORT in body


def test_capturing_an_updated_note_again_changes_nothing(
    root: Path, transcript: Transcript
) -> None:
    captured(root, transcript)
    long_day(transcript, turns=40)

    once = captured(root, transcript, "session-end")
    again = captured(root, transcript, "session-end")

    assert again == once


def test_the_text_of_a_model_or_a_person_is_not_carried_over() -> None:
    assert carried("**Ask:** now", old="I wrote this note myself.") == "**Ask:** now"


def test_chatter_of_earlier_versions_is_not_carried_over() -> None:
    old = "**Ask:** hi\n\n**Outcome:** You're welcome!"

    assert carried("**Ask:** Count items", old=old) == "**Ask:** Count items"


def test_done_items_do_not_come_back() -> None:
    old = "**Ask:** Count items\n\n**Open:**\n- write the test"

    assert "write the test" not in carried("**Ask:** Count items", old=old)


def test_an_item_that_left_the_list_is_done(root: Path, transcript: Transcript) -> None:
    def todo(*items: tuple[str, str]) -> None:
        listed = [{"content": text, "status": status} for text, status in items]
        transcript.assistant(todos(listed))

    todo(("round the total of the cart", "pending"))
    assert "round the total" in captured(root, transcript).body

    todo(("write the manual of the shop", "pending"))
    body = captured(root, transcript, "session-end").body

    assert "write the manual" in body
    assert "round the total" not in body


def test_open_items_and_files_that_only_the_note_knows_stay(
    root: Path, transcript: Transcript, tmp_path: Path
) -> None:
    todo = {"content": "show the total in euros", "status": "pending"}
    transcript.assistant(todos([todo]))
    captured(root, transcript)
    transcript.path.write_text("")
    transcript.user("And now translate the page of the terms into French, please")
    transcript.edit(str(tmp_path / "shop" / "terms.html"), call="t2").result(call="t2")
    transcript.assistant("The terms are there in French; the English ones stay the default.")

    once = captured(root, transcript, "precompact")
    again = captured(root, transcript, "session-end")

    assert again.body == once.body
    assert "**Open:**\n- show the total in euros" in again.body
    assert "**Files touched (2):**\n- cart.py, terms.html" in again.body


def test_a_file_that_is_ignored_by_now_is_not_carried_over(
    root: Path, transcript: Transcript, tmp_path: Path
) -> None:
    captured(root, transcript)
    ignore = tmp_path / "shop" / ".anamnesis" / "ignore"
    ignore.parent.mkdir(parents=True)
    ignore.write_text("cart.py\n")
    transcript.path.write_text("")
    transcript.user("And now translate the page of the terms into French, please")
    transcript.edit(str(tmp_path / "shop" / "terms.html"), call="t2").result(call="t2")
    transcript.assistant("The terms are there in French; the English ones stay the default.")

    assert (
        "**Files touched (1):**\n- terms.html\n" in captured(root, transcript, "session-end").body
    )


def test_compacting_last_does_not_replace_the_outcome(root: Path, transcript: Transcript) -> None:
    captured(root, transcript)
    transcript.user("<command-name>/compact</command-name>")
    transcript.user(
        "This session is being continued from a previous conversation.\n\nSummary:\n"
        "1. Primary Request:\n   Count items.\n\n7. Pending Tasks:\n   - show the total in euros",
        isCompactSummary=True,
    )

    body = captured(root, transcript, "session-end").body

    assert f"**Outcome:** {REPORT}" in body
    assert "show the total in euros" in body


def test_a_resumed_copy_tells_only_what_is_new(
    root: Path, transcript: Transcript, tmp_path: Path
) -> None:
    captured(root, transcript, "session-end")
    copy = Transcript(tmp_path / "s-2.jsonl", session="s-2", cwd=str(tmp_path / "shop"))
    copy.user("Make the cart count items of one kind once", forkedFrom="s-1")
    copy.assistant(REPORT, forkedFrom="s-1")
    copy.user("Add a page with all the offers of the week")
    copy.edit(str(tmp_path / "shop" / "offers.html")).result()
    copy.assistant("The page of offers lists them by the day on which they end, soonest first.")

    told = Payload(session_id="s-2", transcript_path=str(copy.path))
    note = capture(Home(root), told, source="session-end").note

    assert note is not None
    assert "merge_lines" not in note.body
    assert "soonest first" in note.body
