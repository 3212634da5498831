"""`anamnesis check --since`: a pull request is told which notes it takes the ground from."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.anchors.checkout import Checkout
from anamnesis.cli import main
from anamnesis.operations.notes.anchors import tied
from anamnesis.operations.repository.affected_notes import confirm_carried
from anamnesis.operations.repository.check import check
from support.code import NOTE, PAY, CodeRepository

ID = "01JREPO0000000000000000001"


@pytest.fixture
def code(tmp_path: Path) -> CodeRepository:
    """A repository that carries a note on its code, on a branch that begins there."""
    repository = CodeRepository(tmp_path / "shop")
    (anchor,) = tied(NOTE, str(repository.top))
    path = repository.top / ".anamnesis" / "memory" / "semantic" / f"{ID}.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        f"---\nid: {ID}\ntype: semantic\ntitle: Limits\nanchors:\n- {anchor}\n---\n{NOTE}\n"
    )
    repository.commit("a note")
    repository.git("checkout", "-q", "-b", "work")
    return repository


def problems(code: CodeRepository) -> list[tuple[str, int, str]]:
    found = check(str(code.top), since="main").problems
    return [(each.path, each.line, each.kind) for each in found]


def test_the_line_that_a_note_speaks_of_is_annotated_when_it_changes(
    code: CodeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    code.write("pay.py", "import os\n\n" + PAY.replace("retries=3", "retries=9"))
    code.commit("retry more")

    assert problems(code) == [("pay.py", 6, "stale note")]
    assert main(["check", str(code.top), "--since", "main", "--format", "github"]) == 1
    assert "::error file=pay.py,line=6,title=Anamnesis%3A stale note::" in capsys.readouterr().out


def test_moved_and_formatted_code_passes(code: CodeRepository) -> None:
    (code.top / "shop").mkdir()
    code.git("mv", "pay.py", "shop/pay.py")
    code.write("shop/pay.py", PAY.replace("LIMIT:", "LIMIT:  # not more"))
    code.commit("move")

    assert problems(code) == []


def test_what_others_changed_on_the_base_is_not_this_change(code: CodeRepository) -> None:
    code.change()
    code.git("checkout", "-q", "-b", "later")
    code.write("other.py", "x = 1\n")
    code.commit("other")

    assert check(str(code.top), since="work").problems == ()


def test_removed_code_is_named_at_the_note(code: CodeRepository) -> None:
    code.write("pay.py", "LIMIT = 5\n")

    assert problems(code) == [(f".anamnesis/memory/semantic/{ID}.md", 1, "stale note")]


def test_a_note_that_is_confirmed_in_the_same_change_passes(code: CodeRepository) -> None:
    code.change()

    confirmed = confirm_carried(str(code.top), [ID])

    assert confirmed == [ID]
    assert problems(code) == []
    assert code.git("status", "--porcelain") == f"M .anamnesis/memory/semantic/{ID}.md"


@pytest.mark.parametrize("base", ["nowhere", "--output=x"])
def test_a_base_that_git_does_not_know_is_an_error(
    code: CodeRepository, base: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(code.top), f"--since={base}", "--json"]) == 2
    assert base in capsys.readouterr().err
    assert not Checkout(str(code.top)).fork_of(base)
