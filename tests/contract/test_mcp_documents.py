"""What is written about the server is true: the reference, and the examples for clients."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from anamnesis.mcp.reference import page

REPOSITORY = Path(__file__).parent.parent.parent
EXAMPLES = sorted((REPOSITORY / "examples" / "mcp").glob("*.*"))
CONFIGURATIONS = [path for path in EXAMPLES if path.suffix in (".json", ".toml")]


def test_the_reference_is_that_of_the_table() -> None:
    """Refresh it with `make docs`."""
    assert (REPOSITORY / "docs" / "reference" / "mcp-tools.md").read_text() == page()


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.name)
def test_an_example_names_the_server_and_is_explained(path: Path) -> None:
    parse = tomllib.loads if path.suffix == ".toml" else json.loads

    found: dict[str, Any] = parse(path.read_text())

    assert "anamnesis" in json.dumps(found)
    assert f"({path.name})" in (path.parent / "README.md").read_text()


def test_the_repository_offers_its_own_server() -> None:
    found = json.loads((REPOSITORY / ".mcp.json").read_text())

    assert found["mcpServers"]["anamnesis"]["args"] == ["serve"]
