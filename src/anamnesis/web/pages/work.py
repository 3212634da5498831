"""Work that a page starts and another shows: how far it is, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.onboard import health
from anamnesis.operations.curate import backfill_provenance as provenance
from anamnesis.operations.curate import reflect as reflection
from anamnesis.web.dashboard import Notice, notice_of
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from anamnesis.web.dashboard import Job, Work
    from anamnesis.web.visit import Visit

AT_ONCE = 0.8  # seconds; what is done by then needs no page of its own


def run(visit: Visit, title: str, work: Work, *, back: str, once: bool = True) -> Response:
    """Do something; if it takes a while, show how far it is, and the notice when it is over."""
    return _shown(visit, visit.dashboard.jobs.start(title, work, back=back, once=once))


def change(visit: Visit, title: str, act: Work, *, back: str | Callable[[], str]) -> Response:
    """Change notes, and let them be recorded; each time that it is asked for."""

    def carry_out(progress: Callable[[int, int], None]) -> Notice:
        notice: Notice = act(progress)
        visit.dashboard.recorder.soon()
        return notice

    return _shown(visit, visit.dashboard.jobs.start(title, carry_out, back=back, once=False))


def _shown(visit: Visit, job: Job) -> Response:
    if job.over.wait(AT_ONCE):
        if job.error:
            raise job.error
        return visit.go(job.address, job.notice)
    return visit.go(f"/jobs/{job.id}")


def show(visit: Visit) -> Response:
    """How far a piece of work is; when it is over, the page that it was started from."""
    job = visit.dashboard.jobs.get(visit.path_part("id"))
    if job is None:
        return visit.go("/", Notice("That task has ended."))
    by_script = visit.request.headers.get("x-sent-by") == "script"
    if not job.over.is_set():
        state = {"done": job.done, "total": job.total}
        return visit.answer(state) if by_script else visit.page("job.html", job=job)
    why = job.error
    notice = Notice(f"{why.message} {why.hint}".strip(), "trouble") if why else job.notice
    return visit.go(job.address, notice)


def fix(visit: Visit) -> Response:
    """Fix what doctor can fix safely, as `anamnesis doctor --fix` does."""
    visit.require_fresh("what doctor fixes")  # agents may be among it
    home = visit.dashboard.home

    def repair(progress: Callable[[int, int], None]) -> Notice:
        findings = [each for each in health.doctor(home) if each.fix is not None]
        done: list[str] = []
        failed: list[str] = []
        for number, (finding, error) in enumerate(health.repaired(findings), 1):
            (failed if error else done).append(error.message if error else finding.name)
            progress(number, len(findings))
        text = f"Fixed: {', '.join(done)}." if done else "Nothing had to be fixed."
        return Notice(" ".join([text, *failed]), "trouble" if failed else "done")

    return run(visit, "Fixing what doctor found", repair, back="/settings")


def reflect(visit: Visit) -> Response:
    """Distil the sessions that were not reflected on yet; what it proposes is to review."""
    project = visit.value("project") or None

    def distil(progress: Callable[[int, int], None]) -> Notice:
        done = reflection.run(visit.store, project=project, write=True, progress=progress)
        visit.dashboard.recorder.soon()
        problems = [f"{each.project}: {each.problem}" for each in done.reflections if each.problem]
        if done.unit is None:
            why = " ".join(problems) or "; ".join(done.why_nothing[:3])
            return Notice(f"Nothing new: {why}.", "trouble" if problems else "done")
        return notice_of(done.unit, " ".join([f"Reflected: {done.unit.summary}.", *problems]))

    return run(visit, "Reflecting on sessions", distil, back="/review")


def backfill(visit: Visit) -> Response:
    """Give notes of early versions the source that their tags name, as one change."""

    def fill(progress: Callable[[int, int], None]) -> Notice:
        planned = provenance.provenance_changes(visit.store, machine_id="")
        unit = provenance.backfill_provenance(visit.store, planned, progress=progress)
        return notice_of(unit, f"The source of {plural(len(planned), 'note')} was filled in.")

    return change(visit, "Filling in sources", fill, back="/tidy?view=sources")
