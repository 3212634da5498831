"""The git repository of the notes: its objects and refs, never its working tree."""

from __future__ import annotations

import os
import re

from anamnesis.git import command
from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.records import record
from anamnesis.sync.plan import Change, Step, is_syncable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anamnesis.ground.process import Finished
    from anamnesis.sync.plan import NewCommit, Written

MAIN = "refs/heads/main"
UPSTREAM = "refs/remotes/origin/main"
OUTGOING = "refs/anamnesis/outgoing"
GRAFTS = "refs/anamnesis/grafts/"  # what the commits of a squash were, for this machine only
STATES = 5_000  # commits of another history that are examined
SECONDS = 120.0  # for work on the local disk; only a broken disk takes that long
FILE_MODES = ("100644", "100755")
# As the system, fast-import and the writing of a ref say that the disk is full.
_FULL = (b"No space left on device", b"Disk quota exceeded", b"Out of diskspace", b"couldn't write")
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class SyncFailed(AnamnesisError):
    """Git could not do something on this machine's own disk."""

    def __init__(self, what: str, complaint: str) -> None:
        super().__init__(
            f"{what} failed: {complaint or 'git gave no reason'}",
            hint="Your notes are untouched. Look at the repository with:  anamnesis status",
        )


class DiskFull(SyncFailed):
    """The disk of the notes has no space for what git has to write."""

    def __init__(self, directory: str) -> None:
        AnamnesisError.__init__(
            self,
            f"The disk is full: git cannot write to {directory}.",
            hint="Your notes are untouched. Free some space, then run the command again.",
        )


@record
class Distance:
    """How far two commits are apart."""

    ahead: tuple[str, ...]  # commits only on our side, oldest first
    behind: int  # number of commits only on the other side
    news: int  # how many of these say something: those that only join do not
    bases: tuple[str, ...]  # the newest commits that both come from; none if they are unrelated
    linear: bool  # whether our side is a line that starts at the base
    unseen: tuple[tuple[str, str, str], ...] = ()  # merges there of a commit of ours, with parents
    beginnings: tuple[str, ...] = ()  # commits without parents that only one side has
    waiting: int = 0  # how many of our commits say something

    @property
    def base(self) -> str | None:
        """The one commit that both come from; None if there is none, or more than one."""
        return self.bases[0] if len(self.bases) == 1 else None


