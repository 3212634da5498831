"""The sealed remote: seal it, ask to join it, approve and revoke machines."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground import locks
from anamnesis.ground.errors import EXIT_NOT_SET_UP, AnamnesisError, InvalidInput
from anamnesis.operations.machine import settings
from anamnesis.operations.travel import fleet
from anamnesis.operations.travel.sync import sync
from anamnesis.sync import purge, recovery, remote
from anamnesis.sync.plan import Identity, NewCommit
from anamnesis.sync.repository import MAIN, UPSTREAM, Repository
from anamnesis.sync.sealed import keys, members
from anamnesis.sync.sealed.depot import read_ledger
from anamnesis.sync.sealed.transport import sealed_transport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anamnesis.config import Home
    from anamnesis.sync.sealed.transport import SealedTransport

_SECONDS = 60.0
_LOCK_SECONDS = 10.0


class NoRemote(AnamnesisError):
    """There is no remote to seal."""

    def __init__(self) -> None:
        super().__init__(
            "No remote is set.", hint="Set one first:  anamnesis remote --create URL",
            exit_code=EXIT_NOT_SET_UP,
        )  # fmt: skip


class NotInStep(AnamnesisError):
    """Not everything is synced, so the remote cannot be replaced."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(f"Not everything is synced: {why}.", hint=hint or "anamnesis sync")


@dataclass(frozen=True, slots=True)
class RecoveryKey:
    """What opens a sealed store when every machine is lost; shown once, stored nowhere."""

    key: str
    code: str  # the code of the store, so that nobody can substitute another one


@dataclass(frozen=True, slots=True)
class MemberMachine:
    """A machine that reads and writes the sealed remote."""

    code: str
    name: str  # empty for another machine that has not reported yet
    seen: str
    is_here: bool
    is_recovery: bool


def is_sealed() -> bool:
    """Whether this machine's remote sees only ciphertext."""
    return config.is_on("sealed", default=False)


def require_sealable() -> str:
    """The remote that can be sealed now. Raises InvalidInput, NoRemote and ExtraMissing."""
    if is_sealed():
        raise InvalidInput("The remote is sealed already.", hint="anamnesis machines")
    keys.require_extra()
    return _remote()


def seal(show: Callable[[RecoveryKey], None]) -> bool:
    """Replace the plain remote with a sealed one; whether its unencrypted objects are surely gone.

    The recovery key is shown before anything is sent: a command that is killed afterwards leaves
    nothing sealed that only a lost key could open. Raises NotInStep, SealFailed and what
    `require_sealable` raises.
    """
    url = require_sealable()
    if is_member(url):
        return False  # a run that was killed after the remote took it; its key was shown then
    spare = keys.new_keys(recovery=True)
    result = sync().result
    if result.error or result.offline:
        raise NotInStep(result.error or result.detail, result.hint)
    with _transport() as transport:
        repository = Repository(config.home_directory().memory)
        tip, there = repository.resolve(MAIN), repository.resolve(UPSTREAM)
        if there != tip:
            raise NotInStep("another machine has synced in the meantime", "")
        first = members.first_generation(transport, recovery=spare)
        show(RecoveryKey(spare.age, keys.code_of(first)))
        members.seal(transport, tip or _empty_commit(repository), first=first, old=there)
    settings.change("sealed", "1")
    return there is None or purge.clear_remote(url, [there])


def replace() -> None:
    """Rewrite the sealed remote from this machine. Raises SealFailed."""
    with _transport() as transport:
        members.replace(transport)


def ask(url: str) -> str:
    """Ask to join a sealed store; returns the code to approve on another machine."""
    with _transport(url) as transport:
        return members.ask(transport)


def is_member(url: str) -> bool:
    """Whether this machine can read the sealed store at this address; if so, it starts using it."""
    with _transport(url) as transport:
        ours = members.is_ours(transport)
    if ours:
        settings.change("sealed", "1")
    return ours


def accept(url: str, code: str) -> None:
    """Trust the store with the code that a member printed. Raises WrongCode and NotSealed."""
    with _transport(url) as transport:
        members.accept(transport, code)


def recover(url: str, key: str, code: str) -> None:
    """Admit this machine with the recovery key and its code."""
    with _transport(url) as transport:
        members.recover(transport, key, code)


def approve(code: str) -> str:
    """Approve a machine; returns the code to enter there. Raises NoSuchRequest and SealFailed."""
    with _transport() as transport:
        return members.approve(transport, code)


def revoke(name: str) -> str:
    """Revoke a machine, by its name or code: it cannot read anything written from now on.

    Returns its name. Raises NoSuchMember and SealFailed.
    """
    known = {machine.name: machine.code for machine in machines() if machine.name}
    with _transport() as transport:
        gone = members.revoke(transport, known.get(name, name))
    return next((named for named, code in known.items() if code == gone.code), gone.code)


def store_code() -> str:
    """The code of the current generation, for a machine that joins; empty if not sealed."""
    known = read_ledger(config.home_directory().keys) if is_sealed() else None
    return keys.code_of(known.files[-1]) if known else ""


def machines() -> list[MemberMachine]:
    """The members of the sealed store, as this machine knows them; none for a plain one."""
    home = config.home_directory()
    known = keys.own_keys(home.keys) if is_sealed() else None
    if known is None:
        return []
    beats = {machine.key: machine for machine in fleet.machines(home) if machine.key}
    names = {known.member.code: config.resolve_machine_id()}
    names |= {code: machine.name for code, machine in beats.items()}
    return [
        MemberMachine(
            member.code,
            names.get(member.code, ""),
            beats[member.code].seen if member.code in beats else "",
            member == known.member,
            member.recovery,
        )
        for member in members.members(home.keys)
    ]


def _empty_commit(repository: Repository) -> str:
    """The history of a store without notes, so that there is something to seal."""
    identity = Identity(config.resolve_machine_id())
    step = NewCommit(identity.signature(), identity.message(), {})
    return repository.commit(MAIN, None, [step], committer=identity.signature())


def _remote() -> str:
    url = config.resolve_remote()
    if not url:
        raise NoRemote
    return remote.require_usable(url)


@contextmanager
def _transport(url: str | None = None) -> Iterator[SealedTransport]:
    """The sealed transport of this machine, while no sync runs."""
    home: Home = config.home_directory()
    with locks.held(home.lock("sync"), name="sync", timeout=_LOCK_SECONDS):
        repository = Repository(home.memory)
        recovery.heal(repository)
        yield sealed_transport(repository, url=url or _remote(), seconds=_SECONDS, folder=home.keys)
