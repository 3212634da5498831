"""Who may read and write a sealed remote: sealing it, asking to join, approving, revoking.

A machine asks with a branch that holds its public keys. You compare two codes, so that the host
need not be trusted: the one of the new machine commits to its keys, the one that approving prints
commits to the generation, and so to every member's keys.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from anamnesis.ground.errors import EXIT_NOT_SET_UP, AnamnesisError, InvalidInput
from anamnesis.sync import remote
from anamnesis.sync.sealed import envelope, keys
from anamnesis.sync.sealed.depot import (
    Depot,
    Ledger,
    is_sealed,
    read_ledger,
    write_ledger,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.sync.sealed.keys import Keys, Member
    from anamnesis.sync.sealed.transport import SealedTransport

_REQUEST = b"anamnesis sealed request\0"
_BRANCHES = "refs/heads/join-"
_TRIES = 5  # other machines push meanwhile, or approve at the same moment
_LOCKED_SECONDS = 0.5


class NotSealed(AnamnesisError):
    """There is nothing sealed at the remote."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{remote.shown(url)} is not sealed.", hint="Seal it with:  anamnesis remote seal"
        )


class SealFailed(AnamnesisError):
    """The remote did not accept a new generation."""

    def __init__(self, trouble: remote.Trouble) -> None:
        super().__init__(f"{trouble.message}.", hint=trouble.hint)


class NoSuchRequest(AnamnesisError):
    """No machine has asked to join with this code."""

    def __init__(self, code: str) -> None:
        super().__init__(
            f"No machine has asked to join with the code {code}.",
            hint="Compare it with what `anamnesis join` printed on the new machine; if it is the "
            "same, someone has tampered with the request: do not approve it.",
        )


class WrongCode(AnamnesisError):
    """The remote does not hold what the code stands for."""

    def __init__(self) -> None:
        super().__init__(
            "The remote does not hold the generation that this code stands for.",
            hint="Type the code that `anamnesis machines` prints on a member. If it is the same, "
            "someone has tampered with the remote; nothing was taken from it.",
            exit_code=EXIT_NOT_SET_UP,
        )


class NoSuchMember(InvalidInput):
    """No member has this code, or several begin like it."""

    def __init__(self, code: str) -> None:
        super().__init__(
            f"{code!r} does not name exactly one member.",
            hint="List them with:  anamnesis machines",
        )


def first_generation(transport: SealedTransport, *, recovery: Keys) -> bytes:
    """The first generation of a store, with this machine in it; nothing is sent yet."""
    both = (transport.keys.member, recovery.member)
    return envelope.generation(1, "", both, signer=transport.keys)


def seal(transport: SealedTransport, commit: str, *, first: bytes, old: str | None) -> None:
    """Replace what a plain remote has by this commit, sealed; raises SealFailed.

    `old` is the commit that the remote has now, None if it is empty.
    """
    write_ledger(transport.folder, Ledger((first,)))  # killed after the push, it is ours already
    for _ in range(_TRIES):
        pushed = transport.begin(commit, (first,), old=old)
        if not pushed.locked:
            break
        time.sleep(_LOCKED_SECONDS)
    if not pushed.done:
        raise SealFailed(pushed.trouble or remote.Trouble("another machine was faster"))


def ask(transport: SealedTransport) -> str:
    """Leave this machine's public keys at the remote; returns the code that stands for them.

    Raises NotSealed and SealFailed.
    """
    depot, member = transport.depot, transport.keys.member
    _require_sealed(depot)
    line = json.dumps([member.age, member.sign]).encode()
    proof = transport.keys.signature(_REQUEST + line).hex().encode()
    commit = depot.add(None, {"request": line + b"\n" + proof + b"\n"})
    finished = _at_remote(depot, "push", f"+{commit}:{_branch(member)}")
    if finished.trouble:
        raise SealFailed(finished.trouble)
    return member.code


def approve(transport: SealedTransport, code: str) -> str:
    """Approve the machine that asked with this code; returns the code to enter there.

    Raises NoSuchRequest, NotSealed and SealFailed.
    """
    asking = next((m for m in _requests(transport.depot) if keys.same_code(code, m.code)), None)
    if asking is None:
        raise NoSuchRequest(code)
    change_members(transport, add=asking)
    _at_remote(transport.depot, "push", f":{_branch(asking)}")
    return generation_code(transport)


def revoke(transport: SealedTransport, code: str) -> Member:
    """Start a generation that one member cannot read; returns that member.

    Raises NoSuchMember, InvalidInput, NotSealed and SealFailed.
    """
    bare = code.upper().replace("-", "")
    members = _known(transport).generation.members
    matches = [m for m in members if bare and m.code.replace("-", "").startswith(bare)]
    if len(matches) != 1:
        raise NoSuchMember(code)
    if matches[0].sign == transport.keys.member.sign:
        raise InvalidInput(
            "A machine cannot revoke itself.", hint="Run the command on another member."
        )
    change_members(transport, remove=matches[0])
    return matches[0]


