"""Where a secret stands in a text, and what it is."""

from __future__ import annotations

from anamnesis.ground.records import record

PLACEHOLDER_START = "[redacted: "


@record
class Finding:
    """One secret: `text[start:end]`, of a kind that a person understands."""

    kind: str
    start: int
    end: int

    @property
    def placeholder(self) -> str:
        """What stands in the text instead."""
        return f"{PLACEHOLDER_START}{self.kind}]"
