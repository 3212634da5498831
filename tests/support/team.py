"""People who share a repository: a real remote, real clones, a store for each person."""

from __future__ import annotations

from pathlib import Path

from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.operations.repository.trust import trust
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.sessions.prompt import recall_for_prompt
from anamnesis.store import MemoryStore
from support.fleet import git

FOLDER = Path(".anamnesis") / "memory"


class Clone:
    """One checkout of the repository, and the store of the person who works in it."""

    def __init__(self, top: Path, home: Path) -> None:
        self.top, self.home, self.sessions = top, Home(str(home)), 0

    def git(self, *words: str) -> str:
        return git(*words, cwd=self.top)

    def note(self, id: str, body: str, *, type: str = "semantic", **fields: str) -> Path:
        """Write a note's file, as an editor or a pull would."""
        path = self.top / FOLDER / type / f"{id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {"id": id, "type": type, "title": body.split(".", maxsplit=1)[0], **fields}
        front = "".join(f"{key}: {value}\n" for key, value in about.items())
        path.write_text(f"---\n{front}---\n{body}\n")
        return path

    def commit(self, message: str = "notes") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}")

    def push(self) -> None:
        self.git("push", "--quiet", "origin", "HEAD")

    def pull(self) -> None:
        self.git("pull", "--quiet", "--no-rebase", "origin", "HEAD")

    def trust(self) -> int:
        return trust(self.home, str(self.top))

    def start(self, format: str = "claude", *, below: str = "") -> str:
        """What a session that starts here is told."""
        self.sessions += 1
        told = Payload(session_id=f"s-{self.sessions}", cwd=str(self.top / below), source="startup")
        return inject(self.home, told, format=format)

    def ask(self, prompt: str) -> str:
        """What comes with a prompt of a new session."""
        self.sessions += 1
        asked = Payload(session_id=f"s-{self.sessions}", cwd=str(self.top), prompt=prompt)
        return recall_for_prompt(self.home, asked)

    def store(self) -> MemoryStore:
        """The person's store, which sees the repository's notes where that is trusted."""
        store = MemoryStore(self.home)
        store.look_beside(str(self.top))
        return store

    def write(self, body: str, *, title: str = "", project: str = "global") -> str:
        """A personal note; its id."""
        with MemoryStore(self.home) as store:
            title = title or body.split(".", maxsplit=1)[0]
            return store.write(type="semantic", title=title, body=body, project=project).id

    def found(self, query: str) -> list[str]:
        with self.store() as store:
            return [hit.note.body for hit in store.recall(query)]


class Team:
    """A remote, and as many clones of it as are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remote = folder / "remote" / "shop.git"
        self.remote.mkdir(parents=True)
        git("init", "--quiet", "--bare", "--initial-branch=main", cwd=self.remote)
        first = self.clone("first", "anna")
        (first.top / "README.md").write_text("A shop.\n")
        first.commit("begin")
        first.push()

    def clone(self, name: str, person: str, *, of: Path | None = None) -> Clone:
        top = self.folder / name
        git("clone", "--quiet", str(of or self.remote), str(top), cwd=self.folder)
        return Clone(top, self.folder / person / ".anamnesis")

    def worktree(self, clone: Clone, name: str, branch: str) -> Clone:
        top = self.folder / name
        clone.git("worktree", "add", "--quiet", "-B", branch, str(top))
        return Clone(top, Path(clone.home))

    @property
    def committed(self) -> str:
        """All that the remote has, of every branch."""
        return git("log", "--all", "--patch", cwd=self.remote)