def change_members(
    transport: SealedTransport, *, add: Member | None = None, remove: Member | None = None
) -> None:
    """Start a generation with one member more or fewer; raises NotSealed and SealFailed."""
    for _ in range(_TRIES):
        fetched = transport.fetch()
        if fetched.trouble:
            raise SealFailed(fetched.trouble)
        members = [m for m in _known(transport).generation.members if m != remove]
        if add is not None and add not in members:
            members.append(add)
        if tuple(members) == _known(transport).generation.members:
            return
        assert fetched.commit is not None  # noqa: S101  a sealed remote has a tip
        pushed = transport.replace(fetched.commit, members=tuple(members))
        if pushed.done:
            return
        if not pushed.raced:
            break
        if pushed.locked:
            time.sleep(_LOCKED_SECONDS)
    raise SealFailed(pushed.trouble or remote.Trouble("other machines were faster each time"))


def replace(transport: SealedTransport) -> None:
    """Rewrite the remote from what this machine knows, whatever it holds.

    Raises NotSealed and SealFailed.
    """
    known = _known(transport)
    there = transport.depot.fetch()
    if there.trouble:
        raise SealFailed(there.trouble)
    tip = transport.last_seen
    if tip is None:
        raise NotSealed(transport.depot.url)
    now = known.generation
    fresh = envelope.generation(
        now.number + 1, now.hash, now.members, signer=transport.keys, replaced=known.last
    )
    pushed = transport.begin(tip, (*known.files, fresh), old=there.commit)
    if not pushed.done:
        raise SealFailed(pushed.trouble or remote.Trouble("the remote moved meanwhile"))


def accept(transport: SealedTransport, code: str) -> None:
    """Trust the remote from the generation that this code stands for.

    Raises WrongCode if it has no such generation, NotSealed if it is plain, and SealFailed.
    """
    files = _generations(transport.depot)
    for number, data in enumerate(files, start=1):
        if keys.same_code(code, keys.code_of(data)):
            write_ledger(transport.folder, Ledger(files[:number]))
            return
    raise WrongCode


def is_ours(transport: SealedTransport) -> bool:
    """Whether this machine may read the sealed remote and knows whom to trust there."""
    return read_ledger(transport.folder) is not None and not transport.fetch().trouble


def recover(transport: SealedTransport, printed: str, code: str) -> None:
    """Admit this machine with the recovery key and the store code that were printed when sealing.

    Raises InvalidInput, WrongCode, NotSealed or SealFailed.
    """
    mine = transport.keys
    spare = keys.recovered(printed)
    accept(transport, code)
    transport.keys = spare
    change_members(transport, add=mine.member)
    transport.keys = mine


def members(folder: str) -> tuple[Member, ...]:
    """Who reads and writes the remote, as this machine knows it."""
    known = read_ledger(folder)
    return known.generation.members if known else ()


def generation_code(transport: SealedTransport) -> str:
    """The code of the current generation, which a new machine compares. Raises NotSealed."""
    return keys.code_of(_known(transport).files[-1])


def _known(transport: SealedTransport) -> Ledger:
    known = read_ledger(transport.folder)
    if known is None:
        raise NotSealed(transport.depot.url)
    return known


def _generations(depot: Depot) -> tuple[bytes, ...]:
    tree = _require_sealed(depot)
    count = sum(path.startswith("generations/") for path in tree)
    oids = [tree.get(f"generations/{number}", "") for number in range(1, count + 1)]
    return tuple(depot.read([oid for oid in oids if oid]))


def _require_sealed(depot: Depot) -> dict[str, str]:
    fetched = depot.fetch()
    if fetched.trouble:
        raise SealFailed(fetched.trouble)
    tree = depot.tree(fetched.commit) if fetched.commit else {}
    if not is_sealed(tuple(tree)):
        raise NotSealed(depot.url)
    return tree


def _requests(depot: Depot) -> Iterator[Member]:
    """Machines that ask to join and have the keys they name."""
    _require_sealed(depot)
    place = "refs/anamnesis/join-"
    fetched = _at_remote(depot, "fetch", "--prune", "--no-tags", f"+{_BRANCHES}*:{place}*")
    if fetched.trouble:
        raise SealFailed(fetched.trouble)
    listed = depot.ask("for-each-ref", "--format=%(refname)", f"{place}*").decode().split()
    for ref in listed:
        request = depot.git("cat-file", "blob", f"{ref}:request").out
        line, _, proof = request.strip().partition(b"\n")
        try:
            age, sign = json.loads(line)
            signature = bytes.fromhex(proof.decode())
        except (ValueError, TypeError):
            continue
        if keys.is_member(age, sign) and keys.is_signed(_REQUEST + line, signature, by=sign):
            yield keys.Member(age, sign)


def _branch(member: Member) -> str:
    return f"{_BRANCHES}{member.sign[:16]}"


def _at_remote(depot: Depot, verb: str, *words: str) -> remote.Fetched:
    options, refspec = words[:-1], words[-1]
    finished = depot.git(
        verb, "--quiet", *options, "origin", refspec,
        timeout=depot.seconds, env=remote.unattended_environment(depot, depot.url),
    )  # fmt: skip
    if finished.code == 0:
        return remote.Fetched()
    return remote.Fetched(trouble=remote.explain(finished, depot.url, depot.seconds))
