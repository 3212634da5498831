"""Print a completion script for your shell: commands, options, their values and note ids."""

from __future__ import annotations

import os
import sys
from argparse import REMAINDER, SUPPRESS
from typing import TYPE_CHECKING

from anamnesis.cli import COMMANDS, command_parser, output
from anamnesis.cli.arguments import subparsers
from anamnesis.config import home_directory
from anamnesis.ground.errors import InvalidInput

if TYPE_CHECKING:
    from argparse import Action, ArgumentParser, Namespace
    from collections.abc import Sequence

EXAMPLES = """\
examples:
  anamnesis completion bash >> ~/.bash_completion
  anamnesis completion zsh > "${fpath[1]}/_anamnesis"
  anamnesis completion fish > ~/.config/fish/completions/anamnesis.fish
"""
# Each script only asks this command what fits, so that no script goes out of date.
_SCRIPTS = {
    "bash": """\
_anamnesis() {
    local IFS=$'\\n' line=("${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=($(anamnesis completion --complete "${line[@]}" 2>/dev/null | cut -f1))
    [[ ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _anamnesis anamnesis
""",
    "zsh": """\
#compdef anamnesis
_anamnesis() {
    local -a lines found
    lines=("${(@f)$(anamnesis completion --complete "${(@)words[2,$CURRENT]}" 2>/dev/null)}")
    local line meaning
    for line in $lines; do
        meaning=${${line#*$'\\t'}#$line}
        [[ -n $line ]] && found+=("${${line%%$'\\t'*}//:/\\\\:}${meaning:+:$meaning}")
    done
    if (( $#found )); then _describe -V anamnesis found; else _files; fi
}
if [[ $funcstack[1] == _anamnesis ]]; then _anamnesis "$@"; else compdef _anamnesis anamnesis; fi
""",
    "fish": """\
function __anamnesis_complete
    set -l line (commandline -opc) (commandline -ct)
    anamnesis completion --complete $line[2..-1] 2>/dev/null
end
complete -c anamnesis -f -a '(__anamnesis_complete)'
complete -c anamnesis -n '__fish_seen_subcommand_from import export write merge' -F
""",
}
_RECENT = 30  # notes whose ids are offered


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("shell", nargs="?", choices=sorted(_SCRIPTS), help="bash, zsh or fish")
    parser.add_argument("--complete", nargs=REMAINDER, help=SUPPRESS)


def run(args: Namespace) -> int:
    """Print the script, or the candidates for a command line."""
    if args.complete is not None:
        for name, meaning in candidates(args.complete):
            output.say(f"{name}\t{' '.join(meaning.split())}")
    elif args.shell:
        sys.stdout.write(_SCRIPTS[args.shell])
    else:
        raise InvalidInput("Which shell?", hint="anamnesis completion bash|zsh|fish")
    return 0


def candidates(words: Sequence[str]) -> list[tuple[str, str]]:
    """What the last word may become, each with its meaning."""
    *before, last = words or [""]
    if not before:
        found = [*COMMANDS.items(), ("help", "this overview"), ("--version", "the version")]
        return _fitting(found, last)
    if before[0] == "help" and len(before) == 1:
        return _fitting(list(COMMANDS.items()), last)
    if before[0] not in COMMANDS:
        return []
    parser: ArgumentParser = command_parser(before[0])
    for word in before[1:]:
        parser = subparsers(parser).get(word, parser)
    options = {name: action for action in _actions(parser) for name in action.option_strings}
    taking = options.get(before[-1])
    if taking is not None and taking.nargs != 0:
        return _fitting(_values(taking), last)
    if last.startswith("-"):
        return _fitting([(name, action.help or "") for name, action in options.items()], last)
    positional = [action for action in _actions(parser) if not action.option_strings]
    return _fitting([pair for action in positional for pair in _values(action)], last)


def _actions(parser: ArgumentParser) -> list[Action]:
    return [action for action in parser._actions if action.help != SUPPRESS]  # noqa: SLF001


def _values(action: Action) -> list[tuple[str, str]]:
    if action.choices is not None:
        return [(str(choice), "") for choice in action.choices]
    has_store = os.path.isdir(home_directory())
    if action.dest in ("id", "keep", "reject", "supersedes"):
        return _recent_notes() if has_store else []
    if action.dest == "project":
        return [(".", "the project of this directory"), *(_projects() if has_store else ())]
    return []


def _recent_notes() -> list[tuple[str, str]]:
    from anamnesis.cli import arguments
    from anamnesis.operations.notes.list import NoteFilter, list_notes
    from anamnesis.operations.notes.show import short_ids

    with arguments.open_store() as store:
        rows = list_notes(store, NoteFilter(), limit=_RECENT).rows
        ids = short_ids(store, [row.note.id for row in rows])
    return [(ids[row.note.id], row.note.title) for row in rows]


def _projects() -> list[tuple[str, str]]:
    from anamnesis.cli import arguments
    from anamnesis.ground.counting import counted
    from anamnesis.operations.care.status import store_report

    with arguments.open_store() as store:
        counts = store_report(store)["by_project"]
    assert isinstance(counts, dict)  # noqa: S101  for the type checker
    return [(key, counted(number, "note")) for key, number in counts.items()]


def _fitting(found: Sequence[tuple[str, str]], start: str) -> list[tuple[str, str]]:
    return [pair for pair in found if pair[0].lower().startswith(start.lower())]
