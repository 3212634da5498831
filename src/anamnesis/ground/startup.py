"""What a client waits for at the start of a hook or the server, without the modules around it.

Each name here is the one of the standard library, taken from the C module behind it when it is
first asked for. What that saves was measured as CPU of a fresh process, where `python -c pass`
takes 8 ms; what saves less than 2 ms of a hook has no place here. Everything that runs behind a
client uses the library.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _json as c_json
    import sqlite3
    from _thread import RLock, allocate_lock
    from collections.abc import Callable
    from socket import gethostname
    from typing import Any

__all__ = ["RLock", "allocate_lock", "c_json", "gethostname", "sqlite3"]

# Where each name is. RLock, allocate_lock: 2.5 ms, as threading loads functools and collections.
# gethostname: 5 ms, as socket loads enum and selectors. c_json: 5 ms, as json loads re.
_PLACES = {
    "RLock": ("_thread", "RLock"),
    "allocate_lock": ("_thread", "allocate_lock"),
    "gethostname": ("_socket", "gethostname"),
    "c_json": ("_json", ""),
}


def __getattr__(name: str) -> Any:
    if name == "sqlite3":
        found = _sqlite3()
    elif name in _PLACES:
        module, attribute = _PLACES[name]
        found = __import__(module)
        found = getattr(found, attribute) if attribute else found
    else:
        raise AttributeError(name)
    globals()[name] = found
    return found


def _sqlite3() -> Any:
    """The module behind sqlite3: 3.2 ms.

    The front adds adapters for dates, which load datetime. The C part takes lru_cache from
    functools, which loads collections; while it is loaded, a stand-in gives it that alone.
    """
    if "functools" in sys.modules:
        return __import__("_sqlite3")
    sys.modules["functools"] = _StatementCache  # type: ignore[assignment]
    try:
        return __import__("_sqlite3")
    finally:
        del sys.modules["functools"]


class _StatementCache:
    """The part of functools that the sqlite3 module needs."""

    @staticmethod
    def lru_cache(maxsize: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator that caches a function's latest results."""
        from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]

        return lambda function: _lru_cache_wrapper(function, maxsize, False, tuple)
