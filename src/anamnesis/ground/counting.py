"""Numbers with their nouns, and the progress of a piece of work."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import TypeVar

    T = TypeVar("T")
    Progress = Callable[[int, int], None] | None  # how many of how many are done


def counted(number: object, one: str, many: str = "") -> str:
    """`1 note`, `2 notes`; with a verb, pass both forms: `"note waits", "notes wait"`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def counting(things: Collection[T], progress: Progress) -> Iterator[T]:
    """The things one by one; each is reported as done when the next is requested."""
    for done, thing in enumerate(things, 1):
        yield thing
        if progress is not None:
            progress(done, len(things))


def passes(progress: Progress, number: int, *, total: int) -> list[Progress]:
    """A progress callback for each of several passes, which together count up to `total` once.

    A pass may count something else, such as files: only its share of the whole is reported.
    """
    if progress is None:
        return [None] * number
    report = progress

    def progress_after(earlier: int) -> Progress:
        def advance(done: int, among: int) -> None:
            report(total * (earlier * among + done) // (number * (among or 1)), total)

        return advance

    return [progress_after(earlier) for earlier in range(number)]
