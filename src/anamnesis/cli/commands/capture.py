"""Turn a session into one episodic note: a hook for SessionEnd, PreCompact, PostCompact and Stop.

The client's payload is read from standard input. Always exits 0; what went wrong is in the log,
in `anamnesis status`, and at the head of the next injection.
"""

from __future__ import annotations

import os
import sys

from anamnesis.cli import hooks
from anamnesis.config import home_directory
from anamnesis.ground.counting import counted
from anamnesis.hooks import payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from anamnesis.ground.home import Home

EXAMPLES = """\
examples:
  anamnesis capture --transcript session.jsonl --no-sync
  anamnesis capture --backfill --since 30d
"""
OPTIONS = {
    "--transcript": hooks.Option("the transcript; default: that of the payload", metavar="FILE"),
    "--project": hooks.Option("the project; default: that of the session", metavar="KEY"),
    "--source": hooks.Option(
        "session-end, precompact, postcompact or checkpoint; default: by the payload's event",
        metavar="MOMENT",
    ),
    "--no-sync": hooks.Option("leave the note to the next sync", is_flag=True),
    "--detach": hooks.Option("go on in the background, so that nobody waits", is_flag=True),
    "--inject-again": hooks.Option(
        "give the memory again with the next prompt, for clients that do not ask", is_flag=True
    ),
    "--payload": hooks.Option("take the payload from a file", metavar="FILE"),
    "--sweep": hooks.Option("capture the sessions that ended without a hook", is_flag=True),
    "--backfill": hooks.Option("capture all transcripts on this machine", is_flag=True),
    "--since": hooks.Option("with --backfill: 30d, or a date such as 2026-01-31", metavar="WHEN"),
}
# Where a hook may say what it did: elsewhere clients take output for an answer. What PreCompact
# prints, for example, becomes a part of the instructions for the summary.
_SPOKEN_EVENTS = frozenset({"", "SessionEnd"})


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    hooks.declare(parser, OPTIONS)


def run_hook(arguments: Sequence[str]) -> int:
    """Capture, in whichever way the options say."""
    options = hooks.Options(OPTIONS, arguments)
    if options.flag("--backfill"):  # no hook, but a person, who is told what goes wrong
        sys.stdout.write(_backfill(home_directory(), options))
        return 0
    return hooks.guarded("capture", lambda: _capture(options), area="capture")


def run(args: Namespace) -> int:
    """Capture, the options being parsed already."""
    given = {name: getattr(args, name[2:].replace("-", "_"), None) for name in OPTIONS}
    arguments = [
        name if value is True else f"{name}={value}" for name, value in given.items() if value
    ]
    return run_hook(arguments)


def _capture(options: hooks.Options) -> str:
    home = home_directory()
    if options.flag("--sweep"):
        return _sweep(home, options)
    spooled = options.text("--payload")
    data = _take(spooled) if spooled else payload.read_bytes()
    if options.flag("--detach") and _went_to_background(home, data, options):
        return ""
    told = payload.parse(data) if data.strip() else payload.from_environment()
    return _capture_one(home, told, options)


def _capture_one(home: Home, told: payload.Payload, options: hooks.Options) -> str:
    from anamnesis.hooks import again, runs
    from anamnesis.operations.sessions.capture import capture, source_of

    captured = capture(
        home,
        told,
        source=options.text("--source") or source_of(told),
        transcript=options.text("--transcript"),
        project=options.text("--project"),
    )
    if options.flag("--inject-again"):
        again.promise(home, told.session_id)
    note = captured.note
    about = f" ({note.project}: {' '.join(note.title.split())})" if note else ""
    runs.note_run(home, "capture", did=captured.said + about, session=told.session_id)
    runs.worked(home, "capture")
    if note and not options.flag("--no-sync"):
        _sync()
    if note:
        from anamnesis.operations.curate.upkeep import reflect_in_background

        reflect_in_background(home)
    return f"capture: {captured.said}{about}\n" if told.event in _SPOKEN_EVENTS else ""


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


def _take(path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    if os.path.basename(os.path.dirname(path)) == "spool":
        os.unlink(path)
    return data


def _went_to_background(home: Home, data: bytes, options: hooks.Options) -> bool:
    """Hand the payload over in a file: a command line could be read by anybody."""
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
        background.start(arguments)
    except (NotWritable, OSError):
        return False
    return True


def _sync() -> None:
    """Let the note travel, in the background."""
    from anamnesis.hooks import background

    background.start(["sync"])
