"""The real clients; `make e2e` installs them and runs these tests without a network."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clients.model import ScriptedModel


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    served = ScriptedModel()
    yield served
    served.close()
