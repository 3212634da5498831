"""What is taken from a session's story, and how it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.capture.extract import findings, note, paths, repairs, shell, title
from anamnesis.capture.extract.rules import is_rule, rules
from anamnesis.capture.session import ParsedSession
from anamnesis.capture.story import ANSWER, EDIT, PROMPT
from anamnesis.text.clipping import clipped
from anamnesis.text.sentences import sentences, statements
from support.telling import Telling

WISHES = Path(__file__).parents[1] / "data" / "wishes.txt"
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7bq1xYz8VhJ2kQ0\n" * 9


def test_an_error_and_what_fixed_it_are_one_line() -> None:
    story = Telling()
    story.run("pytest -q", "E  KeyError: 'id'\n1 failed", failed=True)
    story.add_text(EDIT, "/repo/src/cart.py")
    story.run("pytest -q tests", "12 passed in 1s")

    (fix,) = repairs.fixes(story.story())

    assert fix.line() == "`pytest -q` failed: KeyError: 'id' → edited `cart.py`"


def test_an_error_that_a_pipe_hides_is_not_fixed() -> None:
    story = Telling()
    story.run("pnpm build", "Error: wrong package manager", failed=True)
    story.run("pnpm build --force | tail -1", "Error: wrong package manager")

    assert repairs.fixes(story.story()) == []


@pytest.mark.parametrize(
    ("output", "decisive"),
    [
        (
            ("error[E0502]: cannot borrow `x` as mutable\n --> src/a.rs:8:1\n"
            "For more information about this error, try `rustc --explain E0502`.\n"
            "error: could not compile `cart`"),
            "error[E0502]: cannot borrow `x` as mutable",
        ),
        (
            ("test a ... FAILED\nthread 'empty' panicked at a.rs:8:1:\nindex out of bounds\n"
            "error: test failed, to rerun pass `--lib`"),
            "thread 'empty' panicked: index out of bounds",
        ),
        (
            ("> Task :cart:compile FAILED\nsrc/Cart.java:14: error: package a.b does not exist\n"
            "FAILURE: Build failed with an exception."),
            "src/Cart.java:14: error: package a.b does not exist",
        ),
        (
            ("OrderTest > saves() FAILED\n    DaoException at OrderTest.java:41\n"
            '        Caused by: h2.SyntaxErrorException: Table "SEQ" not found\n2 tests, 1 failed'),
            'Caused by: h2.SyntaxErrorException: Table "SEQ" not found',
        ),
        (
            "--- FAIL: TestTotal (0.00s)\n    cart_test.go:41: got 2, want 3\nFAIL\tcart\t0.01s",
            "cart_test.go:41: got 2, want 3",
        ),
        ("src/cart.c:9:3: error: unknown type name 'u8'\n1 error generated.\nmake: *** Error 1",
         "src/cart.c:9:3: error: unknown type name 'u8'"),
        ("app.py:1:1: F401 'os' imported but unused\nFound 1 error.",
         "app.py:1:1: F401 'os' imported but unused"),
        (
            ("FAILURE: Build failed with an exception.\n* What went wrong:\n"
            "Execution failed for task ':app:merge'.\n"
            "> Manifest merger failed : minSdk 19 cannot be smaller than version 21 of a library"),
            "Manifest merger failed : minSdk 19 cannot be smaller than version 21 of a library",
        ),
        ("FAIL src/week.test.ts\n  ● first day in de-DE\n    Expected: 1\nTests: 1 failed",
         "● first day in de-DE"),
        ("Build (linux)  pass  1m\nTest (windows)  fail  52s", "Test (windows) fail 52s"),
    ],
)  # fmt: skip
def test_the_decisive_line_of_what_a_tool_printed(output: str, decisive: str) -> None:
    assert findings.decisive_line(output) == decisive


def test_a_lock_file_is_not_what_fixed_an_error() -> None:
    story = Telling()
    story.run("pnpm test", "TypeError: x is not a function", failed=True)
    story.add_text(EDIT, "/repo/src/cart.ts")
    story.add_text(EDIT, "/repo/pnpm-lock.yaml")
    story.run("pnpm test", "3 passed")

    assert [each.fix for each in repairs.fixes(story.story())] == ["edited `cart.ts`"]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git commit -m 'cart: count items'", ""),
        ("git add . && git commit -F msg", "[main 1a2b3c4] cart: count items\n 1 file changed"),
        ("git commit -m \"$(cat <<'EOF'\ncart: count items\n\nWhy.\nEOF\n)\"", ""),
    ],
)
def test_the_subject_of_a_commit(command: str, output: str) -> None:
    assert [subject for _, subject in shell.commits(command, output)] == ["cart: count items"]


def test_an_amended_commit_counts_once() -> None:
    story = Telling()
    story.run("git commit -m x", "[main 1111111] cart: cuont items")
    story.run("git commit --amend -m y", "[main 2222222] cart: count items")

    assert [each.hash for each in findings.commits(story.story())] == ["2222222"]


def test_a_quoted_separator_splits_nothing() -> None:
    assert shell.parts("echo 'a && b'; make test") == ("echo 'a && b'", "make test")


@pytest.mark.parametrize(
    "sentence",
    [
        "never use Redis again",
        "always run make lint before you commit",
        "we use pnpm, not npm",
        "Bitte schreibe immer zuerst einen Test.",
        "不要提交任何測試檔案到主分支",
    ],
)
def test_a_rule_is_known_in_several_languages(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "fix the login page",
        "why does the test fail?",
        "The nested agents were never discovered.",
        "add a button to the page",
    ],
)
def test_a_request_is_no_rule(sentence: str) -> None:
    assert not is_rule(sentence)


def test_most_wishes_are_known_and_what_is_proposed_is_one() -> None:
    lines = WISHES.read_text("utf-8").splitlines()
    wishes = [line[2:] for line in lines if line.startswith("+")]
    others = [line[2:] for line in lines if line.startswith("-")]

    known = [each for each in wishes if is_rule(each)]
    wrong = [each for each in others if is_rule(each)]

    assert len(known) >= 0.85 * len(wishes)
    assert len(wrong) <= 0.05 * len(known), wrong


def test_a_secret_at_the_place_where_a_long_output_is_cut_is_not_halved() -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    story = Telling()
    for shift in range(0, 40, 3):
        story.run(f"make {shift}", "x " * (300 - shift) + token + " y" * 700)

    for moment in story.story().moments:
        assert "ghp_" not in moment.answer.replace(token, "")


def test_a_secret_is_not_halved_where_a_line_is_clipped() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9." * 20

    assert clipped(f"the token is {token}", 80) == "the token is…"


def test_a_title_says_what_was_done_and_is_not_taken_twice() -> None:
    story = Telling()
    story.add_text(PROMPT, "continue")
    story.add_text(EDIT, "/repo/cart.py")
    story.add_text(
        ANSWER,
        "Done. The cart counts items of one kind once.\n\nThe sum of all is shown above the list.",
    )

    first = title.title(story.story())
    second = title.title(story.story(), taken=[first])

    assert first.startswith("The cart counts items")
    assert second != first
    assert len(second) <= title.MOST


def test_a_long_title_ends_with_a_clause() -> None:
    story = Telling()
    story.add_text(PROMPT, "speed it up")
    story.add_text(EDIT, "/repo/report.py")
    story.add_text(
        ANSWER,
        "Understood, will do. The monthly report takes 40 seconds instead of nine: "
        "its queries run in batches of 500 customers each.",
    )

    found = title.title(story.story())

    assert found == "The monthly report takes 40 seconds instead of nine"


def test_a_session_of_questions_is_called_by_what_was_asked() -> None:
    story = Telling()
    for question in (
        "How are requests between our services signed?",
        "And how long are they valid?",
    ):
        story.add_text(PROMPT, question)
        story.add_text(
            ANSWER, "Because of the old provider. " + "It takes a while to explain. " * 9
        )

    assert title.title(story.story()) == "How are requests between our services signed?"


def test_an_address_is_no_title_and_a_commit_of_the_pipeline_is_one() -> None:
    story = Telling()
    story.add_text(PROMPT, "The pipeline fails with the new compiler.")
    story.run("git commit -m x", "[main 1a2b3c4] ci: build with libc++ from the image")
    story.add_text(
        ANSWER, "Opened https://example.org/shop/pull/88. " + "The image is used now. " * 9
    )

    assert title.title(story.story()) == "ci: build with libc++ from the image"
    assert title.title(story.story(), taken=["ci: build with libc++ from the image"]) == (
        "The image is used now"
    )


def test_of_a_hasty_prompt_only_the_sentence_that_binds_is_proposed() -> None:
    story = Telling()
    story.add_text(PROMPT, "the test is flaky, find out why. we use pnpm, not npm")
    story.add_text(PROMPT, "de acuerdo. a partir de ahora usa siempre el digest en los charts")

    assert [each.text for each in rules(story.story())] == [
        "we use pnpm, not npm",
        "a partir de ahora usa siempre el digest en los charts",
    ]


def test_source_leaves_its_room_to_findings() -> None:
    story = Telling()
    story.add_text(PROMPT, "Why are nested carts lost when the shop restarts?")
    source = "\n".join(
        f'if cart[{n}].Nested != "" {{\n  path{n} := join(root, "{n}")' for n in range(60)
    )
    finding = "- `cart.go` skips folders, so nested carts of `shop/2` are never written (12 of 40)"
    story.add_text(
        ANSWER, f"What I found:\n{finding}\n```go\n{source}\n```\n" + "More to say. " * 20
    )
    story.add_text(PROMPT, "And is there a way to see them before?")
    story.add_text(ANSWER, "No, there is none. " * 30)

    text = note.body(ParsedSession(cwd="/repo"), story.story())

    assert "never written (12 of 40)" in text
    assert "path5 := join" not in text


def told(*moments: tuple[str, str]) -> str:
    """The note of a session in which this happened."""
    story = Telling()
    for kind, text in moments:
        story.add_text(kind, text)
    return note.body(ParsedSession(), story.story())


def test_what_a_report_calls_open_is_listed_once() -> None:
    done = "The cart counts items of one kind once."
    report = f"{done}\n\n**Reste à faire :**\n- le panier vide\n- le total"

    body = told((PROMPT, "Make the cart count items"), (EDIT, "/repo/cart.py"), (ANSWER, report))

    assert "**Open:**\n- le panier vide\n- le total\n" in body
    assert body.endswith(f"**Outcome:** {done}")


def test_findings_of_one_answer_stay_in_their_order() -> None:
    review = (
        "- `tokens.py` compares the signature with `==`, which leaks its timing\n\n"
        "The ids are long enough.\n\n"
        "- `session.py` takes the id from the query string -> referrers\n\n"
        "- `login.py` has no limit of 5 attempts for each of the 128 addresses"
    )
    body = told(
        (PROMPT, "Review the module and list what is wrong with it"),
        (ANSWER, review),
        (PROMPT, "write them down as issues in the documentation"),
        (EDIT, "/repo/docs/issues.md"),
        (ANSWER, "The documentation has an issue for each of the problems that were found."),
    )

    places = [body.index(each) for each in ("`tokens.py`", "`session.py`", "`login.py`")]
    assert places == sorted(places)


def test_what_the_person_refused_and_small_talk_are_not_told() -> None:
    body = told(
        (PROMPT, "Show the weekdays of the calendar in the order of the locale"),
        (EDIT, "/repo/week.ts"),
        (ANSWER, "The first day comes from a table of all locales that I wrote down."),
        (PROMPT, "no, no table. use the weekstart package"),
        (EDIT, "/repo/week.ts"),
        (ANSWER, "The first day comes from the package weekstart now."),
        (PROMPT, "danke"),
        (ANSWER, "Gern geschehen, melde dich jederzeit!"),
    )

    assert body.endswith("**Outcome:** The first day comes from the package weekstart now.")
    assert "that I wrote down" not in body
    assert "Gern geschehen" not in body


def test_yes_brings_the_offer_and_not_only_its_question() -> None:
    body = told(
        (PROMPT, "Why does the job of the pipeline fail since yesterday?"),
        (ANSWER, "The preview is not reachable. I would add `--host` to its script. Shall I?"),
        (PROMPT, "yes"),
        (EDIT, "/repo/package.json"),
        (ANSWER, "The pipeline reaches the preview on the loopback address now."),
    )

    assert "- yes → I would add `--host` to its script. Shall I?" in body


def test_an_open_item_of_few_characters_says_enough_in_chinese() -> None:
    body = told(
        (PROMPT, "请修复登录页面"),
        (EDIT, "/repo/a.ts"),
        (ANSWER, "登录页面的按钮现在可以点击。\n\n未完成:\n- 缓存浏览器"),
    )

    assert "**Open:**\n- 缓存浏览器\n" in body


def test_thanks_do_not_replace_the_outcome() -> None:
    story = Telling()
    story.add_text(PROMPT, "Make the cart count items")
    story.add_text(EDIT, "/repo/cart.py")
    report = "The cart counts items of one kind once; the total is shown above the list of items."
    story.add_text(ANSWER, report)
    story.add_text(PROMPT, "thanks")
    story.add_text(ANSWER, "You're welcome!")

    assert note.body(ParsedSession(), story.story()).endswith(f"**Outcome:** {report}")


def test_a_note_of_a_very_long_session_keeps_its_size() -> None:
    story = Telling()
    for number in range(400):
        story.add_text(
            PROMPT, f"Please change part {number} of the shop so that it counts {number}"
        )
        story.add_text(EDIT, f"/home/ada/shop/src/part{number}.py")
        story.add_text(
            ANSWER, f"Part {number} counts to {number} now -> see `part{number}.py`. " * 5
        )
    files = [f"/home/ada/shop/src/part{number}.py" for number in range(400)]

    body = note.body(ParsedSession(cwd="/home/ada/shop", files_touched=files), story.story())

    assert 4_000 < len(body) <= 6_000
    assert "/home/ada" not in body


def test_a_line_of_a_key_is_not_taken_alone() -> None:
    story = Telling()
    story.add_text(ANSWER, f"I made a key:\n```\n{KEY}```\n")

    assert "MIIEow" not in story.story().moments[0].text


def test_the_memory_of_a_story_is_bounded() -> None:
    story = Telling()
    for number in range(1_000):
        story.add_text(ANSWER, f"{number} " + "word " * 2_000)

    held = sum(len(each.text) for each in story.story().moments)
    assert held < 1_000_000
    assert story.story().moments[-1].text.startswith("999")


def test_text_is_cut_between_words() -> None:
    assert clipped("one two three four", 12) == "one two…"
    assert clipped("short", 12) == "short"


def test_short_items_are_joined_under_their_heading() -> None:
    (unit,) = statements("**Changed:**\n- the cart\n- the total")

    assert unit.text == "Changed: the cart; the total"


def test_sentences_of_scripts_without_spaces() -> None:
    assert sentences("\u5b8c\u6210\u3002\u6e2c\u8a66\u901a\u904e\u3002") == [
        "\u5b8c\u6210\u3002",
        "\u6e2c\u8a66\u901a\u904e\u3002",
    ]


def test_files_are_listed_by_folder_without_generated_ones() -> None:
    files = ["/repo/a/x.py", "/repo/a/y.py", "/repo/package-lock.json"]

    assert paths.listing(paths.written(files), root="/repo", most=200) == ["- a/: x.py, y.py"]


def test_files_outside_the_repository_come_last() -> None:
    files = ["/home/ada/.claude/plans/x.md", "/repo/src/cart.py"]

    assert paths.listing(files, root="/repo", most=300) == [
        "- src/: cart.py",
        "- ~/.claude/plans/: x.md",
    ]


def test_of_many_commits_the_title_names_the_parts_and_the_greatest() -> None:
    story = Telling()
    story.add_text(PROMPT, "Go on with the next item of the list, please, and commit each.")
    for number, edits in ((1, 1), (2, 6), (3, 1), (4, 1)):
        for edit in range(edits):
            story.add_text(EDIT, f"/repo/cart/step{number}_{edit}.py")
        story.run("git commit -m x", f"[main 1a2b3c{number}] R{number}: cart step{number} is done")
    story.add_text(ANSWER, "The badge in the README is green again, and nothing else is left.")

    assert title.title(story.story()) == "R1-R4: cart step2 is done"


def test_the_turn_with_most_edits_gives_the_title() -> None:
    story = Telling()
    for ask, edits, report in (
        ("Build the export of a cart", 9, "The cart exports to CSV and PDF now, with its totals."),
        ("Ignore the build folder", 1, "Updated .gitignore for the build folder and the logs."),
    ):
        story.add_text(PROMPT, ask)
        for edit in range(edits):
            story.add_text(EDIT, f"/repo/{'cart/export' if edits > 1 else 'ignore'}{edit}.py")
        story.add_text(ANSWER, report)

    assert title.title(story.story()) == "The cart exports to CSV and PDF now, with its totals"


def test_what_the_agent_announces_is_no_finding() -> None:
    story = Telling()
    story.add_text(PROMPT, "Make the cart count the items of one kind once, please")
    found = "The sum adds each kind twice, because `merge_lines` is called again for every line."
    story.add_text(ANSWER, f"{found} Now let me read the tests.")
    story.run("pytest -q", "12 passed", exit=0)
    story.add_text(EDIT, "/repo/cart.py")
    story.add_text(ANSWER, "The cart counts the items of one kind once, in `cart.py`, as asked.")

    assert "let me read" not in story.note()
    assert f"- {found}" in story.note()


def test_an_assignment_is_no_command() -> None:
    assert shell.parts("EVENT='{\"at\":\"'$(date -u)'\"}'\nmake test") == ("make test",)


def test_what_was_so_for_the_moment_is_not_told_later() -> None:
    story = Telling()
    story.add_text(PROMPT, "Deploy the shop to the staging server and check the address")
    story.run("make deploy", "done", exit=0)
    story.add_text(ANSWER, "The page shop.example/cart is currently private, so nobody can see it.")
    story.add_text(PROMPT, "It is public now. Check again, please, and write the README.")
    story.add_text(EDIT, "/repo/README.md")
    story.add_text(ANSWER, "The page shop.example/cart answers with 200, and the README names it.")

    assert "currently private" not in story.note()
