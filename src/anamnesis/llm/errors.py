"""What can go wrong between us and a model. None of it ever changes a note."""

from __future__ import annotations

from anamnesis.ground.errors import EXIT_NOT_SET_UP, AnamnesisError


class ModelUnavailable(AnamnesisError):
    """The model did not answer: network, limits, credentials, or its own trouble."""

    def __init__(self, provider: str, reason: str, *, hint: str = "") -> None:
        self.provider = provider
        self.reason = reason
        super().__init__(
            f"{provider}: {reason}.", hint=hint or "Nothing was changed. Try again later."
        )


class ModelNotSetUp(AnamnesisError):
    """A provider that lacks a key, a model or an address, or may not have the one it was given."""

    def __init__(self, provider: str, reason: str, *, hint: str) -> None:
        self.provider = provider
        super().__init__(f"{provider}: {reason}.", hint=hint, exit_code=EXIT_NOT_SET_UP)
