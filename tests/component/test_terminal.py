"""The command line as people meet it: help, mistakes, completion, tables, colour."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from anamnesis.cli import COMMANDS, GROUPS, HOOKS, command_parser, main, tables
from anamnesis.cli.commands.completion import candidates
from anamnesis.ground.process import Finished
from anamnesis.ground.records import replace
from anamnesis.history.commit import record_locally
from anamnesis.notes.fields import Memory
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.notes.show import short_ids, show
from anamnesis.operations.travel import fleet
from anamnesis.project import short_names
from anamnesis.store import MemoryStore
from anamnesis.sync import remote
from support.pty import shown

Capture = pytest.CaptureFixture[str]
PROGRAM = str(Path(sys.executable).with_name("anamnesis"))


def complaint(capsys: Capture, *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said.rstrip("\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "--projct", "x"], "unknown option --projct; did you mean --project?"),
        (["show"], "missing ID; usage:  anamnesis show ID"),
        (["show", "a", "b"], "unexpected 'b'; usage:  anamnesis show ID"),
        (["list", "--type", "semntic"], "did you mean semantic?"),
        (["conflicts", "shw"], "did you mean show?"),
        (
            ["move", "a"],
            "missing --scope; usage:  anamnesis move ID --scope portable|machine-local",
        ),
        (["list", "--since", "soon"], "'soon' is not a date"),
    ],
)
def test_a_mistake_is_one_line_with_the_nearest_right_form(
    capsys: Capture, arguments: list[str], said: str
) -> None:
    assert said in complaint(capsys, *arguments)


def test_every_command_stands_in_one_group() -> None:
    assert sum(map(len, GROUPS.values())) == len(COMMANDS)


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_has_a_short_option(capsys: Capture, option: str) -> None:
    assert main([option]) == 0
    assert capsys.readouterr().out.startswith("anamnesis ")


def test_alone_on_a_terminal_it_explains_itself(home: Path) -> None:
    text, code = shown([PROGRAM], columns=80, env=dict(os.environ), cwd=home, keyboard=True)

    assert code == 0
    assert "usage: anamnesis COMMAND" in text


def test_alone_in_a_pipe_it_serves(home: Path) -> None:
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    done = subprocess.run([PROGRAM], input=asked, capture_output=True, text=True, cwd=home)

    assert json.loads(done.stdout)["result"] == {}


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([""], {"search", "sync", "init"}),
        (["re"], {"reindex", "remote", "review"}),
        (["list", "--p"], {"--project"}),
        (["list", "--type", ""], {"semantic", "episodic", "procedural"}),
        (["conflicts", ""], {"list", "show", "resolve"}),
        (["conflicts", "resolve", "--t"], {"--theirs"}),
        (["help", "sea"], {"search"}),
        (["list", "--project", ""], {".", "p"}),
        (["nonsense", ""], set()),
    ],
)
def test_what_may_follow_is_offered(
    store: MemoryStore, words: list[str], offered: set[str]
) -> None:
    store.write(type="semantic", title="t", body="b", project="p")

    found = {name for name, _ in candidates(words)}

    assert offered <= found
    assert all(name.startswith(words[-1]) for name in found)


def test_ids_are_completed_with_their_titles(store: MemoryStore) -> None:
    note = store.write(type="semantic", title="The title", body="b")

    assert candidates(["show", ""]) == [(note.id[-5:], "The title")]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(capsys: Capture, shell: str) -> None:
    assert main(["completion", shell]) == 0
    assert "anamnesis completion --complete" in capsys.readouterr().out


def test_bash_completes(home: Path, store: MemoryStore) -> None:
    script = (
        'eval "$(anamnesis completion bash)"; COMP_WORDS=(anamnesis list --ty); COMP_CWORD=2; '
        '_anamnesis; echo "${COMPREPLY[@]}"'
    )
    assert _shell(home, "bash", "-c", script) == "--type\n"


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(home: Path, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="The title", body="b")
    script = 'anamnesis completion fish | source; complete -C "anamnesis show "'

    assert f"{note.id[-5:]}\tThe title\n" in _shell(home, "fish", "-c", script)


_ZSH = """
zmodload zsh/zpty; zpty z "PS1='> ' zsh -f -i"
zpty -w z 'autoload -Uz compinit; compinit -u -D; eval "$(anamnesis completion zsh)"; echo rea""dy'
zpty -r z out '*ready*'
zpty -w -n z $'anamnesis list --ty\t'; zpty -r z out '*--type*'; zpty -w -n z $'\t'
zpty -r z out '*semantic*'; print -r -- "$out"; zpty -d z
"""


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes(home: Path, store: MemoryStore) -> None:
    offered = _shell(home, "zsh", "-f", "-c", _ZSH)

    assert "procedural" in offered
    assert "--" not in offered.rpartition("procedural")[2]


def _shell(home: Path, *command: str) -> str:
    environment = {**os.environ, "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=home, env=environment, timeout=120
    )
    return done.stdout


def test_a_short_id_is_long_enough_to_be_unique(store: MemoryStore) -> None:
    ids = ["aaaa-9XYZK04GA", "bbbb-7XYZK04GA", "K04GA-and-more", "own", "x-note"]
    for note_id in ids:
        store.put(Memory(id=note_id, type="semantic", title=note_id, body="b"))

    short = short_ids(store, ids)

    assert {note_id: show(store, name).note.id for note_id, name in short.items()} == {
        note_id: note_id for note_id in ids
    }
    assert short["aaaa-9XYZK04GA"] == "9XYZK04GA"
    assert short["own"] == "own"


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2026-11-15T11:59:40+00:00", "just now"),
        ("2026-11-15T11:55:00+00:00", "5m ago"),
        ("2026-11-15T08:00:00+00:00", "4h ago"),
        ("2026-11-13T12:00:00+02:00", "2d ago"),
        ("2026-10-01T12:00:00+00:00", "2026-10-01"),
        ("2026-11-16T12:00:00+00:00", "2026-11-16"),
        ("long ago", "long ago"),
    ],
)
def test_a_time_is_told_as_people_would(moment: str, said: str) -> None:
    assert tables.ago(moment, now=datetime(2026, 11, 15, 12, tzinfo=UTC)) == said


def test_wide_characters_count_twice() -> None:
    assert tables.clipped("認証トークン", 7) == "認証ト…"
    assert tables.clipped("token", 5) == "token"


def test_projects_are_named_by_what_tells_them_apart() -> None:
    keys = ["github.com/a/shop", "github.com/b/shop", "github.com/a/web", "global"]

    assert list(short_names(keys).values()) == ["a/shop", "b/shop", "web", "global"]


@pytest.mark.parametrize(
    ("options", "environment", "colored"),
    [
        ([], {"TERM": "xterm"}, True),
        ([], {"TERM": "dumb"}, False),
        ([], {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (["--color", "never"], {"TERM": "xterm"}, False),
        (["--color", "always"], {"TERM": "dumb"}, True),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    home: Path, store: MemoryStore, options: list[str], environment: dict[str, str], colored: bool
) -> None:
    store.write(type="semantic", title="t", body="b")
    surroundings = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | environment

    text, _ = shown([PROGRAM, "list", *options], columns=80, env=surroundings, cwd=home)

    assert ("\x1b[" in text) == colored


def listed(capsys: Capture, *options: str) -> list[str]:
    assert main([*options, "--json"]) == 0
    return [note["title"] for note in json.loads(capsys.readouterr().out)]


def test_a_list_takes_the_filters_of_a_search(capsys: Capture, store: MemoryStore) -> None:
    store.write(type="semantic", title="one", body="see src/app.py", tags=["a", "b"])
    store.write(type="procedural", title="two", body="b", tags=["a"], machine_id="desk")

    assert listed(capsys, "list", "--tag", "a", "--tag", "b") == ["one"]
    assert listed(capsys, "list", "--machine", "desk") == ["two"]
    assert listed(capsys, "list", "--file", "src/app.py") == ["one"]
    assert sorted(listed(capsys, "list", "--since", "1d")) == ["one", "two"]
    assert listed(capsys, "list", "--until", "2020") == []


def test_a_source_is_the_one_that_is_shown(capsys: Capture, store: MemoryStore) -> None:
    """An agent writes as a person does; its origin tells them apart."""
    store.write(type="semantic", title="mine", body="about the port")
    agents = store.write(type="semantic", title="an agent's", body="about the port")
    store.put(replace(agents, origin="agent:claude-code"))

    for command in (["list"], ["search", "port"]):
        assert listed(capsys, *command, "--source", "agent") == ["an agent's"]
        assert listed(capsys, *command, "--source", "human") == ["mine"]
        assert listed(capsys, *command, "--source", "import") == []


def test_the_past_has_what_was_not_replaced_yet(capsys: Capture, store: MemoryStore) -> None:
    old = store.write(type="semantic", title="port 8080", body="the port is 8080")
    new = store.write(type="semantic", title="port 8443", body="the port is 8443")
    store.put(replace(old, created_at="2026-01-01T00:00:00+00:00"))
    store.put(replace(new, created_at="2026-03-01T00:00:00+00:00", supersedes=old.id))

    def found(*options: str) -> list[str]:
        return listed(capsys, "search", "port", *options)

    assert found() == ["port 8443"]
    assert found("--as-of", "2026-02") == ["port 8080"]
    assert found("--as-of", "2026-03-01") == ["port 8443"]
    assert found("--as-of", "2025") == []
    assert listed(capsys, "list", "--as-of", "2026-02") == ["port 8080"]


def test_the_past_has_the_text_of_its_day(capsys: Capture, store: MemoryStore) -> None:
    port = store.write(type="semantic", title="port", body="the port is 8080")
    texts = {"01": "the port is 8080", "03": "the port is 8443", "05": "the port is 9000"}
    for month, body in texts.items():
        at = f"2026-{month}-10T00:00:00+00:00"
        store.put(replace(port, body=body, created_at="2026-01-10T00:00:00+00:00", updated_at=at))
        record_locally(store, machine_id="testbox")

    def found(day: str) -> str:
        main(["search", "port", "--as-of", day, "--json"])
        (hit,) = json.loads(capsys.readouterr().out)
        return str(hit["body"]).strip()

    assert found("2026-02") == texts["01"]
    assert found("2026-03-10") == texts["03"]
    assert found("2026-06") == texts["05"]


@pytest.mark.parametrize("format", ["markdown", "jsonl"])
@pytest.mark.usefixtures("store")
def test_an_empty_export_says_so(capsys: Capture, format: str) -> None:
    assert main(["export", "--format", format]) == 0
    assert capsys.readouterr().err == "export: 0 notes\n"


@pytest.mark.parametrize(
    ("said", "reason", "command"),
    [
        (
            "ssh: Could not resolve hostname box: Name or service not known",
            "is not known",
            "remote",
        ),
        (
            "ssh: connect to host box port 22: Connection refused",
            "refuses connections",
            "ssh you@box",
        ),
        ("ssh: connect to host box port 22: No route to host", "cannot be reached", ""),
    ],
)
def test_an_unreachable_remote_has_its_reason(said: str, reason: str, command: str) -> None:
    finished = Finished(128, b"", said.encode())

    trouble = remote.explain(finished, "you@box:notes.git", 10)

    assert trouble.offline
    assert reason in trouble.message
    assert command in trouble.hint
    assert bool(command) == bool(trouble.hint)


@pytest.mark.parametrize(
    ("url", "said", "command"),
    [
        ("ssh://you@box:2222/notes.git", "Permission denied", "ssh-copy-id -p 2222 you@box && "),
        ("you@box:notes.git", "Host key verification failed.", "ssh you@box"),
        ("/srv/my notes.git", "not a git repository", "--create '/srv/my notes.git'"),
        ("https://box/notes.git", "Connection refused", "git ls-remote https://box/notes.git"),
        ("https://box/n.git", "Couldn't connect to server", "git ls-remote https://box/n.git"),
    ],
)
def test_a_suggested_command_can_be_pasted(url: str, said: str, command: str) -> None:
    assert command in remote.explain(Finished(128, b"", said.encode()), url, 5).hint


def test_every_command_that_prints_data_prints_json() -> None:
    without = {name for name in COMMANDS if "--json" not in command_parser(name).format_help()}

    assert without == HOOKS | {"completion", "dashboard", "serve"}


def test_the_log_of_a_project_has_its_notes_alone_also_deleted_ones(
    capsys: Capture, store: MemoryStore
) -> None:
    kept, gone, other = (
        store.write(type="semantic", title=title, body=title, project=project).id
        for title, project in (("kept", "my shop"), ("gone", "my shop"), ("else", "infra"))
    )
    main(["sync"])
    main(["delete", gone, "--yes"])
    main(["sync"])
    capsys.readouterr()

    assert main(["log", "--project", "my shop", "--json"]) == 0

    changes = json.loads(capsys.readouterr().out)
    told = [{(note["what"], note["id"]) for note in change["notes"]} for change in changes]
    assert told == [{("deleted", gone)}, {("added", kept), ("added", gone)}]
    assert other not in json.dumps(changes)


def test_what_is_forgotten_and_exported_is_told_to_programs(
    capsys: Capture, store: MemoryStore, tmp_path: Path
) -> None:
    first = store.write(type="semantic", title="first", body="one", project="p").id
    second = store.write(type="semantic", title="second", body="two", project="p").id

    def told(*arguments: str) -> object:
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    notes = told("export")
    assert isinstance(notes, list)
    assert {note["id"]: note["body"] for note in notes} == {first: "one", second: "two"}
    path = str(tmp_path / "notes.jsonl")
    assert told("export", path) == {"path": path, "format": "jsonl", "notes": 2}
    nothing = {"forgotten": [], "forgotten_before": [], "sessions": [], "versions_purged": 0}
    assert told("forget", first, "--yes") == {**nothing, "forgotten": [first]}
    assert told("forget", first, "--yes") == {**nothing, "forgotten_before": [first]}


def test_a_long_note_goes_through_the_pager_with_its_heading(
    store: MemoryStore, home: Path
) -> None:
    for number in range(9):
        store.write(type="semantic", title=f"fact {number}", body="text", project="p")
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "PAGER": "sed s/^/paged:/"}

    short, _ = shown([PROGRAM, "list"], columns=80, env=env, cwd=home, keyboard=True)
    long, _ = shown([PROGRAM, "list"], columns=80, env=env, cwd=home, keyboard=True, rows=5)

    assert "paged:" not in short
    assert long.startswith("paged:ID")
    assert long.count("paged:") == 10


def test_what_can_be_undone_is_listed_with_ids_that_undo_accepts(
    home: Path, store: MemoryStore
) -> None:
    for title in ("first", "second"):
        delete(store, [store.write(type="semantic", title=title, body="b").id])

    listed = [PROGRAM, "undo", "--list", "--color", "never"]
    text, _ = shown(listed, columns=80, env=dict(os.environ), cwd=home)

    heading, latest, _ = text.splitlines()
    assert heading.split() == ["ID", "WHEN", "NOTES", "CHANGE"]
    assert 'delete: 1 note deleted: "second"' in latest
    assert main(["undo", latest.split()[0]]) == 0
    assert [note.title for note in store.headers(limit=5)] == ["second"]


def test_fast_work_draws_no_bar(home: Path, store: MemoryStore) -> None:
    text, _ = shown([PROGRAM, "dedup"], columns=80, env=dict(os.environ), cwd=home)

    assert text.strip() == "dedup: no duplicates"


def test_slow_work_shows_how_far_it_is(home: Path) -> None:
    script = (
        "import time; from anamnesis.cli import output\n"
        "with output.progress('reading') as progress:\n"
        "    for done in range(8): progress(done, 8); time.sleep(0.25)\n"
    )
    text, _ = shown([sys.executable, "-c", script], columns=80, env=dict(os.environ), cwd=home)

    assert "reading" in text
    assert "7/8" in text


def test_the_overview_of_a_new_machine_says_how_to_start(home: Path, capsys: Capture) -> None:
    assert main(["--help"]) == 0
    assert "Start with:  anamnesis init" in capsys.readouterr().out

    main(["write", "a note"])
    main(["--help"])
    assert "Start with:" not in capsys.readouterr().out


def test_machines_of_one_name_are_told_apart(store: MemoryStore, capsys: Capture) -> None:
    folder = Path(store.home.memory) / ".machines"
    folder.mkdir(parents=True)
    for machine in ("vm", "vm-53f2"):
        beat = dict.fromkeys(fleet.FIELDS, "") | {"machine": machine, "name": "vm", "pending": 0}
        (folder / f"{machine}.json").write_text(json.dumps(beat))

    assert main(["machines"]) == 0

    names = [line.partition("  ")[0] for line in capsys.readouterr().out.splitlines()]
    assert sorted(names) == ["vm", "vm (vm-53f2)"]


@pytest.mark.parametrize("path", ["notes.jsonl", "notes.md", "new/notes.jsonl", "backup/"])
def test_an_export_takes_a_relative_path(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    store.write(type="semantic", title="t", body="kept")
    monkeypatch.chdir(tmp_path)

    assert main(["export", path]) == 0

    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert "kept" in "".join(file.read_text() for file in written)


def test_colour_can_be_asked_for_in_a_pipe(store: MemoryStore, capsys: Capture) -> None:
    note = store.write(type="semantic", title="t", body="b")

    main(["list", "--color", "always"])
    tables.color = "auto"

    assert f"\x1b[33m{note.id}\x1b[0m" in capsys.readouterr().out
