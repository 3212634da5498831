"""Pictures that inform: each with numbers, words and a way by the keyboard."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from anamnesis.hooks.payload import Payload
from anamnesis.notes.fields import Memory, new_id
from anamnesis.onboard import receipt
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from support.notes import write_file

from .conftest import Visitor

APP = "github.com/team/app"


def test_first_steps_tick_themselves_and_the_start_page_counts(
    visit: Visitor, store: MemoryStore
) -> None:
    page = visit.go("/")
    steps = page.locator("[data-steps]")
    expect(steps).to_contain_text("0 of 4 done")
    assert visit.violations() == []

    store.write(type="semantic", title="Deploys need the VPN", body="ask", project=APP)
    expect(steps).to_contain_text("1 of 4 done")  # nobody reloaded the page
    receipt.save(store.home, receipt.Receipt(agents=("claude",)))
    expect(steps).to_contain_text("2 of 4 done")
    inject(store.home, Payload(session_id="s1", source="startup", cwd="."), project=APP)
    store.write(type="episodic", title="Deployed", body="b", project=APP, prov_source="session-end")
    expect(steps).to_have_count(0)

    visit.go("/")
    week = page.get_by_role("region", name="Recalled this week")
    expect(week).to_contain_text("Deploys need the VPN")
    expect(week).to_contain_text("given 1")
    chart = page.locator(".stacked")
    expect(chart.locator("a")).to_have_count(14)
    expect(chart.locator("a").last.locator("rect.type-episodic, rect.type-semantic")).to_have_count(
        2
    )
    expect(chart.locator(".tick").last).to_have_text("2")
    page.get_by_text("The same in numbers").click()
    today = datetime.now(UTC)
    expect(page.locator(".numbers tr", has_text=f"{today.day} {today:%b}")).to_contain_text("2")
    chart.locator("a").last.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"day={today:%Y-%m-%d}"))
    expect(page.locator(".row-title")).to_have_count(2)


def test_weeks_say_what_projects_and_machines_did(visit: Visitor, store: MemoryStore) -> None:
    now = datetime.now(UTC)
    monday = (now - timedelta(days=now.weekday())).date().isoformat()
    store.write(
        type="semantic", title="Of the web", body="b", project="github.com/team/web",
        machine_id="laptop",
    )  # fmt: skip
    store.write(
        type="episodic", title="Fixed the gate", project=APP, machine_id="desk", prov_session="s-1",
        prov_source="session-end",
        body="**Ask:** fix it\n\n**Commits:**\n- 1a2b3c4 gate: close it after use\n",
    )  # fmt: skip
    beat = {"machine": "desk", "name": "desk", "version": "1.0.0", "install": "x",
            "seen": now.isoformat(timespec="seconds"), "last_error": "the remote is full",
            "last_sync": now.isoformat(timespec="seconds"), "pending": 2,
            "last_capture": ""}  # fmt: skip
    write_file(store.root, "memory/.machines/desk.json", json.dumps(beat))
    long_ago = (now - timedelta(days=40)).isoformat(timespec="seconds")
    silent = {**beat, "machine": "attic", "name": "attic", "seen": long_ago, "last_sync": long_ago}
    write_file(store.root, "memory/.machines/attic.json", json.dumps(silent))

    page = visit.go("/timeline")
    expect(page.locator(".commits")).to_have_text("1a2b3c4 gate: close it after use")
    chart = page.locator(".stacked")
    expect(chart.locator("a").last.locator("[class^=hue]")).to_have_count(2)
    page.get_by_text("The same in numbers").first.click()
    expect(page.locator(".numbers").first.locator("td.figure")).to_have_text(["1", "1", "2"])
    chart.locator("a").last.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"#week-{monday}"))
    expect(page.locator(f"#week-{monday} .week-project")).to_have_count(2)

    visit.go("/fleet")
    expect(page.locator(".check", has_text="attic has not synced for 40 days")).to_be_visible()
    desk = page.locator("tr", has=page.get_by_role("link", name="desk"))
    expect(desk.last).to_contain_text("the remote is full")
    expect(desk.last.locator("td.figure")).to_have_text(["1", "0", "0", "2", "0"])
    expect(page.locator(".stacked a").last.locator("[class^=hue]")).to_have_count(2)
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == "anamnesis host"
    assert visit.violations() == []


def test_a_year_of_days_is_walked_with_arrow_keys_and_told_in_numbers(
    visit: Visitor, store: MemoryStore
) -> None:
    now = datetime.now(UTC).replace(hour=1)
    for days, notes in ((0, 40), (1, 1), (8, 20), (9, 10)):
        at = (now - timedelta(days=days)).isoformat(timespec="seconds")
        for number in range(notes):
            store.put(
                Memory(
                    id=new_id(), type="semantic", title=f"{days} {number}", body="b",
                    created_at=at, updated_at=at,
                )
            )  # fmt: skip
    page = visit.go("/timeline")
    shades = page.locator(".calendar a rect").evaluate_all(
        "each => each.map(one => one.getAttribute('class').trim())"
    )
    assert len(set(shades)) == 4  # busy days differ as well
    assert page.locator(".calendar a[tabindex='0']").count() == 1

    page.locator(".calendar a").last.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    focused = page.evaluate("document.activeElement.dataset.day")
    assert focused == f"{now - timedelta(days=8):%Y-%m-%d}"
    page.keyboard.press("Enter")
    expect(page.locator(".line-title").first).to_have_text(re.compile("^8 "))
    expect(page.get_by_label("Day", exact=True)).to_have_value(focused)
    page.get_by_label("Day", exact=True).fill("")
    expect(page.locator(".line-title").first).to_have_text(re.compile("^0 "))

    page.get_by_text("The same in numbers").last.click()
    year = page.get_by_role("region", name="The year in numbers")
    totals = [int(text) for text in year.locator("tr td:nth-child(2)").all_inner_texts()]
    assert sum(totals) == 71
    expect(year).to_contain_text("40 notes")
    assert visit.violations() == []
