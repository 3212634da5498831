"""What a session left open, and why; what was done since is not."""

from __future__ import annotations

import pytest

from anamnesis.archive.turns import CLIENT, RECAP
from anamnesis.capture.story import ANSWER, EDIT, PROMPT
from support.telling import Telling, block


def open_points(*moments: tuple[str, str]) -> list[str]:
    story = Telling()
    for kind, text in moments:
        if kind == "run":
            story.run(text, exit=0)
        elif kind == CLIENT:
            story.recorder.say(CLIENT, text)
        elif kind == RECAP:
            story.recorder.remark(RECAP, text)
        else:
            story.add_text(kind, text)
    return block(story.note(), "Open")


ASKED = (PROMPT, "Make the cart count the items of one kind once")
EDITED = (EDIT, "/repo/cart.py")
DONE = (ANSWER, "The cart counts the items of one kind once; the total is shown above the list.")


def test_what_was_asked_last_and_not_answered_is_open() -> None:
    assert open_points(ASKED, EDITED, DONE, (PROMPT, "Now show the total in the header too")) == [
        "Asked last, not answered: Now show the total in the header too"
    ]


def test_a_check_that_fails_at_the_end_is_open() -> None:
    story = Telling()
    story.add_text(*ASKED)
    story.add_text(*EDITED)
    story.run("npm run lint", "cart.js: 3 problems", exit=1)

    assert block(story.note(), "Open") == ["Failing: `npm run lint`: cart.js: 3 problems"]
    assert "Last results" not in story.note()


def test_a_command_that_the_transcript_does_not_end_is_open_and_fixes_nothing() -> None:
    story = Telling()
    story.add_text(*ASKED)
    story.run("true", exit=0)
    story.run("./publish --session", "Error: no session was found here", exit=1)
    story.recorder.call("Bash", {"command": "./publish --session 88f0"}, call="last")

    note = story.note()

    assert "No result yet: `./publish --session 88f0`" in block(note, "Open")
    assert "→" not in note


@pytest.mark.parametrize(
    "said",
    [
        "Would you like me to show the total in the header as well?",
        "The header is not tested yet, because there is no browser here.",
        "You can restart the server once the new settings are in place.",
    ],
)
def test_how_the_last_report_hands_over_is_open(said: str) -> None:
    assert open_points(ASKED, EDITED, (ANSWER, f"{DONE[1]}\n\n{said}")) == [said]


@pytest.mark.parametrize("heading", ["**Next steps:**", "What's next", "## Pending", "Remaining:"])
def test_items_below_a_heading_of_open_work_are_open(heading: str) -> None:
    report = f"{DONE[1]}\n\n{heading}\n- show the total in the header"

    assert open_points(ASKED, EDITED, (ANSWER, report)) == ["show the total in the header"]


def test_a_heading_with_next_further_behind_heads_what_was_done() -> None:
    report = "Continued with the next enhancements:\n- the total is shown in the header now"

    assert open_points(ASKED, EDITED, (ANSWER, report)) == []


@pytest.mark.parametrize(
    "later",
    [
        [("run", "git commit -m 'show the total in the header'")],
        [(EDIT, "/repo/header.py"), (ANSWER, "The header shows the total of the cart.")],
    ],
)
def test_what_a_later_turn_did_is_not_open(later: list[tuple[str, str]]) -> None:
    report = f"{DONE[1]}\n\n**Next steps:**\n- show the total in the header"

    lines = open_points(ASKED, EDITED, (ANSWER, report), (PROMPT, "yes please"), *later)

    assert "show the total in the header" not in lines


def test_of_a_summary_pending_items_are_open_until_work_went_on() -> None:
    pending = "7. Pending Tasks:\n   - Show the total in the header of the shop"
    summary = f"{pending}\n\n8. Current Work:\n   The cart."
    goes_on = [(PROMPT, "go on with the list"), EDITED, DONE]

    assert open_points(ASKED, EDITED, (CLIENT, summary)) == [
        "Show the total in the header of the shop"
    ]
    assert open_points(ASKED, EDITED, (CLIENT, summary), *goes_on * 3) == []


def test_a_recap_tells_what_is_next_and_not_what_was_done() -> None:
    recap = "The cart counts items. Next: show the total in the header."

    assert open_points(ASKED, EDITED, DONE, (RECAP, recap)) == [
        "Next: show the total in the header."
    ]


def test_a_list_that_later_tasks_left_behind_is_not_open() -> None:
    story = Telling()
    story.add_text(*ASKED)
    todos = [{"content": "Show the total in the header", "status": "pending"}]
    story.recorder.call("TodoWrite", {"todos": todos}, call="t")
    fresh = block(story.note(), "Open")
    for number in range(3):
        story.add_text(PROMPT, f"Translate page {number} of the handbook to French")
        story.add_text(EDIT, f"/repo/page{number}.md")
        story.add_text(ANSWER, f"Page {number} of the handbook is in French, with its pictures.")

    assert fresh == ["Show the total in the header"]
    assert block(story.note(), "Open") == []


def test_what_was_edited_after_the_last_commit_is_open() -> None:
    story = Telling()
    story.add_text(PROMPT, "Count the items of the cart and write the docs.")
    story.add_text(EDIT, "/repo/src/cart.py")
    story.run("git commit -am 'cart: count items'", "[main 1a2b3c4] cart: count items")
    story.add_text(EDIT, "/repo/docs/cart.md")
    story.add_text(EDIT, "/home/ada/.claude/plans/cart.md")

    assert block(story.note(), "Open") == ["Edited after the last commit: `cart.md`"]
