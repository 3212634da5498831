from __future__ import annotations

import pytest

from anamnesis.ground.clock import since
from anamnesis.ground.errors import InvalidInput


def test_points_in_time() -> None:
    assert since("") == 0
    assert since("2w") < since("3d") < since("1h")
    assert since("2026-01-31") < since("2026-02-01")
    assert since("2d") < since("yesterday") < since("today") <= since("0h")
    with pytest.raises(InvalidInput):
        since("last week")
