"""The menu: pages, their addresses, their keys and their icons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One page of the menu."""

    name: str
    address: str
    key: str  # after g
    icon: str  # the path of a 16 x 16 drawing
    below: str = ""  # how addresses of its single things begin, where not with its own


@dataclass(frozen=True, slots=True)
class Act:
    """Something that the command palette does: a page to open, or a form to send."""

    name: str
    address: str
    fields: tuple[tuple[str, str], ...] | None = None  # of the form; None: only a page to open


_PULSE = "M1 8h3l2-5 3.5 10L12 8h3"
_NOTES = "M3 2h7l3 3v9H3zM10 2v3h3M5.5 8h5M5.5 11h5"
_REVIEW = "M2.5 8.5 6 12l7.5-8M2 3h6M2 5.5h3"
_TIDY = "M2 4h8v9H2zM6 4V2h8v9h-4M4.5 7h3M4.5 10h3"
_TIMELINE = "M2 3h12v11H2zM2 6.5h12M5 1.5v3M11 1.5v3M5 9.5h1M8 9.5h1M11 9.5h.5"
_SESSIONS = "M2 2.5h9v6H6l-2.5 2V8.5H2zM13 5.5h1v6h-1.5v2l-2.5-2H7"
_MAP = "M8 8 3.5 4M8 8l4.5-3M8 8l-3 5M8 8l5 4M8 6.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3"
_HISTORY = "M8 4v4l3 2M2.5 8a5.5 5.5 0 1 0 1.6-3.9L2 6M2 2.5V6h3.5"
_CONFLICTS = "M5 2v6a3 3 0 0 0 3 3M11 2v6a3 3 0 0 1-3 3v3M3 4l2-2 2 2M9 4l2-2 2 2"
_FLEET = "M2 3h12v6H2zM5 13h6M8 9v4"
_INJECTION = "M8 1.5v9M4.5 7 8 10.5 11.5 7M2 12v2.5h12V12"
_RECALL = "M6 2h4M7 2v4L2.5 13.5h11L9 6V2M4.8 10h6.4"
_SETTINGS = "M2 4h7M12 4h2M2 8h2M7 8h7M2 12h6M11 12h3M9 2.5v3M5.5 6.5v3M9.5 10.5v3"

MENU = (
    MenuEntry("Pulse", "/", "p", _PULSE),
    MenuEntry("Notes", "/notes", "n", _NOTES),
    MenuEntry("Review", "/review", "v", _REVIEW),
    MenuEntry("Tidy", "/tidy", "d", _TIDY),
    MenuEntry("History", "/history", "h", _HISTORY),
    MenuEntry("Conflicts", "/conflicts", "c", _CONFLICTS),
    MenuEntry("Fleet", "/fleet", "f", _FLEET),
    MenuEntry("Injection", "/injection", "i", _INJECTION),
    MenuEntry("Recall lab", "/recall", "r", _RECALL),
    MenuEntry("Timeline", "/timeline", "t", _TIMELINE),
    MenuEntry("Sessions", "/sessions", "w", _SESSIONS, below="/session/"),
    MenuEntry("Map", "/map", "m", _MAP),
    MenuEntry("Settings", "/settings", "s", _SETTINGS),
)

ACTS = (
    Act("Write a new note", "/new"),
    Act("Sync now", "/sync", ()),
    Act("Undo the latest change", "/undo", (("latest", "1"),)),
    Act("Reflect on sessions now", "/reflect", ()),
    Act("Look for duplicates", "/tidy", (("view", "duplicates"),)),
    Act("Run every check of doctor", "/settings?doctor=1"),
    Act("Fix what doctor found", "/fix", ()),
    Act("Sign out", "/settings#sessions"),
)

NOTE_VIEWS = (("", "Read"), ("/source", "Source"), ("/history", "History"))
