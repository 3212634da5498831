"""`make demo`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from demo import story
from demo.terminal import Machine


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="anamnesis-demo-") as directory:
        base = Path(directory)
        laptop, desk = Machine("laptop", base), Machine("desk", base)
        print("Two machines, one git repository. Lines marked │ are printed by Anamnesis.")
        story.begin(laptop, desk, str(base / "shared.git"))
        story.a_session_ends(laptop)
        story.the_next_one_starts(desk)
        story.you_ask(desk)
        story.a_command_fails(desk)
        story.a_file_is_read(desk)
        story.both_edit_one_note(laptop, desk)
        story.see_it_all(desk)
    print("\nThe throw-away machines are gone. To set up your own:  anamnesis init")


main()
