from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from anamnesis.hooks import payload
from support.hooks import PAYLOADS


@pytest.mark.parametrize("sample", PAYLOADS, ids=lambda path: path.name)
def test_every_real_payload_names_its_session_and_directory(sample: Path) -> None:
    told = payload.parse(sample.read_bytes())

    assert told.session_id
    assert told.cwd == "/home/u/proj"


@pytest.mark.parametrize("data", [b"", b"garbage", b"[1]", b"null", b"\xff\xfe", b'{"cwd": 1}'])
def test_what_is_no_payload_is_an_empty_one(data: bytes) -> None:
    assert payload.parse(data) == payload.Payload()


def test_a_payload_may_come_from_any_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"sessionId": "s", "prompt": "ä"}'))
    assert payload.read() == payload.Payload(session_id="s", prompt="ä")

    monkeypatch.setattr(sys, "stdin", None)
    assert payload.read() == payload.Payload()


def test_the_names_of_payload_fields_are_those_of_the_samples() -> None:
    fields = {key for sample in PAYLOADS for key in json.loads(sample.read_bytes())}

    assert {"compact_summary", "last_assistant_message", "transcriptPath", "source"} <= fields
