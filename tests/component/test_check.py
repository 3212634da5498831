"""`anamnesis check`: what is wrong with the notes of a repository, for people and for CI."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from anamnesis.cli import main
from anamnesis.operations.repository.check import check
from support.fleet import git

EXAMPLES = Path(__file__).parents[2] / "examples"
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
ID = "01JREPO000000000000000000"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "shop"
    top.mkdir()
    git("init", "--quiet", "--initial-branch=main", cwd=top)
    return top


def add(top: Path, id: str, body: str, *, type: str = "semantic", title: str = "Deploys") -> Path:
    path = top / ".anamnesis" / "memory" / type / f"{id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nid: {id}\ntype: {type}\ntitle: {title}\n---\n{body}\n")
    return path


def kinds(top: Path) -> list[tuple[str, int, str]]:
    return [(each.path, each.line, each.kind) for each in check(str(top)).problems]


def test_sound_notes_and_a_repository_without_any_pass(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(repository)]) == 0
    add(repository, f"{ID}1", "They need the VPN.")

    assert main(["check", str(repository / ".anamnesis")]) == 0
    assert capsys.readouterr().err.endswith("1 note checked: nothing to mend\n")


def test_what_a_reader_would_stumble_over_is_named_with_its_place(repository: Path) -> None:
    folder = ".anamnesis/memory/semantic"
    add(repository, f"{ID}1", f"They need\nthe token {TOKEN}.")
    add(repository, f"{ID}2", "<<<<<<< HEAD\nYes.\n=======\nNo.\n>>>>>>> theirs")
    add(repository, f"{ID}3", "Once.")
    again = (repository / folder / f"{ID}3.md").read_bytes()
    (repository / folder / f"{ID}3-copy.md").write_bytes(again)
    (repository / folder / "broken.md").write_text("no front matter\n")
    (repository / folder / "link.md").symlink_to("/etc/passwd")

    assert kinds(repository) == [
        (f"{folder}/{ID}1.md", 7, "secret"),
        (f"{folder}/{ID}2.md", 1, "unreadable"),
        (f"{folder}/{ID}3.md", 1, "doubled id"),
        (f"{folder}/broken.md", 1, "unreadable"),
        (f"{folder}/link.md", 1, "unreadable"),
    ]


def test_a_value_that_the_repository_allows_is_no_secret(repository: Path) -> None:
    add(repository, f"{ID}1", f"The example token is {TOKEN}.")
    (repository / ".anamnesis" / "redact-allow.txt").write_text(f"{TOKEN}\n")

    assert kinds(repository) == []


def test_a_folder_that_leads_elsewhere_is_not_followed(repository: Path, tmp_path: Path) -> None:
    add(tmp_path / "other", f"{ID}1", f"Private: {TOKEN}")
    (repository / ".anamnesis").symlink_to(tmp_path / "other" / ".anamnesis")

    assert kinds(repository) == [(".anamnesis", 1, "unreadable")]


def test_a_store_in_a_repository_of_dotfiles_is_not_checked(home: Path) -> None:
    git("init", "--quiet", cwd=home)
    add(home, f"{ID}1", f"Private: {TOKEN}")

    assert check(str(home)).problems == ()


def test_annotations_point_at_the_line_and_say_no_secret(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = add(repository, f"{ID}1", f"The token is {TOKEN}.").relative_to(repository)
    (repository / ".anamnesis/memory/semantic/a,b.md").write_text("%\n")

    printed = {}
    for format in ("text", "json", "github", "gitlab"):
        assert main(["check", str(repository), "--format", format]) == 1
        printed[format] = capsys.readouterr().out

    assert TOKEN not in str(printed)
    assert f"{path}:6: secret: " in printed["text"]
    assert f"::error file={path},line=6,title=Anamnesis%3A secret::" in printed["github"]
    assert "file=.anamnesis/memory/semantic/a%2Cb.md,line=1" in printed["github"]
    assert json.loads(printed["json"])["problems"][0]["line"] == 6
    report = json.loads(printed["gitlab"])
    assert report[0]["location"] == {"path": str(path), "lines": {"begin": 6}}
    assert len({each["fingerprint"] for each in report}) == 2


def test_it_needs_no_home_and_leaves_nothing_behind(repository: Path, tmp_path: Path) -> None:
    add(repository, f"{ID}1", "They need the VPN.")
    before = sorted(tmp_path.rglob("*"))

    done = subprocess.run(
        [sys.executable, "-m", "anamnesis", "check"], cwd=repository, env={"PATH": "/nowhere"},
        capture_output=True, text=True,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_the_examples_run_it(repository: Path) -> None:
    action = yaml.safe_load((EXAMPLES / "github-action-check" / "action.yml").read_text())
    line = action["runs"]["steps"][1]["run"]
    programs = repository.parent / "anamnesis-check" / "bin"
    programs.mkdir(parents=True)
    (programs / "anamnesis").symlink_to(Path(sys.executable).parent / "anamnesis")
    hooks = repository / ".git" / "hooks"
    hook = EXAMPLES / "pre-commit" / "pre-commit"
    (hooks / "pre-commit").write_bytes(hook.read_bytes())
    (hooks / "pre-commit").chmod(0o755)
    env = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(repository.parent), "DIRECTORY": "."}
    add(repository, f"{ID}1", f"The token is {TOKEN}.")
    git("add", "--all", cwd=repository)

    annotated = subprocess.run(
        ["bash", "-c", line], cwd=repository, capture_output=True, text=True,
        env={**env, "RUNNER_TEMP": str(repository.parent)},
    )  # fmt: skip
    committed = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "--message=x"],
        cwd=repository, capture_output=True, text=True, env=env,
    )  # fmt: skip

    assert (annotated.returncode, annotated.stdout.count("::error")) == (1, 1), annotated
    assert committed.returncode == 1
    assert "secret" in committed.stdout + committed.stderr
