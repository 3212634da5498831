"""Small state: a JSON value in a file of its own, replaced as a whole and never half there.

It is derived or can be had again: a file that is missing or damaged counts as empty.
"""

from __future__ import annotations

from anamnesis.ground import atomic, locks, quickjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LOCK_SECONDS = 10.0


class StateFile:
    """One such file, and the lock under which `change` changes it."""

    def __init__(self, path: str, *, lock: str = "") -> None:
        self.path, self._lock = path, lock

    def read(self) -> Any:
        """The value; None if there is none that can be read."""
        try:
            with open(self.path, "rb") as stream:
                return quickjson.loads(stream.read())
        except (OSError, ValueError, RecursionError):
            return None

    def record(self) -> dict[str, Any]:
        """The value if it is an object, else an empty one."""
        value = self.read()
        return value if isinstance(value, dict) else {}

    def write(self, value: object) -> None:
        """Replace the value. Raises NotWritable."""
        atomic.write_text(self.path, f"{quickjson.dumps(value)}\n")

    def change(self, make: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Replace an object by what `make` makes of it, while nobody else changes it.

        Raises NotWritable or StoreBusy.
        """
        with locks.held(self._lock, name="state", timeout=_LOCK_SECONDS):
            before = self.record()
            after = make(dict(before))
            if after != before:
                self.write(after)
