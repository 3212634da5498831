"""What became of the code that a note speaks of, told from a real repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamnesis.anchors.anchor import Anchor, anchors_of, parse
from anamnesis.anchors.checkout import Checkout
from anamnesis.anchors.judge import Judge, Verdict, judge_all
from support.code import NOTE, PAY, CodeRepository


def anchor_in(repository: CodeRepository, note: str = NOTE) -> Anchor:
    (anchor,) = anchors_of(note, Checkout(str(repository.top)))
    return anchor


def judged(repository: CodeRepository, anchor: Anchor) -> Verdict:
    checkout = Checkout(str(repository.top))
    return Judge(checkout, checkout).judge(anchor)


@pytest.fixture
def repository(tmp_path: Path) -> CodeRepository:
    return CodeRepository(tmp_path / "shop")


def test_a_note_is_tied_to_the_function_that_it_names(repository: CodeRepository) -> None:
    anchor = anchor_in(repository)

    assert (anchor.path, anchor.name) == ("pay.py", "charge")
    assert anchor.commit.startswith(repository.git("rev-parse", "--short=7", "HEAD"))
    assert parse(str(anchor)) == anchor
    assert judged(repository, anchor).state == "fresh"


@pytest.mark.parametrize(
    "note", ["`refund()` is never retried.", "See `pay.py:11`.", "- src/../pay.py\n`refund`"]
)
def test_a_symbol_or_a_line_is_enough(repository: CodeRepository, note: str) -> None:
    assert [each.name for each in anchors_of(note, Checkout(str(repository.top)))][-1:] in (
        ["refund"], [],
    )  # fmt: skip


def test_a_symbol_that_two_files_define_ties_to_neither(repository: CodeRepository) -> None:
    repository.write("other.py", "def refund():\n    return 1\n")
    repository.commit("another")

    assert anchors_of("`refund()` is never retried.", Checkout(str(repository.top))) == []


def test_comments_and_layout_change_nothing(repository: CodeRepository) -> None:
    anchor = anchor_in(repository)
    text = PAY.replace(
        "send(amount, retries=3)", "send(\n        amount,  # all\n        retries=3,\n    )"
    )
    repository.write("pay.py", "# Payments.\n\n" + text)
    repository.commit("format")

    assert judged(repository, anchor).state == "fresh"


def test_a_changed_function_names_the_commit_that_changed_it(repository: CodeRepository) -> None:
    anchor = anchor_in(repository)
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))
    by = repository.commit("retry more")
    repository.write("pay.py", PAY.replace("retries=3", "retries=9") + "\n\nX = 1\n")
    repository.commit("something else")

    verdict = judged(repository, anchor)

    assert (verdict.state, verdict.commit) == ("changed", by)


def test_a_change_that_is_not_committed_has_no_commit(repository: CodeRepository) -> None:
    anchor = anchor_in(repository)
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))

    verdict = judged(repository, anchor)

    assert (verdict.state, verdict.commit) == ("changed", "")


def test_a_renamed_file_moves_the_note(repository: CodeRepository) -> None:
    anchor = anchor_in(repository)
    (repository.top / "shop").mkdir()
    repository.git("mv", "pay.py", "shop/payments.py")
    repository.commit("move")

    verdict = judged(repository, anchor)

    assert (verdict.state, verdict.path) == ("moved", "shop/payments.py")


def test_a_function_in_another_file_moves_the_note(repository: CodeRepository) -> None:
    anchor = anchor_in(repository)
    head, _, rest = PAY.partition("\n\n\ndef refund")
    repository.write("pay.py", "LIMIT = 5\n\n\ndef refund" + rest)
    repository.write(
        "charging.py", "from pay import LIMIT\n\n\n" + head.partition("\n\n\n")[2] + "\n"
    )
    repository.commit("split")

    verdict = judged(repository, anchor)

    assert (verdict.state, verdict.path, verdict.name) == ("moved", "charging.py", "charge")


def test_a_renamed_function_is_a_changed_one(repository: CodeRepository) -> None:
    anchor = anchor_in(repository)
    repository.write("pay.py", PAY.replace("def charge", "def collect"))
    repository.commit("rename")

    verdict = judged(repository, anchor)

    assert (verdict.state, verdict.name) == ("changed", "collect")


def test_a_function_that_nobody_has_is_gone(repository: CodeRepository) -> None:
    anchor = anchor_in(repository)
    repository.write("pay.py", "LIMIT = 5\n")
    by = repository.commit("remove")

    verdict = judged(repository, anchor)

    assert (verdict.state, verdict.commit) == ("gone", by)


def test_a_note_on_a_whole_file_survives_small_edits(repository: CodeRepository) -> None:
    anchor = anchor_in(repository, "Payments are in `pay.py`.")
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))
    repository.commit("small")
    small = judged(repository, anchor).state
    repository.write("pay.py", "import stripe\n\n\ndef pay():\n    return stripe.pay()\n")
    repository.commit("rewrite")

    assert (small, judged(repository, anchor).state) == ("fresh", "changed")


def test_of_two_anchors_of_one_block_the_renewed_one_counts(repository: CodeRepository) -> None:
    old = anchor_in(repository)
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))
    repository.commit("retry more")
    renewed = anchor_in(repository)
    checkout = Checkout(str(repository.top))

    (verdict,) = judge_all([old, renewed], Judge(checkout, checkout))

    assert verdict.state == "fresh"


def test_a_commit_that_this_clone_lacks_still_tells_fresh_from_changed(
    repository: CodeRepository,
) -> None:
    anchor = anchor_in(repository)
    unknown = Anchor(anchor.path, anchor.name, anchor.hash, "0123456789ab")

    fresh = judged(repository, unknown).state
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))

    assert (fresh, judged(repository, unknown).state) == ("fresh", "changed")


@pytest.mark.parametrize("path", ["../pay.py", "/etc/passwd", "~/x.py", ".git/config", "a/../../b"])
def test_an_anchor_never_leaves_its_repository(path: str) -> None:
    assert parse(f"{path}#charge 0123456789ab 0123456") is None


def test_a_block_whose_surroundings_have_a_new_name_is_as_it_was(
    repository: CodeRepository,
) -> None:
    inner = "        def charge(amount, retries):\n            return send(amount, retries, 30)\n"
    repository.write("pay.py", f"class Gateway:\n    class Card:\n{inner}")
    repository.commit("classes")
    anchor = anchor_in(repository)
    repository.write("pay.py", f"class Provider:\n    class Card:\n{inner}")

    assert judged(repository, anchor).state == "fresh"


def test_a_block_that_a_formatter_put_on_one_line_is_as_it_was(repository: CodeRepository) -> None:
    before = "def pay():\n    charge = {\n        'retries': 3,\n        'wait': 30,\n    }\n"
    repository.write("pay.py", before)
    repository.commit("a dictionary")
    anchor = anchor_in(repository)
    repository.write("pay.py", "def pay():\n    charge = {'retries': 3, 'wait': 30}\n")

    assert anchor.name == "pay.charge"
    assert judged(repository, anchor).state == "fresh"


@pytest.mark.parametrize("folder", ["a#b", "a\nb", "a\tb"])
def test_a_file_name_that_front_matter_cannot_hold_gets_no_anchor(
    repository: CodeRepository, folder: str
) -> None:
    repository.git("rm", "-q", "pay.py")
    repository.write(f"{folder}/pay.py", PAY)
    repository.commit("moved")

    for anchor in anchors_of(NOTE, Checkout(str(repository.top))):
        assert parse(str(anchor)) == anchor
        assert judged(repository, anchor).state == "fresh"
        assert "\n" not in str(anchor)


def test_a_path_with_spaces_can_be_tied_to(repository: CodeRepository) -> None:
    repository.git("rm", "-q", "pay.py")
    repository.write("my code/pay.py", PAY)
    repository.commit("moved")

    anchor = anchor_in(repository)

    assert anchor.path == "my code/pay.py"
    assert parse(str(anchor)) == anchor


def test_a_name_that_ends_with_a_hash_sign_comes_back(repository: CodeRepository) -> None:
    anchor = Anchor("guide.md", "What C# does", "0123456789ab", "0123456")

    assert parse(str(anchor)) == anchor


def test_what_is_no_file_of_the_repository_is_not_read(
    repository: CodeRepository, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key.py").write_text(PAY)
    (repository.top / "linked").symlink_to(tmp_path / "outside")
    os.mkfifo(repository.top / "pipe.py")
    (repository.top / "huge.py").write_bytes(b"x = 1\n" * 200_000)
    checkout = Checkout(str(repository.top))

    paths = ["linked/key.py", "pipe.py", "huge.py", ".", "a\0b"]

    assert [checkout.read(path) for path in paths] == [None] * 5
    assert checkout.read("pay.py") == PAY


def test_names_that_are_expected_are_looked_for_together(
    repository: CodeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("shop/basket.py", "from pay import charge, refund\n")
    repository.commit("a basket")
    checkout = Checkout(str(repository.top))
    asked: list[str] = []
    run = Checkout._run

    def running(
        self: Checkout, *words: str, input: bytes | None = None
    ) -> tuple[int, bytes] | None:
        asked.append(words[0])
        return run(self, *words, input=input)

    monkeypatch.setattr(Checkout, "_run", running)
    checkout.expect(["charge", "refund", "nowhere"])

    found = [checkout.holders(name) for name in ("refund", "charge", "nowhere")]

    assert found == [["pay.py", "shop/basket.py"], ["pay.py", "shop/basket.py"], []]
    assert asked == ["grep"]


def test_a_file_that_is_named_twice_is_tied_to_once(repository: CodeRepository) -> None:
    twice = "`charge` in `pay.py` refuses more, and `./pay.py` has `charge()` only."

    assert anchor_in(repository, twice).name == "charge"
