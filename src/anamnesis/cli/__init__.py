"""The command line: a table of commands, each loaded only when it is called."""

from __future__ import annotations

import sys

from anamnesis.ground.errors import EXIT_INTERRUPTED, EXIT_USAGE, AnamnesisError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence
    from types import ModuleType

# name -> what it does, in the order that `anamnesis --help` shows. A command lives in
# cli/commands/<name with _ for ->.py and is imported only when it runs.
COMMANDS = {
    "init": "set this machine up: store, hooks, MCP server, first sync",
    "join": "join an existing store from another machine",
    "host": "let this machine keep the repository that the others join",
    "doctor": "check everything and say how to fix it",
    "uninstall": "take back what init added; the notes stay",
    "config": "show and change the settings of this machine",
    "write": "write a note",
    "show": "print one note",
    "edit": "edit a note in $EDITOR",
    "list": "list notes, newest first",
    "search": "find notes by what they say",
    "delete": "delete a note",
    "move": "keep a note on this machine, or let it travel",
    "dashboard": "see and edit the notes in a browser",
    "status": "counts, sync, and what needs your attention",
    "reindex": "build the index anew from the files",
    "embed": "prepare notes for recall by what they say",
    "serve": "serve the memory tools to an agent (MCP); the default",
    "sync": "exchange notes with your other machines",
    "remote": "show, name or create the repository that the machines share",
    "conflicts": "choose between versions of a note edited on two machines",
    "history": "list the versions of a note",
    "diff": "show what changed in a note",
    "restore": "bring an earlier version of a note back",
    "undo": "take back a change: a delete, an edit, an import, …",
    "log": "list the last changes of all notes",
    "inject": "hook: what a session starts with",
    "recall-hook": "hook: the notes that answer a prompt",
    "capture": "hook: a session becomes a note; or old transcripts do",
    "reflect": "distil session notes into durable ones",
    "review": "keep or reject notes that no person has seen",
    "trust": "show which notes sessions are given, by who wrote them",
    "dedup": "fold notes that say the same",
    "merge": "make one note of several",
    "pin": "protect notes from being replaced",
    "unpin": "take a pin back",
    "stale": "notes that name what the project no longer has",
    "forget": "remove notes on all machines, for good",
    "migrate": "give the notes of a project another key",
    "backfill-provenance": "say where old notes came from",
    "import": "take in notes of other programs",
    "export": "write the notes for elsewhere",
    "eval": "measure how well recall finds notes",
    "pause": "remember and recall nothing for a while",
    "resume": "remember and recall again",
}
# These never fail and parse their options themselves: argparse exits 2, which blocks a client.
HOOKS = frozenset({"inject", "recall-hook", "capture"})


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code."""
    from anamnesis.cli import streams

    streams.prepare()
    arguments = streams.decoded(sys.argv[1:]) if argv is None else list(argv)
    try:
        code = _run(arguments)
        if arguments[:1] and arguments[0] not in HOOKS:  # which look after that themselves
            sys.stdout.flush()
    except AnamnesisError as error:
        return _complain(arguments, error)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; there is nobody to tell.
        _drop_output()
        return 0
    except OSError as error:
        if error.filename is not None or not _is_full(error):
            raise
        _drop_output()
        return _complain(arguments, AnamnesisError("The output could not be written: disk full."))
    return code


def _complain(arguments: Sequence[str], error: AnamnesisError) -> int:
    from anamnesis.cli import output

    output.complain(arguments[0] if arguments else "anamnesis", error)
    return error.exit_code


def _is_full(error: OSError) -> bool:
    import errno

    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _drop_output() -> None:
    """Let what is still in the buffer go nowhere, so that the interpreter ends quietly."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["help"] and arguments[1:]:
        arguments = [arguments[1], "--help"]
    name = arguments[0] if arguments else "serve"
    if name in HOOKS and not {"-h", "--help"} & set(arguments):
        return int(command(name).run_hook(arguments[1:]))
    if name in COMMANDS:
        return _run_command(name, arguments[1:])
    if name == "--version":
        from anamnesis import __version__

        sys.stdout.write(f"anamnesis {__version__}\n")
        return 0
    from anamnesis.cli import overview

    if name in ("-h", "--help", "help"):
        sys.stdout.write(overview.text(COMMANDS))
        return 0
    sys.stderr.write(overview.unknown(name, COMMANDS))
    return EXIT_USAGE


def _run_command(name: str, options: list[str]) -> int:
    if name == "sync" and "--detach" in options:
        from anamnesis.cli import detached

        if (code := detached.sync(options)) is not None:
            return code
    run_plain = getattr(command(name), "run_plain", None)
    if run_plain is not None and not options:
        return int(run_plain())
    return int(command(name).run(command_parser(name).parse_args(options)))


def command(name: str) -> ModuleType:
    """The module of a command."""
    from importlib import import_module

    module = {"import": "import_"}.get(name, name.replace("-", "_"))  # `import` names no module
    return import_module(f"anamnesis.cli.commands.{module}")


def command_parser(name: str) -> ArgumentParser:
    """The argument parser of a command."""
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    module = command(name)
    parser = ArgumentParser(
        prog=f"anamnesis {name}",
        description=(module.__doc__ or "").strip(),
        epilog=getattr(module, "EXAMPLES", None),
        formatter_class=RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    return parser


def __getattr__(name: str) -> Callable[[Namespace], int]:
    """`cmd_inject` and the like: the function of a command, loaded when it is asked for."""
    if name.startswith("cmd_") and (known := name[4:].replace("_", "-")) in COMMANDS:
        run: Callable[[Namespace], int] = command(known).run
        return run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
