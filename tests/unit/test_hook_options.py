from __future__ import annotations

from anamnesis.cli.hooks import Option, Options


def test_options_are_read_without_ever_failing() -> None:
    known = {
        "--k": Option("", default="8"),
        "--project": Option(""),
        "--no-sync": Option("", is_flag=True),
    }
    given = Options(known, ["--unknown", "x", "--k=3", "--no-sync", "--project"])

    assert given.number("--k") == 3
    assert given.flag("--no-sync")
    assert given.text("--project") is None
    assert Options(known, ["--k", "many"]).number("--k") is None
    assert Options(known, ["--project", "a b"]).text("--project") == "a b"
