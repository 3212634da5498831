"""What became of the code that a note speaks of, told from a real repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anamnesis.anchors.anchor import Anchor, anchors_of, parse
from anamnesis.anchors.checkout import Checkout
from anamnesis.anchors.judge import Judge, Verdict, judge_all

PAY = """\
LIMIT = 5


def charge(amount):
    if amount > LIMIT:
        raise ValueError("too much")
    return send(amount, retries=3)


def refund(amount):
    return send(-amount, retries=1)
"""
NOTE = "`charge()` in `pay.py` refuses more than the limit."


class Repository:
    """A repository of one's own, with one file."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir()
        self.git("init", "-q", "-b", "main")
        self.write("pay.py", PAY)
        self.commit("begin")

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
            cwd=self.top, check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        (self.top / path).parent.mkdir(exist_ok=True)
        (self.top / path).write_text(text)

    def commit(self, subject: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)
        return self.git("rev-parse", "--short", "HEAD")

    def anchor(self, note: str = NOTE) -> Anchor:
        (anchor,) = anchors_of(note, Checkout(str(self.top)))
        return anchor

    def judge(self, anchor: Anchor) -> Verdict:
        checkout = Checkout(str(self.top))
        return Judge(checkout, checkout).judge(anchor)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "shop")


def test_a_note_is_tied_to_the_function_that_it_names(repository: Repository) -> None:
    anchor = repository.anchor()

    assert (anchor.path, anchor.name) == ("pay.py", "charge")
    assert anchor.commit.startswith(repository.git("rev-parse", "--short=7", "HEAD"))
    assert parse(str(anchor)) == anchor
    assert repository.judge(anchor).state == "fresh"


@pytest.mark.parametrize(
    "note", ["`refund()` is never retried.", "See `pay.py:11`.", "- src/../pay.py\n`refund`"]
)
def test_a_symbol_or_a_line_is_enough(repository: Repository, note: str) -> None:
    assert [each.name for each in anchors_of(note, Checkout(str(repository.top)))][-1:] in (
        ["refund"], [],
    )  # fmt: skip


def test_a_symbol_that_two_files_define_ties_to_neither(repository: Repository) -> None:
    repository.write("other.py", "def refund():\n    return 1\n")
    repository.commit("another")

    assert anchors_of("`refund()` is never retried.", Checkout(str(repository.top))) == []


def test_comments_and_layout_change_nothing(repository: Repository) -> None:
    anchor = repository.anchor()
    text = PAY.replace(
        "send(amount, retries=3)", "send(\n        amount,  # all\n        retries=3,\n    )"
    )
    repository.write("pay.py", "# Payments.\n\n" + text)
    repository.commit("format")

    assert repository.judge(anchor).state == "fresh"


def test_a_changed_function_names_the_commit_that_changed_it(repository: Repository) -> None:
    anchor = repository.anchor()
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))
    by = repository.commit("retry more")
    repository.write("pay.py", PAY.replace("retries=3", "retries=9") + "\n\nX = 1\n")
    repository.commit("something else")

    verdict = repository.judge(anchor)

    assert (verdict.state, verdict.commit) == ("changed", by)


def test_a_change_that_is_not_committed_has_no_commit(repository: Repository) -> None:
    anchor = repository.anchor()
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))

    verdict = repository.judge(anchor)

    assert (verdict.state, verdict.commit) == ("changed", "")


def test_a_renamed_file_moves_the_note(repository: Repository) -> None:
    anchor = repository.anchor()
    (repository.top / "shop").mkdir()
    repository.git("mv", "pay.py", "shop/payments.py")
    repository.commit("move")

    verdict = repository.judge(anchor)

    assert (verdict.state, verdict.path) == ("moved", "shop/payments.py")


def test_a_function_in_another_file_moves_the_note(repository: Repository) -> None:
    anchor = repository.anchor()
    head, _, rest = PAY.partition("\n\n\ndef refund")
    repository.write("pay.py", "LIMIT = 5\n\n\ndef refund" + rest)
    repository.write(
        "charging.py", "from pay import LIMIT\n\n\n" + head.partition("\n\n\n")[2] + "\n"
    )
    repository.commit("split")

    verdict = repository.judge(anchor)

    assert (verdict.state, verdict.path, verdict.name) == ("moved", "charging.py", "charge")


def test_a_renamed_function_is_a_changed_one(repository: Repository) -> None:
    anchor = repository.anchor()
    repository.write("pay.py", PAY.replace("def charge", "def collect"))
    repository.commit("rename")

    verdict = repository.judge(anchor)

    assert (verdict.state, verdict.name) == ("changed", "collect")


def test_a_function_that_nobody_has_is_gone(repository: Repository) -> None:
    anchor = repository.anchor()
    repository.write("pay.py", "LIMIT = 5\n")
    by = repository.commit("remove")

    verdict = repository.judge(anchor)

    assert (verdict.state, verdict.commit) == ("gone", by)


def test_a_note_on_a_whole_file_survives_small_edits(repository: Repository) -> None:
    anchor = repository.anchor("Payments are in `pay.py`.")
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))
    repository.commit("small")
    small = repository.judge(anchor).state
    repository.write("pay.py", "import stripe\n\n\ndef pay():\n    return stripe.pay()\n")
    repository.commit("rewrite")

    assert (small, repository.judge(anchor).state) == ("fresh", "changed")


def test_of_two_anchors_of_one_block_the_renewed_one_counts(repository: Repository) -> None:
    old = repository.anchor()
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))
    repository.commit("retry more")
    renewed = repository.anchor()
    checkout = Checkout(str(repository.top))

    (verdict,) = judge_all([old, renewed], Judge(checkout, checkout))

    assert verdict.state == "fresh"


def test_a_commit_that_this_clone_lacks_still_tells_fresh_from_changed(
    repository: Repository,
) -> None:
    anchor = repository.anchor()
    unknown = Anchor(anchor.path, anchor.name, anchor.hash, "0123456789ab")

    fresh = repository.judge(unknown).state
    repository.write("pay.py", PAY.replace("retries=3", "retries=9"))

    assert (fresh, repository.judge(unknown).state) == ("fresh", "changed")


@pytest.mark.parametrize("path", ["../pay.py", "/etc/passwd", "~/x.py", ".git/config", "a/../../b"])
def test_an_anchor_never_leaves_its_repository(path: str) -> None:
    assert parse(f"{path}#charge 0123456789ab 0123456") is None
