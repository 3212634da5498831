"""The notes that a repository carries: `<repo>/.anamnesis/memory/<type>/<id>.md`."""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.git import config as git_config
from anamnesis.ground.errors import NoHome

FOLDER = ".anamnesis"
_OF_A_STORE = (os.path.join("memory", ".git"), "index.db", "config.json")


def root_of(directory: str) -> str:
    """Where the repository of a directory keeps its notes, there or not yet; empty without one."""
    repository = git_config.find_repository(os.path.abspath(os.path.expanduser(directory)))
    return os.path.join(repository.top, FOLDER) if repository else ""


def notes_root(directory: str) -> str:
    """The same if it carries notes; empty if not.

    Links are not followed, and a person's own store in a repository (dotfiles) is not shared.
    """
    root = root_of(directory)
    memory = os.path.join(root, "memory")
    if not root or not os.path.isdir(memory) or os.path.islink(root) or os.path.islink(memory):
        return ""
    return "" if is_own_store(root) else root


def is_own_store(root: str) -> bool:
    """Whether a folder is somebody's whole store rather than the notes of a repository."""
    if any(os.path.exists(os.path.join(root, name)) for name in _OF_A_STORE):
        return True
    try:
        return os.path.samefile(root, config.home_directory())
    except (OSError, NoHome):
        return False
