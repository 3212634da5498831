"""A text as a model or a terminal may be given it: whatever it says, it does nothing.

Escape sequences steer a terminal, and invisible letters say to a model what no reviewer sees. So
control characters become the pictures that Unicode has for them, and what is invisible or turns
the direction of reading is left out. Joiners and variation selectors stay where scripts and
emoji need them: once, after a letter beyond ASCII.
"""

from __future__ import annotations

_ASCII = frozenset(map(chr, range(32, 127))) | {"\n", "\t"}
_PICTURES = 0x2400  # of the control characters, in their order
_DELETE, _PICTURE_OF_DELETE = "\x7f", "\u2421"
_LINE_ENDS = frozenset("\u2028\u2029\x85")
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")
_INVISIBLE = (  # beside the joiners; in order
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)  # fmt: skip


def displayed(text: str) -> str:
    """A text without characters that act or hide; the same text if it has none."""
    odd = set(text) - _ASCII
    if not odd:
        return text
    if "\r" in odd:
        text = text.replace("\r\n", "\n")
    if not odd.isdisjoint(_JOINERS):
        text = _with_joiners_of_scripts(text)
    for character in odd - _JOINERS:
        shown = _shown(character)
        if shown != character:
            text = text.replace(character, shown)
    return text


def escaped(text: str) -> str:
    """A JSON text in which those characters are written as escapes: inert, and still the same."""
    odd = set(text) - _ASCII
    for character in odd:
        if character in _JOINERS or _shown(character) != character:
            text = text.replace(character, "".join(map("\\u{:04x}".format, _units(character))))
    return text


def _shown(character: str) -> str:
    if character < " ":
        return chr(_PICTURES + ord(character))
    if character == _DELETE:
        return _PICTURE_OF_DELETE
    if character in _LINE_ENDS:
        return "\n"
    if "\x80" <= character < "\xa0":
        return "\ufffd"
    code = ord(character)
    return "" if any(first <= code <= last for first, last in _INVISIBLE) else character


def _with_joiners_of_scripts(text: str) -> str:
    kept = list[str]()
    for character in text:
        if character in _JOINERS:
            before = kept[-1] if kept else ""
            if before in _JOINERS or not (before.isdigit() or before > _DELETE):
                continue
        kept.append(character)
    return "".join(kept)


def _units(character: str) -> list[int]:
    """The UTF-16 units of a character, as JSON escapes it."""
    data = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2)]
