"""Notes know that the code they speak of moved on."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from anamnesis.anchors.checkout import Checkout
from anamnesis.anchors.standing import standings
from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.notes.fields import Memory
from anamnesis.operations.notes import anchors
from anamnesis.store import MemoryStore
from support.code import NOTE, PAY, CodeRepository


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CodeRepository:
    repository = CodeRepository(tmp_path / "shop")
    monkeypatch.chdir(repository.top)
    return repository


def written(capsys: pytest.CaptureFixture[str], text: str = NOTE) -> str:
    assert main(["write", text]) == 0
    return capsys.readouterr().out.strip()


def note_of(root: Path, id: str) -> Memory:
    with MemoryStore(root) as store:
        note = store.get(id)
    assert note is not None
    return note


def stale(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    assert main(["stale", "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_note_written_in_a_repository_is_tied_to_its_code(
    root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    id = written(capsys)

    (anchor,) = note_of(root, id).anchors
    assert anchor.startswith("pay.py#charge ")
    assert anchor in (root / "memory" / "semantic" / f"{id}.md").read_text()


def test_a_note_that_names_no_code_has_no_anchors(
    root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert note_of(root, written(capsys, "We pay on Fridays, see `nowhere.py`.")).anchors == []


def test_changed_code_is_listed_with_the_commit_until_the_note_is_confirmed(
    root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    id = written(capsys)
    fresh = stale(capsys)
    by = code.change()

    (changed,) = stale(capsys)
    assert main(["stale", "--confirm", id]) == 0
    capsys.readouterr()

    assert fresh == []
    assert (changed["id"], changed["state"]) == (id, "changed")
    assert f"changed in {by}" in str(changed["about"])
    assert stale(capsys) == []
    assert main(["undo"]) == 0
    capsys.readouterr()
    assert [each["id"] for each in stale(capsys)] == [id]


def test_what_the_background_judged_can_be_read_without_git(
    root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    id = written(capsys)
    gone = written(capsys, "`refund()` is for good customers.")
    anchors.look_at_code(Home(root), ".")
    before = standings(Home(root), ".")
    code.write("pay.py", PAY.replace("retries=3", "retries=9").partition("\n\n\ndef refund")[0])
    code.commit("no refunds")
    anchors.look_at_code(Home(root), ".")

    found = standings(Home(root), str(code.top))

    assert before == {}
    assert {id: each.state for id, each in found.items()} == {id: "changed", gone: "gone"}


def test_a_look_reads_only_what_changed(
    root: Path,
    code: CodeRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written(capsys)
    code.write("other.py", "def other():\n    return 1\n")
    code.commit("other")
    written(capsys, "`other()` is one.")
    anchors.look_at_code(Home(root), ".")
    looked: list[str] = []
    read = Checkout.read

    def reading(checkout: Checkout, path: str) -> str | None:
        looked.append(path)
        return read(checkout, path)

    monkeypatch.setattr(Checkout, "read", reading)

    anchors.look_at_code(Home(root), ".")
    nothing = list(looked)
    code.write("other.py", "def other():\n    return 2\n")
    anchors.look_at_code(Home(root), ".")

    assert nothing == []
    assert set(looked) == {"other.py"}


def test_a_sync_looks_again(
    root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    id = written(capsys)
    anchors.look_at_code(Home(root), ".")
    code.change()

    main(["sync"])

    assert standings(Home(root), ".")[id].state == "changed"


def test_outside_of_a_repository_there_is_nothing_to_confirm(
    root: Path,
    code: CodeRepository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    id = written(capsys)
    monkeypatch.chdir(tmp_path)

    assert main(["stale", "--confirm", id]) == 2
    assert "not in a git repository" in capsys.readouterr().err


@pytest.fixture
def judged(root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Which commit changed the code of one note and removed that of another; the other note."""
    written(capsys, "`refund()` is for good customers.")
    written(capsys)
    code.write("pay.py", PAY.replace("retries=3", "retries=9").partition("\n\n\ndef refund")[0])
    by = code.commit("no refunds")
    anchors.look_at_code(Home(root), ".")
    return by, "`refund()` is for good customers."


def test_a_session_start_says_that_the_code_changed_and_leaves_out_what_is_gone(
    judged: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    by, gone = judged

    main(["inject"])

    given = capsys.readouterr().out
    assert f"check it: charge in pay.py changed in {by}" in given
    assert NOTE in given
    assert gone not in given


def test_a_prompt_and_a_search_say_it_too(
    judged: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    by, gone = judged
    payload = {"prompt": "does charge refuse more than the limit?", "cwd": ".", "session_id": "s"}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode())))

    main(["recall-hook"])
    given = capsys.readouterr().out
    main(["search", "refund good customers"])
    found = capsys.readouterr().out

    assert f"check it: charge in pay.py changed in {by}" in given
    assert gone in found
    assert "refund in pay.py was removed" in found


def test_moved_code_is_no_reason_to_check(
    root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    written(capsys)
    (code.top / "shop").mkdir()
    code.git("mv", "pay.py", "shop/payments.py")
    code.commit("move")
    anchors.look_at_code(Home(root), ".")

    main(["inject"])

    given = capsys.readouterr().out
    assert "charge in pay.py is now in shop/payments.py" in given
    assert "check it" not in given


@pytest.mark.parametrize("damage", ["3", "[]", "[3]", '["x", 3, {}]'])
def test_a_damaged_record_of_the_last_look_is_made_again(
    root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    id = written(capsys)
    anchors.look_at_code(Home(root), ".")
    (seen,) = root.glob("state/anchors/*.seen.json")
    seen.write_text(f'{{"head": 3, "notes": {{"{id}": {damage}}}}}')
    code.change()

    anchors.look_at_code(Home(root), ".")

    assert standings(Home(root), ".")[id].state == "changed"
