"""The wheel, built as `pip install` builds it: nothing of the package is left out."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from support.package import NEEDED, REPOSITORY, tracked


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this checkout; hatchling is at hand, so that no network is needed."""
    folder = str(tmp_path_factory.mktemp("wheel"))
    [built] = WheelBuilder(str(REPOSITORY)).build(directory=folder, versions=["standard"])
    return zipfile.ZipFile(built)


def test_the_wheel_has_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    inside = {f"src/{name}" for name in wheel.namelist()}

    assert tracked() <= inside
    assert inside >= NEEDED
    for name in NEEDED:
        assert wheel.read(name.removeprefix("src/")) == (REPOSITORY / name).read_bytes()


def test_the_wheel_has_what_the_pages_of_the_dashboard_load(wheel: zipfile.ZipFile) -> None:
    """The typeface, the style sheet and the scripts, by the names that pages and styles use."""
    web = Path("anamnesis/web")
    texts = [
        wheel.read(name).decode() for name in wheel.namelist() if name.endswith((".html", ".css"))
    ]
    named = {
        *(name for text in texts for name in re.findall(r"asset\('([^']+)'\)", text)),
        *(name for text in texts for name in re.findall(r"/static/([\w.-]+)", text)),
        *(name for text in texts for name in re.findall(r"url\(\"?([\w.-]+\.woff2)", text)),
    }

    assert {name.rpartition(".")[2] for name in named} >= {"css", "js", "svg", "woff2"}
    assert {str(web / "static" / name) for name in named} <= set(wheel.namelist())
