"""Commands that worked before, and what they fixed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import log2
from typing import TYPE_CHECKING

from anamnesis.archive import ask
from anamnesis.capture.extract import commands, shell
from anamnesis.capture.extract.findings import decisive_line
from anamnesis.operations.sessions.archive import bring_up_to_date
from anamnesis.search import query as queries
from anamnesis.search.rank import rarity
from anamnesis.text.words import stem, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.archive.ask import CommandRow, SessionFilter, SessionRow
    from anamnesis.config import Home

# Turns back in which a failure of the same program counts as fixed by the command.
_SHORTLY_BEFORE = 30
_BEGINNING = 5  # letters that words must share: migrate, migrations
_SHORTEST_PART = 4  # letters of a word that ends another: test, pytest
_SHORTEST = 3  # letters of what stands for a longer word: cov, coverage
_HEAD = 3  # words of a command that say what it does; the rest says on what
_ON_WHAT, _ABOUT = 0.5, 0.25  # what a word counts there, and in what was said or printed
_DOING = frozenset({"run", "do", "make", "use", "execute", "how", "command"})
_PROGRAM = re.compile(r"[\w.~@][\w.@+-]*\Z")
_SUBCOMMAND = re.compile(r"[A-Za-z][\w:-]*\Z")
_ALL_OF_IT = 1.5  # a command with all words counts more than two with half of them
_OFTEN = 0.2  # for each doubling of how often a command worked
_RECENT = 0.1  # at most, between the oldest and the latest
_LOOKS = 0.6  # what a command counts that only looks
_UNTOLD = 0.5  # of a run whose exit status the line hides


@dataclass(frozen=True, slots=True)
class WorkingCommand:
    """A command that worked."""

    command: str
    times: int
    at: str  # when it worked last
    fixed: str  # the error that it ended, or nothing
    session: SessionRow
    number: int  # of its turn


@dataclass(slots=True)
class _Known:
    """One command with all lines that ran it, the latest first."""

    command: str
    lines: list[CommandRow]
    told: float = 0.0  # runs whose exit status is the command's own count more

    @property
    def times(self) -> int:
        return sum(line.times for line in self.lines)


def how(
    home: Home, text: str, session_filter: SessionFilter, *, limit: int
) -> list[WorkingCommand]:
    """The commands that worked and answer the question, the best first."""
    bring_up_to_date(home)
    known = _known(ask.commands(home, session_filter))
    return [
        WorkingCommand(
            command=each.command,
            times=each.times,
            at=each.lines[0].at,
            fixed=_fixed(home, each),
            session=each.lines[0].session,
            number=each.lines[0].number,
        )
        for each in _best_first(text, known)[:limit]
    ]


def _known(lines: Iterable[CommandRow]) -> list[_Known]:
    """The commands of all lines, each once, without what only reads or sets up the shell."""
    found: dict[str, _Known] = {}
    for line in lines:
        steps = shell.steps(line.command)
        for place, step in enumerate(steps):
            if not _is_typed(step.text):
                continue
            command = shell.tidy(step.text).strip("( ")
            each = found.setdefault(command, _Known(command, []))
            each.told += line.times * (1.0 if commands.is_told(steps, place) else _UNTOLD)
            if line not in each.lines[-1:]:
                each.lines.append(line)
    return list(found.values())


def _is_typed(command: str) -> bool:
    """Whether you would type it: a program that does more than read, not a script."""
    name = (commands.words(command) or ("",))[0]
    is_setting = commands.reads(command) or commands.sets(command) or commands.is_inline(command)
    return _PROGRAM.match(name) is not None and name != "apply_patch" and not is_setting


def _best_first(text: str, known: Sequence[_Known]) -> list[_Known]:
    """The commands that have words of the question, best first.

    If none has any, those whose output, or what was said before them, has all.
    """
    asked = [term.text for term in queries.read(text).terms if term.selects]
    asked = [word for word in asked if word not in _DOING] or asked
    found = {each.command: _matches(text.lower(), asked, each) for each in known}
    weights = [
        rarity(sum(row[at] > _ABOUT for row in found.values()), len(known))
        for at in range(len(asked))
    ]
    least = min(_ON_WHAT, max((max(row) for row in found.values() if row), default=1.0))
    is_named = least >= _ON_WHAT
    ages = {each.command: place / max(len(known), 1) for place, each in enumerate(known)}

    def worth(each: _Known) -> float:
        matched = sum(map(float.__mul__, found[each.command], weights)) / (sum(weights) or 1.0)
        often = 1 + _OFTEN * log2(1 + each.told)
        recent = 1 + _RECENT * (1 - ages[each.command])
        looks = 1.0 if commands.changes(each.command) or commands.is_check(each.command) else _LOOKS
        return float(matched**_ALL_OF_IT * often * recent * looks)

    answers = [
        each
        for each in known
        if (max if is_named else min)(found[each.command], default=0.0) >= least > 0
    ]
    return sorted(answers, key=worth, reverse=True)


def _matches(text: str, asked: Sequence[str], known: _Known) -> list[float]:
    """How well a command has each word: in what it does, on what, or in what was said of it."""
    name, *more = commands.words(known.command)
    does = [name, *takewhile(_SUBCOMMAND.match, more[: _HEAD - 1])]
    others = [each for each in more[len(does) - 1 :] if each[0] not in "'\""]
    options = [each for each in others if each[0] == "-"]
    on_what = [each.rstrip("/").rsplit("/", 1)[-1] for each in others if each[0] != "-"][:1]
    head, rest = tokens(" ".join(does)), tokens(" ".join([*options, *on_what]))
    about = known.lines[0].about.lower()
    found = [
        1.0
        if any(_is_alike(word, each) for each in head)
        else _ON_WHAT
        if any(_is_alike(word, each) for each in rest)
        else _ABOUT * (word in about)
        for word in asked
    ]
    for at, (one, two) in enumerate(pairwise(asked)):
        if f"{one} {two}" in text and one[0] + two[0] in head:  # pull request, pr
            found[at] = found[at + 1] = 1.0
    return found


def _is_alike(asked: str, word: str) -> bool:
    base = stem(asked)
    if base == stem(word):
        return True
    if len(word) >= _SHORTEST and asked.startswith(word):
        return True
    is_inflected = len(asked) > _BEGINNING and word.startswith(asked[:_BEGINNING])
    return is_inflected or (len(base) >= _SHORTEST_PART and word.endswith(base))


def _fixed(home: Home, known: _Known) -> str:
    """The error of the same program that came shortly before."""
    line = known.lines[0]
    failures = ask.failures_before(home, line.session.id, line.number, within=_SHORTLY_BEFORE)
    for command, printed in failures:
        if any(
            commands.is_same(part, known.command, printed=printed) for part in shell.parts(command)
        ):
            return decisive_line(printed)
    return ""
