"""The folder of a store, and where everything in it lies (ARCHITECTURE.md, "On disk")."""

from __future__ import annotations

from os.path import join


class Home(str):
    """The path of a store's folder, which knows the paths of what is in it."""

    __slots__ = ()

    @property
    def memory(self) -> str:
        """The tree of synced notes, a git repository of its own."""
        return join(self, "memory")

    @property
    def local(self) -> str:
        """The tree of notes that are local only."""
        return join(self, "local")

    @property
    def index_db(self) -> str:
        """The derived index."""
        return join(self, "index.db")

    @property
    def vectors_db(self) -> str:
        """What the encoder derived from the notes."""
        return join(self, "vectors.db")

    @property
    def conflicts(self) -> str:
        """The other versions of notes that two machines changed."""
        return join(self, "conflicts")

    @property
    def undo(self) -> str:
        """What changes replaced, to take them back."""
        return join(self, "undo")

    @property
    def settings(self) -> str:
        """This machine's settings, never synced."""
        return join(self, "config.json")

    def log(self, name: str) -> str:
        """What hooks did and gave."""
        return join(self, "log", name)

    def state(self, *names: str) -> str:
        """What was captured and set up on this machine."""
        return join(self, "state", *names)

    def spool(self, name: str) -> str:
        """A payload on its way to the background."""
        return join(self, "spool", name)

    def lock(self, name: str) -> str:
        """What keeps two processes from doing the same at once."""
        return join(self, "locks", f"{name}.lock")
