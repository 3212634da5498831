"""Pinning notes, and taking pins back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import output, undoing
from anamnesis.operations.curate import curate

if TYPE_CHECKING:
    from argparse import Namespace


def change(args: Namespace, *, pinned: bool) -> int:
    """Pin the notes or unpin them, and print which."""
    with undoing.store_to_change("pin" if pinned else "unpin", wait=False) as store:
        ids = [store.resolve_id(given) for given in args.id]
        curate.pin(store, ids, pinned=pinned)
    for id in ids:
        output.say(id)
    return 0
