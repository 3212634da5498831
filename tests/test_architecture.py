"""The shape of the code, kept by a test."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
SOURCE = REPOSITORY / "src" / "anamnesis"
MODULES = sorted(SOURCE.rglob("*.py"))

# What a hook may never load: each costs more than all that `inject` does.
HEAVY = {
    "argparse", "asyncio", "dataclasses", "email", "fastmcp", "filelock", "hashlib", "httpx",
    "importlib.metadata", "inspect", "jinja2", "logging", "mcp", "pathlib", "pydantic", "rich",
    "socket", "starlette", "subprocess", "typing", "urllib", "uvicorn", "yaml",
}  # fmt: skip
OWNERS = {
    "sqlite3": {"archive", "index", "search", "store"},
    "subprocess": {"ground"},
    "yaml": {"notes"},
}


def test_nothing_replaces_a_note_that_it_has_not_read() -> None:
    """`put` is for callers outside; inside, every write gives back what was read."""
    calls = {
        f"{module.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)}"
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in ("put", "_save_locked")
    }

    allowed = ("store/file_changes.py:", "mcp/conversation.py:")  # the door; a queue of jobs
    assert {call for call in calls if not call.startswith(allowed)} == set()


@pytest.mark.parametrize("library", OWNERS)
def test_a_library_has_one_owner(library: str) -> None:
    owners = {
        module.relative_to(SOURCE).parts[0]
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if _imports(node, library) and not _only_for_types(module, node)
    }

    assert owners <= OWNERS[library]


def _imports(node: ast.AST, library: str) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == library for alias in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == library


def _only_for_types(module: Path, node: ast.AST) -> bool:
    for block in ast.walk(ast.parse(module.read_text())):
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            return any(ast.dump(inner) == ast.dump(node) for inner in block.body)
    return False


def test_commands_do_not_import_one_another() -> None:
    for module in (SOURCE / "cli" / "commands").glob("*.py"):
        assert "cli.commands" not in module.read_text(), module


def test_a_face_hands_the_store_on() -> None:
    """It may open and close a store and ask where it is; all else is an operation."""
    for face in ("cli", "web", "mcp", "onboard", "server.py"):
        for module in [SOURCE / face] if face.endswith(".py") else (SOURCE / face).rglob("*.py"):
            for node in ast.walk(ast.parse(module.read_text())):
                if isinstance(node, ast.Attribute) and _is_store(node.value):
                    where = f"{module}:{node.lineno}"
                    assert node.attr in ("home", "close"), f"{where} uses store.{node.attr}"


def _is_store(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return name in ("store", "_store")


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_public_function_says_what_it_raises(module: Path) -> None:
    """Commands and pages aside: what they raise is printed in one place."""
    if module.relative_to(SOURCE).parts[0] in ("cli", "web"):
        return
    tree = ast.parse(module.read_text())
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    for node in (node for body in bodies for node in body):
        if isinstance(node, ast.FunctionDef) and (said := ast.get_docstring(node)):
            unsaid = {name for name in _raised(node) if name not in said}
            assert node.name.startswith("_") or not unsaid, f"{node.name} raises {unsaid}"


def _raised(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = ast.unparse(node.exc.func).rpartition(".")[2]
            if name[0].isupper():
                yield name


def loaded_by(code: str, root: Path) -> set[str]:
    """The modules that a child process has loaded after running some code."""
    script = f"{code}\nimport json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True,
        env={"ANAMNESIS_HOME": str(root), "HOME": str(root.parent), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return set(json.loads(finished.stderr))


def test_reading_the_store_loads_nothing_heavy(root: Path) -> None:
    """The path that a hook takes: open, select, search, read the notes back."""
    loaded_by(
        "from anamnesis.store import MemoryStore\n"
        f"MemoryStore({str(root)!r}).write(type='semantic', title='a title', body='some words')",
        root,
    )

    loaded = loaded_by(
        "from anamnesis.store import MemoryStore\n"
        "from anamnesis.config import home_directory\n"
        "from anamnesis.project import resolve_project_key\n"
        "store = MemoryStore(home_directory())\n"
        "resolve_project_key('/')\n"
        "assert store.headers() and store.list() and store.search('words')\n",
        root,
    )

    baseline = loaded_by("pass", root)
    assert (loaded - baseline) & HEAVY == set()
