"""The built wheel in clean environments: pip, pipx and uv, without Node and without a network."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from clients.desk import REPOSITORY
from support.package import NEEDED, tracked

pytestmark = pytest.mark.client

WHEELS = REPOSITORY / ".cache" / "wheels"
TOOLS = REPOSITORY / ".cache" / "tools" / "bin"
# What an environment brings, which no user installs for us.
TOOLING = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
OFFLINE = ["--no-index", "--find-links", str(WHEELS)]


@pytest.fixture
def wheel() -> Path:
    """The wheel that `make e2e` has built from this checkout."""
    return next(WHEELS.glob("anamnesis_memory-*.whl"))


@pytest.fixture
def sources() -> Path:
    """The source distribution that was built with it."""
    return next(WHEELS.glob("anamnesis_memory-*.tar.gz"))


def test_the_wheel_has_all_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {f"src/{name}" for name in archive.namelist()}

    assert tracked() <= inside
    assert inside >= NEEDED


def test_the_sources_have_it_too(sources: Path) -> None:
    with tarfile.open(sources) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}

    assert tracked() <= inside
    assert inside >= NEEDED


def set_up(command: Path, home: Path) -> str:
    """Set an empty home up without Node, and without anything else on PATH."""
    home.mkdir(parents=True, exist_ok=True)
    finished = subprocess.run(
        [command, "init", "--yes", "--local-only"],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, cwd=home, capture_output=True, text=True,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    assert "all work" in finished.stderr
    return (home / ".claude" / "settings.json").read_text()


@pytest.mark.parametrize("name", ["plain", "with a blank"])
def test_pip(tmp_path: Path, wheel: Path, name: str) -> None:
    environment = tmp_path / name / "env"
    venv.create(environment, with_pip=True)
    words = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q"]
    subprocess.run([*words, *OFFLINE, str(wheel)], check=True)

    settings = set_up(environment / "bin" / "anamnesis", tmp_path / name / "größeres Heim")

    assert str(environment / "bin" / "anamnesis") in settings
    packages, megabytes = installed(environment)
    assert packages <= 25
    assert megabytes <= 40


def installed(environment: Path) -> tuple[int, float]:
    """How many packages an environment holds beside pip, and their size in MB."""
    [site] = environment.glob("lib/*/site-packages")
    packages = [path for path in site.glob("*.dist-info") if not path.name.startswith(TOOLING)]
    files = (path for path in site.rglob("*") if path.is_file())
    own = [path for path in files if not path.relative_to(site).parts[0].startswith(TOOLING)]
    return len(packages), sum(path.stat().st_size for path in own) / 1_000_000


def test_uv(tmp_path: Path, wheel: Path) -> None:
    home = tmp_path / "home"
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "UV_PYTHON": sys.executable}
    words = [str(TOOLS / "uv"), "tool", "install", "--offline", "-q", *OFFLINE, str(wheel)]
    subprocess.run(words, env=environment, check=True)

    set_up(home / ".local" / "bin" / "anamnesis", home)


def test_pipx(tmp_path: Path, wheel: Path) -> None:
    home = tmp_path / "home"
    environment = {
        "HOME": str(home), "PATH": "/usr/bin:/bin", "PIPX_DEFAULT_PYTHON": sys.executable
    }  # fmt: skip
    words = [str(TOOLS / "pipx"), "install", f"--pip-args={' '.join(OFFLINE)}", str(wheel)]
    subprocess.run(words, env=environment, check=True)

    set_up(home / ".local" / "bin" / "anamnesis", home)
