"""Background jobs that a page starts: their progress and their outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.onboard import health
from anamnesis.operations.curate import backfill_provenance as provenance
from anamnesis.operations.curate import reflect as reflection
from anamnesis.web.dashboard import Notice, notice_of
from anamnesis.web.formatting import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from anamnesis.web.dashboard import Job, Work
    from anamnesis.web.request import Visit

AT_ONCE = 0.8  # seconds; a job that ends within them needs no progress page


def run(visit: Visit, title: str, work: Work, *, back: str, once: bool = True) -> Response:
    """Run a job; if it takes a while, show its progress, then the notice."""
    return _outcome(visit, visit.dashboard.jobs.start(title, work, back=back, once=once))


def change(visit: Visit, title: str, act: Work, *, back: str | Callable[[], str]) -> Response:
    """Run a job that changes notes, and schedule the commit; requests are never combined."""

    def carry_out(progress: Callable[[int, int], None]) -> Notice:
        notice: Notice = act(progress)
        visit.dashboard.recorder.schedule()
        return notice

    return _outcome(visit, visit.dashboard.jobs.start(title, carry_out, back=back, once=False))


def _outcome(visit: Visit, job: Job) -> Response:
    if job.finished.wait(AT_ONCE):
        if job.error:
            raise job.error
        return visit.redirect(job.address, job.notice)
    return visit.redirect(f"/jobs/{job.id}")


def show(visit: Visit) -> Response:
    """The progress of a job; once it is finished, the page that it was started from."""
    job = visit.dashboard.jobs.get(visit.path_part("id"))
    if job is None:
        return visit.redirect("/", Notice("That job has ended."))
    by_script = visit.request.headers.get("x-sent-by") == "script"
    if not job.finished.is_set():
        state = {"done": job.done, "total": job.total}
        return visit.json_response(state) if by_script else visit.page("job.html", job=job)
    error = job.error
    notice = Notice(f"{error.message} {error.hint}".strip(), "trouble") if error else job.notice
    return visit.redirect(job.address, notice)


def fix(visit: Visit) -> Response:
    """Fix what doctor can fix safely, as `anamnesis doctor --fix` does."""
    visit.require_fresh("what doctor fixes")  # it may rewrite the settings of agents
    visit.confirm()
    home = visit.dashboard.home

    def repair(progress: Callable[[int, int], None]) -> Notice:
        findings = [each for each in health.doctor(home) if each.fix is not None]
        fixed: list[str] = []
        failed: list[str] = []
        for number, (finding, error) in enumerate(health.repaired(findings), 1):
            (failed if error else fixed).append(error.message if error else finding.name)
            progress(number, len(findings))
        text = f"Fixed: {', '.join(fixed)}." if fixed else "Nothing to fix."
        return Notice(" ".join([text, *failed]), "trouble" if failed else "done")

    return run(visit, "Fixing what doctor found", repair, back="/settings")


def reflect(visit: Visit) -> Response:
    """Reflect on the sessions that have not been reflected on yet; proposals are to review."""
    project = visit.value("project") or None

    def distil(progress: Callable[[int, int], None]) -> Notice:
        result = reflection.run(visit.store, project=project, write=True, progress=progress)
        visit.dashboard.recorder.schedule()
        problems = [
            f"{each.project}: {each.problem}" for each in result.reflections if each.problem
        ]
        if result.unit is None:
            reason = " ".join(problems) or "; ".join(result.why_nothing[:3])
            return Notice(f"Nothing new: {reason}.", "trouble" if problems else "done")
        return notice_of(result.unit, " ".join([f"Reflected: {result.unit.summary}.", *problems]))

    return run(visit, "Reflecting on sessions", distil, back="/review")


def backfill(visit: Visit) -> Response:
    """Fill in the source of notes from early versions, as their tags name it, in one change."""

    def fill(progress: Callable[[int, int], None]) -> Notice:
        changes = provenance.provenance_changes(visit.store, machine_id="")
        unit = provenance.backfill_provenance(visit.store, changes, progress=progress)
        return notice_of(unit, f"Filled in the source of {plural(len(changes), 'note')}.")

    return change(visit, "Filling in sources", fill, back="/tidy?view=sources")
