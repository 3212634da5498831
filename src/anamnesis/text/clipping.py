"""Clipping a text to the room there is, so that the rest can be read on its own."""

from __future__ import annotations

GAP = "…"
# Characters that secrets, paths and addresses are made of: a text is not cut between two of them,
# because half a secret has no shape by which redaction would know it.
SOLID = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.~%:"
# Scripts that do not put spaces between words.
_UNSPACED = ("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"), ("\u0e00", "\u0e7f")


def both_ends(text: str, longest: int) -> str:
    """A text's beginning and end, where the middle is too much."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half].rstrip(SOLID)}\n…\n{text[-half:].lstrip(SOLID)}"


def clipped(text: str, most: int) -> str:
    """A text of at most `most` characters, cut between words and marked with "…"."""
    text = text.strip()
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ")
    if space > most // 2 and not _is_unspaced(cut[space:]):
        cut = cut[:space]
    elif text[most - 1] in SOLID:
        cut = cut.rstrip(SOLID)
    if cut.count("`") % 2:
        cut = cut[: cut.rfind("`")] if cut.rfind("`") > most // 2 else cut + "`"
    return cut.rstrip(" ,;:.-\u2013\u2014(") + "…"


def by_paragraph(text: str, room: int) -> str:
    """A text of at most `room` units, cut after a paragraph, else after a line or a word."""
    text = text.strip("\n")
    if units(text) <= room:
        return text
    if room < 2:
        return ""
    head = within(text, room - 2)
    for end in ("\n\n", "\n", " "):
        at = head.rfind(end)
        if at >= len(head) // 2:
            return f"{head[:at].rstrip()}\n{GAP}" if "\n" in end else f"{head[:at].rstrip()} {GAP}"
    return head + GAP


def within(text: str, room: int) -> str:
    """The beginning of a text, up to a number of units."""
    head = text[: max(room, 0)]
    while head and units(head) > room:  # some characters are two units
        head = head[: max(0, len(head) - (units(head) - room + 1) // 2 - 1)]
    return head


def units(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_unspaced(text: str) -> bool:
    if text.isascii():
        return False
    return any(first <= letter <= last for letter in text for first, last in _UNSPACED)
