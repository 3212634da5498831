"""How the machines of a fleet are listed."""

from __future__ import annotations

from anamnesis.cli import output
from anamnesis.config import home_directory, resolve_machine_id
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.travel import fleet


def show(*, forget: str | None, as_json: bool) -> int:
    """Print every machine that has reported, after forgetting one if asked to."""
    home = home_directory()
    if forget and not fleet.forget(home, forget):
        raise InvalidInput(f"No machine is called {forget}.", hint="anamnesis status --fleet")
    found = fleet.machines(home)
    if as_json:
        output.say_json([_as_json(machine) for machine in found])
        return 0
    if not found:
        output.talk("No machine has reported yet; each one reports when it syncs")
    for machine in found:
        output.say(_line(machine))
    return 0


def _as_json(machine: fleet.Machine) -> dict[str, object]:
    return {name: getattr(machine, name) for name in fleet.FIELDS}


def _line(machine: fleet.Machine) -> str:
    is_renamed = machine.name != machine.machine
    name = f"{machine.name} ({machine.machine})" if is_renamed else machine.name
    facts = [
        f"{name:<24} anamnesis {machine.version}",
        f"seen {machine.seen}",
        f"last capture {machine.last_capture or 'never'}",
    ]
    facts += [f"{machine.pending} held"] if machine.pending else []
    facts += [machine.last_error] if machine.last_error else []
    facts += ["this machine"] if machine.machine == resolve_machine_id() else []
    return ", ".join(facts)
