"""Checks of the notes and of what is derived from them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from anamnesis.ground.counting import counted
from anamnesis.ground.errors import install_command
from anamnesis.ground.system import is_read_only
from anamnesis.operations.care.checks import (
    DASHBOARD,
    DOCTOR,
    GLANCES,
    OK,
    STATUS,
    WARNING,
    Check,
    Finding,
    Subject,
)
from anamnesis.operations.travel import fleet
from anamnesis.search import encoder, meaning
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.config import Home

_NAMED = 3  # examples in a line; `status` lists them all
_CLOCK_SECONDS = 300.0


def _index(subject: Subject) -> Iterator[Finding]:
    reason = subject.store.degraded
    if reason and is_read_only(subject.home):
        yield Finding("index", OK, "built in memory for each command, until it can be saved")
    elif reason:
        yield Finding(
            "index", WARNING, reason, "anamnesis reindex", fix=lambda: _reindex(subject.home)
        )
    else:
        yield Finding("index", OK, "up to date with the files")


def _reindex(home: Home) -> None:
    with MemoryStore(home) as store:
        store.reindex()


def _unreadable(subject: Subject) -> Iterator[Finding]:
    found = subject.store.unreadable()
    if not found:
        yield Finding("files", OK, "every note file can be read")
        return
    named = "; ".join(f"{each.path}: {each.reason}" for each in found[:_NAMED])
    those = counted(len(found), "file cannot", "files cannot")
    remedy = "anamnesis status # lists them all; edit or remove the files"
    yield Finding("files", WARNING, f"{those} be read: {named}", remedy)


def _clock(subject: Subject) -> Iterator[Finding]:
    for newest in subject.store.list(limit=1):
        if fleet.seconds_of(newest.updated_at) > time.time() + _CLOCK_SECONDS:
            sentence = f"a note is dated {newest.updated_at}, which is in the future"
            remedy = "Check the clock of this machine and the others."
            yield Finding("clock", WARNING, sentence, remedy)


def _meaning(_subject: Subject) -> Iterator[Finding]:
    if problem := meaning.problem():
        yield Finding("meaning", WARNING, problem, install_command(again=True))


def _semantic(_subject: Subject) -> Iterator[Finding]:
    if missing := encoder.problem():
        sentence = f"{missing}; notes are found by their words alone"
        yield Finding("semantic", WARNING, sentence, install_command("semantic"))


CHECKS = (
    Check("index", _index, GLANCES),
    Check("files", _unreadable, GLANCES),
    Check("dates of notes", _clock, frozenset({DOCTOR})),
    Check("meaning", _meaning, frozenset({DOCTOR, STATUS, DASHBOARD})),
    Check("semantic", _semantic, GLANCES),
)
