"""Notes and their index: write, edit, search, break, rebuild."""

from __future__ import annotations

from demo.terminal import Terminal, say


def show(machine: Terminal) -> None:
    """Write, edit, search, break and rebuild."""
    say("A note is one markdown file.")
    first = machine.run(
        "write", "The staging database needs the VPN; without it the connection hangs.",
        "--title", "Staging database needs the VPN", "--tags", "staging,vpn",
    )  # fmt: skip
    release = machine.run(
        "write", "Run make release, then tag. CI publishes the wheel from the tag.",
        "--type", "procedural", "--title", "How to release", "--project", "github.com/team/app",
    )  # fmt: skip
    machine.run("show", first)

    say("Questions in plain words find it.")
    machine.run("search", "why does my connection to the staging database hang?", says=first)

    say("Edit it with any editor; a corrected fact can replace an old one.")
    machine.run("edit", first, EDITOR="sed -i s/hangs/times.out/")
    newer = "Staging is reachable without the VPN since May."
    machine.run("write", newer, "--supersedes", first)
    machine.run("search", "staging VPN", says=newer)

    say("The index is derived: destroy it, put rubbish beside the notes, and go on.")
    (machine.home / "index.db").write_bytes(b"rubbish " * 500)
    (machine.home / "memory" / "semantic" / "broken.md").write_text("no front matter here")
    machine.run("search", "how do I release?", says=release)
    machine.run("status", says="broken.md")
    machine.run("reindex")
