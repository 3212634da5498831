"""Lines with secrets that were written only to measure, each round after the rules it measures.

In `held_out.txt` what stands between ⟦ and ⟧ is a secret, `{12a}` is drawn by chance, and `\\n` is
the end of a line. Decision 215 says what was found of each round at first sight; a round is learned
from once the next one is written.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from corpus.formats import draw
from corpus.places import Placed

_ROUNDS = {
    block.partition("\n")[0]: [line for line in block.splitlines() if "⟦" in line]
    for block in (Path(__file__).parent / "held_out.txt").read_text("utf-8").split("#! ")[1:]
}
_SLOT = re.compile("⟦(.*?)⟧", re.DOTALL)


def drawn(which: str, *, other: Callable[[str], str] = str) -> Iterator[Placed]:
    """The texts of a round; `other` may put another secret in the place of each."""
    for number, line in enumerate(_ROUNDS[which]):
        text = draw(line.replace("\\n", "\n").replace("\\t", "\t"), random.Random(number))
        secrets: list[str] = []

        def secret(slot: re.Match[str], kept: list[str] = secrets) -> str:
            kept.append(other(slot[1]))
            return kept[-1]

        yield Placed(line, "held out", _SLOT.sub(secret, text), secrets)
