"""Why a note must not be put before a model: what its text does, or holds.

A person who has read such a note can vouch for it. What they vouch for is this text on this
machine, in `<home>/vouched.txt`: another machine, or whoever can write to the remote, cannot.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.trust.poison import Finding, finding

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE_NAME = "vouched.txt"


def verdict(home: str, *, title: str, body: str, tags: Iterable[str] = ()) -> Finding | None:
    """What is found in a note that nobody vouched for, or None."""
    text = f"{title}\n\n{body}"
    found = finding(text) or _secret(home, text)
    if found is not None and _mark(text) not in _vouched(home):
        return found
    said = ", ".join(tags)
    return finding(said) if said else None  # tags come and go; what is in them nobody vouches for


def vouch(home: str, *, title: str, body: str) -> None:
    """Remember that a person has read exactly this and wants it. Raises NotWritable."""
    from anamnesis.ground import atomic

    mark = _mark(f"{title}\n\n{body}")
    known = _vouched(home)
    if mark not in known:
        lines = "".join(f"{each}\n" for each in sorted({*known, mark}))
        atomic.write_text(os.path.join(home, FILE_NAME), lines)


def _secret(home: str, text: str) -> Finding | None:
    from anamnesis.ground.home import Home
    from anamnesis.redact import findings
    from anamnesis.redact.allowed import allow_list

    found = findings(text)
    if found:
        found = findings(text, allow=allow_list(Home(home)))
    kinds = ", ".join(dict.fromkeys(each.kind for each in found))
    return Finding("secret", f"it seems to hold a secret ({kinds})") if found else None


def _mark(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _vouched(home: str) -> frozenset[str]:
    try:
        with open(os.path.join(home, FILE_NAME), encoding="ascii", errors="replace") as file:
            return frozenset(file.read().split())
    except OSError:
        return frozenset()
