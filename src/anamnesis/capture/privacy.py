"""What must not be captured: `<private>` text, and recalled or injected notes."""

from __future__ import annotations

import re

# Written by inject/render.py and recall.py around what they print; a test keeps them equal.
RECALLED_HEADINGS = (
    "# Anamnesis memory (auto-injected)",
    "# Anamnesis recall (for this prompt)",
)
RECALLED_END = "_End of recalled notes"


_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
_RECALLED = re.compile(
    rf"(?:{'|'.join(map(re.escape, RECALLED_HEADINGS))}).*?(?:{RECALLED_END}[^\n]*|\Z)", re.DOTALL
)
# What clients and hooks add to a message; the user did not write it.
_ADDED = re.compile(
    r"<(?P<tag>system-reminder|system_reminder|hook_context|untrusted_context|session_context"
    r"|environment_context|user_instructions|current_datetime|ide_[a-z_]{1,30})(?:\s[^<>]{0,200})?>"
    r".*?(?:</(?P=tag)>|\Z)",
    re.DOTALL,
)
_SPANS_LINES = "-----BEGIN"
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def without_private_and_recalled(text: str) -> str:
    """`text` as the user or the agent wrote it, without what must not be kept."""
    if "<" in text:
        text = _ADDED.sub("", _PRIVATE.sub("", text))
    if "# Anamnesis " in text:
        text = _RECALLED.sub("", text)
    # A lone surrogate is legal in JSON and in no file; nor does a file need NUL.
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    if "\0" in text:
        text = text.replace("\0", "")
    return (_BLANK_LINES.sub("\n\n", text) if "\n" in text else text).strip()


def clean(text: str) -> str:
    """A text without what must not be kept, and without secrets that span lines.

    A single line of such a secret has no shape any more by which it could be found later.
    """
    text = without_private_and_recalled(text)
    if _SPANS_LINES in text:
        from anamnesis.secrets import redact

        return redact(text)
    return text
