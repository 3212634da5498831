from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from anamnesis import consent
from anamnesis.config import Home
from anamnesis.git import command, config
from anamnesis.project import (
    _normalize_remote,
    _read_marker,
    resolve_project_key,
    waiting_marker,
)


def git(directory: Path, *arguments: str) -> str:
    directory.mkdir(parents=True, exist_ok=True)
    finished = subprocess.run(
        ["git", "-C", str(directory), *arguments],
        env={**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
             "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return finished.stdout.strip()


@pytest.fixture
def repository(home: Path) -> Path:
    directory = home / "code" / "My-Project"
    git(directory, "init", "-q")
    return directory


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("git@github.com:oscardvs/anamnesis.git", "github.com/oscardvs/anamnesis"),
        ("https://github.com/oscardvs/anamnesis", "github.com/oscardvs/anamnesis"),
        ("https://github.com/oscardvs/anamnesis.git/", "github.com/oscardvs/anamnesis"),
        ("ssh://git@github.com/oscardvs/anamnesis.git", "github.com/oscardvs/anamnesis"),
        ("ssh://git@git.example.org:2222/Team/App.git", "git.example.org/team/app"),
        ("https://git.example.org:8443/team/app", "git.example.org/team/app"),
        ("git@git.example.org:/team/app.git", "git.example.org/team/app"),
        ("git://example.org/x.git", "example.org/x"),
        ("https://user:s3cret@example.org/x.git", "example.org/x"),
        ("host:x", "host/x"),
        ("/srv/git/x.git", "/srv/git/x"),
        ("https://example.org/~me/x@y.git", "example.org/~me/x@y"),
    ],
)
def test_a_remote_has_one_key_however_it_is_reached(url: str, key: str) -> None:
    assert _normalize_remote(url) == key


def marked(directory: Path, key: str) -> Path:
    """A directory whose marker names a project."""
    (directory / ".anamnesis").mkdir(parents=True)
    (directory / ".anamnesis" / "project").write_text(key)
    return directory


def test_a_marker_outside_of_repositories_wins(home: Path) -> None:
    marked(home / "code", "\n  the-key \nmore\n")
    below = home / "code" / "src" / "deep"
    below.mkdir(parents=True)

    assert _read_marker(below) == "the-key"
    assert resolve_project_key(below) == "the-key"
    assert waiting_marker(below) is None


def test_a_marker_above_a_repository_is_the_person_s_own(repository: Path) -> None:
    marked(repository.parent, "team/all")
    git(repository, "remote", "add", "origin", "git@github.com:o/a.git")

    assert resolve_project_key(repository) == "team/all"
    assert waiting_marker(repository) is None


def test_a_marker_in_a_repository_waits_for_consent(repository: Path, root: Path) -> None:
    git(repository, "remote", "add", "origin", "git@github.com:o/a.git")
    below = marked(repository / "src", "team/secret")

    assert resolve_project_key(below) == "github.com/o/a"
    found = waiting_marker(below)
    assert found is not None
    assert (found.key, found.repository) == ("team/secret", "github.com/o/a")

    consent.allow_project(Home(root), "github.com/o/a", "team/secret")
    assert resolve_project_key(below) == "team/secret"
    assert waiting_marker(below) is None


def test_consent_is_for_one_project_and_one_repository(repository: Path, root: Path) -> None:
    marked(repository, "team/secret")
    found = waiting_marker(repository)
    assert found is not None
    consent.allow_project(Home(root), found.repository, "team/secret")
    other = repository.parent / "other"
    git(other, "init", "-q")
    marked(other, "team/secret")

    assert resolve_project_key(other) == "other"
    (repository / ".anamnesis" / "project").write_text("team/payroll")
    assert resolve_project_key(repository) == "my-project"

    consent.withdraw_project(Home(root), found.repository, "team/secret")
    (repository / ".anamnesis" / "project").write_text("team/secret")
    assert resolve_project_key(repository) == "my-project"


