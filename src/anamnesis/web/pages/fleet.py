"""The machines that share these notes: what each did, its sync state, and syncing now."""

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
from anamnesis.web.formatting import hues, plural
from anamnesis.web.pages import background

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response

    from anamnesis.operations.travel.fleet import Machine
    from anamnesis.web.charts import Chart
    from anamnesis.web.health import HealthLine
    from anamnesis.web.request import Visit

_WEEKS = 12
_CHARTED = 8  # machines that get their own colour
_OTHERS = "others"
_LINKED = 3  # received notes that the notice links to


@dataclass(frozen=True, slots=True)
class MachineRow:
    """What this machine knows about a machine."""

    name: str
    notes: int
    latest_note: str
    last_seen: str  # by its commits and heartbeats; empty if never
    versions: int
    is_here: bool
    standing: MachineStanding | None  # None if neither the history nor a heartbeat tells
    heartbeat: Machine | None
    shade: str


def show(visit: Visit) -> Response:
    """All machines, the sync state of this one, and how to add another."""
    rows = machines(visit)
    chart = _weeks(visit, [row.name for row in rows[:_CHARTED]])
    return visit.page(
        "fleet.html",
        machines=rows,
        state=visit.dashboard.sync_state(),
        sealed=sealed.is_sealed(),
        alarms=[line for line in health.quick_checks(visit.dashboard) if _is_alarm(line)],
        chart=chart,
        shade={_OTHERS: "hue-others", **{row.name: row.shade for row in rows}},
    )


def sync(visit: Visit) -> Response:
    """Sync now; the notice sums up the result."""
    visit.dashboard.recorder.flush()
    return background.run(
        visit, "Syncing", lambda _: _sync_notes(visit), back=visit.return_address("/fleet")
    )


def approve(visit: Visit) -> Response:
    """Admit a machine to the sealed remote; the notice shows the code to type there."""
    visit.require_fresh("which machines can read your notes")
    visit.confirm()
    code = "".join(visit.value("code").split())

    def admit(_: object) -> Notice:
        return Notice(f"Approved. Type this code on that machine: {sealed.approve(code)}")

    return background.run(visit, "Sealing the notes for one more machine", admit, back="/fleet")


def _sync_notes(visit: Visit) -> Notice:
    result = sync_now(store=visit.store).result
    visit.dashboard.sync_state.measured()  # so that the page shows the new state
    if result.error or result.offline:
        reason = result.detail.removeprefix("offline: ")
        return Notice(f"Not synced: {reason}. {result.hint}".strip(), "trouble")
    text = f"Synced: {result.sent:,} sent, {result.received:,} received."
    remark = result.detail.removeprefix("synced").removeprefix("; ")
    if remark and not result.conflicts:
        text += f" {remark[:1].upper()}{remark[1:]}."
    received = [path.rpartition("/")[2].removesuffix(".md") for path in result.changed]
    titles_by_id = titles(visit.store, received[:_LINKED])
    links = [(title or "Untitled", f"/notes/{note_id}") for note_id, title in titles_by_id.items()]
    if result.conflicts:
        number = plural(len(result.conflicts), "conflict")
        links.insert(0, (f"Resolve {number}", "/conflicts"))
    return Notice(text, "trouble" if result.conflicts else "done", links=tuple(links))


def machines(visit: Visit) -> list[MachineRow]:
    """All machines that wrote a note or a version, the most recently seen first."""
    home = visit.dashboard.home
    standing = standings(home, fetched=bool(visit.dashboard.sync_state().behind))
    heartbeat = {each.machine: each for each in heartbeats.machines(home)}
    notes = {name: (number, last) for name, number, last in visit.dashboard.counts.machines()}
    others = [name for name in (*notes, *standing, *heartbeat) if name != UNKNOWN_MACHINE]
    names = dict.fromkeys([visit.dashboard.machine, *others])
    shades = hues(sorted(names))
    rows = [
        MachineRow(
            name,
            *notes.get(name, (0, "")),
            max(_last(standing.get(name)), heartbeat[name].seen if name in heartbeat else ""),
            len(standing[name].times) if name in standing else 0,
            is_here=name == visit.dashboard.machine,
            standing=standing.get(name) or _by_heartbeat(standing, heartbeat.get(name)),
            heartbeat=heartbeat.get(name),
            shade=f"hue-{shades[name]}",
        )
        for name in names
    ]
    return sorted(rows, key=lambda each: (each.last_seen, each.latest_note), reverse=True)


def _by_heartbeat(
    standing: Mapping[str, MachineStanding], heartbeat: Machine | None
) -> MachineStanding | None:
    """The standing of a machine that is not in the history, by its last sync."""
    if heartbeat is None or not heartbeat.last_sync:
        return None
    last_sync = seconds_of(heartbeat.last_sync)
    times = (at for each in standing.values() for at in each.times)
    return MachineStanding(behind=sum(seconds_of(at) > last_sync for at in times))


def _last(standing: MachineStanding | None) -> str:
    return standing.times[0] if standing and standing.times else ""


def _weeks(visit: Visit, names: Sequence[str]) -> Chart:
    """The notes that each machine created in the latest weeks."""
    today = datetime.now(UTC).date()
    first = today - timedelta(days=today.weekday(), weeks=_WEEKS - 1)
    everything = NoteFilter(state="all")
    counts = visit.dashboard.counts.days(everything, since=first.isoformat(), by="machine")
    slices = []
    for at in range(_WEEKS):
        monday = first + timedelta(weeks=at)
        days = {(monday + timedelta(days=day)).isoformat() for day in range(7)}
        shares = {name: sum(counts.get((day, name), 0) for day in days) for name in names}
        total = sum(number for (day, _), number in counts.items() if day in days)
        slices.append(
            charts.Slice(
                name=f"{monday.day} {monday:%b %Y}",
                label=f"{monday.day} {monday:%b}",
                address=f"/timeline#week-{monday.isoformat()}",
                counts={**shares, _OTHERS: total - sum(shares.values())},
            )
        )
    return charts.stacked(slices, [*names, _OTHERS])


def _is_alarm(line: HealthLine) -> bool:
    return line.name in ("sync", "fleet", "conflicts", "history") and line.tone != "well"
