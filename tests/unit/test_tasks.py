"""A session with several tasks is one note with a part for each."""

from __future__ import annotations

from anamnesis.capture.extract.earlier_note import carried
from anamnesis.capture.extract.tasks import tasks
from anamnesis.capture.story import ANSWER, EDIT, PROMPT
from support.telling import Telling

CART = "Make the cart count the items of one kind once, please"
MAIL = "Send the monthly newsletter from a queue with retries instead"


def worked_on(story: Telling, ask: str, folder: str, *, report: str = "") -> None:
    story.add_text(PROMPT, ask)
    for number in range(5):
        story.add_text(EDIT, f"/repo/{folder}/{folder}{number}.py")
    story.run(f"git commit -m '{folder}: done'", f"[main 1a2b3c4] {folder}: {ask[:20]}")
    story.add_text(ANSWER, report or f"The {folder} is done -> see `{folder}0.py`, as was asked.")


def test_work_on_something_else_begins_a_task() -> None:
    story = Telling()
    worked_on(story, CART, "cart")
    worked_on(story, "Now let the cart show the total of its items", "cart")
    worked_on(story, MAIL, "newsletter")

    told = story.story()

    assert [told.moments[place].text for place in tasks(told)] == [CART, MAIL]


def test_a_remark_between_two_turns_begins_none() -> None:
    story = Telling()
    worked_on(story, CART, "cart")
    story.add_text(PROMPT, "Which port does the newsletter use in the staging setup?")
    story.add_text(ANSWER, "It uses the port 8025, as the settings of the staging setup say.")

    assert len(tasks(story.story())) == 1


def test_each_task_has_its_ask_and_its_commits_and_the_rest_stands_once() -> None:
    story = Telling()
    worked_on(story, CART, "cart")
    worked_on(story, MAIL, "newsletter")
    story.run("make test", "12 passed", exit=0)

    cart, mail = story.note().split("**Ask:** ")[1:]

    assert cart.startswith(CART)
    assert "cart: Make" in cart
    assert mail.startswith(MAIL)
    assert "newsletter: Send" in mail
    assert story.note().count("**Last results:**") == story.note().count("**Outcome:**") == 1


def test_an_updated_note_keeps_its_parts_and_what_only_the_old_one_says() -> None:
    story = Telling()
    worked_on(story, CART, "cart")
    worked_on(story, MAIL, "newsletter")
    new = story.note()
    old = new.replace("**Commits:**", "**Commits:**\n- 9f8e7d6 cart: an earlier step", 1)

    updated = carried(new, old=old)

    assert updated.count("**Ask:**") == 2
    assert updated.count("9f8e7d6") == 1
    assert carried(new, old=new) == new
