"""The command line: a table of commands, each loaded only when it is called."""

from __future__ import annotations

import os
import sys

from anamnesis.ground.errors import (
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    AnamnesisError,
    CutBytecode,
    NotWritable,
    SeveralMatch,
    drop_cut_bytecode,
    reason_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import TextIO

# heading -> command -> what it does, in the order that `anamnesis --help` shows. A command lives in
# cli/commands/<name with _ for ->.py, unless _MODULES says otherwise, and is imported only when
# it runs.
GROUPS = {
    "Every day": {
        "search": "search notes: words or a whole question",
        "write": "write a note",
        "show": "print one note",
        "list": "list notes, newest first",
        "edit": "edit a note in $EDITOR",
        "sessions": "read and search sessions word for word",
        "how": "find commands that worked before",
        "standup": "summarise recent work by project",
        "dashboard": "browse and edit notes in a browser",
        "status": "show counts, sync state and anything that needs you",
        "sync": "exchange notes with your other machines",
    },
    "Notes": {
        "review": "keep or reject notes that you have not reviewed yet",
        "delete": "delete notes",
        "undo": "undo a change: a delete, an edit, an import, …",
        "history": "list the versions of a note",
        "diff": "show what changed in a note",
        "restore": "restore an earlier version of a note",
        "log": "list recent changes to all notes",
        "pin": "pin notes: every session gets them",
        "unpin": "unpin notes",
        "move": "make notes local only, or sync them again",
        "merge": "merge several notes into one",
        "dedup": "find and merge duplicate notes",
        "stale": "list notes that mention code that no longer exists",
        "reflect": "distil session notes into durable ones",
        "forget": "remove notes from all machines for good",
        "import": "import notes from other programs",
        "export": "export notes to files",
    },
    "Repositories": {
        "share": "put a copy of notes into the repository",
        "unshare": "take shared notes out of the repository again",
        "bridge": "keep a repository's notes in AGENTS.md and its like",
        "check": "check the notes that a repository carries",
    },
    "Machines": {
        "host": "host the repository that your other machines join",
        "join": "join an existing store from another machine",
        "remote": "show, set, create or seal the shared repository",
        "attach": "use the store in a container or CI job",
        "machines": "list your machines; approve or revoke one",
        "conflicts": "choose between versions of a note edited on two machines",
    },
    "Care": {
        "doctor": "check everything and suggest fixes",
        "project": "show which project a directory belongs to",
        "trust": "show which notes sessions get, by author",
        "pause": "stop capturing and recalling for a while",
        "resume": "start capturing and recalling again",
        "reindex": "rebuild the index from the files",
        "embed": "compute vectors for search by meaning",
    },
    "Set-up": {
        "init": "set this machine up: store, hooks, MCP server, first sync",
        "config": "show and change the settings of this machine",
        "completion": "complete commands, options and ids in your shell",
        "uninstall": "undo what init added; your notes stay",
    },
    "Hooks and one-offs": {
        "serve": "run the MCP server for an agent",
        "inject": "hook: notes for the start of a session",
        "recall-hook": "hook: notes that answer a prompt",
        "failure-hook": "hook: what helped when a command failed before",
        "capture": "hook: turn a session, or old transcripts, into notes",
        "migrate": "rename projects in their notes",
        "backfill-provenance": "record where old notes came from",
    },
}
COMMANDS = {name: what for group in GROUPS.values() for name, what in group.items()}
_MODULES = {
    "import": "import_",
    "unpin": "pin",
    "resume": "pause",
    "unshare": "share",
}  # `import` is a keyword
# These never fail and parse their options themselves: argparse exits 2, which blocks a client.
HOOKS = frozenset({"inject", "recall-hook", "failure-hook", "capture"})
_MOMENTS = HOOKS - {"capture"}  # the client waits for these


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code.

    With the arguments of the process, one that a client waits for ends the process here.
    """
    if argv is not None:
        return _ended(list(argv))
    arguments = list(map(_decoded, sys.argv[1:]))
    code = _ended(arguments)
    if not _MOMENTS.isdisjoint(arguments[:1]) or "--detach" in arguments:
        _leave(code)
    return code


def _leave(code: int) -> None:
    """Exit without tearing Python down first, which costs a hook a tenth of its time."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return  # the interpreter reports what is wrong with them
    os._exit(code)


def _ended(arguments: list[str]) -> int:
    sys.stdout, sys.stderr = _able(sys.stdout), _able(sys.stderr)
    try:
        code = _run(arguments)
        if arguments[:1] and arguments[0] not in HOOKS:  # hooks flush on their own
            sys.stdout.flush()
    except AnamnesisError as error:
        named = _picked(arguments, error)
        return _ended(named) if named else _complain(arguments, error)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of the output is gone, as with `head`.
        _drop_output()
        return 0
    except EOFError as error:
        if not drop_cut_bytecode(error):
            raise
        code = _complain(arguments, CutBytecode())
        return 0 if arguments and arguments[0] in HOOKS else code
    except OSError as error:
        trouble = _disk_trouble(error)
        if trouble is None:
            raise
        return _complain(arguments, trouble)
    return code


def _able(stream: TextIO | None) -> TextIO:
    """A standard stream that can print any text; a closed one discards it."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # stays open until the process ends
    known = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
    if known != "utf8" and hasattr(stream, "reconfigure"):
        if stream.isatty() or os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8")  # a file or a program: our data is UTF-8
    return stream


def _decoded(argument: str) -> str:
    """An argument as UTF-8, even if the locale cannot represent it."""
    try:
        argument.encode()
    except UnicodeEncodeError:  # bytes that the locale has no characters for
        return os.fsencode(argument).decode("utf-8", "replace")
    return argument


def _complain(arguments: Sequence[str], error: AnamnesisError) -> int:
    from anamnesis.cli import output

    output.complain(arguments[0] if arguments else "anamnesis", error)
    return error.exit_code


def _picked(arguments: list[str], error: AnamnesisError) -> list[str]:
    """The same command for the note that you pick of several; empty if you cannot be asked."""
    if not isinstance(error, SeveralMatch) or error.given not in arguments:
        return []
    if arguments[0] in HOOKS or not sys.stderr.isatty():
        return []
    from anamnesis.cli import note_picker

    note_id = note_picker.one_of(error.ids)
    return [note_id if each == error.given else each for each in arguments] if note_id else []


def _disk_trouble(error: OSError) -> AnamnesisError | None:
    """What to say of a disk that is full or read-only; None for any other error."""
    import errno

    if "usable temporary directory" in (error.strerror or ""):
        return AnamnesisError(
            "Cannot create a temporary file: the disk is full or read-only.",
            hint="Free some space, or set TMPDIR to a folder on another disk.",
        )
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS):
        return None
    if error.filename is None:
        _drop_output()
        return AnamnesisError("Cannot write the output: the disk is full.")
    return NotWritable(os.fsdecode(error.filename), reason=reason_of(error))


def _drop_output() -> None:
    """Discard what is still in the buffer, so that the interpreter ends quietly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["help"] and arguments[1:]:
        arguments = [arguments[1], "--help"]
    name = arguments[0] if arguments else _default()
    if name in HOOKS and not {"-h", "--help"} & set(arguments):
        if name in _MOMENTS:
            import gc

            gc.disable()  # a hook keeps everything until it exits
        return int(command(name).run_hook(arguments[1:]))
    if name in COMMANDS:
        return _run_command(name, arguments[1:])
    if name in ("-V", "--version"):
        from anamnesis import __version__

        sys.stdout.write(f"anamnesis {__version__}\n")
        return 0
    from anamnesis.cli import reference

    if name in ("-h", "--help", "help"):
        sys.stdout.write(reference.overview())
        return 0
    sys.stderr.write(reference.unknown(name))
    return EXIT_USAGE


def _default() -> str:
    """What runs without a command: the server for an agent, the overview for a person.

    An agent holds both ends; `anamnesis | less` has a terminal at one of them.
    """
    for stream in (sys.stdin, sys.stdout):
        if stream is not None and stream.isatty():
            return "--help"
    return "serve"


def _run_command(name: str, options: list[str]) -> int:
    if name == "sync" and "--detach" in options:
        from anamnesis.cli import detached_sync

        if (code := detached_sync.sync(options)) is not None:
            return code
    run_plain = getattr(command(name), "run_plain", None)
    if run_plain is not None and not options:
        return int(run_plain())
    return int(command(name).run(command_parser(name).parse_args(options)))


def command(name: str) -> ModuleType:
    """The module of a command."""
    module = f"anamnesis.cli.commands.{_MODULES.get(name, name.replace('-', '_'))}"
    __import__(module)  # importlib would load `warnings` for every hook
    return sys.modules[module]


def command_parser(name: str) -> ArgumentParser:
    """The argument parser of a command."""
    from anamnesis.cli.arguments import Parser

    module = command(name)
    opposite = getattr(module, "OPPOSITE", None) if name in _MODULES else None
    parser = Parser(
        prog=f"anamnesis {name}",
        description=(opposite or module.__doc__ or "").strip(),
        epilog=getattr(module, "EXAMPLES", None),
    )
    parser.set_defaults(invoked_as=name)  # for a module that has two commands
    module.add_arguments(parser)
    if name not in HOOKS:
        parser.add_color()
    return parser


def __getattr__(name: str) -> Callable[[Namespace], int]:
    """`cmd_inject` and the like: the function of a command, loaded on first use."""
    if name.startswith("cmd_") and (known := name[4:].replace("_", "-")) in COMMANDS:
        run: Callable[[Namespace], int] = command(known).run
        return run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