class Repository:
    """Plumbing on the repository in one directory."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.name = os.path.basename(directory)
        self.git_dir = os.path.join(directory, ".git")
        self.own = os.path.join(self.git_dir, "anamnesis")  # our files; never part of a commit
        self.index = os.path.join(self.own, "index")

    def git(
        self,
        *args: str,
        input: bytes | None = None,
        timeout: float = SECONDS,
        env: Mapping[str, str] | None = None,
    ) -> Finished:
        """Run one command, with an index of our own that no other program locks or spoils."""
        own = {"GIT_INDEX_FILE": self.index, "GIT_REPLACE_REF_BASE": GRAFTS}
        environment = {**own, **(env or {})}
        return command.git_in(self.directory, args, timeout=timeout, input=input, env=environment)

    def ask(self, *args: str, input: bytes | None = None) -> bytes:
        """What a command prints; raises SyncFailed if it fails, DiskFull where that is why."""
        finished = self.git(*args, input=input)
        if finished.code != 0:
            self._drop_crash_reports()
            if any(sign in finished.err for sign in _FULL):
                raise DiskFull(self.directory)
            raise SyncFailed(f"git {args[0]}", finished.complaint)
        return finished.out

    def _drop_crash_reports(self) -> None:
        """Remove what fast-import leaves where it fails: it takes space on a full disk."""
        for name in os.listdir(self.git_dir) if os.path.isdir(self.git_dir) else ():
            if name.startswith("fast_import_crash_"):
                atomic.discard(os.path.join(self.git_dir, name))

    def resolve(self, ref: str) -> str | None:
        """The commit that a ref names, read from its file; None if it names none."""
        if os.path.isdir(os.path.join(self.git_dir, "reftable")):
            answer = self.git("rev-parse", "--quiet", "--verify", ref)
            return answer.text if answer.code == 0 else None
        loose = read_text(os.path.join(self.git_dir, ref)).strip()
        if _OID.fullmatch(loose):
            return loose
        for line in read_text(os.path.join(self.git_dir, "packed-refs")).splitlines():
            oid, _, name = line.partition(" ")
            if name == ref and _OID.fullmatch(oid):
                return oid
        return None

    def head_ref(self) -> str | None:
        """The branch that HEAD names, or None if it names a commit or nothing."""
        text = read_text(os.path.join(self.git_dir, "HEAD")).strip()
        return text.removeprefix("ref:").strip() if text.startswith("ref:") else None

    def head_commit(self) -> str | None:
        """The commit that the working tree stands on."""
        branch = self.head_ref()
        if branch is not None:
            return self.resolve(branch)
        text = read_text(os.path.join(self.git_dir, "HEAD")).strip()
        return text if _OID.fullmatch(text) else None

    def has_commit(self, oid: str) -> bool:
        """Whether a commit and its tree exist."""
        return self.git("rev-parse", "--quiet", "--verify", f"{oid}^{{tree}}").code == 0

    def contains(self, history: str, commit: str) -> bool:
        """Whether a commit is part of a history."""
        return self.git("merge-base", "--is-ancestor", commit, history).code == 0

    def is_shallow(self) -> bool:
        """Whether this machine has the notes without their history."""
        return os.path.exists(os.path.join(self.git_dir, "shallow"))

    def positions(self, ref: str, *, most: int) -> list[str]:
        """Where a ref was before, newest first, as git recorded it."""
        lines = read_text(os.path.join(self.git_dir, "logs", ref)).splitlines()[-most:]
        positions = dict.fromkeys(oid for line in reversed(lines) for oid in line.split(" ")[1::-1])
        return [oid for oid in positions if _OID.fullmatch(oid) and oid.strip("0")]

    def before(self, ref: str, now: str) -> str | None:
        """Where a ref was last, other than at this commit."""
        return next((known for known in self.positions(ref, most=5) if known != now), None)

    def move_main(self, new: str, *, old: str | None) -> bool:
        """Move the branch if it still is where we expect it; False if something else moved it."""
        expected = old or "0" * len(new)
        return self.git("update-ref", "-m", "anamnesis: sync", MAIN, new, expected).code == 0

    def point_head_to_main(self) -> None:
        """Make main the current branch without touching a file of the working tree."""
        atomic.write_text(os.path.join(self.git_dir, "HEAD"), f"ref: {MAIN}\n", mode=0o644)

    def distance(self, ours: str, other: str) -> Distance:
        """The commits between two lines of history."""
        listed = self.ask(
            "rev-list", "--left-right", "--boundary", "--parents", "--topo-order", "--reverse",
            f"{ours}...{other}",
        )  # fmt: skip
        rows = [line.split() for line in listed.decode().splitlines()]
        ahead = [row for row in rows if row[0][0] == "<"]
        bases = [row[0][1:] for row in rows if row[0][0] == "-"]
        if len(bases) > 1:  # what both come from is at the edge, but not all of the edge is newest
            bases = self.git("merge-base", "--all", ours, other).text.split()
        expected = [*(bases if len(bases) == 1 else [None]), *(row[0][1:] for row in ahead)]
        linear = all(
            [parent for parent in [before] if parent] == row[1:]
            for before, row in zip(expected, ahead, strict=False)
        )
        behind = sum(row[0][0] == ">" for row in rows)
        ids = tuple(row[0][1:] for row in ahead)
        waiting = sum(len(row) < 3 for row in ahead)
        news = sum(len(row) < 3 and row[0][0] == ">" for row in rows)
        beginnings = tuple(row[0][1:] for row in rows if len(row) == 1 and row[0][0] != "-")
        others = {row[0][1:] for row in rows if row[0][0] == ">"}
        unseen = tuple(
            (row[0][1:], row[2], row[1])
            for row in rows
            if row[0][0] == ">" and len(row) == 3 and row[2] not in others
        )
        return Distance(
            ids, behind, news, tuple(sorted(bases)), linear, unseen, beginnings, waiting
        )

    def author(self, commit: str) -> str:
        """The address of whoever wrote a commit."""
        return self.ask("log", "-1", "--format=%ae", commit).decode().strip()

    def count(self, commit: str) -> int:
        """How many commits of a history say something."""
        return int(self.ask("rev-list", "--count", "--no-merges", commit))

    def steps(self, commits: Sequence[str]) -> list[Step]:
        """The given commits, in their order, with what each changed."""
        fields = command.Fields("%an <%ae> %ad", "%B")
        printed = self.ask(
            "log", "--no-walk=unsorted", "--stdin", "--root", "-r", "--raw", "-z", "--no-renames",
            "--no-abbrev", "--encoding=UTF-8", fields.format, "--date=raw",
            input="\n".join(commits).encode(),
        )  # fmt: skip
        return [
            Step(author, message.strip(), tuple(_changes(raw)))
            for author, message, raw in fields.read(printed.decode("utf-8", "surrogateescape"))
        ]

    def diff(self, before: str | None, after: str) -> list[Change]:
        """The synced files that differ between two commits."""
        if before is None:
            return [Change(path, None, oid) for path, oid in self.files(after).items()]
        printed = self.ask(
            "diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", before, after
        )
        return list(_changes(printed.decode("utf-8", "surrogateescape")))

    def history(self, *tips: str, most: int) -> list[tuple[str, list[Change]]]:
        """The newest commits, each with what it changed; ranges may name them as well.

        A merge changed the files that none of its parents has that way.
        """
        fields = command.Fields("%H")
        printed = self.ask(
            "log", f"-{most}", "--topo-order", "--root", "-c", "-r", "--raw", "-z", "--no-renames",
            "--no-abbrev", fields.format, *tips, "--",
        )  # fmt: skip
        rows = fields.read(printed.decode("utf-8", "surrogateescape"))
        return [(commit, list(_changes(raw))) for commit, raw in rows]

    def versions(self, *tips: str, most: int) -> dict[str, list[str]]:
        """What each file said in the newest commits, newest first."""
        by_path: dict[str, list[str]] = {}
        for _, changes in self.history(*tips, most=most):
            for change in changes:
                if change.after:
                    by_path.setdefault(change.path, []).append(change.after)
        return by_path

    def files(self, commit: str) -> dict[str, str]:
        """The synced files of a commit, with the ids of their contents."""
        printed = self.ask("ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
        files = {}
        for line in printed.split("\0")[:-1]:
            facts, _, path = line.partition("\t")
            mode, _, oid = facts.split(" ")
            if mode in FILE_MODES and is_syncable(path):
                files[path] = oid
        return files

    def contents(self, oids: Iterable[str], *, limit: int) -> dict[str, bytes]:
        """The contents with these ids; those over the limit are left out."""
        distinct = list(dict.fromkeys(oids))
        if not distinct:
            return {}
        checked = self.ask("cat-file", "--batch-check", "--buffer", input=one_per_line(distinct))
        sizes = [line.split() for line in checked.decode().splitlines()]
        small = [row[0] for row in sizes if row[1] == "blob" and int(row[2]) <= limit]
        printed = self.ask("cat-file", "--batch", "--buffer", input=one_per_line(small))
        return dict(_batch(printed))

    def commit(
        self, ref: str, parent: str | None, commits: Sequence[NewCommit], *, committer: str,
        joins: str | None = None,
    ) -> str:  # fmt: skip
        """Put commits on top of a parent and a ref on the last; returns its id.

        `joins` is the second parent of the first of them, whose writes are on top of the first one.

        One `fast-import` writes all objects from what we hold in memory: no filter, no index and
        no working tree is involved, and the ref moves at the very end. Raises SyncFailed.
        """
        stream = b"".join(_stream(ref, parent, commits, committer, joins))
        # Without --force git refuses to move the branch to where it would lose a commit.
        force = [] if ref == MAIN else ["--force"]
        printed = self.ask("fast-import", "--quiet", "--done", *force, input=stream)
        oid = printed.decode().strip().rpartition("\n")[2]
        if not _OID.fullmatch(oid):
            raise SyncFailed("git fast-import", "it gave no commit")
        return oid

    def status(self) -> bytes:
        """How the working tree differs from HEAD, in the porcelain format of `git status`.

        Ignored files included: a .gitignore must not keep notes from being synced.
        """
        words = (
            "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames",
            "--ignore-submodules=all", "--ignored=traditional",
        )  # fmt: skip
        finished = self.git(*words)
        if finished.code == 0:
            return finished.out
        atomic.remove(self.index)  # only a cache; without it git compares every file
        return self.ask(*words)

    def refresh_index(self, paths: Iterable[str]) -> None:
        """Update the index for the named files, so that the next `status` is cheap.

        The index is only a cache for `git status`; a broken one is recreated.
        """
        listed = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
        if os.path.exists(self.index):
            if not listed:
                if not self._is_shared():
                    self._share_index()
                return
            updated = self.git("update-index", "--add", "--remove", "-z", "--stdin", input=listed)
            if updated.code == 0:
                self._share_index()
                return
            atomic.remove(self.index)
        if self.git("read-tree", MAIN).code == 0:
            self.git("update-index", "-q", "--refresh")
            self._share_index()

    def _is_shared(self) -> bool:
        try:
            shared = os.stat(os.path.join(self.git_dir, "index")).st_mtime_ns
        except OSError:
            return False
        return shared >= os.stat(self.index).st_mtime_ns

    def _share_index(self) -> None:
        """Let plain git in the same folder see the same index, unless one is being written."""
        lock = os.path.join(self.git_dir, "index.lock")
        try:
            with open(self.index, "rb") as source, open(lock, "xb") as copy:
                copy.write(source.read())
            os.replace(lock, os.path.join(self.git_dir, "index"))
        except OSError:
            return  # your own git is running, or was killed; the notes do not depend on it


def read_text(path: str) -> str:
    """The text of one of git's small files; empty if it is missing or unreadable."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""


