"""The dashboard over the demo's store."""

from __future__ import annotations

import sys
import urllib.request

from anamnesis.web.serve import Server
from demo.terminal import Terminal, say


def show(machine: Terminal) -> None:
    """Start it, prove that it answers, print its address; on a terminal keep it until Enter."""
    say("The same notes in a browser: anamnesis dashboard")
    with Server(machine.home) as server:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(server.link(), timeout=30) as page:
            if page.status != 200 or b"Anamnesis" not in page.read():
                sys.exit("demo: the dashboard does not answer")
        print(f"  it answers at {server.address}; an address to open it once:\n  {server.link()}")
        if sys.stdin.isatty():
            input("\n  Press Enter to end the demo. ")
        else:
            print("  (run `make demo` on a terminal to keep it open)")
