"""Writes the pictures of docs/images: an invented team's memory on two machines."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal
from unittest.mock import patch

from playwright.sync_api import Page, sync_playwright

from anamnesis.archive.turns import Header, Turn
from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.history.commit import record_locally
from anamnesis.hooks.payload import Payload
from anamnesis.notes.fields import Memory, MemoryType, new_id
from anamnesis.operations.curate.pin import pin
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from anamnesis.web.dashboard import Job
from anamnesis.web.serve import Server
from support.archive import save

from .ensure_chromium import chromium

TARGET = Path(__file__).parents[2] / "docs" / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
LOOKS: list[tuple[str, tuple[int, int], Literal["light", "dark"]]] = [
    ("", (1280, 800), "light"), ("-dark", (1280, 800), "dark"), ("-phone", (390, 780), "light"),
]  # fmt: skip
# The documentation shows every page in light, and these in dark and on a phone as well.
OTHERS = {"pulse-dark", "notes-dark", "notes-phone", "injection-phone"}
PAY, WEB, INFRA = "github.com/acme/payments", "github.com/acme/web", "github.com/acme/infra"
TOPICS = [
    "retry budget of the gateway", "index on orders.created_at", "feature flag for the new cart",
    "log sampling in production", "timeout of the image resizer", "schema of the audit table",
    "rate limit of the partner API", "colour tokens of the design system",
    "backup window of the primary", "semantics of idempotency keys", "queue of failed webhooks",
    "lock that migrations take", "cache of exchange rates", "font loading on the checkout page",
    "pool size of the read replicas", "signature of refund events", "locale of invoice numbers",
    "order of the deploy steps", "memory limit of the report job", "certificate of the sandbox",
    "flaky test of the basket", "time zone of the nightly job", "alert on slow payouts",
    "bundle size of the admin pages", "state file of the network module", "quota of the registry",
    "redirects of the old domain", "rounding of tax amounts", "session cookie of the shop",
    "health check of the signer", "partition key of the event log", "contract tests of the ledger",
    "debounce of the search field", "rollback of a schema change", "keyboard trap in the dialog",
    "spot instances of the runners", "currency of gift cards", "heartbeat of the fraud model",
    "pagination of the orders API", "contrast of the dark theme", "dead letters of the mailer",
    "vault path of the database", "skeleton screens of the list", "clock skew between regions",
    "import of bank statements", "size limit of uploads", "token refresh of the mobile app",
    "preview environment of a branch", "order of CSS layers", "cost report of the clusters",
]  # fmt: skip
OPENINGS = {
    "semantic": "What we know about the", "procedural": "How to change the",
    "episodic": "Looked into the",
}  # fmt: skip
REMARKS = [
    "It holds under load; p95 stays at {0} ms.",
    "It broke twice last month, both times at {0}:00.",
    "The default is too low for us: we run with {0}.",
    "Only the owners of the service may do it.",
    "The test that covers it takes {0} s; run it alone first.",
    "Staging differs from production here. Compare both before you touch it.",
    "Announce it in the channel of the team, wait {0} minutes, then go on.",
    "The vendor says {0}, the measurements say twice that.",
    "See the runbook; step 3 is the one that people forget.",
    "Rolled back once because the dashboard showed the old value for {0} minutes.",
]


def fill(store: MemoryStore) -> None:
    """Notes of half a year."""
    now = datetime.now(UTC)

    def put(days: float, **fields: object) -> Memory:
        moment = (now - timedelta(days=days, hours=1)).isoformat(timespec="seconds")
        given = {"id": new_id(), "created_at": moment, "updated_at": moment, **fields}
        return store.put(Memory(**given))  # type: ignore[arg-type]

    chance = random.Random(4)
    subjects = [(type, topic) for topic in TOPICS for type in OPENINGS]
    for type, topic in chance.sample(subjects, len(subjects)):
        remarks = f"Concerns the {topic} since release {chance.randint(40, 90)}. "
        remarks += " ".join(chance.sample(REMARKS, 2))
        put(
            abs(chance.gauss(0, 80)), type=type, title=f"{OPENINGS[type]} {topic}",
            body=remarks.format(chance.randint(2, 20)),
            project=chance.choice([PAY, WEB, INFRA]), tags=chance.sample(["api", "ci", "database",
            "design", "incident", "performance", "security"], 2),
            machine_id=chance.choice(["laptop", "desk", "buildbox"]),
            prov_source="session-end" if type == "episodic" else "human",
            prov_session="7f3c2a10-9d1e" if type == "episodic" else "",
        )  # fmt: skip
    for days, more in ((12, ""), (31, "\n\nUntil then its log says `kid mismatch`.")):
        put(
            days, type="semantic", title="The signer caches keys for ten minutes", project=INFRA,
            body=f"After a rotation, wait ten minutes or restart it.{more}", tags=["security"],
            machine_id="desk",
        )  # fmt: skip
    old = put(
        40, type="semantic", title="Staging database needs the VPN", project=PAY,
        body="Without it the connection hangs.", tags=["staging", "vpn"], machine_id="laptop",
    )  # fmt: skip
    put(
        2, type="semantic", title="Staging database is open without the VPN since May",
        body="The bastion was replaced; use `psql service=staging`.", project=PAY,
        tags=["staging", "database"], supersedes=old.id, machine_id="desk",
    )  # fmt: skip
    put(
        3, type="procedural", title="Rotate the signing key", project=INFRA, machine_id="buildbox",
        body="Run `infra/rotate-key.sh`, then restart `signer` in both regions, **eu first**.",
        tags=["security", "runbook"],
    )  # fmt: skip
    put(
        9, type="semantic", title="The gate retries three times", project=PAY, tags=["api"],
        body="`retry_budget()` in `src/gateway/retry.py` decides; `MAX_TRIES` is a setting.",
        machine_id="laptop",
    )  # fmt: skip
    for days, machine, title in (
        (6, "desk", "Flags are read once per request"), (20, "laptop", "When flags are read"),
    ):  # fmt: skip
        put(
            days, type="semantic", title=title, project=WEB, machine_id=machine, tags=["design"],
            body="Feature flags are read once at the start of a request and do not change within.",
        )  # fmt: skip
    for days, tag, title in (
        (150, "session", "Moved the ledger to the new region"),
        (160, "import", "Naming of branches, from the old wiki"),
    ):
        put(
            days, type="semantic", title=title, body=f"{title}: agreed in the spring.", tags=[tag],
            project=PAY, machine_id="laptop",
        )  # fmt: skip
    put(
        0.1, type="semantic", title="Prefer small commits with the reason in the body",
        body="The team reads `git log` during incidents. Say *why*, not *what*.",
        tags=["style", "git"], machine_id="laptop",
    )  # fmt: skip
    put(
        0, type="procedural", title="How to release the payments service", project=PAY,
        body="1. `make release`\n2. wait for the canary (about 12 minutes)\n3. tag; CI publishes "
        "the wheel from the tag\n\n> Never release on a Friday: the rota changes at 17:00.\n\n"
        "| step | who | minutes |\n|---|---|---|\n| canary | CI | 12 |\n| tag | you | 1 |\n",
        tags=["release", "ci"], machine_id="laptop",
    )  # fmt: skip


def work(store: MemoryStore, home: Home) -> None:
    """Sessions of the last days: kept word for word, with commits, given notes and using some."""
    done = [
        ("a81f3c02-6b1d", PAY, "Make the canary wait for both regions",
         "4be21aa canary: wait for both regions\n- 91c03fd ci: 20 minutes for the canary"),
        ("c3d90e77-12aa", WEB, "Fix the cart that forgot its items",
         "07aa9e1 cart: keep items when the flag flips"),
        ("e52b7741-9f0c", INFRA, "Rotate the signing key after the audit",
         "d2f00b4 signer: name the kid in its log"),
    ]  # fmt: skip
    now = datetime.now(UTC)
    for number, (session, project, title, commits) in enumerate(done):
        at = (now - timedelta(days=number, hours=2)).isoformat(timespec="seconds")
        note = store.put(Memory(
            id=new_id(), type="episodic", title=title, project=project, machine_id="laptop",
            body=f"**Ask:** {title.lower()}\n\n**Commits:**\n- {commits}\n", created_at=at,
            updated_at=at, prov_source="session-end", prov_session=session,
        ))  # fmt: skip
        turns = [
            Turn("person", at=at, text=f"{title}, please."),
            Turn("agent", at=at, text="I look at what the tests say first."),
            Turn("agent", at=at, tool="Bash", command="make test", result="1 failed", failed=True),
            Turn("agent", at=at, tool="Edit", file="src/gate.py", result="done"),
            Turn("agent", at=at, tool="Bash", command="make test", result="212 passed"),
            Turn("agent", at=at, text=f"Done and committed: {commits.splitlines()[0]}."),
        ]
        header = Header(
            session=session, agent="claude-code", project=project, machine="laptop", title=title,
            started=at, ended=at, note=note.id, turns=len(turns), branch="main",
        )  # fmt: skip
        save(home, header, turns)
        inject(home, Payload(session_id=session, source="startup"), project=project)
    archive.bring_up_to_date(home)


def beat(home: Path) -> None:
    """What the other machines last said of themselves."""
    now = datetime.now(UTC)
    for machine, hours, error in (("desk", 1, ""), ("buildbox", 60, "capture: the disk is full")):
        at = (now - timedelta(hours=hours)).isoformat(timespec="seconds")
        said = {
            "machine": machine, "name": machine, "version": "1.0.0", "install": machine, "seen": at,
            "last_capture": at, "last_sync": at, "pending": 0, "last_error": error,
        }  # fmt: skip
        folder = home / "memory" / ".machines"
        folder.mkdir(exist_ok=True)
        (folder / f"{machine}.json").write_text(json.dumps(said))


def propose(store: MemoryStore) -> None:
    """What a reflection would have written."""
    old = next(note for note in store.headers() if note.title.startswith("Prefer small"))
    proposed: list[tuple[MemoryType, str, str, str]] = [
        (
            "semantic", "Commits are small and say why, with the ticket", "global",
            "The team reads `git log` in incidents. Say *why*, not *what*, and name the ticket.",
        ),
        (
            "procedural", "After a key rotation, check the signer of both regions", INFRA,
            "Run `signer status` in **eu** and **us**: a stale key logs `kid mismatch`.",
        ),
        (
            "semantic", "The canary of payments takes 20 minutes since the new region", PAY,
            "Three sessions waited for it; the old 12 minutes are gone.",
        ),
    ]  # fmt: skip
    for type, title, project, body in proposed:
        store.write(
            type=type,
            title=title,
            body=body,
            project=project,
            machine_id="laptop",
            tags=["reflection", "pending"],
            prov_source="reflection",
            prov_model="claude-haiku",
            confidence=0.6,
            supersedes=old.id if project == "global" else "",
        )


def tidy_up(store: MemoryStore) -> None:
    """What can be undone: notes that were pinned and deleted a moment ago."""
    by_title = {note.title: note.id for note in store.headers()}
    pin(store, [by_title["Staging database is open without the VPN since May"]])
    for topic in ("flaky test of the basket", "redirects of the old domain"):
        delete(store, [by_title[f"Looked into the {topic}"]])
    record_locally(store, machine_id="laptop")


def share(home: Path, desk: Path, remote: Path) -> str:
    """Two machines that edit one note; gives the id of the note that is held."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    settings = {"remote": str(remote), "machine_id": "laptop"}
    (home / "config.json").write_text(json.dumps(settings, indent=2) + "\n")
    (home / "config.json").chmod(0o600)
    sync(home, remote)
    sync(desk, remote)
    edit(desk, "How to release", "about 12 minutes", "about 20 minutes, since the new region")
    sync(desk, remote)
    sync(home, remote)
    edit(home, "How to release", "tag; CI publishes", "tag with `make tag`; CI signs and publishes")
    sync(home, remote)
    edit(desk, "Rotate the signing key", "both regions", "one region, after telling #security")
    sync(desk, remote)
    edit(home, "Rotate the signing key", "both regions", "**three** regions")
    return sync(home, remote)[0]


