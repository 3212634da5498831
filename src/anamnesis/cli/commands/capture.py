"""Turn a session into one episodic note: a hook for SessionEnd, PreCompact, PostCompact and Stop.

The client's payload is read from standard input. Always exits 0; errors are in the log, in
`anamnesis status`, and at the top of the next injection.
"""

from __future__ import annotations

import os
import sys

from anamnesis.cli import hooks
from anamnesis.config import home_directory, is_ephemeral
from anamnesis.ground.counting import counted
from anamnesis.hooks import payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from anamnesis.config import Home

EXAMPLES = """\
examples:
  anamnesis capture --transcript session.jsonl --no-sync
  anamnesis capture --backfill --since 30d
  anamnesis capture --again --project .      # preview which notes would change
"""
OPTIONS = {
    "--transcript": hooks.Option("the transcript; default: the one in the payload", metavar="FILE"),
    "--project": hooks.Option("the project; default: the session's", metavar="KEY"),
    "--source": hooks.Option(
        "session-end, precompact, postcompact or checkpoint; default: from the payload's event",
        metavar="MOMENT",
    ),
    "--no-sync": hooks.Option("do not sync afterwards", is_flag=True),
    "--detach": hooks.Option("run in the background", is_flag=True),
    "--inject-again": hooks.Option(
        "inject again with the next prompt, for clients that do not ask for it", is_flag=True
    ),
    "--payload": hooks.Option("read the payload from a file", metavar="FILE"),
    "--sweep": hooks.Option("capture the sessions that ended without a hook", is_flag=True),
    "--backfill": hooks.Option("capture all transcripts on this machine", is_flag=True),
    "--since": hooks.Option("with --backfill: 30d, or a date such as 2026-01-31", metavar="WHEN"),
    "--again": hooks.Option(
        "rebuild session notes from the archive; shows a preview", is_flag=True
    ),
    "--apply": hooks.Option("with --again: write the notes", is_flag=True),
}
# Where a hook may report what it did: elsewhere clients treat output as an answer. What PreCompact
# prints, for example, becomes part of the instructions for the summary.
_SPOKEN_EVENTS = frozenset({"", "SessionEnd"})


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    hooks.declare(parser, OPTIONS)


def run_hook(arguments: Sequence[str]) -> int:
    """Capture as the options ask."""
    options = hooks.Options(OPTIONS, arguments)
    if options.flag("--backfill"):  # run by hand: errors are shown
        sys.stdout.write(_backfill(home_directory(), options))
        return 0
    if options.flag("--again"):
        _capture_again(options)
        return 0
    return hooks.guarded("capture", lambda: _capture(options), area="capture")


def run(args: Namespace) -> int:
    """Capture, with options that argparse has parsed."""
    values = {name: getattr(args, name[2:].replace("-", "_"), None) for name in OPTIONS}
    arguments = [
        name if value is True else f"{name}={value}" for name, value in values.items() if value
    ]
    return run_hook(arguments)


def _capture(options: hooks.Options) -> str:
    home = home_directory()
    if options.flag("--sweep"):
        return _sweep(home, options)
    spooled = options.text("--payload")
    data = _take(spooled) if spooled else payload.read_bytes()
    hook = payload.parse(data) if data.strip() else payload.from_environment()
    if options.flag("--detach") and (
        _is_off(home, hook) or _went_to_background(home, data, options)
    ):
        return ""
    return _capture_one(home, hook, options)


def _is_off(home: Home, hook: payload.Payload) -> bool:
    """Whether memory is switched off now; by the time the background runs it might be on."""
    from anamnesis.hooks import runs, switches

    off = switches.why_off_now(home, hook.cwd)
    if off:
        switches.stand_back(home, hook.session_id)
        runs.note_run(home, "capture", did=off, session=hook.session_id)
    return bool(off)


