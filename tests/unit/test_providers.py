"""A key goes where it was meant to go, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.ground.errors import InvalidInput
from anamnesis.llm.providers import PROVIDERS, ModelNotSetUp, Settings, provider_name, resolve


def configure(root: Path, **values: object) -> None:
    root.mkdir(parents=True, exist_ok=True)
    (root / "config.json").write_text(json.dumps(values))


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "DEEPSEEK_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_without_configuration_no_model_is_used() -> None:
    assert resolve() == Settings("heuristic")


def test_an_unknown_provider_means_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "skynet")

    assert provider_name() == "heuristic"


@pytest.mark.parametrize(
    ("provider", "variable", "host"),
    [
        ("openai", "OPENAI_API_KEY", "api.openai.com"),
        ("deepseek", "DEEPSEEK_API_KEY", "api.deepseek.com"),
        ("anthropic", "ANTHROPIC_API_KEY", "api.anthropic.com"),
    ],
)
def test_the_usual_variable_works_at_the_usual_address(
    provider: str, variable: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "its-key")

    found = resolve(provider)

    assert found.api_key == "its-key"
    assert host in found.base_url


def test_the_usual_variable_is_not_sent_to_another_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "its-key")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", "https://proxy.example/v1")

    with pytest.raises(ModelNotSetUp, match="no key"):
        resolve("openai")


def test_the_key_of_one_provider_is_not_sent_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "its-key")

    with pytest.raises(ModelNotSetUp, match="no key"):
        resolve("deepseek")


def test_a_stored_key_is_for_the_stored_provider(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(root, reflection_provider="openai", reflection_api_key="stored")

    assert resolve().api_key == "stored"
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "deepseek")
    with pytest.raises(ModelNotSetUp):
        resolve()


def test_a_stored_key_is_for_the_stored_address(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(root, reflection_provider="openai", reflection_api_key="stored")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", "https://elsewhere.example/v1")

    with pytest.raises(ModelNotSetUp):
        resolve()


def test_a_key_can_come_from_a_command(root: Path) -> None:
    configure(
        root, reflection_provider="openai", reflection_api_key_command="printf 'from-a-vault\\n'"
    )

    assert resolve().api_key == "from-a-vault"


def test_a_command_in_the_environment_is_meant_for_what_is_configured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_API_KEY_COMMAND", "echo from-a-vault")

    assert resolve("deepseek").api_key == "from-a-vault"


def test_a_command_that_fails_is_told(root: Path) -> None:
    configure(root, reflection_provider="openai", reflection_api_key_command="false")

    with pytest.raises(ModelNotSetUp, match="exit code 1"):
        resolve()


def test_a_command_that_is_none_is_told(root: Path) -> None:
    configure(root, reflection_provider="openai", reflection_api_key_command="pass 'unclosed")

    with pytest.raises(InvalidInput, match="not a command line"):
        resolve()


def test_an_anthropic_key_is_not_sent_to_anybody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_API_KEY", "sk-ant-api03-xyz")

    with pytest.raises(ModelNotSetUp, match="anthropic"):
        resolve("openai")


@pytest.mark.parametrize(
    "address", ["http://model.example/v1", "ftp://x", "model.example", "https://me:pw@x.example"]
)
def test_an_address_that_would_leak_or_lead_nowhere(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_API_KEY", "a-key")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", address)

    with pytest.raises(ModelNotSetUp) as told:
        resolve("openai")

    assert "a-key" not in str(told.value)
    assert "pw" not in str(told.value)


def test_a_local_server_needs_a_model_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelNotSetUp, match="no model"):
        resolve("local")

    monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "qwen3")
    assert resolve("local").model == "qwen3"


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_API_KEY", "very-secret")

    assert "very-secret" not in repr(resolve("openai"))


def test_a_number_that_is_none_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_API_KEY", "k")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_TIMEOUT", "soon")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MAX_TOKENS", "-4")

    found = resolve("openai")

    assert (found.timeout, found.max_tokens) == (60.0, 4096)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_is_documented(provider: str) -> None:
    reference = Path(__file__).parents[2] / "docs" / "reference" / "configuration.md"

    assert f"`{provider}`" in reference.read_text()
