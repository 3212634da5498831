"""Show and change the settings of this machine, which are in config.json and never synced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.ground.errors import EXIT_FAILED, InvalidInput
from anamnesis.operations.machine import settings
from anamnesis.operations.machine.model_test import prove_provider
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis config                               # every setting and where it is set
  anamnesis config get machine_id
  anamnesis config set reflection_provider anthropic
  anamnesis config unset remote
  anamnesis config test                          # does the model answer?
"""

_WIDEST = 34  # a remote's address may be longer; `get` prints it in full


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "get", "set", "unset", "test"), default="list",
        help="list (the default), get KEY, set KEY VALUE, unset KEY, or test: ask the model",
    )  # fmt: skip
    parser.add_argument("key", nargs="?", metavar="KEY", help="a setting, see list")
    parser.add_argument("value", nargs="?", metavar="VALUE", help="for set")
    parser.add_argument("more", nargs="*", metavar="KEY VALUE", help="more settings, for set")
    parser.add_argument("--yes", action="store_true", help="do not ask before the remote changes")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Carry out one action."""
    if args.action == "list":
        return _list(as_json=args.json)
    if args.action == "test":
        return _test(as_json=args.json)
    if not args.key or (args.action == "set") != (args.value is not None):
        usage = {"get": "get KEY", "set": "set KEY VALUE", "unset": "unset KEY"}[args.action]
        what = "What value?" if args.key and args.action == "set" else "Which setting?"
        raise InvalidInput(what, hint=f"anamnesis config {usage}")
    pairs = [(args.key, args.value), *_more(args)]
    if args.action != "get" and any(key.startswith("trust_") for key, _ in pairs):
        require_person("change whom you trust")
    for key, text in pairs if args.action == "set" else []:
        settings.rewritten(key, text)  # all of them or none
        if key == "remote" and not _agrees(text, yes=args.yes):
            return EXIT_FAILED
    for key, text in pairs if args.action != "get" else []:
        settings.change(key, text)
    values = [settings.value_of(key) for key, _ in pairs]
    if args.json:
        shown = [_as_json(value) for value in values]
        output.say_json(shown if len(shown) > 1 else shown[0])
    for value in [] if args.json else values:
        in_full = f"{value.setting.key} = {value.shown}  ({value.source})"
        output.say(value.shown if args.action == "get" else in_full)
    return 0


def _more(args: Namespace) -> list[tuple[str, str]]:
    """The other settings of the same call."""
    if args.more and (args.action != "set" or len(args.more) % 2):
        raise InvalidInput("Each setting needs a value.", hint="anamnesis config set KEY VALUE")
    return list(zip(args.more[::2], args.more[1::2], strict=True))


def _agrees(remote: str, *, yes: bool) -> bool:
    from anamnesis.cli import setup

    return setup.agrees_to_remote(remote, yes=yes)


def _test(*, as_json: bool) -> int:
    proof = prove_provider()
    if as_json:
        output.say_json({name: getattr(proof, name) for name in proof.__match_args__})
    else:
        where = " ".join(filter(None, (proof.provider, proof.model, proof.base_url)))
        output.say(f"{where}: {proof.detail} ({proof.seconds:g} s)")
    return 0 if proof.answered else EXIT_FAILED


def _list(*, as_json: bool) -> int:
    values = settings.listed()
    if as_json:
        output.say_json([_as_json(value) for value in values])
        return 0
    if tables.is_terminal():
        rows = [(v.setting.key, _with_source(v), v.setting.meaning) for v in values]
        heading = ("SETTING", "VALUE", "MEANING")
        output.page(tables.table(rows, heading=heading, styles=("yellow",), most=(0, _WIDEST)))
        return 0
    width = max(len(value.setting.key) for value in values)
    for value in values:
        output.say(f"{value.setting.key:<{width}}  {value.shown}  ({value.source})")
    return 0


def _with_source(value: settings.Value) -> str:
    return value.shown + (f" ({value.source})" if value.source != "default" else "")


def _as_json(value: settings.Value) -> dict[str, object]:
    return {
        "key": value.setting.key,
        "value": value.shown,
        "source": value.source,
        "variable": value.setting.variable_name,
        "meaning": value.setting.meaning,
    }
