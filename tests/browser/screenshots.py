"""Writes the pictures of docs/images: an invented team's memory on two machines."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright

from anamnesis.ground.home import Home
from anamnesis.ground.records import replace
from anamnesis.hooks.payload import Payload
from anamnesis.notes.ids import new_id
from anamnesis.notes.note import Memory, MemoryType
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from anamnesis.web.serve import Server

from .ensure_chromium import chromium

TARGET = Path(__file__).parents[2] / "docs" / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
LOOKS: list[tuple[str, tuple[int, int], Literal["light", "dark"]]] = [
    ("", (1280, 800), "light"), ("-dark", (1280, 800), "dark"), ("-phone", (390, 780), "light"),
]  # fmt: skip
KEPT = {  # what the documentation shows
    "pulse", "review", "notes", "search", "note", "history", "conflict", "injection", "timeline",
    "notes-dark", "notes-phone",
}  # fmt: skip
PAY, WEB, INFRA = "github.com/acme/payments", "github.com/acme/web", "github.com/acme/infra"
TOPICS = [
    "retry budget of the gateway", "index on orders.created_at", "feature flag for the new cart",
    "log sampling in production", "timeout of the image resizer", "schema of the audit table",
    "rate limit of the partner API", "colour tokens of the design system",
    "backup window of the primary", "semantics of idempotency keys",
]  # fmt: skip
OPENINGS = {
    "semantic": "What we know about the", "procedural": "How to change the",
    "episodic": "Looked into the",
}  # fmt: skip
REMARKS = ["It holds under load.", "It broke twice last month.", "The default is too low for us."]


def fill(store: MemoryStore) -> None:
    """Notes of half a year."""
    now = datetime.now(UTC)

    def put(days: float, **fields: object) -> Memory:
        moment = (now - timedelta(days=days, hours=1)).isoformat(timespec="seconds")
        given = {"id": new_id(), "created_at": moment, "updated_at": moment, **fields}
        return store.put(Memory(**given))  # type: ignore[arg-type]

    chance = random.Random(4)
    for _ in range(150):
        topic, type = chance.choice(TOPICS), chance.choice(list(OPENINGS))
        put(
            abs(chance.gauss(0, 80)), type=type, title=f"{OPENINGS[type]} {topic}",
            body=f"{chance.choice(REMARKS)} Measured p95 at {chance.randint(20, 900)} ms.",
            project=chance.choice([PAY, WEB, INFRA]), tags=chance.sample(["api", "ci", "database",
            "design", "incident", "performance", "security"], 2),
            machine_id=chance.choice(["laptop", "desk", "buildbox"]),
            prov_source="session-end" if type == "episodic" else "human",
            prov_session="7f3c2a10-9d1e" if type == "episodic" else "",
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


def share(home: Path, desk: Path, remote: Path) -> str:
    """Two machines that edit one note; gives the id of the note that is held."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    (home / "config.json").write_text(json.dumps({"remote": str(remote), "machine_id": "laptop"}))
    sync(home, remote)
    sync(desk, remote)
    edit(desk, "How to release", "about 12 minutes", "about 20 minutes, since the new region")
    sync(desk, remote)
    sync(home, remote)
    edit(home, "How to release", "tag; CI publishes", "tag with `make tag`; CI signs and publishes")
    sync(home, remote)
    edit(desk, "Rotate the signing key", "both regions", "both regions, after telling #security")
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
        with MemoryStore(home) as store:
            release = next(each.id for each in store.headers() if "release" in each.title)
            propose(store)
        photograph(home, held, release, target)


def photograph(home: Path, held: str, release: str, target: Path) -> None:
    """One picture per page."""
    pages = {
        "pulse": "/", "review": "/review", "notes": "/notes",
        "search": "/notes?q=staging database vpn",
        "note": f"/notes/{release}", "edit": f"/notes/{release}/edit",
        "history": f"/notes/{release}/history", "conflict": f"/conflicts/{held}",
        "fleet": "/fleet", "injection": f"/injection?project={PAY}",
        "recall": "/recall?q=is the staging database open without vpn", "timeline": "/timeline",
        "map": f"/map?project={PAY}", "settings": "/settings", "conflicts": "/conflicts",
        "changes": "/history", "deleted": "/history?deleted=1",
    }  # fmt: skip
    with Server(home, project=PAY) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for name, (width, height), colours in LOOKS:
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=colours
            )
            page.goto(server.link())
            for picture, path in pages.items():
                if target == TARGET and f"{picture}{name}" not in KEPT:
                    continue
                page.goto(f"{server.address}{path}")
                page.wait_for_timeout(300)
                page.screenshot(path=target / f"{picture}{name}.png", full_page=target != TARGET)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
