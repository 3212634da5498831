"""Asking a model over the network, whatever the network does."""

from __future__ import annotations

import json
import ssl
import subprocess
import time
from pathlib import Path

import pytest

from anamnesis.llm import transport
from anamnesis.llm.models import connect
from anamnesis.llm.providers import ModelNotSetUp, Settings, resolve
from anamnesis.llm.transport import ModelUnavailable
from anamnesis.operations.machine.model_test import prove_provider
from support import model_server as play

QUESTION = {"instructions": "Answer in JSON.", "question": "What is the port?"}


def settings(url: str, provider: str = "openai", **fields: object) -> Settings:
    base = f"{url}/v1" if provider != "anthropic" else url
    chosen: dict[str, object] = {"api_key": "key-of-the-test", "model": "m", "timeout": 5.0}
    return Settings(provider=provider, base_url=base, **{**chosen, **fields})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, noted instead of slept."""
    pauses: list[float] = []
    monkeypatch.setattr(transport.post_json, "__kwdefaults__", {"pause": pauses.append})
    return pauses


def ask(chosen: Settings) -> str:
    model = connect(chosen)
    assert model is not None
    return model.ask(**QUESTION).text


@pytest.mark.parametrize(
    ("provider", "path", "header", "limit"),
    [
        ("openai", "/v1/chat/completions", "Authorization", "max_completion_tokens"),
        ("deepseek", "/v1/chat/completions", "Authorization", "max_tokens"),
        ("local", "/v1/chat/completions", "Authorization", "max_tokens"),
        ("anthropic", "/v1/messages", "X-Api-Key", "max_tokens"),
    ],
)
def test_each_provider_is_spoken_to_in_its_own_protocol(
    provider: str, path: str, header: str, limit: str
) -> None:
    with play.serving(play.says('{"port": 1}')) as model:
        text = ask(settings(model.url, provider, max_tokens=77))

    (asked, headers, body), *more = model.requests
    assert (text, asked, more) == ('{"port": 1}', path, [])
    assert headers[header].endswith("key-of-the-test")
    assert body[limit] == 77


def test_secrets_do_not_leave_this_machine() -> None:
    secret = "ghp_" + "a1B2" * 9

    with play.serving(play.says("{}")) as model:
        connected = connect(settings(model.url))
        assert connected is not None
        connected.ask(instructions="Be brief.", question=f"the token is {secret}, the port 80")

    sent = json.dumps(model.requests[0][2])
    assert secret not in sent
    assert "the port 80" in sent


def test_a_long_question_is_cut_in_the_middle() -> None:
    with play.serving(play.says("{}")) as model:
        connected = connect(settings(model.url))
        assert connected is not None
        text = "first words\n" + "filler line\n" * 50_000 + "last words"
        connected.ask(instructions="Be brief.", question=text)

    sent = model.requests[0][2]["messages"][1]["content"]
    assert len(sent) < 121_000
    assert sent.startswith("first words")
    assert sent.endswith("last words")


@pytest.mark.parametrize("first", [play.refuses(429), play.refuses(500), play.resets])
def test_what_may_pass_is_tried_again(first: play.Behaviour) -> None:
    with play.serving(first, play.says("{}")) as model:
        assert ask(settings(model.url)) == "{}"

    assert len(model.requests) == 2


def test_the_server_says_how_long_to_wait(no_waiting: list[float]) -> None:
    with play.serving(play.refuses(429, Retry_After="3"), play.says("{}")) as model:
        ask(settings(model.url))

    assert no_waiting == [3.0]


def test_nobody_waits_longer_than_the_time_limit() -> None:
    with (
        play.serving(play.refuses(429, Retry_After="3600")) as model,
        pytest.raises(ModelUnavailable, match="429"),
    ):
        ask(settings(model.url))

    assert len(model.requests) == 1


FAULTS = {
    "always busy": (play.refuses(429), "too many requests"),
    "always broken": (play.refuses(503), "the server has a problem"),
    "wrong key": (play.refuses(401), "the key was not accepted"),
    "always reset": (play.resets, "the connection was lost"),
    "breaks off": (play.breaks_off, "was lost"),
    "ten megabytes": (play.floods, "larger than"),
    "not JSON": (play.replies(b"<html>busy</html>"), "did not answer with JSON"),
    "JSON that is not an object": (play.replies(b"[1]"), "unexpected JSON structure"),
    "deep JSON": (play.replies(b"[" * 100_000), "did not answer with JSON"),
    "no text": (play.replies(b'{"choices": []}'), "no text"),
    "cut": (play.says('{"operations": [', stop="length"), "cut at the limit"),
    "refused": (play.says("I cannot", stop="content_filter"), "refused"),
    "redirect": (play.redirects("http://127.0.0.1:9/"), "redirect"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_in_words(fault: str) -> None:
    behaviour, words = FAULTS[fault]

    with play.serving(behaviour) as model, pytest.raises(ModelUnavailable) as told:
        ask(settings(model.url))

    assert words in told.value.message
    assert "key-of-the-test" not in f"{told.value.message} {told.value.hint}"


@pytest.mark.parametrize("behaviour", [play.drips, play.drips_headers])
def test_a_server_that_drips_cannot_keep_us(behaviour: play.Behaviour) -> None:
    started = time.monotonic()

    with play.serving(behaviour) as model, pytest.raises(ModelUnavailable, match="time limit"):
        ask(settings(model.url, timeout=0.4))

    assert time.monotonic() - started < 3


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "k", "-out", "c",
         "-days", "1", "-subj", "/CN=127.0.0.1"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "c", tmp_path / "k")

    with play.serving(play.says("{}")) as model:
        model.socket = context.wrap_socket(model.socket, server_side=True)
        with pytest.raises(ModelUnavailable, match="certificate"):
            ask(settings(model.url.replace("http:", "https:")))

    assert model.requests == []


def test_nobody_at_the_address() -> None:
    with pytest.raises(ModelUnavailable, match="nothing is listening"):
        ask(settings("http://127.0.0.1:9"))


def test_a_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with play.serving(play.says('"by proxy"')) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        text = ask(settings("http://model.invalid"))

    assert text == '"by proxy"'
    assert proxy.requests[0][0].startswith("http://model.invalid/")


def test_claude_code_is_asked_without_its_hooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_claude(tmp_path, monkeypatch, '{"type": "result", "result": "{\\"port\\": 1}"}')
    monkeypatch.setenv("CLAUDECODE", "1")

    text = ask(Settings("claude-cli", timeout=10.0))

    said = (tmp_path / "said").read_text()
    assert text == '{"port": 1}'
    assert "disableAllHooks" in said
    assert "What is the port?" in said
    assert "nested=1" in said
    assert "claudecode=\n" in said


@pytest.mark.parametrize("answer", ["", "not json", '{"is_error": true, "result": "x"}', "{}"])
def test_claude_code_without_an_answer(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_claude(tmp_path, monkeypatch, answer)

    with pytest.raises(ModelUnavailable):
        ask(Settings("claude-cli", timeout=10.0))


def test_claude_code_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ModelNotSetUp, match="not on PATH"):
        ask(Settings("claude-cli"))


def test_the_configured_model_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    with play.serving(play.says('{"ready": true}')) as model:
        monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", f"{model.url}/v1")
        monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "small")
        proof = prove_provider()

    assert (proof.answered, proof.provider, proof.model) == (True, "local", "small")


def test_a_model_that_is_not_there_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "small")

    proof = prove_provider()

    assert not proof.answered
    assert "nothing is listening" in proof.detail


def test_without_a_model_there_is_nothing_to_prove() -> None:
    assert prove_provider().answered
    assert connect(resolve()) is None


def _fake_claude(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    script = folder / "claude"
    (folder / "answer").write_text(answer)
    script.write_text(
        "#!/bin/sh\n"
        f"exec 3>&1 >{folder}/said\n"
        'echo "$@"; cat; echo; echo "nested=$ANAMNESIS_NESTED"; echo "claudecode=$CLAUDECODE"\n'
        f"cat {folder}/answer >&3\n"
    )
    script.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
