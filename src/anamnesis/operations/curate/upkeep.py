"""What happens by itself around a capture and a sync."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground.errors import AnamnesisError
from anamnesis.hooks import runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from anamnesis.ground.home import Home
    from anamnesis.store import MemoryStore

_REFLECT_SECONDS = 3600.0  # sessions end many times a day; knowledge does not change that fast


def reflect_in_background(home: Home) -> bool:
    """Start a reflection that outlives us, if the person switched that on; at most hourly."""
    if not config.is_on("reflect_auto", default=False):
        return False
    from anamnesis.hooks import background

    background.start_now_and_then(home, ["reflect", "--apply"], every=_REFLECT_SECONDS)
    return True


def before_sync(home: Home) -> list[Callable[[MemoryStore], object]]:
    """What a sync lets into the store first: nothing, if no other memory changed."""
    from anamnesis.importers import native

    if native.is_wanted() and native.changed(home):
        return [_import_native]
    return []


def after_sync(store: MemoryStore, changed: Iterable[str] = ()) -> list[str]:
    """Bury what was forgotten on one machine and edited on another; gives the ids.

    What came is also given its vectors, where recall uses them.
    """
    from anamnesis.notes import tombstones
    from anamnesis.operations.curate import forget
    from anamnesis.operations.machine import embed

    stones = (path for path in changed if path.startswith(f"{tombstones.FOLDER}/"))
    arrived = (path.rpartition("/")[2].removesuffix(".json") for path in stones)
    buried = forget.bury(store, arrived)
    embed.keep_up(store.home)
    return buried


def _import_native(store: MemoryStore) -> None:
    from anamnesis.operations.curate import import_ as take_in

    try:
        take_in.import_native(store)
    except AnamnesisError as error:
        # Notes must travel whatever other programs left behind; the next sync tries again.
        did = f"Claude Code's memory was not taken in: {error.message}"
        runs.note_run(store.home, "import", did=did, failed=True)
