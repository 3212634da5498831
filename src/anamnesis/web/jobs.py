"""Work that takes longer than a page may: it runs on, and a page shows how far it is."""

from __future__ import annotations

import secrets
import threading
import traceback
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anamnesis.ground.errors import AnamnesisError

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[Callable[[int, int], None]], Any]

_KEPT = 20


class Unforeseen(AnamnesisError):
    """A bug: the page says where to read about it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"The dashboard could not do this ({type(error).__name__}).",
            hint="What went wrong is in the terminal that it runs in. The other pages still work.",
        )


@dataclass(slots=True)
class Job:
    """One piece of work, and how far it is."""

    title: str
    back: str | Callable[[], str]  # the page to show with the notice; found when it is over
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    done: int = 0
    total: int = 0  # 0: unknown
    notice: Any = None  # what came of it, once it is over
    error: AnamnesisError | None = None  # or why it failed
    over: threading.Event = field(default_factory=threading.Event)

    def advance(self, done: int, total: int) -> None:
        """Say how far it is."""
        self.done, self.total = done, total

    @property
    def address(self) -> str:
        """The page to show with the notice."""
        return self.back if isinstance(self.back, str) else self.back()


class Jobs:
    """The latest pieces of work of one server."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}  # what was looked for last, by the name of its view
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(
        self, title: str, work: Work, *, back: str | Callable[[], str], once: bool = True
    ) -> Job:
        """Start a piece of work; if it is to run `once` at a time and does already, gives that."""
        with self._lock:
            for other in self._jobs.values():
                if once and other.title == title and not other.over.is_set():
                    return other
            job = Job(title, back)
            self._jobs[job.id] = job
            over = [each.id for each in self._jobs.values() if each.over.is_set()]
            for id in over[: max(0, len(self._jobs) - _KEPT)]:
                del self._jobs[id]
        threading.Thread(target=_carry_out, args=(job, work), daemon=True).start()
        return job

    def get(self, id: str) -> Job | None:
        """The piece of work with this id."""
        return self._jobs.get(id)


def _carry_out(job: Job, work: Work) -> None:
    try:
        job.notice = work(job.advance)
    except AnamnesisError as error:
        job.error = error
    except Exception as error:  # noqa: BLE001  in a thread of its own, nobody else would say it
        traceback.print_exc()
        job.error = Unforeseen(error)
    job.over.set()