def _capture_one(home: Home, hook: payload.Payload, options: hooks.Options) -> str:
    from anamnesis.hooks import news, runs
    from anamnesis.operations.sessions.capture import capture, source_of

    captured = capture(
        home,
        hook,
        source=options.text("--source") or source_of(hook),
        transcript=options.text("--transcript"),
        project=hooks.project_named(options.text("--project")),
        # The hook looked before it went to the background; nothing is said after the end.
        was_on=bool(options.text("--payload")) and hook.event == "SessionEnd",
    )
    if options.flag("--inject-again"):
        news.owe_memory(home, hook.session_id)
    note = captured.note
    about = f" ({note.project}: {' '.join(note.title.split())})" if note else ""
    # Without the title: a log must not outlive what is forgotten.
    did = f"{captured.message} ({note.project}: {note.id})" if note else captured.message
    runs.note_run(home, "capture", did=did, session=hook.session_id)
    runs.worked(home, "capture")
    is_over = hook.event in _SPOKEN_EVENTS
    if (note and not options.flag("--no-sync")) or ((note or is_over) and is_ephemeral()):
        _sync()
        from anamnesis.operations.machine import checkouts
        from anamnesis.operations.notes.anchors import look_at_code

        checkouts.learn(home, hook.cwd or ".")
        look_at_code(home, hook.cwd or ".")
    if note:
        from anamnesis.operations.sessions.capture import reflect_in_background

        reflect_in_background(home)
    return f"capture: {captured.message}{about}\n" if is_over else ""


def _sweep(home: Home, options: hooks.Options) -> str:
    from anamnesis.hooks import runs
    from anamnesis.operations.sessions.sweep import sweep

    swept = sweep(home)
    did = f"sweep: {swept.written} of {swept.looked_at} sessions that no hook had captured"
    runs.note_run(home, "capture", did=did, failed=bool(swept.failed))
    if swept.written and not options.flag("--no-sync"):
        _sync()
    return ""


def _backfill(home: Home, options: hooks.Options) -> str:
    from anamnesis.cli import output
    from anamnesis.ground.clock import since
    from anamnesis.hooks import runs
    from anamnesis.operations.sessions.sweep import backfill

    with output.progress("reading transcripts") as progress:
        done = backfill(home, since=since(options.text("--since") or ""), progress=progress)
    did = (
        f"{counted(done.looked_at, 'transcript')}: {counted(done.written, 'note')} written, "
        f"{done.skipped} skipped (trivial, paused or ignored), {done.failed} failed"
    )
    runs.note_run(home, "capture", did=f"backfill: {did}", failed=bool(done.failed))
    if done.written and not options.flag("--no-sync"):
        _sync()
    return f"backfill: {did}\n"


def _capture_again(options: hooks.Options) -> None:
    from anamnesis.cli import arguments, output, tables
    from anamnesis.operations.sessions.recapture import plan_again, write_again

    with arguments.store_to_change("capture") as store:
        project = arguments.project_of(options.text("--project"), store=store)
        with output.progress("reading sessions") as progress:
            plan = plan_again(store, project=project, progress=progress)
        unit = write_again(store, plan) if options.flag("--apply") else None
    for each in plan.remade:
        old, new = each.before.note, each.after
        output.say(tables.note_line(old))
        if new.title != old.title:
            output.say(f"       new title: {new.title}")
    for reason, number in sorted(plan.left.items()):
        output.talk(f"capture: {counted(number, 'note')} left unchanged: {reason}")
    if unit is not None:
        output.say(f"capture: {unit.summary}")
        output.talk(f"undo it:  anamnesis undo {unit.id}")
        if not options.flag("--no-sync"):
            _sync()
    elif plan.remade:
        would = counted(len(plan.remade), "note")
        output.talk(f"{would} would change; to write them:  anamnesis capture --again --apply")
    else:
        output.say("capture: no note would change")


def _take(path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    if os.path.basename(os.path.dirname(path)) == "spool":
        os.unlink(path)
    return data


def _went_to_background(home: Home, data: bytes, options: hooks.Options) -> bool:
    """Pass the payload on in a file: anyone could read a command line."""
    from anamnesis.ground import atomic
    from anamnesis.ground.errors import NotWritable
    from anamnesis.hooks import background

    spooled = home.spool(f"{os.getpid()}-{os.urandom(6).hex()}.json")
    passed_on = ("--transcript", "--project", "--source")
    arguments = ["capture", f"--payload={spooled}"]
    arguments += [f"{name}={value}" for name in passed_on if (value := options.text(name))]
    arguments += [name for name in ("--no-sync", "--inject-again") if options.flag(name)]
    try:
        atomic.write_bytes(spooled, data)
        (background.complete if is_ephemeral() else background.start)(arguments)
    except (NotWritable, OSError):
        return False
    return True


def _sync() -> None:
    """Sync in the background; an ephemeral machine waits until the note has been pushed."""
    from anamnesis.hooks import background

    (background.complete if is_ephemeral() else background.start)(["sync"])