def sync(home: Path, remote: Path) -> tuple[str, ...]:
    """Exchange; gives the ids of held notes."""
    (home / "memory").mkdir(parents=True, exist_ok=True)
    backend = GitSyncBackend(home / "memory", remote=str(remote), machine_id=home.name)
    return backend.sync().conflicts


def edit(home: Path, title: str, old: str, new: str) -> None:
    """Change a note on a machine."""
    with MemoryStore(home) as store:
        note = next(each for each in store.headers() if each.title.startswith(title))
        found = store.read(note.id)
        assert found is not None
        changed = replace(found.note, body=found.note.body.replace(old, new))
        store.update(changed, expected_hash=found.hash)


def main() -> None:
    """Make the store, open the pages, write the pictures: those of the docs, or all elsewhere."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory) / "laptop"
        os.environ.update(ANAMNESIS_HOME=str(home), HOME=directory)
        with MemoryStore(home) as store:
            fill(store)
        held = share(home, Path(directory) / "desk", Path(directory) / "memory.git")
        inject(Home(home), Payload(session_id="7f3c2a10-9d1e", source="startup"), project=PAY)
        beat(home)
        with MemoryStore(home) as store:
            work(store, Home(home))
            release = next(each.id for each in store.headers() if "release" in each.title)
            alike = [each.id for each in store.headers() if "signer caches" in each.title]
            tidy_up(store)
            propose(store)
        sources = Path(directory) / "payments" / "src"
        sources.mkdir(parents=True)
        (sources / "gate.py").write_text("MAX_TRIES = 3\n")
        photograph(home, pages_of(held, release, alike), target, sources.parent)
        os.environ["ANAMNESIS_MACHINE_ID"] = "laptop"
        photograph(Path(directory) / "new", {"first-steps": "/"}, target)


def pages_of(held: str, release: str, alike: list[str]) -> dict[str, str]:
    """The name of each picture, and the page that it shows."""
    return {
        "pulse": "/", "review": "/review", "notes": "/notes",
        "search": "/notes?q=staging database vpn",
        "note": f"/notes/{release}", "edit": f"/notes/{release}/edit",
        "history": f"/notes/{release}/history", "conflict": f"/conflicts/{held}",
        "fleet": "/fleet", "injection": f"/injection?project={PAY}",
        "timeline": "/timeline", "settings": "/settings", "conflicts": "/conflicts",
        "changes": "/history", "deleted": "/history?deleted=1", "undo": "/history?undo=1",
        "sessions": "/sessions", "session": "/session/a81f3c02-6b1d", "new": "/new",
        "source": f"/notes/{release}/source", "tidy": "/tidy",
        "sources": "/tidy?view=sources", "stale": "/tidy?view=stale",
        "merge": f"/merge?ids={'+'.join(alike)}", "version": "/history?version=HEAD",
        "doctor": "/settings?doctor=1", "not-found": "/nowhere",
    }  # fmt: skip


def look_for(page: Page, address: str, folder: Path) -> None:
    """Have duplicates and stale notes found, so that they are shown and not the buttons."""
    for view, button in (("duplicates", "Look for dup"), ("stale", "Compare with the folder")):
        page.goto(f"{address}/tidy?view={view}")
        if view == "stale":
            page.locator("select[name=project]").select_option(PAY)
            page.get_by_label("Folder").fill(f"~/{folder.name}")
        page.get_by_role("button", name=button).click()
        page.locator(".toast").wait_for()


@contextmanager
def forgetting(page: Page, address: str) -> Iterator[None]:
    """The question before notes are forgotten."""
    page.goto(f"{address}/notes?q=import of bank statements&type=semantic")
    page.get_by_role("button", name="Select this page").click()
    page.get_by_role("button", name="Forget").click()
    yield


@contextmanager
def working(page: Page, address: str) -> Iterator[None]:
    """A change of all notes; only its speed is made up, so that it is seen half-way."""
    seen, advance = threading.Event(), Job.advance

    def slowly(job: Job, done: int, total: int) -> None:
        advance(job, done, total)
        if done > total * 0.6:
            seen.wait(60)

    page.goto(f"{address}/notes")
    page.get_by_role("button", name="Select all").click()
    page.locator("#bulk-value").fill("seen")
    with patch.object(Job, "advance", slowly):
        page.get_by_role("button", name="Apply").click()
        page.wait_for_url(lambda now: "/jobs/" in now)
        page.wait_for_timeout(1000)
        yield
        seen.set()
        page.get_by_text("notes tagged.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("put back.").wait_for()


@contextmanager
def changing(page: Page, address: str) -> Iterator[None]:
    """A setting and what would be written."""
    page.goto(f"{address}/settings#setting-review_keep_days")
    setting = page.locator("#setting-review_keep_days")
    setting.get_by_role("spinbutton").fill("30")
    setting.get_by_role("button", name="Change").click()
    setting.get_by_role("button", name="Write this change").wait_for()
    setting.scroll_into_view_if_needed()
    yield


STEPS = {"forget": forgetting, "job": working, "setting": changing}


def photograph(home: Path, pages: dict[str, str], target: Path, folder: Path | None = None) -> None:
    """One picture per page and look."""
    with Server(home, project=PAY) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for name, (width, height), colours in LOOKS:
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=colours
            )
            page.goto(server.link())
            page.wait_for_url(f"{server.address}/")
            if folder:
                look_for(page, server.address, folder)
            for picture in (*pages, *(STEPS if folder else ())):
                if target == TARGET and name and f"{picture}{name}" not in OTHERS:
                    continue
                with STEPS[picture](page, server.address) if picture in STEPS else nullcontext():
                    if picture in pages:
                        page.goto(f"{server.address}{pages[picture]}")
                        page.wait_for_url(lambda address: "/jobs/" not in address)
                    page.wait_for_timeout(300)
                    whole = target != TARGET
                    page.screenshot(path=target / f"{picture}{name}.png", full_page=whole)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
