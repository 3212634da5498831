"""Two machines: writing, clashing, resolving, converging."""

from __future__ import annotations

import sys

from demo.terminal import Terminal, say


def show(laptop: Terminal, desk: Terminal, shared: str) -> None:
    """Bring two machines together; ends the program if something is not as it should be."""
    _begin(laptop, desk, shared)
    note_id = _merge(laptop, desk)
    _clash(laptop, desk, note_id)
    if laptop.files() != desk.files():
        sys.exit("demo: the machines differ")
    say(f"Both machines have the same {len(desk.files())} files, byte for byte.")


def _begin(laptop: Terminal, desk: Terminal, shared: str) -> None:
    say("Two machines share a bare git repository: a path here, usually user@host:path.git.")
    laptop.run("remote", "--create", shared)
    desk.run("remote", "set", shared)


def _merge(laptop: Terminal, desk: Terminal) -> str:
    say("What is written on one is on the other after a sync, and searchable there.")
    note_id = laptop.run(
        "write", "Deploys run on Fridays.\nAsk ops for the token.\nStaging first.",
        "--title", "How we deploy",
    )  # fmt: skip
    laptop.run("sync")
    desk.run("sync")
    desk.run("search", "when do we deploy?", says=note_id)

    say("Edits of different lines of one note are merged.")
    laptop.edit(note_id, "Fridays", "Mondays")
    desk.edit(note_id, "Staging first.", "Staging first, then production.")
    laptop.run("sync")
    desk.run("sync")
    desk.run(
        "show", note_id, says="Mondays.\nAsk ops for the token.\nStaging first, then production."
    )
    laptop.run("sync")
    return note_id


def _clash(laptop: Terminal, desk: Terminal, note_id: str) -> None:
    say("Edits of the same line are held for you; everything else goes on.")
    laptop.edit(note_id, "Mondays", "Tuesdays")
    desk.edit(note_id, "Mondays", "Thursdays")
    laptop.run("sync")
    desk.run("write", "Another note, not concerned.")
    desk.run("sync", expect=3)
    desk.run("conflicts", "diff", note_id)

    say("Choose; here both texts are kept.")
    desk.run("conflicts", "resolve", note_id, "--both")
    desk.run("sync")
    laptop.run("sync")
    laptop.run("log", "--limit", "2")
