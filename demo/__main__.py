"""`make demo`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from demo import browser, machines, notes, session
from demo.terminal import Terminal, say


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="anamnesis-demo-") as directory:
        base = Path(directory)
        notes.show(Terminal("alone", base))
        laptop, desk = Terminal("laptop", base), Terminal("desk", base)
        machines.show(laptop, desk, str(base / "shared.git"))
        session.show(laptop, desk)
        browser.show(desk)
    say("Done. The throw-away stores are gone again.")


main()
