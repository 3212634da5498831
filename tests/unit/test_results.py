"""How the last run of a check ended, and when nothing is said of it."""

from __future__ import annotations

import pytest

from anamnesis.capture.extract.results import is_check, results
from anamnesis.capture.story import ANSWER, EDIT, PROMPT
from support.telling import Telling, block


def told(command: str, output: str = "", *, exit: int | None = None, failed: bool = False) -> str:
    """What is said of a session with one run."""
    story = Telling()
    story.run(command, output, exit=exit, failed=failed)
    return "; ".join(each.line() for each in results(story.story()))


@pytest.mark.parametrize(
    ("output", "exit", "line"),
    [
        ("test result: ok. 3 passed; 0 failed\n\nrunning 0 tests\ntest result: ok. 0 passed",
         0, "passed: test result: ok. 3 passed; 0 failed"),
        ("0 runs, 0 assertions, 0 failures", 0, "passed: 0 runs, 0 assertions, 0 failures"),
        ("✓ Compiled successfully in 2s\n 17:31  Warning: Unused directive (no problems)",
         0, "passed: ✓ Compiled successfully in 2s"),
        ("FAIL shop/cart 1 test failed\nok shop/user 0.3s", 1,
         "failed: FAIL shop/cart 1 test failed"),
        ("12 passed", None, "passed: 12 passed"),
        ("", 0, "passed"),
        ("", 2, "failed: exit status 2"),
    ],
)  # fmt: skip
def test_a_result_is_how_the_command_ended_and_the_line_that_counts(
    output: str, exit: int | None, line: str
) -> None:
    assert told("make test", output, exit=exit) == f"`make test`: {line}"


@pytest.mark.parametrize(
    ("command", "output", "exit", "line"),
    [
        ("cd web && npm run lint", "", 0, "`npm run lint`: passed"),
        ("go vet ./... && go test ./...", "ok shop 0.3s", 0,
         "`go test ./...`: passed: ok shop 0.3s; `go vet ./...`: passed"),
        ("mix test | tail -3", "Finished\n14 tests, 0 failures", 0,
         "`mix test`: passed: 14 tests, 0 failures"),
        ("mix test | tail -3", "Finished\n14 tests, 2 failures", 0,
         "`mix test`: failed: 14 tests, 2 failures"),
        ('npm test; echo "exit: $?"', "9 passed\nexit: 1", 0,
         "`npm test`: failed"),
        ("echo '== lint =='\nnpm run lint | tail\necho '== test =='\nnpm test",
         "== lint ==\n2 problems (0 errors)\n== test ==\n9 passed", 0,
         "`npm test`: passed: 9 passed; `npm run lint`: passed"),
    ],
)  # fmt: skip
def test_each_command_of_a_line_has_its_own_result(
    command: str, output: str, exit: int, line: str
) -> None:
    assert told(command, output, exit=exit) == line


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("go test ./... | grep -c ok", "12"),
        ("go test ./... | grep FAIL; golangci-lint run", "FAIL shop\n0 issues."),
        ("make test\nzsh mutate.sh", "Ran 3 tests\nOK\nFAILED (failures=11)"),
        ("make test &\nsleep 5", "OK"),
        ("sed -i s/a/b/ x.py; make test; git checkout x.py", "1 failed"),
        ("for c in a b; do git checkout $c; make test; done", "2 failed"),
        ('PATH="$FAKE:$PATH" ./run.sh test', "Error: docker is missing"),
        ("npm ci && npm run build > build.log", ""),
    ],
)
def test_a_run_that_does_not_show_its_end_is_not_stated(command: str, output: str) -> None:
    story = Telling()
    story.run(command, output)

    assert results(story.story()) == []


def test_the_last_run_counts_and_what_was_edited_since_is_said() -> None:
    story = Telling()
    story.run("make test", "3 failed", exit=2)
    story.run("make test", "12 passed", exit=0)
    story.add_text(EDIT, "/repo/README.md")
    before = results(story.story())
    story.add_text(EDIT, "/repo/cart.py")
    after = results(story.story())

    assert [each.line() for each in before] == ["`make test`: passed: 12 passed"]
    assert [each.line() for each in after] == [
        "`make test`: passed before the last edits: 12 passed"
    ]


def test_a_call_that_was_rejected_is_no_run() -> None:
    story = Telling()
    story.recorder.call("Bash", {"command": "make test"}, call="c")
    story.recorder.result("c", "", failed=False, refused=True)

    assert results(story.story()) == []


@pytest.mark.parametrize(
    "command",
    ["pytest -q", "npm run build", "./gradlew :app:test", "node --check a.js", "make", "bin/lint"],
)
def test_what_tests_builds_or_lints_is_a_check(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize(
    "command", ["ls tests", "npm install -D eslint", "docker stop my-test", "git add test"]
)
def test_what_only_names_a_check_is_none(command: str) -> None:
    assert not is_check(command)


def test_a_count_of_an_earlier_run_is_not_told_as_the_present_one() -> None:
    story = Telling()
    story.add_text(PROMPT, "Make the cart count the items of one kind once, with tests")
    story.run("make test", "12 passed", exit=0)
    story.add_text(ANSWER, "The cart counts them in cart.py now, and there are 12 passing tests.")
    story.add_text(PROMPT, "Add a test of the empty cart to the suite, please, as we discussed")
    story.add_text(EDIT, "/repo/test_cart.py")
    story.run("make test", "13 passed", exit=0)
    story.add_text(ANSWER, "The empty cart has a test of its own now, in test_cart.py, below it.")

    note = story.note()

    assert "12 passing" not in note
    assert block(note, "Last results") == ["`make test`: passed: 13 passed"]
