"""Checks that are cheap enough for every session start: no git, no note is read."""

from __future__ import annotations

import os
import time

from anamnesis import carried, config
from anamnesis.ground import atomic, clock
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import NotWritable
from anamnesis.hooks import runs
from anamnesis.index.queries import (
    count_of,
    count_saved_for_all,
    count_unreadable,
    count_waiting,
)
from anamnesis.operations.care.checks import (
    DOCTOR,
    FAILED,
    GLANCES,
    SESSION,
    STATUS,
    TOOL,
    WARNING,
    Check,
    Finding,
    Subject,
)
from anamnesis.operations.machine import checkouts
from anamnesis.project import waiting_marker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.config import Home

_DAY = 86_400.0
# The command that shows whether an area works again.
REMEDIES = {
    "inject": "anamnesis inject",
    "recall": """echo '{"prompt": "how do we deploy"}' | anamnesis recall-hook""",
    "capture": "anamnesis capture --backfill --since 7d",
    "summarising": "anamnesis config test",
    "sync": "anamnesis sync",
    "reflect": "anamnesis reflect",
    "embed": "anamnesis embed",
}


def at_session_start(home: Home, *, unasked: bool = True) -> list[Check]:
    """The checks of a session start; a preview skips those reported once a day."""
    found = [check for check in CHECKS if not check.daily or (unasked and _is_due(home))]
    return [*found, *NEWS] if unasked else found


def _runs(subject: Subject) -> Iterator[Finding]:
    for failing in runs.failing(subject.home):
        if _still_runs(failing.area):
            yield Finding(failing.area, FAILED, failing.sentence, REMEDIES[failing.area])


def _still_runs(area: str) -> bool:
    """Whether Anamnesis runs this automatically, so that a later success clears the failure.

    A command that you ran reported its failure at once; it must not be repeated for ever.
    """
    if area == "reflect":
        return config.is_on("reflect_auto", default=False)
    if area == "embed":
        from anamnesis.search import encoder

        return (
            config.encoder_is_on() and not encoder.problem()
        )  # a missing extra is a check of its own
    return True


def _review(subject: Subject) -> Iterator[Finding]:
    if number := subject.store.ask(count_waiting):
        yield Finding("review", WARNING, f"{counted(number, 'note')} to review", "anamnesis review")


def _marker(subject: Subject) -> Iterator[Finding]:
    # Nothing that the file says is shown: a stranger may have written it, and an agent reads this.
    if waiting_marker(subject.cwd):
        sentence = "the file .anamnesis/project of this repository names another project's memory"
        remedy = "anamnesis project allow # if you want it to have that; it has its own until then"
        yield Finding("project", WARNING, sentence, remedy)


def _moved(subject: Subject) -> Iterator[Finding]:
    for earlier in checkouts.names_before(subject.home, subject.cwd):
        if number := _count_of(subject, earlier):
            those = counted(number, "note is", "notes are")
            sentence = f"this repository was {earlier} before; {those} kept under that name"
            yield Finding("moved", WARNING, sentence, "anamnesis project alias")


def _count_of(subject: Subject, project: str) -> int:
    return subject.store.ask(lambda db: count_of(db, project))


def _carried(subject: Subject) -> Iterator[Finding]:
    # Nothing that the files say is shown, for the same reason.
    if not subject.looks_beside and carried.waits(subject.home, subject.cwd):
        sentence = "this repository carries notes in .anamnesis/memory; no session gets them"
        remedy = "anamnesis project trust # if you trust those who write to it"
        yield Finding("repository", WARNING, sentence, remedy)


def _from_the_team(subject: Subject) -> Iterator[Finding]:
    """What a pull or another branch brought since the last session start."""
    beside = subject.store.beside
    if beside is None:
        return
    try:
        new, changed = beside.news()
    except NotWritable:
        return  # a read-only store is reported elsewhere
    if new or changed:
        what = " and ".join(
            [*([f"{new} new"] if new else []), *([f"{changed} changed"] if changed else [])]
        )
        sentence = f"{what} from the team in this repository's notes"
        yield Finding("repository", WARNING, sentence, "anamnesis list --source repository")
    if conflicted := beside.ask(count_unreadable):
        sentence = f"{counted(conflicted, 'note')} of this repository cannot be read"
        yield Finding(
            "repository", WARNING, f"{sentence}, so no session gets them", "anamnesis check"
        )


def _held_parts(subject: Subject) -> Iterator[Finding]:
    if not os.path.isdir(os.path.join(subject.home, "conflicts")):
        return
    from anamnesis.sync.conflicts import HERE, Conflicts

    for held in Conflicts(subject.home).unannounced():
        there = f"on {held.machine or 'another machine'} ({held.written or held.since})"
        sentence = f"{held.id} was edited here and {there}; this machine shows its own version"
        if held.deleted:
            did = ("deleted", "changed") if held.deleted == HERE else ("changed", "deleted")
            sentence = f"{held.id} was {did[0]} here and {did[1]} {there}; it was kept"
        yield Finding("conflict", WARNING, sentence, f"anamnesis conflicts show {held.id}")


def _saved_for_all(subject: Subject) -> Iterator[Finding]:
    """What agents saved for all projects since the last session start."""
    marker = subject.home.state("agents-told.txt")
    since = ""
    try:
        with open(marker, encoding="utf-8", errors="replace") as file:
            since = file.read(40)
    except OSError:
        pass  # the first session that asks
    try:
        atomic.write_text(marker, clock.utcnow())
    except NotWritable:
        return  # a read-only store is reported elsewhere
    number = subject.store.ask(lambda db: count_saved_for_all(db, since=since)) if since else 0
    if number:
        sentence = f"agents saved {counted(number, 'note')} for all projects since the last start"
        command = f"anamnesis list --source agent --project global --since {since[:10]}"
        yield Finding("agents", WARNING, sentence, command)


def _silent_machines(subject: Subject) -> Iterator[Finding]:
    import shlex

    from anamnesis.operations.travel import fleet

    for machine in fleet.silent(subject.home):
        sentence = f"{machine.name} has not synced for {machine.days_silent:.0f} days"
        command = f"anamnesis status --fleet --forget {shlex.quote(machine.machine)}"
        yield Finding("fleet", WARNING, sentence, f"{command} # if it is no longer in use")


def _is_due(home: Home) -> bool:
    """Whether the fleet was last reported more than a day ago; one stat call."""
    marker = home.state("fleet-told")
    try:
        if time.time() - os.stat(marker).st_mtime < _DAY:
            return False
    except OSError:
        if not os.path.isdir(os.path.join(home.memory, ".machines")):
            return False
    try:
        atomic.write_text(marker, "")
    except NotWritable:
        return False  # a read-only store is reported elsewhere; memory comes first
    return True


CHECKS = (
    Check("hooks", _runs, GLANCES | {SESSION}),
    Check("review", _review, GLANCES | {SESSION}, needs_index=True),
    Check("project", _marker, frozenset({DOCTOR, STATUS, TOOL, SESSION}), needs_store=False),
    Check("moved", _moved, frozenset({DOCTOR, STATUS, SESSION}), needs_index=True),
    Check("repository", _carried, frozenset({DOCTOR, STATUS, TOOL, SESSION}), needs_store=False),
    Check("silent machines", _silent_machines, GLANCES | {SESSION}, daily=True),
)
# Reported once per session; `conflicts` lists it for good.
NEWS = (
    Check("new conflicts", _held_parts, frozenset({SESSION})),
    Check("from the team", _from_the_team, frozenset({SESSION}), needs_index=True),
    Check("saved for all projects", _saved_for_all, frozenset({SESSION}), needs_index=True),
)
