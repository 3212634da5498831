"""Checks of sync and of the machines that share the notes."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from anamnesis import __version__, config
from anamnesis.git import command
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError, install_command
from anamnesis.hooks import runs
from anamnesis.operations.care.checks import (
    DASHBOARD,
    DOCTOR,
    FAILED,
    GLANCES,
    OK,
    STATUS,
    WARNING,
    Check,
    Finding,
    Subject,
    failure,
)
from anamnesis.operations.travel import fleet
from anamnesis.sync import remote
from anamnesis.sync.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.operations.travel.fleet import Machine

_NETWORK_SECONDS = 20.0


def _sync(subject: Subject) -> Iterator[Finding]:
    state = subject.sync
    if _has_failed(subject):
        return  # the check of the hooks reports since when, and why
    if state.last_error:
        yield Finding("sync", FAILED, state.last_error, "anamnesis sync")
    elif not state.remote:
        yield Finding("sync", OK, "no remote is set; notes stay on this machine")
    elif state.offline_since:
        yield Finding("sync", WARNING, state.detail, "anamnesis sync")
    elif not state.last_success:
        yield Finding("sync", WARNING, "this machine has not synced yet", "anamnesis sync")
    else:
        waiting = state.dirty or state.ahead or state.behind
        rest = "; changes will be sent by the next sync" if waiting else ""
        yield Finding("sync", OK, f"last success {state.last_success}{rest}")


def _has_failed(subject: Subject) -> bool:
    return any(failing.area == "sync" for failing in runs.failing(subject.home))


def _conflicts(subject: Subject) -> Iterator[Finding]:
    if held := subject.sync.held:
        those = counted(len(held), "note was", "notes were")
        yield Finding(
            "conflicts", FAILED, f"{those} edited on two machines", "anamnesis conflicts list"
        )


def _not_synced(subject: Subject) -> Iterator[Finding]:
    if lines := subject.not_synced:
        those = counted(len(lines), "file is", "files are")
        sentence = f"{those} not synced, for example {lines[0]}"
        yield Finding("not synced", WARNING, sentence, "anamnesis status # lists them all")


def _remote(subject: Subject) -> Iterator[Finding]:
    url = config.resolve_remote()
    if not url:
        return
    around = remote.unattended_environment(Repository(os.path.join(subject.home, "memory")), url)
    finished = command.git(
        ["ls-remote", "--heads", "--", remote.require_usable(url)],
        cwd=subject.home, timeout=_NETWORK_SECONDS, env=around,
    )  # fmt: skip
    if finished.code == 0:
        mode = ", sealed" if config.is_on("sealed", default=False) else ""
        yield Finding("remote", OK, f"{remote.shown(url)} answers{mode}")
        return
    trouble = remote.explain(finished, url, _NETWORK_SECONDS)
    if trouble.offline:
        state = subject.sync
        if state.offline_since and not state.last_error and not _has_failed(subject):
            return  # the check of sync says so, and since when
        yield Finding("remote", WARNING, f"offline: {trouble.message}", "anamnesis sync")
    else:
        yield Finding("remote", FAILED, trouble.message, trouble.hint or "anamnesis sync")


def _sealed(_subject: Subject) -> Iterator[Finding]:
    if not config.is_on("sealed", default=False):
        return
    from anamnesis.operations.travel import sealed  # loaded only where a remote is sealed

    try:
        members = sealed.machines()
    except AnamnesisError as error:  # the extra, the keys or the ledger
        yield failure("sealed", error)
        return
    if not any(member.is_here for member in members):
        url = remote.quoted(config.resolve_remote() or "URL")
        sentence = "the remote is sealed, and this machine is not a member"
        yield Finding("sealed", FAILED, sentence, f"anamnesis join {url}")
        return
    keys = counted(len(members), "key reads", "keys read")
    yield Finding("sealed", OK, f"{keys} the remote; its host sees only ciphertext")


def _own_name(subject: Subject) -> Iterator[Finding]:
    if not fleet.has_rival(subject.home):
        return
    sentence = f"another machine is also called {config.resolve_machine_id()}"
    if fleet.is_named_from_outside():
        yield Finding("fleet", FAILED, sentence, "unset ANAMNESIS_MACHINE_ID")
    else:
        fix = fleet.take_own_name
        yield Finding("fleet", FAILED, sentence, "anamnesis doctor --fix", fix=fix)


def _hosts(subject: Subject) -> Iterator[Finding]:
    if fleet.is_used_by_two_hosts(subject.home):
        sentence = f"two computers use {subject.home}, and locks may not work between them"
        remedy = "Give each computer a store on its own disk, with one remote for both."
        yield Finding("hosts", WARNING, sentence, remedy)


def _other_machines(subject: Subject) -> Iterator[Finding]:
    here = config.resolve_machine_id()
    others = [machine for machine in fleet.machines(subject.home) if machine.machine != here]
    for machine in others:
        yield from _other_machine(machine)
    if others:
        those = counted(len(others) + 1, "machine shares", "machines share")
        yield Finding("fleet", OK, f"{those} these notes")


def _other_machine(machine: Machine) -> Iterator[Finding]:
    if machine.is_ahead_of_time:
        sentence = f"{machine.name} has a clock that is ahead ({machine.seen})"
        yield Finding("clock", WARNING, sentence, "Check the clocks of both machines.")
    if machine.version != __version__:
        sentence = f"{machine.name} runs {machine.version}, this machine {__version__}"
        remedy = f"{install_command(again=True)} # with the newer version"
        if _number(machine.version) < _number(__version__):
            remedy = f"anamnesis doctor # on {machine.name}, after it was updated"
        yield Finding("versions", WARNING, sentence, remedy)
    if machine.last_error:
        remedy = f"anamnesis doctor # on {machine.name}"
        yield Finding("fleet", WARNING, f"{machine.name}: {machine.last_error}", remedy)


def _number(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


CHECKS = (
    Check("sync", _sync, GLANCES),
    Check("conflicts", _conflicts, GLANCES),
    Check("not synced", _not_synced, GLANCES),
    Check("remote", _remote, frozenset({DOCTOR})),
    Check("sealed", _sealed, frozenset({DOCTOR, STATUS, DASHBOARD})),
    Check("own name", _own_name, frozenset({DOCTOR, STATUS, DASHBOARD})),
    Check("hosts", _hosts, frozenset({DOCTOR, STATUS, DASHBOARD})),
    Check("other machines", _other_machines, frozenset({DOCTOR})),
)
