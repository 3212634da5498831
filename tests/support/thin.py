"""A part of many cases for `make test`, the others for `make soak`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def every(step: int, cases: Iterable[Any]) -> list[ParameterSet]:
    """Every `step`-th of some cases in each run, the others in soak only."""
    return [
        pytest.param(case, marks=[pytest.mark.soak] if at % step else [])
        for at, case in enumerate(cases)
    ]
