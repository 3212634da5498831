"""The settings of this machine: their names, allowed values, and where each is set."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.capture import triage
from anamnesis.ground import atomic, locks
from anamnesis.ground.errors import BrokenConfig, InvalidInput
from anamnesis.hooks import news
from anamnesis.llm.providers import HEURISTIC, PROVIDERS
from anamnesis.sync import remote
from anamnesis.trust import policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SWITCH = re.compile(r"(?i)1|0|true|false|yes|no|on|off")
_MACHINE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ON_OFF = ("1", "0")
_HIDDEN = "…"
_DIGITS = 6
_LOCK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key in config.json, and what it means."""

    key: str
    meaning: str
    default: str = ""
    variable: str = ""  # if it is not ANAMNESIS_ followed by the key
    secret: bool = False
    runs_a_command: bool = False  # so it is changed on the command line only
    is_delicate: bool = (
        False  # where notes are sent; the dashboard asks for a password before a change
    )
    accepts: Callable[[str], bool] = bool
    expects: str = "any text"
    choices: tuple[str, ...] = ()  # the allowed values, if there are few
    is_number: bool = False
    set_by: str = ""  # a command that does more than set it

    @property
    def kind(self) -> str:
        """How a form asks for it: switch, choice, number, secret or text."""
        if self.choices:
            return "switch" if self.choices == _ON_OFF else "choice"
        return "secret" if self.secret else "number" if self.is_number else "text"

    @property
    def variable_name(self) -> str:
        """The variable that overrides config.json."""
        return self.variable or f"ANAMNESIS_{self.key.upper()}"


@dataclass(frozen=True, slots=True)
class Value:
    """The current value of a setting and where it is set; secrets are hidden."""

    setting: Setting
    shown: str
    source: str  # the variable, config.json, or default

    @property
    def is_on(self) -> bool:
        """Whether a switch is on."""
        return self.shown.lower() in ("1", "true", "yes", "on")


def _switch(key: str, meaning: str, default: str) -> Setting:
    return Setting(key, meaning, default, accepts=_is_switch, expects="1 or 0", choices=_ON_OFF)


def _number(key: str, meaning: str, default: str) -> Setting:
    def is_number(text: str) -> bool:
        return text.isdecimal() and len(text) <= _DIGITS

    expects = "a whole number below a million"
    return Setting(key, meaning, default, accepts=is_number, expects=expects, is_number=True)


def _choice(
    key: str, meaning: str, default: str, choices: Iterable[str], *, is_delicate: bool = False
) -> Setting:
    allowed = tuple(choices)
    return Setting(
        key,
        meaning,
        default,
        is_delicate=is_delicate,
        accepts=lambda text: text.lower() in allowed,
        expects=f"one of {', '.join(allowed)}",
        choices=allowed,
    )


def _trust(row: policy.Standing) -> Setting:
    meaning = f"what happens to notes by {row.writer}"
    return _choice(f"trust_{row.name}", meaning, row.treatment, policy.TREATMENTS)


def _is_switch(text: str) -> bool:
    return _SWITCH.fullmatch(text) is not None


def _is_remote(text: str) -> bool:
    try:
        return remote.require_usable(text) == text
    except InvalidInput:
        return False


SETTINGS: dict[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting(
            "machine_id",
            "the name of this machine in notes",
            "the host's name",
            accepts=lambda text: _MACHINE.fullmatch(text) is not None,
            expects="up to 64 letters, digits, dots, dashes and underscores",
        ),
        Setting("display_name", "the name of this machine on screen", "the host's name"),
        Setting(
            "remote",
            "the git remote that your machines share",
            "none",
            variable="ANAMNESIS_GIT_REMOTE",
            is_delicate=True,
            accepts=_is_remote,
            expects="a path, user@host:path or an https address",
        ),
        Setting(
            "ephemeral",
            "this machine is thrown away after use; set by `anamnesis attach`",
            "0",
            accepts=_is_switch,
            expects="1 or 0",
            choices=_ON_OFF,
            set_by="anamnesis attach",
        ),
        Setting(
            "sealed",
            "the remote sees only ciphertext; set by `anamnesis remote seal`",
            "0",
            accepts=_is_switch,
            expects="1 or 0",
            choices=_ON_OFF,
            set_by="anamnesis remote seal",
        ),
        _switch("import_native", "import Claude Code's own memory before a sync", "1"),
        _number(
            news.SETTING,
            "milliseconds that a session's start waits for news from other machines; 0: never",
            str(news.DEFAULT_MILLISECONDS),
        ),
        _switch("moment_start", "give a session notes to start with", "1"),
        _switch("moment_prompt", "give a prompt the notes that answer it", "1"),
        _switch("moment_failure", "show what helped when a command failed like this before", "1"),
        _switch("moment_file", "show notes that mention a file when it is read", "1"),
        _switch("meaning", "also find notes by related words", "1"),
        _switch("semantic", "also find notes by meaning; needs the extra [semantic]", "0"),
        _choice(
            "capture_noninteractive",
            "what to do with sessions that scripts run",
            triage.FOLDED,
            triage.CHOICES,
        ),
        _switch("archive", "keep sessions word for word on this machine", "1"),
        _number("archive_days", "days until an archived session is deleted", "400"),
        _number("archive_mb", "megabytes that archived sessions may take", "500"),
        _choice(
            "reflection_provider",
            "what summarises sessions and distils notes",
            HEURISTIC,
            (HEURISTIC, *PROVIDERS),
            is_delicate=True,
        ),
        Setting("reflection_model", "the provider's model", "the provider's", is_delicate=True),
        Setting(
            "reflection_base_url",
            "the provider's address",
            "the provider's",
            is_delicate=True,
            accepts=lambda text: text.startswith(("http://", "https://")),
            expects="an http or https address",
        ),
        Setting("reflection_api_key", "the provider's key", "none", secret=True, is_delicate=True),
        Setting(
            "reflection_api_key_command",
            "a command that prints that key",
            "none",
            runs_a_command=True,
        ),
        _number("reflection_timeout", "seconds for one answer, retries included", "60"),
        _number("reflection_max_tokens", "token limit of a request", "120000"),
        _number("reflection_answer_tokens", "token limit of an answer", "4096"),
        _number("reflect_min_episodics", "new sessions needed for a reflection", "5"),
        _switch("reflect_auto", "reflect in the background after a capture", "0"),
        *map(_trust, policy.settable()),
        _number("review_keep_days", "days until a note to review is kept; 0: never", "0"),
    )
}


