"""Every edit of an agent's file can be taken back, whatever else the file says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.config import Home
from anamnesis.onboard import build_hooks, merge_hooks
from anamnesis.onboard.agents import AGENTS
from anamnesis.onboard.agents.agent import Setup
from anamnesis.onboard.edits import Edit
from anamnesis.onboard.hooks import without_hooks
from anamnesis.onboard.jsontext import same

SETUP = Setup(
    command=("/opt/a b/anamnesis",), user_home="/nonexistent/home", home=Home("/nonexistent/store")
)
OWN_KEYS = ("hooks", "permissions", "mcpServers", "mcp", "servers", "enabledPlugins")
SHARED = [
    edit
    for agent in AGENTS.values()
    for edit in agent.edits(SETUP)
    if edit.path.endswith(".json") and edit.remove(b"{}") is not None
]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
others = st.dictionaries(st.text(max_size=8).filter(lambda key: key not in OWN_KEYS), values)
hooks = st.dictionaries(
    st.sampled_from(["SessionStart", "SessionEnd", "Stop", "PreToolUse"]),
    st.lists(
        st.fixed_dictionaries(
            {
                "hooks": st.lists(
                    st.fixed_dictionaries({"command": st.text(max_size=12)}), min_size=1
                )
            }
        ),
        min_size=1,
        max_size=3,
    ),
    min_size=1,
)
indents = st.sampled_from([None, 2, 4, "\t"])


@pytest.mark.parametrize("edit", SHARED, ids=lambda edit: str(edit.path))
@given(said=others, indent=indents)
def test_what_an_edit_adds_it_takes_back_to_the_byte(
    edit: Edit, said: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps(said, indent=indent).encode()

    installed = edit.install(text)

    assert installed is not None
    assert edit.install(installed) == installed
    assert edit.remove(installed) == text
    assert edit.remove(text) == text


@given(said=others, theirs=hooks)
def test_other_peoples_hooks_are_neither_lost_nor_moved(
    said: dict[str, Any], theirs: dict[str, Any]
) -> None:
    before = {**said, "hooks": theirs}

    merged = merge_hooks(before, build_hooks(["/opt/anamnesis"], {}))

    for event, groups in theirs.items():
        assert merged["hooks"][event][: len(groups)] == groups
    assert same(without_hooks(merged), before)
