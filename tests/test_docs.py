"""What the documents say is there, and what is there is documented."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anamnesis.cli import COMMANDS, command_parser
from anamnesis.cli.reference import man_page, page
from clients.evidence import EVIDENCE

REPOSITORY = Path(__file__).parent.parent
DOCUMENTS = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_link_leads_somewhere(document: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(#[^)]+)?\)", document.read_text()):
        linked = document.parent / target if target else document
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target + anchor


def anchors(document: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {f"#{each.strip().replace(' ', '-')}" for each in words}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_command_that_a_document_shows_exists(document: Path) -> None:
    shown = re.findall(r"^\s*\$? ?anamnesis ([a-z-]+)", document.read_text(), re.MULTILINE)
    shown += re.findall(r"`anamnesis ([a-z-]+)", document.read_text())

    assert set(shown) <= {*COMMANDS}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_command_line_that_a_document_shows_is_one(
    document: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, *words in command_lines(document.read_text()):
        # The text may name an option without its value, as in `anamnesis remote --create`.
        parsed = is_parsed(name, words) or is_parsed(name, [*words, "VALUE"])
        assert parsed, (name, words, capsys.readouterr().err)


def command_lines(text: str) -> Iterator[list[str]]:
    """The words of each command with arguments that a text shows, without what explains it."""
    shown = re.findall(r"^ *\$? ?anamnesis ([a-z-]+ [^\n]+)", text, re.MULTILINE)
    shown += re.findall(r"`anamnesis ([a-z-]+ [^`]+)`", text)
    for line in shown:
        command = re.split(r" +#| >", line)[0]
        if not re.search(r"[\[|…<;]", command):  # else it is a pattern of several commands
            yield shlex.split(command)


def pasted_lines(text: str) -> Iterator[str]:
    """The lines of a page's or a help's blocks that start with a command of ours."""
    lines = re.findall(r"^(?: {2,4})((?:[A-Z_]+=\S+ )*anamnesis [a-z-]+.*)", text, re.MULTILINE)
    yield from (line for line in lines if "…" not in line)


HELPS = {f"help of {name}": command_parser(name).format_help for name in COMMANDS}
GUIDES = {
    str(path.relative_to(REPOSITORY)): path.read_text
    for path in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    if path.parent.name in ("guides", "concepts") or path.name in ("README.md", "problems.md")
}


BLOCKS: dict[str, Callable[[], str]] = {**HELPS, **GUIDES}


@pytest.mark.parametrize("source", BLOCKS)
def test_a_pasted_block_is_commands_and_comments(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell reads each line, with a program in place of ours that notes what it was given."""
    text = BLOCKS[source]()
    examples = text.partition("\nexamples:\n")[2] if source in HELPS else text
    recorder = tmp_path / "bin" / "anamnesis"
    recorder.parent.mkdir()
    recorder.write_text(
        f'#!/bin/sh\nprintf "%s\\037" "$@" >> {tmp_path}/calls\necho >> {tmp_path}/calls\n'
    )
    recorder.chmod(0o755)
    lines = list(pasted_lines(examples))

    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PATH": f"{recorder.parent}:/usr/bin:/bin", "HOME": str(tmp_path)}, stdin=subprocess.DEVNULL,
    )  # fmt: skip

    assert not re.search("command not found|syntax error", done.stderr), done.stderr
    calls = (tmp_path / "calls").read_text().splitlines() if lines else []
    assert len(calls) >= len(lines) - done.stderr.count("No such file")
    for call in calls:
        name, *words = call.removesuffix("\037").split("\037")
        assert is_parsed(name, words), (name, words, capsys.readouterr().err)


def is_parsed(name: str, words: list[str]) -> bool:
    try:
        command_parser(name).parse_args(words)
    except SystemExit:
        return False
    return True


def test_the_command_reference_is_up_to_date() -> None:
    """Refresh it with `make docs`."""
    assert (REPOSITORY / "docs" / "reference" / "cli.md").read_text() == page()
    assert (REPOSITORY / "docs" / "reference" / "anamnesis.1").read_text() == man_page()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    parser = command_parser(name)

    assert parser.description
    for action in parser._actions:
        assert action.help, f"{name} {action.dest}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_how_it_is_used(name: str) -> None:
    _, _, examples = command_parser(name).format_help().partition("\nexamples:\n")

    assert f"anamnesis {name}" in examples


def test_the_opposite_of_a_command_has_a_description_of_its_own() -> None:
    for name, opposite in (("pin", "unpin"), ("pause", "resume")):
        assert command_parser(name).description != command_parser(opposite).description


def test_every_variable_is_documented() -> None:
    source = "".join(
        path.read_text()
        for path in (REPOSITORY / "src").rglob("*")
        if path.suffix in (".py", ".md")
    )
    documented = (REPOSITORY / "docs" / "reference" / "configuration.md").read_text()

    for variable in set(re.findall(r"\bANAMNESIS_[A-Z_]+[A-Z]", source)):
        assert f"`{variable}`" in documented, variable


