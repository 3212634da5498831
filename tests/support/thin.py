"""A part of many cases for `make test`, the others for `make soak`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def every(step: int, cases: Iterable[Any]) -> list[ParameterSet]:
    """Every `step`-th of some cases in each run, the others in soak only."""
    return [
        pytest.param(case, marks=[pytest.mark.soak] if at % step else [])
        for at, case in enumerate(cases)
    ]


def thinned(step: int, *, kept: Sequence[int]) -> list[ParameterSet]:
    """Where a run that tries every `step`-th kill begins; those that are not kept run in soak."""
    long = [pytest.mark.soak]
    return [pytest.param(at, marks=[] if at in kept else long) for at in range(1, step + 1)]
