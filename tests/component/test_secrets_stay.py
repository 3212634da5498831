from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks import runs
from anamnesis.hooks.payload import Payload
from anamnesis.operations.care.status import status_report
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.travel.sync import exchange
from anamnesis.secrets import secrets_stay_here
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncResult, SyncState
from anamnesis.sync.git import backend_of
from corpus.secrets import planted
from support.fleet import git

TOKEN = next(case.secret for case in planted() if case.name == "github oauth")


def test_a_note_with_a_secret_is_not_committed(store: MemoryStore, root: Path) -> None:
    safe = store.write(type="semantic", title="Safe", body="The login uses OAuth.")
    leaky = store.write(type="semantic", title="Leaky", body=f"The token is {TOKEN} for now.")

    result = exchange(backend_of(root, machine_id="m"), store=store).result

    assert [path for path in result.committed if path.endswith(".md")] == [
        f"memory/semantic/{safe.id}.md"
    ]
    (held,) = result.held_back
    assert held.startswith(f"semantic/{leaky.id}.md: it seems to hold a secret (github token)")
    assert TOKEN not in held

    (root / "redact-allow.txt").write_text(f"# a fake one\n{TOKEN}\n")
    again = exchange(backend_of(root, machine_id="m"), store=store).result

    assert again.held_back == ()
    assert again.committed == (f"memory/semantic/{leaky.id}.md",)


def test_what_does_not_travel_is_told_between_syncs_too(
    store: MemoryStore, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaky = store.write(type="semantic", title="Leaky", body=f"The token is {TOKEN} for now.")
    for name in ("What is it?.md", "notes.txt", ".hidden.md"):
        (root / "memory" / "semantic" / name).write_text("---\nid: q1\ntype: semantic\n---\nx\n")
    (root / "memory" / "semantic" / "broken.md").write_text("no front matter")
    git("init", "--quiet", "--bare", str(tmp_path / "remote.git"), cwd=tmp_path)
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(tmp_path / "remote.git"))
    backend = backend_of(root, machine_id="m")
    exchange(backend, store=store)

    report = status_report(store, backend)

    assert isinstance(report["sync"], dict)
    assert [line.partition(": ")[0] for line in report["sync"]["held_back"]] == [
        f"semantic/{leaky.id}.md",
        "semantic/What is it?.md",
    ]
    assert report["unreadable"] == [
        "memory/semantic/broken.md: memory file missing YAML front-matter"
    ]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"plain text about a token"])
def test_other_files_may_leave(root: Path, content: bytes) -> None:
    assert secrets_stay_here(Home(root))("semantic/x.md", content) == ""


class Fails:
    """A backend whose syncs end as a test says."""

    def __init__(self, *results: SyncResult) -> None:
        self._results = list(results)

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        assert not accept_deletions
        return self._results.pop(0)

    def state(self) -> SyncState:
        return SyncState()


def test_a_failing_sync_is_told_at_the_next_start(root: Path) -> None:
    backend = Fails(
        SyncResult(error="the remote refused us"), SyncResult(offline=True), SyncResult(pulled=1)
    )

    exchange(backend)
    exchange(backend)
    told = inject(Home(root), Payload(cwd="/u/demo"))
    exchange(backend)

    assert "sync has been failing since" in told
    assert "(the remote refused us)" in told
    assert runs.failing(Home(root)) == []