def test_every_decision_is_listed() -> None:
    folder = REPOSITORY / "docs" / "decisions"
    listed = (folder / "README.md").read_text()

    for page_path in folder.glob("0*.md"):
        assert f"({page_path.name})" in listed


# What is to be typed on the first pages, beside what tests/test_transcripts.py runs as it stands.
TYPED = {
    "make demo": "tests/test_demo.py::test_the_demo_tells_its_story_on_one_screen",
    "make test": "tests/test_docs.py::test_every_command_of_the_first_pages_is_run_by_a_test",
    "uv tool install .": "tests/clients/test_wheel.py::test_uv",
    "anamnesis init": "tests/component/test_onboard.py::test_answers_are_taken",
    "anamnesis host": "tests/component/test_onboard_ssh.py::test_the_line_that_the_host_prints_joins_it",
    "anamnesis join you@box:anamnesis-memory.git": "tests/component/test_onboard_ssh.py::test_the_line_that_the_host_prints_joins_it",
    "anamnesis dashboard": "tests/web/test_command.py::test_the_printed_address_opens_it_once",
    "anamnesis uninstall": "tests/test_transcripts.py::test_the_session_goes_as_written",
}  # fmt: skip


@pytest.mark.parametrize("page_name", ["README.md", "docs/guides/first-hour.md"])
def test_every_command_of_the_first_pages_is_run_by_a_test(page_name: str) -> None:
    text = (REPOSITORY / page_name).read_text()
    lines = re.findall(r"^    ((?:make|uv|pipx|pip|anamnesis) [^\n]+)", text, re.MULTILINE)
    typed = {re.split(r" +#", line)[0] for line in lines}

    assert typed <= TYPED.keys()
    for command in typed:
        path, _, name = TYPED[command].partition("::")
        assert re.search(rf"^def {name}\(", (REPOSITORY / path).read_text(), re.MULTILINE), command


def test_every_message_on_the_page_of_problems_is_one_of_the_program() -> None:
    """Messages are quoted in backticks in the first column; … stands for what differs."""
    page_text = (REPOSITORY / "docs" / "problems.md").read_text()
    sources = "".join(path.read_text() for path in sorted((REPOSITORY / "src").rglob("*.py")))
    sources += (REPOSITORY / "plugin" / "bin" / "anamnesis").read_text()
    said = re.sub(r'"\s*\n\s*f?"', "", sources)
    rows = re.findall(r"^\| (`[^|]+`)[^|]*\|", page_text, re.MULTILINE)
    messages = {message for row in rows for message in re.findall(r"`([^`]+)`", row)}

    assert len(messages) > 30
    for message in messages - {"anamnesis: command not found", "anamnesis"}:  # the shell's, a name
        parts = [part.strip(" .:;,") for part in re.split("…|: ", message)]
        assert all(part in said for part in parts), message


def test_every_page_is_in_the_menu_of_the_site() -> None:
    menu = (REPOSITORY / "mkdocs.yml").read_text()

    for document in (REPOSITORY / "docs").rglob("*.md"):
        name = document.relative_to(REPOSITORY / "docs").as_posix()
        assert f": {name}\n" in menu or name.startswith("decisions/0"), name


def test_the_readme_names_the_two_commands() -> None:
    readme = (REPOSITORY / "README.md").read_text()

    assert "make demo" in readme
    assert "make test" in readme
    for target in re.findall(r"make ([a-z0-9-]+)", readme):
        assert re.search(rf"^{target}:", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)


def test_make_help_lists_every_target_of_the_contract() -> None:
    told = subprocess.run(["make", "help"], cwd=REPOSITORY, capture_output=True, text=True).stdout

    for target in ("demo", "test", "check", "bench", "bench-recall", "e2e", "soak"):
        assert re.search(rf"^  make {target} ", told, re.MULTILINE)


def what_each_agent_supports() -> dict[str, dict[str, str]]:
    """The table in the guide: feature -> agent -> cell."""
    guide = (REPOSITORY / "docs" / "guides" / "agents.md").read_text()
    lines = [line for line in guide.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    agents = [re.sub(r" [\d.]+$", "", name) for name in rows[0][1:]]
    table = {}
    for feature, *cells in rows[2:]:
        if len(cells) != len(agents):
            break  # the next table
        table[feature] = dict(zip(agents, cells, strict=True))
    return table


def test_every_yes_of_an_agent_is_shown_by_a_test() -> None:
    table = what_each_agent_supports()

    assert set(EVIDENCE) == set(table)
    for feature, cells in table.items():
        for agent, cell in cells.items():
            assert cell.startswith(("yes", "no", "not tested", "by the")), (feature, agent)
            assert "not tested" in cell or cell.startswith(("yes", "no")), (feature, agent)
        promised = {agent for agent, cell in cells.items() if cell.startswith("yes")}
        assert promised == set(EVIDENCE[feature]), feature


@pytest.mark.parametrize(
    "test", sorted({test for row in EVIDENCE.values() for test in row.values()})
)
def test_what_shows_it_is_there(test: str) -> None:
    path, _, name = test.partition("::")

    assert re.search(rf"^def {name}\(", (REPOSITORY / path).read_text(), re.MULTILINE)
