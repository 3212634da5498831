"""The default install stays small: counted from the metadata of what is installed here."""

from __future__ import annotations

from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

import anamnesis

NAME = anamnesis.DISTRIBUTION
MOST_PACKAGES = 25
MOST_MEGABYTES = 40


def needed(name: str, extras: frozenset[str] = frozenset()) -> dict[str, Distribution]:
    """A package and everything that pip would install with it."""
    found = {name.lower().replace("_", "-"): distribution(name)}
    for line in distribution(name).requires or []:
        wanted = Requirement(line)
        environments = [{"extra": extra} for extra in (extras or {""})]
        if wanted.marker and not any(map(wanted.marker.evaluate, environments)):
            continue
        if wanted.name.lower().replace("_", "-") not in found:
            found |= needed(wanted.name, frozenset(wanted.extras))
    return found


def size_of(installed: Distribution) -> int:
    files = [Path(str(file.locate())) for file in installed.files or []]
    return sum(file.stat().st_size for file in files if file.is_file())


def own_size() -> int:
    """The size of this package as it is installed: its files, and each module once compiled."""
    files = [file for file in Path(anamnesis.__file__).parent.rglob("*") if file.is_file()]
    sources = [file for file in files if "__pycache__" not in file.parts]
    compiled = [file for file in sources if file.suffix == ".py"]
    return sum(file.stat().st_size for file in (*sources, *compiled))


def test_the_default_install_has_few_packages() -> None:
    packages = needed(NAME)

    assert {"uvicorn", "starlette", "jinja2", "pyyaml"} <= set(packages)  # with the dashboard
    assert len(packages) <= MOST_PACKAGES, sorted(packages)
    assert len(needed(NAME, frozenset({"mcp"}))) > len(packages)


def test_the_default_install_is_small() -> None:
    others = (size_of(package) for name, package in needed(NAME).items() if name != NAME)

    assert own_size() > 1_000_000
    assert (sum(others) + own_size()) / 1_000_000 <= MOST_MEGABYTES
