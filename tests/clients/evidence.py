"""Which test shows each "yes" in the table of docs/guides/agents.md.

`tests/test_docs.py` holds the two together: a "yes" without a test here, a test that does not
exist and a test for what the table does not promise are all errors.
"""

from __future__ import annotations

CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT, CURSOR, VSCODE = (
    "Claude Code", "Codex", "Gemini CLI", "opencode", "Copilot CLI", "Cursor", "VS Code",
)  # fmt: skip

_CLAUDE = "tests/clients/test_claude_code.py::"
_TYPED = "tests/clients/test_claude_code_interactive.py::"
_OTHERS = "tests/clients/test_other_agents.py::"
_COMPACTION = "tests/clients/test_compaction.py::"
_EDITORS = "tests/contract/test_editors.py::"
_WITHOUT_CLIENTS = "tests/component/test_onboard.py::"


def _each(test: str, *, without: str = "") -> dict[str, str]:
    """The same test for the agents that are driven alike."""
    agents = [agent for agent in (CODEX, GEMINI, OPENCODE, COPILOT) if agent != without]
    return dict.fromkeys(agents, _OTHERS + test)


EVIDENCE: dict[str, dict[str, str]] = {
    "memory tools (MCP)": {
        CLAUDE: _CLAUDE + "test_the_server_answers",
        **_each("test_the_server_answers_the_agent"),
    },
    "reading tools run without asking": {
        CLAUDE: _TYPED + "test_searching_needs_no_permission",
        **_each("test_searching_needs_no_permission"),
    },
    "memory at the start of a session": {
        CLAUDE: _CLAUDE + "test_the_next_session_is_given_what_was_learned",
        **_each("test_the_agent_is_given_what_is_known"),
    },
    "again after compaction": {
        CLAUDE: _TYPED + "test_memory_is_given_again_after_compaction",
        CODEX: _COMPACTION + "test_codex",
        GEMINI: _COMPACTION + "test_gemini_after_its_command",
        OPENCODE: _COMPACTION + "test_opencode",
        COPILOT: _COMPACTION + "test_copilot",
    },
    "notes that answer a prompt": {
        CLAUDE: _CLAUDE + "test_a_prompt_brings_a_note_to_mind",
        **_each("test_the_prompt_brings_a_note_to_mind"),
    },
    "a session becomes a note": {
        CLAUDE: _CLAUDE + "test_a_session_becomes_one_note_with_project_branch_and_files",
        **_each("test_the_session_becomes_one_note"),
    },
    "files that were edited in that note": {
        CLAUDE: _CLAUDE + "test_a_session_becomes_one_note_with_project_branch_and_files",
        **_each("test_the_session_becomes_one_note", without=CODEX),
    },
    "a session that ended without a hook is found later": {
        CLAUDE: _TYPED + "test_a_killed_session_is_looked_after_by_the_next_one",
        **_each("test_a_session_whose_end_no_hook_told_of_is_found", without=OPENCODE),
    },
    "tried by hand in a terminal": {
        CLAUDE: _TYPED + "test_the_session_becomes_one_note_with_project_branch_and_files",
        CODEX: _OTHERS + "test_codex_typed_by_hand",
        GEMINI: _COMPACTION + "test_gemini_after_its_command",
        OPENCODE: _OTHERS + "test_opencode_typed_by_hand",
        COPILOT: _COMPACTION + "test_copilot",
    },
    "removed by `uninstall`": {
        CLAUDE: _CLAUDE + "test_the_settings_are_again_what_they_were",
        **_each("test_uninstalling_takes_us_out_of_the_configuration"),
        **dict.fromkeys((CURSOR, VSCODE), _EDITORS + "test_both_are_left_as_they_were"),
    },
    "each file is restored byte for byte": dict.fromkeys(
        (CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT, CURSOR, VSCODE),
        _WITHOUT_CLIENTS + "test_leaving_gives_every_file_back_to_the_byte",
    ),
}
