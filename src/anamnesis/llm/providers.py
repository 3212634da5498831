"""Which model to ask, where, and with whose key.

A key is sent only where it was issued for. The variables that other programs use, such as
OPENAI_API_KEY, are only ever sent to that provider's own address; a key in config.json only to
the provider and address that config.json names; any other address needs an explicit key.
"""

from __future__ import annotations

import os

from anamnesis import config
from anamnesis.ground.errors import EXIT_NOT_SET_UP, AnamnesisError
from anamnesis.ground.records import record

HEURISTIC = "heuristic"
OPENAI, ANTHROPIC, CLAUDE_CLI = "openai", "anthropic", "claude-cli"  # protocols
_TIMEOUT_SECONDS = 60.0  # a summary takes seconds; a hook may wait a minute at most
_ANSWER_TOKENS = 4_096  # a dozen notes; what is longer is rambling
_MAX_TOKENS = 120_000
_CHARACTERS = 4  # of a token, roughly
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@record
class Provider:
    """What is known about a provider before anything is configured."""

    base_url: str
    model: str
    key_variable: str = ""
    key_prefix: str = ""  # of keys that must not be sent anywhere else
    protocol: str = OPENAI
    limit: str = "max_tokens"  # the parameter that limits the answer
    answers_in_json: bool = True  # supports JSON mode


PROVIDERS = {
    # Its newer models refuse the old name of the limit; the others know only that one.
    "openai": Provider(
        "https://api.openai.com/v1", "gpt-5-mini", "OPENAI_API_KEY", limit="max_completion_tokens"
    ),
    "deepseek": Provider("https://api.deepseek.com/v1", "deepseek-chat", "DEEPSEEK_API_KEY"),
    "local": Provider("http://127.0.0.1:11434/v1", "", answers_in_json=False),
    "anthropic": Provider(
        "https://api.anthropic.com",
        "claude-haiku-4-5",
        "ANTHROPIC_API_KEY",
        "sk-ant-",
        protocol=ANTHROPIC,
    ),
    "claude-cli": Provider("", "", protocol=CLAUDE_CLI),
}


class ModelNotSetUp(AnamnesisError):
    """A provider lacks a key, a model or an address, or must not get the key it was given."""

    def __init__(self, provider: str, reason: str, *, hint: str) -> None:
        self.provider = provider
        super().__init__(f"{provider}: {reason}.", hint=hint, exit_code=EXIT_NOT_SET_UP)


class Key(str):
    """A text that does not show itself in a message or a traceback."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'…'" if self else "''"


@record
class Settings:
    """Everything that a request needs."""

    provider: str
    model: str = ""
    base_url: str = ""
    api_key: str = ""
    timeout: float = _TIMEOUT_SECONDS
    max_tokens: int = _ANSWER_TOKENS  # of the answer
    most: int = _MAX_TOKENS * _CHARACTERS  # characters of the question
    home: str = ""  # the store whose allowed values may leave; empty: the one in use here


def provider_name() -> str:
    """The provider that is configured: `heuristic`, or one of PROVIDERS."""
    name = (config.setting("reflection_provider") or HEURISTIC).lower()
    return name if name in PROVIDERS else HEURISTIC


def resolve(provider: str | None = None) -> Settings:
    """The settings of a provider, by default the configured one. Raises ModelNotSetUp."""
    name = provider or provider_name()
    if name not in PROVIDERS:
        return Settings(HEURISTIC)
    defaults = PROVIDERS[name]
    base_url = (config.setting("reflection_base_url") or defaults.base_url).rstrip("/")
    settings = Settings(
        provider=name,
        model=config.setting("reflection_model") or defaults.model,
        base_url=base_url,
        api_key=Key(_key(name, base_url)),
        timeout=_number("reflection_timeout", _TIMEOUT_SECONDS),
        max_tokens=int(_number("reflection_answer_tokens", _ANSWER_TOKENS)),
        most=int(_number("reflection_max_tokens", _MAX_TOKENS)) * _CHARACTERS,
    )
    _require_sense(settings)
    return settings


def _key(name: str, base_url: str) -> str:
    """The key that was meant for this provider at this address, or nothing."""
    override = os.environ.get("ANAMNESIS_REFLECTION_API_KEY", "").strip()
    if override:
        return override
    provider = PROVIDERS[name]
    if provider.key_variable and base_url == provider.base_url:
        well_known = os.environ.get(provider.key_variable, "").strip()
        if well_known:
            return well_known
    command = os.environ.get("ANAMNESIS_REFLECTION_API_KEY_COMMAND", "").strip()
    if command:
        return _key_from_command(command)
    if not _config_means(name, base_url):
        return ""
    stored = config.setting("reflection_api_key_command")
    return config.setting("reflection_api_key") or (_key_from_command(stored) if stored else "")


def _config_means(name: str, base_url: str) -> bool:
    """Whether config.json names this provider and address, so that its key is for them."""
    stored = config._store_config()  # noqa: SLF001  the documented spelling
    provider = str(stored.get("reflection_provider", "")).strip().lower()
    address = str(stored.get("reflection_base_url") or PROVIDERS[name].base_url).rstrip("/")
    return provider == name and address == base_url


def _key_from_command(command: str) -> str:
    from anamnesis.ground import process

    finished = process.run(process.words(command), timeout=30)
    if finished.code != 0 or not finished.text.strip():
        raise ModelNotSetUp(
            "reflection_api_key_command",
            f"the command ended with exit code {finished.code} and gave no key",
            hint="Run it by hand and fix what it reports.",
        )
    return finished.text.strip().splitlines()[0]


def _require_sense(settings: Settings) -> None:
    if settings.provider == "claude-cli":
        return
    _require_address(settings)
    if not settings.model:
        raise ModelNotSetUp(
            settings.provider,
            "no model is named",
            hint="Name one that the server has:  ANAMNESIS_REFLECTION_MODEL=…",
        )
    if not settings.api_key and settings.provider != "local":
        variable = PROVIDERS[settings.provider].key_variable
        raise ModelNotSetUp(
            settings.provider,
            f"no key for {settings.base_url}",
            hint=f"Set {variable} for the provider's own address, "
            "or ANAMNESIS_REFLECTION_API_KEY for any other.",
        )


def _require_address(settings: Settings) -> None:
    from urllib.parse import urlsplit

    parts = urlsplit(settings.base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise ModelNotSetUp(
            settings.provider,
            "the address is not an http or https URL without user and password",
            hint="For example:  ANAMNESIS_REFLECTION_BASE_URL=http://127.0.0.1:11434/v1",
        )
    if settings.api_key and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise ModelNotSetUp(
            settings.provider,
            f"a key is not sent unencrypted to {parts.hostname}",
            hint="Use an https address, or no key.",
        )
    for name, known in PROVIDERS.items():
        foreign = name != settings.provider and known.key_prefix
        if foreign and settings.api_key.startswith(known.key_prefix):
            raise ModelNotSetUp(
                settings.provider,
                f"the key belongs to {name} and is not sent to {parts.hostname}",
                hint=f"Use the provider {name}, or another key.",
            )


def _number(key: str, default: float) -> float:
    try:
        value = float(config.setting(key) or default)
    except ValueError:
        return default
    return value if 0 < value < 1e6 else default