def blob_id(data: bytes, *, like: str) -> str:
    """The id that git gives a content, in the same hash as another id."""
    import hashlib

    digest = hashlib.new("sha1" if len(like) == 40 else "sha256", usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def _changes(raw: str) -> Iterator[Change]:
    """The synced files in `:mode mode id id letter`, path, …, as --raw -z prints them."""
    fields = iter(raw.strip("\n\0").split("\0"))
    for facts in fields:
        path = next(fields, None)
        if path is None:
            return
        *words, _ = facts.lstrip("\n:").split(" ")
        modes, ids = words[: len(words) // 2], words[len(words) // 2 :]  # of parents, of the file
        before = ids[0] if modes[0] in FILE_MODES else None
        after = ids[-1] if modes[-1] in FILE_MODES else None
        if is_syncable(path) and before != after:
            yield Change(path, before, after)


def _batch(printed: bytes) -> Iterator[tuple[str, bytes]]:
    place = 0
    while place < len(printed):
        end = printed.index(b"\n", place)
        oid, _, size = printed[place:end].decode().split(" ")
        start = end + 1
        place = start + int(size) + 1
        yield oid, printed[start : place - 1]


def _stream(
    ref: str, parent: str | None, commits: Sequence[NewCommit], committer: str, joins: str | None
) -> Iterator[bytes]:
    yield b"feature done\n"
    yield f"reset {ref}\n".encode()
    yield f"from {parent}\n\n".encode() if parent else b"\n"
    for commit in commits:
        yield f"commit {ref}\nmark :1\n".encode()
        yield f"author {commit.author}\ncommitter {committer}\n".encode("utf-8", "surrogateescape")
        yield _data(commit.message.encode("utf-8", "surrogateescape") + b"\n")
        if joins and commit is commits[0]:
            yield f"merge {joins}\n".encode()
        # Deletions first: a folder may have to make way for a file of the same name.
        for path, written in sorted(commit.writes.items(), key=lambda item: item[1] is not None):
            yield _file_command(path, written)
        yield b"\n"
    yield b"get-mark :1\ndone\n"


def _file_command(path: str, written: Written) -> bytes:
    name = '"{}"'.format(path.replace("\\", "\\\\").replace('"', '\\"')).encode()
    if written is None:
        return b"D " + name + b"\n"
    if isinstance(written, str):
        return b"M 100644 " + written.encode() + b" " + name + b"\n"
    return b"M 100644 inline " + name + b"\n" + _data(written)


def _data(data: bytes) -> bytes:
    return b"data %d\n" % len(data) + data + b"\n"


def one_per_line(oids: Iterable[str]) -> bytes:
    """Some ids as git reads them on standard input."""
    return "".join(f"{oid}\n" for oid in oids).encode()
