"""Fetch and push through a sealed remote; a sync does not notice the difference.

The remote's branch is fetched into a second repository beside the clear one (`depot`). A
fetch opens the packs that are new and gives the clear commit they lead to; a push seals the new
commits as one more pack. A new generation replaces everything that the remote has, with a lease
on exactly what this machine saw there; every other push is one that git itself refuses in a race.
"""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.ground.errors import install_command
from anamnesis.ground.records import replace as with_changes
from anamnesis.sync import purge, remote
from anamnesis.sync.remote import Fetched, Pushed, Trouble
from anamnesis.sync.repository import UPSTREAM, Repository, SyncFailed, blob_id
from anamnesis.sync.sealed import envelope, keys
from anamnesis.sync.sealed.depot import (
    Depot,
    Ledger,
    Progress,
    is_sealed,
    read_ledger,
    read_progress,
    write_ledger,
    write_progress,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anamnesis.sync.sealed.keys import Member

_MANY_PACKS = 1000  # one full pack per so many syncs costs little
_MANY_BYTES = 4 * 1024 * 1024  # less is not worth a generation
_README = b"""\
This repository holds the notes of an Anamnesis store, sealed: only its machines can read them.

To join it, install Anamnesis with the extra `[sealed]` and run:  anamnesis join URL
"""
# What git says about this machine's disk and memory, never about a pack.
_LOCAL_TROUBLE = (
    *{os.strerror(code) for code in errno.errorcode},
    "out of memory", "Out of memory", "Out of diskspace",
)  # fmt: skip
_HEADER = f"anamnesis sealed {envelope.FORMAT}\n".encode()
_ROLLED_BACK = (
    "the remote had lost packs that this machine has seen, because an old copy was restored or "
    "someone removed them; they were put back"
)
_FORKED = (
    "the remote had lost packs that this machine has seen, and other machines went on without "
    "them; both were merged"
)


class SealedTransport:
    """Moves clear commits through a remote that cannot read them."""

    def __init__(
        self, repository: Repository, *, url: str, seconds: float, folder: str, keys: keys.Keys
    ) -> None:
        self._repository = repository
        self.keys = keys
        self.folder = folder
        self.depot = Depot(repository, url, seconds)

    @property
    def last_seen(self) -> str | None:
        """The clear commit that the remote was last known to have."""
        return self._repository.resolve(UPSTREAM)

    def fetch(self) -> Fetched:
        """Learn what the remote has, and open the packs that are new."""
        known = read_ledger(self.folder)
        if known is None:
            return Fetched(trouble=_not_approved(self.depot.url))
        fetched = self.depot.fetch()
        if fetched.trouble:
            return fetched
        self._repair = False
        progress = self._progress()
        if fetched.commit is None:
            return self._rolled_back("the remote was empty; all notes were sent again")
        if fetched.commit == progress.commit and self._is_there(progress.tip):
            return Fetched(progress.tip)
        try:
            return self._read_remote(known, fetched.commit, progress)
        except envelope.Refused as refused:
            return Fetched(trouble=_tampered(self.depot.url, str(refused)))

    def push(self, commit: str) -> Pushed:
        """Offer a clear commit as the new tip, as one more pack."""
        known, progress = self._known()
        crowded = progress.number >= _MANY_PACKS or progress.later > max(
            progress.first, _MANY_BYTES
        )
        if self._repair or crowded:
            return self.replace(commit)
        generation = known.generation
        number, before = progress.number + 1, progress.pack or generation.hash
        data = envelope.pack(
            self._objects(commit, progress.tip or None), tip=commit, base=progress.tip or None,
            generation=generation, number=number, before=before, signer=self.keys,
        )  # fmt: skip
        sealed = self.depot.add(progress.commit, {envelope.place_of_pack(number): data})
        pushed = remote.push(self.depot, sealed, url=self.depot.url, seconds=self.depot.seconds)
        if pushed.done:
            self._remember(
                replace(known, number=number, pack=envelope.hash_of(data)),
                replace(
                    progress, commit=sealed, number=number, pack=envelope.hash_of(data),
                    tip=commit, later=progress.later + len(data),
                ),
            )  # fmt: skip
        return pushed

    def replace(self, commit: str, *, members: tuple[Member, ...] | None = None) -> Pushed:
        """Start a new generation with one whole pack.

        For other members, for a history without what was purged, or to have fewer packs.
        """
        known, progress = self._known()
        # The commit that was read, not one fetched since: a pack in between must stop this push.
        there = self.depot.resolve(UPSTREAM) if self._repair else progress.commit
        before = known.generation
        data = envelope.generation(
            before.number + 1, before.hash, members or before.members, signer=self.keys,
            replaced=known.last,
        )  # fmt: skip
        return self.begin(commit, (*known.files, data), old=there)

    def begin(self, commit: str, files: tuple[bytes, ...], *, old: str | None) -> Pushed:
        """Replace all that the remote has by one pack in the last of these generations."""
        generation = envelope.read_generation(files[-1])
        whole = envelope.pack(
            self._objects(commit, None), tip=commit, base=None, generation=generation, number=1,
            before=generation.hash, signer=self.keys,
        )  # fmt: skip
        headers = {f"generations/{n}": data for n, data in enumerate(files, start=1)}
        tree = {
            "README.md": _README,
            "header": _HEADER,
            **headers,
            envelope.place_of_pack(1): whole,
        }
        self.depot.open()
        sealed = self.depot.add(None, tree)
        url, seconds = self.depot.url, self.depot.seconds
        if old is None:
            pushed = remote.push(self.depot, sealed, url=url, seconds=seconds)
        else:
            pushed = remote.replace_history(self.depot, sealed, old=old, url=url, seconds=seconds)
        if pushed.done:
            self._repair = False
            self.depot.ask("update-ref", UPSTREAM, sealed)
            self._remember(
                Ledger(files, 1, envelope.hash_of(whole)),
                Progress(sealed, generation.hash, 1, envelope.hash_of(whole), commit, len(whole)),
            )
        return with_changes(pushed, replaced=(old,) if old else ())

    _repair = False  # whether the remote has to be rewritten from what we have

    def _known(self) -> tuple[Ledger, Progress]:
        known = read_ledger(self.folder)
        if known is None:
            raise SyncFailed("sealing", "this machine is not a member of the sealed remote")
        return known, self._progress()

    def _progress(self) -> Progress:
        """How far we have read; not at all if the sealed commits are gone."""
        progress = read_progress(self._repository.own)
        there = progress.commit and self.depot.has_commit(progress.commit)
        return progress if there else Progress()

    def _is_there(self, tip: str) -> bool:
        return bool(tip) and self._repository.resolve(UPSTREAM) == tip

    def _rolled_back(self, remark: str) -> Fetched:
        """What we saw last, which is sent to the remote again."""
        self._repair = True
        return Fetched(self._repository.resolve(UPSTREAM), remark=remark, repair=True)

    def _read_remote(self, known: Ledger, sealed: str, progress: Progress) -> Fetched:
        tree = self.depot.tree(sealed)
        if "header" in tree and self.depot.read([tree["header"]]) != [_HEADER]:
            return Fetched(trouble=_newer(self.depot.url))
        if not is_sealed(tuple(tree)):
            raise envelope.Refused("it holds something that no machine of this store wrote")
        files = self._generations(known, tree)
        generation = envelope.read_generation(files[-1])
        if len(files) < len(known.files):
            # Members that have not seen the later generations may have gone on in this one.
            still = tuple(m for m in generation.members if m in known.generation.members)
            packs = _Packs(tree, replace(generation, members=still))
            return self._open(packs, known, Progress(sealed, generation.hash), lost=True)
        if self.keys.member.sign not in {member.sign for member in generation.members}:
            return Fetched(trouble=_removed(self.depot.url))
        seen = known if len(files) == len(known.files) else Ledger(files)
        packs = _Packs(tree, generation)
        if not self._continues(packs, progress):
            progress = Progress(generation=generation.hash)
        lost = progress.number < seen.number
        return self._open(packs, seen, replace(progress, commit=sealed), lost=lost)

    def _continues(self, packs: _Packs, progress: Progress) -> bool:
        """Whether the packs that were read before are still there, and in the repository."""
        if progress.generation != packs.generation.hash or not self._is_there(progress.tip):
            return False
        before = _Packs(self.depot.tree(progress.commit), packs.generation)
        return before.oids[: progress.number] == packs.oids[: progress.number]

    def _generations(self, known: Ledger, tree: Mapping[str, str]) -> tuple[bytes, ...]:
        """The generations of the remote, those after ours verified. Raises Refused."""
        count = sum(path.startswith("generations/") for path in tree)
        oids = [tree.get(f"generations/{n}", "") for n in range(1, count + 1)]
        if not all(oids):
            raise envelope.Refused("a generation is missing")
        ours = [blob_id(data, like=oids[0]) for data in known.files[:count]]
        if oids[: len(ours)] != ours:
            raise envelope.Refused("its generations are not those that this machine knows")
        before = known.generation
        news = self.depot.read(oids[len(ours) :])
        for data in news:
            after = envelope.read_generation(data)
            envelope.require_successor(after, before)
            before = after
        return (*known.files[:count], *news)

    def _open(self, packs: _Packs, seen: Ledger, progress: Progress, *, lost: bool) -> Fetched:
        """Open the packs that are new, up to the first invalid one.

        `lost` says that packs this machine has seen are missing, unless they turn up.
        """
        wrong = ""
        news = self.depot.read(packs.oids[progress.number :])
        for number, data in enumerate(news, start=progress.number + 1):
            try:
                opened = envelope.open_pack(
                    data, generation=packs.generation, number=number,
                    before=progress.pack or packs.generation.hash, reader=self.keys,
                )  # fmt: skip
                self._index(opened, progress.tip or None, number)
            except envelope.Refused as refused:
                wrong = str(refused)
                break
            size = len(data)
            progress = replace(
                progress, number=number, pack=opened.hash, tip=opened.tip,
                first=size if number == 1 else progress.first,
                later=progress.later + (0 if number == 1 else size),
            )  # fmt: skip
            lost = lost and opened.hash != seen.pack
        if not progress.tip or (lost and not self._is_fork(progress.tip)):
            reason = f"{wrong}; what this machine has seen was put back" if wrong else _ROLLED_BACK
            return self._rolled_back(reason)
        self._repair = bool(wrong) or lost
        if lost:
            return Fetched(progress.tip, remark=_FORKED, repair=True)
        self._remember(replace(seen, number=progress.number, pack=progress.pack), progress)
        if wrong:
            wrong += ": it was ignored, and the remote was rewritten without it"
        return Fetched(progress.tip, remark=wrong, repair=self._repair)

    def _is_fork(self, tip: str) -> bool:
        """Whether others went on from an earlier state of what this machine has seen.

        Where it has seen a purge since, they still have what was purged: they have to follow.
        """
        known = self.last_seen
        if known is None:
            return True
        apart = self._repository.distance(tip, known)
        if not apart.ahead or apart.base is None:
            return False
        return not purge.is_purged(self._repository, known, since=apart.base)

    def _index(self, opened: envelope.Pack, tip: str | None, number: int) -> None:
        """Put the objects of a pack into the clear repository, if they are complete.

        Git's stricter checks are left out, as in a plain fetch: they object to old but harmless
        commits as well, and no name that leads elsewhere is ever written to disk.
        """
        if opened.base != tip:
            raise envelope.Refused(f"pack {number} does not continue from the one before")
        reach = [opened.tip, *([f"^{tip}"] if tip else [])]
        whole = self._confirms(
            "index-pack", "--stdin", "--fix-thin", input=opened.objects
        ) and self._confirms("rev-list", "--objects", "--quiet", *reach, "--")
        if not whole:
            raise envelope.Refused(f"the objects of pack {number} are not complete")
        if tip and not self._confirms("merge-base", "--is-ancestor", tip, opened.tip):
            raise envelope.Refused(f"pack {number} does not continue from the one before")

    def _confirms(self, *words: str, input: bytes | None = None) -> bool:
        """Whether git confirms something.

        Raises SyncFailed if it could not look, on a full disk or because it was killed: a pack
        must not be called invalid for that, and the remote rewritten without it.
        """
        finished = self._repository.git(*words, input=input)
        if finished.code > 0:  # what is wrong with a pack is wrong the second time, too
            finished = self._repository.git(*words, input=input)
        errors = finished.err.decode("utf-8", "replace")
        if (
            finished.timed_out
            or finished.code < 0
            or any(sign in errors for sign in _LOCAL_TROUBLE)
        ):
            raise SyncFailed(f"git {words[0]}", finished.complaint)
        return finished.code == 0

    def _objects(self, commit: str, base: str | None) -> bytes:
        revisions = f"{commit}\n^{base}\n" if base else f"{commit}\n"
        words = ("pack-objects", "--quiet", "--revs", "--stdout", "--delta-base-offset")
        return self._repository.ask(*words, *(["--thin"] if base else []), input=revisions.encode())

    def _remember(self, known: Ledger, progress: Progress) -> None:
        """In this order, so that the next fetch recovers from a kill in between."""
        before = read_progress(self._repository.own).generation
        self._repository.ask("update-ref", "-m", "anamnesis: fetch", UPSTREAM, progress.tip)
        write_progress(self._repository.own, progress)
        write_ledger(self.folder, known)
        if before and before != progress.generation:
            purge.forget_past(self.depot)  # its packs hold what may have been purged since


class _Packs:
    """The packs of a sealed commit; numbered without a gap, those after one do not count."""

    def __init__(self, tree: Mapping[str, str], generation: envelope.Generation) -> None:
        self.generation = generation
        self.oids: list[str] = []
        while (path := envelope.place_of_pack(len(self.oids) + 1)) in tree:
            self.oids.append(tree[path])


def sealed_transport(
    repository: Repository, *, url: str, seconds: float, folder: str
) -> SealedTransport:
    """The transport of a machine that has its keys. Raises ExtraMissing and UnreadableKey."""
    return SealedTransport(
        repository, url=url, seconds=seconds, folder=folder, keys=keys.made_keys(folder)
    )


def _not_approved(url: str) -> Trouble:
    return Trouble(
        f"{remote.shown(url)} is sealed, and this machine is not a member yet",
        f"Run:  anamnesis join {remote.quoted(url)}",
    )


def _removed(url: str) -> Trouble:
    return Trouble(
        f"this machine was removed from {remote.shown(url)}, or its key was replaced",
        f"Your notes are here. To come back, run:  anamnesis join {remote.quoted(url)}",
    )


def _newer(url: str) -> Trouble:
    return Trouble(
        f"{remote.shown(url)} has a format that this version cannot read",
        f"Get the newer version (`git pull` in a checkout), then:  {install_command('sealed')}",
    )


def _tampered(url: str, why: str) -> Trouble:
    return Trouble(
        f"{remote.shown(url)} cannot be trusted: {why}",
        "Nothing was taken from it or sent there. Find out who else can write there; to replace "
        "what it has by what this machine knows, run:  anamnesis remote seal --replace",
    )
