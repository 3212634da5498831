"""Numbers with their nouns, and how far a piece of work is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import TypeVar

    T = TypeVar("T")
    Progress = Callable[[int, int], None] | None  # how many of how many are done


def counted(number: object, one: str, many: str = "") -> str:
    """`1 note`, `2 notes`; with a verb both forms are given: `"note waits", "notes wait"`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def counting(things: Collection[T], progress: Progress) -> Iterator[T]:
    """The things one by one; each is reported when the next is asked for."""
    for done, thing in enumerate(things, 1):
        yield thing
        if progress is not None:
            progress(done, len(things))


def passes(progress: Progress, number: int, *, total: int) -> list[Progress]:
    """What each of several passes over the same things reports to, so that they count up once.

    A pass may count something else, such as files: its share is what counts.
    """
    if progress is None:
        return [None] * number
    report = progress

    def one(earlier: int) -> Progress:
        def advance(done: int, among: int) -> None:
            report(total * (earlier * among + done) // (number * (among or 1)), total)

        return advance

    return [one(earlier) for earlier in range(number)]
