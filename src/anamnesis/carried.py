"""The notes that a repository carries: `<repo>/.anamnesis/memory/<type>/<id>.md`.

Git makes the files right for branch, merge and worktree. What is derived from them lies in your
store, for each checkout on its own, and they reach a session once you have trusted the repository.
"""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.config import Home
from anamnesis.git import config as git_config
from anamnesis.ground.errors import NoHome
from anamnesis.project import resolve_project_key, source_of

FOLDER = ".anamnesis"
KIND = "repository"  # of the origin of such notes, before the project's key
# The files that agents read at each start, in which `anamnesis bridge` keeps a block of notes.
BRIDGES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
BLOCK_BEGIN, BLOCK_END = "<!-- anamnesis:begin", "<!-- anamnesis:end -->"
_READ_BY = {
    "claude": ("CLAUDE.md",),
    "codex": ("AGENTS.md",),
    "gemini": ("GEMINI.md",),
    "copilot": (".github/copilot-instructions.md", "AGENTS.md"),
}
_IMPORT = "@AGENTS.md"  # how a CLAUDE.md or GEMINI.md takes in the other file
_LONGEST = 256 * 1024  # bytes of such a file
_OF_A_STORE = (os.path.join("memory", ".git"), "index.db", "config.json")
_PRIME = 2**127 - 1  # the remainder is a checksum that needs no module


class Checkout(Home):
    """The notes of one checkout: the files in the repository, what is derived in your store."""

    __slots__ = ("home", "project", "source")

    home: Home
    project: str
    source: str  # what identifies the repository that they came from

    @classmethod
    def at(cls, root: str, *, home: Home, project: str, source: str) -> Checkout:
        """The checkout whose `.anamnesis` is at a path."""
        checkout = cls(root)
        checkout.home, checkout.project, checkout.source = home, project, source
        return checkout

    @property
    def kept(self) -> str:
        """Where its index is. A checkout whose project has another name gets another one."""
        return os.path.join(
            self.home, "checkouts", _digest(f"{os.path.realpath(self)}\0{self.project}")
        )

    @property
    def told(self) -> str:
        """A file with the versions of notes that you were told of, in any checkout."""
        return self.home.state(f"told-{_digest(self.source)}.txt")

    @property
    def index_db(self) -> str:
        """The derived index."""
        return os.path.join(self.kept, "index.db")

    @property
    def vectors_db(self) -> str:
        """Notes of repositories have no vectors of the encoder."""
        return os.path.join(self.kept, "vectors.db")

    def state(self, *names: str) -> str:
        """A record about this checkout."""
        return os.path.join(self.kept, "state", *names)

    def lock(self, name: str) -> str:
        """A lock that keeps two processes from doing the same thing at once."""
        return os.path.join(self.kept, "locks", f"{name}.lock")


def _digest(text: str) -> str:
    return f"{int.from_bytes(text.encode('utf-8', 'surrogateescape')) % _PRIME:032x}"


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


def trusted(home: Home, directory: str) -> Checkout | None:
    """The notes of the repository of a directory, if it carries any and you trust it."""
    root = notes_root(directory)
    source = source_of(directory) if root else ""
    if not source or not _is_trusted(home, source):
        return None
    return Checkout.at(root, home=home, project=resolve_project_key(directory), source=source)


def bridged(root: str, client: str) -> set[str]:
    """The ids of the notes that a client reads whole from a file of the repository anyway."""
    top, found = os.path.dirname(root), set[str]()
    for name in _READ_BY.get(client, ()):
        text = _start_of(os.path.join(top, name))
        if _IMPORT in text:
            text += _start_of(os.path.join(top, "AGENTS.md"))
        for line in text.partition(BLOCK_BEGIN)[2].split("\n"):
            if line.startswith("### ") and line.rstrip("\r").endswith(" -->"):
                found.add(line.rpartition(" <!-- ")[2].partition(" ")[0])
    return found


def _start_of(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ""
    try:
        return os.read(descriptor, _LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def waits(home: Home, directory: str) -> bool:
    """Whether the repository of a directory carries notes that you have not accepted."""
    root = notes_root(directory)
    return bool(root) and not _is_trusted(home, source_of(directory))


def _is_trusted(home: Home, source: str) -> bool:
    from anamnesis import consent  # few repositories carry notes

    return consent.trusts(home, source)


def is_own_store(root: str) -> bool:
    """Whether a folder is somebody's whole store rather than the notes of a repository."""
    if any(os.path.exists(os.path.join(root, name)) for name in _OF_A_STORE):
        return True
    try:
        return os.path.samefile(root, config.home_directory())
    except (OSError, NoHome):
        return False
