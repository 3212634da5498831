"""Lines as people of many trades write secrets down, and harmless lines beside them.

In `voices.txt`, `{{name}}` is the place of a secret of that kind and `\\n` the end of a line. It has
three rounds; decision 141 says what was found of each at first sight.
"""

# ruff: noqa: E501  (a line is read in one piece)

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HERE = Path(__file__).parent
LINES = [
    line.replace("\\n", "\n")
    for line in (_HERE / "voices.txt").read_text("utf-8").splitlines()
    if not line.startswith("# round")
]
HARMLESS = (_HERE / "voices_harmless.txt").read_text("utf-8").splitlines()

_MIXED = string.ascii_letters + string.digits
_LOWER = string.ascii_lowercase + string.digits
_ALPHABETS = {
    "hex": "0123456789abcdef",
    "b": _MIXED,
    "low": _LOWER,
    "up": string.ascii_uppercase + string.digits,
}
_WORDS = "river copper maple falcon winter sunny tiger garden rocket harbor violet anchor pepper marble candle forest"


def drawn(seed: int) -> Iterator[tuple[str, list[str]]]:
    """Each line with secrets in it, and those secrets."""
    chance = random.Random(seed)
    for line in LINES:
        secrets: list[str] = []

        def secret(place: re.Match[str], kept: list[str] = secrets) -> str:
            kept.append(_secret(place[1], chance))
            return kept[-1]

        yield re.sub(r"\{\{(\w+)\}\}", secret, line), secrets


def _secret(kind: str, chance: random.Random) -> str:
    if special := _SPECIAL.get(kind):
        return special(chance)
    alphabet, length = kind.rstrip(string.digits), int(kind.lstrip(string.ascii_lowercase))
    return _text(chance, length, _ALPHABETS[alphabet])


def _text(chance: random.Random, length: int, letters: str) -> str:
    return "".join(chance.choices(letters, k=length))


def _password(chance: random.Random) -> str:
    """What people choose: words with digits and signs, or what a manager makes."""
    first, second = (word.capitalize() for word in chance.choices(_WORDS.split(), k=2))
    digits, sign = str(chance.randrange(10, 9999)), chance.choice("!#$%&*?")
    return chance.choice(
        (
            first + digits + sign,
            first.replace("a", "@").replace("o", "0").replace("e", "3") + "-" + digits + "7",
            _text(chance, 10, _MIXED) + "4k",
            "k" + _text(chance, 14, _MIXED + "!@#%^*-_+") + "7Q",
            first + second + digits,
            f"{first.lower()}-{second.lower()}-{digits}",
            _text(chance, 11, _LOWER) + "4k",
            first[:3] + sign + digits + second[:4].lower() + "!",
        )
    )


_SPECIAL: dict[str, Callable[[random.Random], str]] = {
    "pw": _password,
    "gen": lambda chance: _text(chance, 18, _MIXED + "!@#%^*-_+") + "Z3",
    "uuid": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    "b64": lambda chance: base64.b64encode(chance.randbytes(32)).decode(),
    "b64url": lambda chance: _text(chance, 43, _MIXED + "-_"),
    "b64x": lambda chance: _text(chance, 64, _MIXED),
    "b16l": lambda chance: _text(chance, 16, _LOWER),
    "up32": lambda chance: _text(chance, 32, string.ascii_uppercase + "234567"),
    "basic": lambda chance: base64.b64encode(f"svc:{_password(chance)}".encode()).decode(),
    "jwt": lambda chance: (
        f"eyJhbGciOiJIUzI1NiJ9.eyJ{_text(chance, 40, _MIXED)}.{_text(chance, 43, _MIXED)}"
    ),
    "pin": lambda chance: str(chance.randrange(100_000, 999_999)),
    "app": lambda chance: "-".join(_text(chance, 4, string.ascii_lowercase) for _ in range(4)),
}
