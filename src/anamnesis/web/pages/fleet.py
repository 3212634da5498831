"""The machines that share this memory: what each did, how it stands, and syncing with them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from anamnesis.config import UNKNOWN_MACHINE
from anamnesis.operations.notes.history import MachineStanding, standings
from anamnesis.operations.notes.list import NoteFilter, titles
from anamnesis.operations.travel import fleet as heartbeats
from anamnesis.operations.travel import sealed
from anamnesis.operations.travel.fleet import seconds_of
from anamnesis.operations.travel.sync import sync as sync_now
from anamnesis.web import charts, health
from anamnesis.web.dashboard import Notice
from anamnesis.web.pages import work
from anamnesis.web.words import hues, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response

    from anamnesis.operations.travel.fleet import Machine
    from anamnesis.web.charts import Chart
    from anamnesis.web.health import HealthLine
    from anamnesis.web.visit import Visit

_WEEKS = 12
_CHARTED = 8  # machines with a colour of their own
_OTHERS = "others"
_NAMED = 3  # notes that arrived


@dataclass(frozen=True, slots=True)
class MachineRow:
    """One machine, as far as this one knows."""

    name: str
    notes: int
    latest_note: str
    last_seen: str  # its latest version in the history; empty: none was seen
    versions: int
    here: bool
    standing: MachineStanding | None  # None: neither the history nor a heartbeat tells
    pulse: Machine | None  # what it last said of itself
    shade: str


def show(visit: Visit) -> Response:
    """The page."""
    known = machines(visit)
    named = [each.name for each in known][:_CHARTED]
    chart = _weeks(visit, named)
    return visit.page(
        "fleet.html",
        machines=known,
        state=visit.dashboard.sync_state(),
        sealed=sealed.is_sealed(),
        alarms=[line for line in health.glance(visit.dashboard) if _is_alarm(line)],
        chart=chart,
        shade={_OTHERS: "hue-others", **{each.name: each.shade for each in known}},
    )


def sync(visit: Visit) -> Response:
    """Exchange notes now, and say in a sentence what came of it."""
    visit.dashboard.recorder.now()
    return work.run(visit, "Syncing", lambda _: _synced(visit), back=visit.back("/fleet"))


def approve(visit: Visit) -> Response:
    """Let a machine that asked into the sealed remote; gives the code to type there."""
    visit.require_fresh("which machines read your notes")
    code = "".join(visit.value("code").split())

    def let_in(_: object) -> Notice:
        return Notice(f"Approved. Type this code on that machine: {sealed.approve(code)}")

    return work.run(visit, "Sealing the notes for one more machine", let_in, back="/fleet")


def _synced(visit: Visit) -> Notice:
    done = sync_now(store=visit.store).result
    visit.dashboard.sync_state.measured()  # so that the page says how it stands now
    if done.error or done.offline:
        why = done.detail.removeprefix("offline: ")
        return Notice(f"Not synced: {why}. {done.hint}".strip(), "trouble")
    text = f"Synced: {done.sent:,} sent, {done.received:,} received."
    remark = done.detail.removeprefix("synced").removeprefix("; ")
    if remark and not done.conflicts:
        text += f" {remark[:1].upper()}{remark[1:]}."
    arrived = [path.rpartition("/")[2].removesuffix(".md") for path in done.changed]
    known = titles(visit.store, arrived[:_NAMED]).items()
    links = [(title or "Untitled", f"/notes/{note_id}") for note_id, title in known]
    if done.conflicts:
        number = plural(len(done.conflicts), "conflict")
        links.insert(0, (f"Decide {number}", "/conflicts"))
    return Notice(text, "trouble" if done.conflicts else "done", links=tuple(links))


def machines(visit: Visit) -> list[MachineRow]:
    """All machines that wrote a note or a version, the latest seen first."""
    home = visit.dashboard.home
    seen = standings(home, fetched=bool(visit.dashboard.sync_state().behind))
    alive = {each.machine: each for each in heartbeats.machines(home)}
    known = {name: (number, last) for name, number, last in visit.dashboard.counts.machines()}
    others = [name for name in (*known, *seen, *alive) if name != UNKNOWN_MACHINE]
    names = dict.fromkeys([visit.dashboard.machine, *others])
    shades = hues(sorted(names))
    rows = [
        MachineRow(
            name,
            *known.get(name, (0, "")),
            max(_last(seen.get(name)), alive[name].seen if name in alive else ""),
            len(seen[name].times) if name in seen else 0,
            here=name == visit.dashboard.machine,
            standing=seen.get(name) or _by_heartbeat(seen, alive.get(name)),
            pulse=alive.get(name),
            shade=f"hue-{shades[name]}",
        )
        for name in names
    ]
    return sorted(rows, key=lambda each: (each.last_seen, each.latest_note), reverse=True)


def _by_heartbeat(
    seen: Mapping[str, MachineStanding], pulse: Machine | None
) -> MachineStanding | None:
    """How a machine stands that is not in the history, by when it last synced."""
    if pulse is None or not pulse.last_sync:
        return None
    times = (at for each in seen.values() for at in each.times)
    return MachineStanding(behind=sum(seconds_of(at) > seconds_of(pulse.last_sync) for at in times))


def _last(standing: MachineStanding | None) -> str:
    return standing.times[0] if standing and standing.times else ""


def _weeks(visit: Visit, names: Sequence[str]) -> Chart:
    """The notes that each machine made in the latest weeks."""
    today = datetime.now(UTC).date()
    first = today - timedelta(days=today.weekday(), weeks=_WEEKS - 1)
    everything = NoteFilter(state="all")
    counted = visit.dashboard.counts.days(everything, since=first.isoformat(), by="machine")
    slices = []
    for at in range(_WEEKS):
        monday = first + timedelta(weeks=at)
        days = {(monday + timedelta(days=day)).isoformat() for day in range(7)}
        made = {name: sum(counted.get((day, name), 0) for day in days) for name in names}
        every = sum(number for (day, _), number in counted.items() if day in days)
        slices.append(
            charts.Slice(
                name=f"{monday.day} {monday:%b %Y}",
                label=f"{monday.day} {monday:%b}",
                address=f"/timeline#week-{monday.isoformat()}",
                counts={**made, _OTHERS: every - sum(made.values())},
            )
        )
    return charts.stacked(slices, [*names, _OTHERS])


def _is_alarm(line: HealthLine) -> bool:
    return line.name in ("sync", "fleet", "conflicts", "history") and line.tone != "well"
