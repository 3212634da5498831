"""Why a note ranks where it does, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.ground.counting import counted
from anamnesis.search.rank import MEANING, NEARNESS

if TYPE_CHECKING:
    from anamnesis.search.rank import Share, Why

_KINDS = {
    "function": "a function word",
    "light": "a light word",
    "part": "a part of an identifier",
    "prefix": "the beginning of a word",
    "typo": "taken for a typing error",
}


def explanation(score: float, why: Why) -> list[str]:
    """The sum behind a score, then what each word gave to it."""
    parts = [f"{why.words:.3f} words", f"{MEANING:g} x {why.meaning:.3f} meaning"]
    if why.nearness:
        parts.append(f"{NEARNESS:g} x {why.nearness:.3f} nearness")
    total = f"({' + '.join(parts)}) x {why.prior:.3f} prior"
    return [
        f"{score:.3f} = {total}; has {why.coverage:.0%} of the question",
        *(_share(share) for share in why.shares),
        *([f"  {why.together:6.2f}  words that stand together"] if why.together else []),
    ]


def _share(share: Share) -> str:
    kind = _KINDS.get(share.kind)
    rarity = "" if share.kind == "function" else f", in {counted(share.notes, 'note')}"
    return (
        f"  {share.points:6.2f}  {share.word}: {share.count:g} here{rarity}"
        f"{f' ({kind})' if kind else ''}"
    )