def test_a_marker_that_names_the_repository_s_own_key_needs_nothing(repository: Path) -> None:
    git(repository, "remote", "add", "origin", "git@github.com:o/a.git")
    marked(repository, "github.com/o/a")

    assert waiting_marker(repository) is None
    assert resolve_project_key(repository) == "github.com/o/a"


def test_a_marker_of_a_repository_around_this_one_waits_too(repository: Path) -> None:
    inner = repository / "vendor" / "inner"
    git(inner, "init", "-q")
    marked(repository, "team/secret")

    assert resolve_project_key(inner) == "inner"
    assert waiting_marker(inner) is not None


def test_behind_a_marker_that_waits_the_person_s_own_one_counts(repository: Path) -> None:
    marked(repository.parent, "team/all")
    marked(repository, "team/secret")

    assert resolve_project_key(repository) == "team/all"
    assert waiting_marker(repository) is not None


@pytest.mark.parametrize("linked", ["file", "folder"])
@pytest.mark.parametrize("in_repository", [True, False])
def test_a_link_is_no_marker(
    home: Path, repository: Path, linked: str, *, in_repository: bool
) -> None:
    target = marked(home / "elsewhere", "team/secret") / ".anamnesis"
    directory = repository if in_repository else home / "plain"
    directory.mkdir(exist_ok=True)
    if linked == "folder":
        (directory / ".anamnesis").symlink_to(target)
    else:
        (directory / ".anamnesis").mkdir()
        (directory / ".anamnesis" / "project").symlink_to(target / "project")

    assert resolve_project_key(directory) == directory.name.lower()
    assert waiting_marker(directory) is None


@pytest.mark.parametrize("content", ["", "[]", '{"github.com/o/a": 3}', "{broken", '{"x": {}}'])
def test_a_damaged_record_of_consent_allows_nothing(
    repository: Path, root: Path, content: str
) -> None:
    git(repository, "remote", "add", "origin", "git@github.com:o/a.git")
    marked(repository, "team/secret")
    (root / "state").mkdir(parents=True)
    (root / "state" / "repositories.json").write_text(content)

    assert resolve_project_key(repository) == "github.com/o/a"
    consent.allow_project(Home(root), "github.com/o/a", "team/secret")
    assert resolve_project_key(repository) == "team/secret"


def test_a_marker_at_home_claims_nothing(home: Path) -> None:
    (home / ".anamnesis").mkdir()
    (home / ".anamnesis" / "project").write_text("everything")
    (home / "x").mkdir()

    assert _read_marker(home / "x") is None
    assert _read_marker(home) is None


def test_origin_gives_the_key(repository: Path) -> None:
    git(repository, "remote", "add", "origin", "git@GitHub.com:Owner/App.git")
    (repository / "sub").mkdir()

    assert resolve_project_key(repository / "sub") == "github.com/owner/app"


def test_without_origin_the_repository_gives_its_name(repository: Path) -> None:
    (repository / "sub").mkdir()

    assert resolve_project_key(str(repository / "sub")) == "my-project"


def test_worktrees_share_the_key(repository: Path, home: Path) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    git(repository, "worktree", "add", "-q", str(home / "elsewhere"))
    without = resolve_project_key(home / "elsewhere")

    git(repository, "remote", "add", "origin", "git@github.com:o/a.git")

    assert without == "my-project"
    assert resolve_project_key(home / "elsewhere") == "github.com/o/a"


def test_outside_of_git_the_directory_gives_its_name(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "Notes").mkdir()
    monkeypatch.chdir(home / "Notes")

    assert resolve_project_key(".") == "notes"
    assert resolve_project_key("/") == "global"