def listed() -> list[Value]:
    """Every setting as it is now."""
    return [value_of(key) for key in SETTINGS]


def value_of(key: str) -> Value:
    """One setting as it is now."""
    setting = setting_named(key)
    if os.environ.get(setting.variable_name, "").strip():
        source = setting.variable_name
    elif config.setting(setting.key, variable=setting.variable_name) is not None:
        source = "config.json"
    else:
        return Value(setting, setting.default, "default")
    value = config.setting(setting.key, variable=setting.variable_name) or ""
    return Value(setting, printable(setting, value), source)


def setting_named(key: str) -> Setting:
    """The setting of this name. Raises InvalidInput."""
    from difflib import get_close_matches

    wanted = key.strip().lower().replace("-", "_").replace(".", "_")  # as 0.1.x spelt them
    wanted = "reflect_auto" if wanted == "reflection_auto" else wanted
    if wanted in SETTINGS:
        return SETTINGS[wanted]
    close = get_close_matches(wanted, SETTINGS, n=1)
    hint = f"Did you mean {close[0]}?" if close else "See:  anamnesis config list"
    raise InvalidInput(f"Unknown setting {key!r}.", hint=hint)


def printable(setting: Setting, value: str) -> str:
    """A value that may be printed: keys are hidden, addresses have no password."""
    return _HIDDEN if setting.secret else remote.shown(value)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """config.json before and after; None if it does not exist yet."""

    path: str
    before: bytes | None
    after: bytes


def change(key: str, value: str | None) -> None:
    """Set a key in config.json after checking it, or remove it. Raises InvalidInput."""
    lock = os.path.join(config.home_directory(), "locks", "config.lock")
    with locks.held(lock, name="configuration", timeout=_LOCK_SECONDS):
        planned = rewritten(key, value)
        atomic.write_bytes(planned.path, planned.after)


def rewritten(key: str, value: str | None) -> Rewrite:
    """What a change would write. Raises InvalidInput."""
    setting = setting_named(key)
    if value is not None:
        value = value.strip()
        if not value or not setting.accepts(value):
            raise InvalidInput(f"{setting.key} must be {setting.expects}.")
    path = config.config_path()
    before = _read(path)
    stored = {name: kept for name, kept in _stored(path, before).items() if name != setting.key}
    if isinstance(earlier := stored.get("reflection"), dict):
        old = "auto" if setting.key == "reflect_auto" else setting.key.removeprefix("reflection_")
        stored["reflection"] = {name: kept for name, kept in earlier.items() if name != old}
    if value is not None:
        stored[setting.key] = value
    text = json.dumps(stored, indent=2, ensure_ascii=False) + "\n"
    return Rewrite(path, before, text.encode())


def unusable() -> list[Setting]:
    """Settings in config.json with an invalid value. Raises BrokenConfig if it cannot be read."""
    path = config.config_path()
    stored = _stored(path, _read(path))
    known = {key: value for key, value in stored.items() if key in SETTINGS}
    return [SETTINGS[key] for key, value in known.items() if not _may_be(SETTINGS[key], value)]


def _may_be(setting: Setting, value: object) -> bool:
    text = "" if value is None else str(value).strip()
    return not isinstance(value, (dict, list)) and (not text or setting.accepts(text))


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except OSError:
        raise BrokenConfig(path) from None


def _stored(path: str, data: bytes | None) -> dict[str, object]:
    try:
        found = {} if data is None else json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise BrokenConfig(path) from None
    if not isinstance(found, dict):
        raise BrokenConfig(path)
    return found