def test_an_alias_in_an_included_file_is_the_host_that_it_stands_for(
    repository: Path, home: Path
) -> None:
    folder = home / ".ssh" / "config.d"
    folder.mkdir(parents=True)
    (home / ".ssh" / "config").write_text("Include config.d/*\nHost other\n  Include /etc/none\n")
    (folder / "a").write_text("Include config\nHost box\n  HostName box.example\n")
    (folder / "work").write_text("Host github-work\n  HostName github.com\n")
    git(repository, "remote", "add", "origin", "git@github-work:team/app.git")

    assert resolve_project_key(repository) == "github.com/team/app"


def test_an_ssh_alias_is_the_host_that_it_stands_for(repository: Path, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text(
        "Host work other\n  User git\n  HostName github.com\nHost x\n  HostName no\n"
    )
    git(repository, "remote", "add", "origin", "git@work:o/a.git")

    assert resolve_project_key(repository) == "github.com/o/a"


def count_git(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    calls: list[object] = []
    real = command.git

    def counted(args: list[str], **options: object) -> object:
        calls.append(args)
        return real(args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(command, "git", counted)
    return calls


def test_reading_origin_starts_no_process(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "remote", "add", "origin", "git@github.com:o/a.git")
    calls = count_git(monkeypatch)

    assert resolve_project_key(repository) == "github.com/o/a"
    assert calls == []


CONFIGURATIONS = [
    '[remote "origin"]\n\turl = git@github.com:o/plain.git\n',
    '[remote "origin"]\n\tfetch = x\n[branch "b"]\n\turl = no\n',
    '[REMOTE "origin"]\nURL=https://github.com/o/upper.git\n',
    '[remote "Origin"]\n\turl = wrong-case\n',
    '[remote "origin"] url = git@github.com:o/same-line.git\n',
    '[remote "origin"]\n\turl = "git@github.com:o/quoted.git"\n',
    '[remote "origin"]\n\turl = git@github.com:o/commented.git ; a comment\n',
    '[remote "origin"]\n\turl = git@github.com:o/first.git\n\turl = git@github.com:o/second.git\n',
    '[remote "other"]\n\turl = git@github.com:o/other.git\n',
    '[remote "origin"]\n\turl = gh:o/short\n[url "git@github.com:"]\n\tinsteadOf = gh:\n',
    '[remote "origin"]\n\turl = git@github.com:o/\\\nfolded.git\n',
    "[include]\n\tpath = more\n",
    "# nothing here\n",
]


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_what_is_read_from_the_file_is_what_git_says(repository: Path, configuration: str) -> None:
    (repository / ".git" / "more").write_text('[remote "origin"]\n\turl = git@h:o/included.git\n')
    base = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
    (repository / ".git" / "config").write_text(base + configuration)
    asked = subprocess.run(
        ["git", "-C", str(repository), "remote", "get-url", "origin"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    # A remote without a URL has, to git, its own name as the URL: that names no project.
    url = asked.stdout.strip().removeprefix("origin")
    expected = _normalize_remote(url) if url else "my-project"

    assert resolve_project_key(repository) == expected


def test_a_global_rewrite_of_urls_is_left_to_git(repository: Path, home: Path) -> None:
    (home / ".gitconfig").write_text('[url "git@github.com:"]\n\tinsteadOf = gh:\n')
    git(repository, "remote", "add", "origin", "gh:o/a")

    assert resolve_project_key(repository) == "github.com/o/a"


def test_an_inherited_git_dir_does_not_change_the_project(
    repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "remote", "add", "origin", "gh:o/a")
    (home / ".gitconfig").write_text('[url "git@github.com:"]\n\tinsteadOf = gh:\n')
    git(home / "other", "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(home / "other" / ".git"))

    assert resolve_project_key(repository) == "github.com/o/a"


def test_a_submodule_and_a_separate_git_directory_are_found(home: Path) -> None:
    git(home / "apart", "init", "-q", "--separate-git-dir", str(home / "hidden.git"))

    found = config.find_repository(str(home / "apart"))

    assert found is not None
    assert found.name == "apart"
