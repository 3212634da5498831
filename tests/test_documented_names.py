"""Every name that the specification documents can be imported from where it says."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

NAMES = {
    "anamnesis.onboard": [
        "build_env", "build_hooks", "detect_command", "merge_hooks", "write_settings",
        "write_store_config",
    ],
    "anamnesis.capture": [
        "HeuristicSummarizer", "ParsedSession", "Summarizer", "_EDIT_TOOLS", "_MAX_LEN",
        "_TRIVIAL_OUTCOME_FLOOR", "_text_of", "is_trivial_session", "parse_transcript",
        "resolve_summarizer", "write_episodic",
    ],
    "anamnesis.cli": ["cmd_capture", "cmd_inject", "main"],
    "anamnesis.eval": ["RecallReport", "build_eval_candidates", "recall_at_k"],
    "anamnesis.config": ["_store_config", "resolve_home", "resolve_machine_id", "resolve_remote"],
    "anamnesis.inject": [
        "_DURABLE", "_MAX_EPISODIC", "_normalize_remote", "_read_marker", "render_inject",
        "resolve_project_key", "select_inject",
    ],
    "anamnesis.store": [
        "Memory", "MemoryStore", "MemoryType", "Scope", "_FM_DELIM", "_SCHEMA", "_SCHEMA_VERSION",
        "_deserialize", "_fts_query", "_serialize", "_utcnow",
    ],
    "anamnesis.server": [
        "_READ_ONLY", "_memory_dict", "build_server", "list_memories", "main", "search_memories",
        "status_report", "sync_memory", "write_memory",
    ],
    "anamnesis.sync": ["GitSyncBackend", "SyncBackend", "SyncResult", "SyncState", "_BRANCH"],
    "anamnesis.project": ["_normalize_remote", "_read_marker", "resolve_project_key"],
}  # fmt: skip

SIGNATURES = {
    "anamnesis.store.MemoryStore.write": (
        "type title body project=global machine_id=unknown scope=portable tags=None "
        "prov_source=human prov_model= prov_session= confidence=1.0 supersedes="
    ),
    "anamnesis.store.MemoryStore.search": "query project=None type=None scope=None k=8",
    "anamnesis.store.Memory": (
        "id type title body project=global machine_id=unknown scope=portable tags=… created_at= "
        "updated_at= prov_source=human prov_model= prov_session= confidence=1.0 supersedes="
    ),
}


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in NAMES.items() for name in names]
)
def test_the_name_is_there(module: str, name: str) -> None:
    assert hasattr(import_module(module), name)


@pytest.mark.parametrize("where", SIGNATURES)
def test_the_signature_is_the_documented_one(where: str) -> None:
    module, _, path = where.partition("anamnesis.store.")
    found: object = import_module(f"{module}anamnesis.store")
    for name in path.split("."):
        found = getattr(found, name)

    shown = []
    for name, parameter in inspect.signature(found).parameters.items():  # type: ignore[arg-type]
        if name == "self":
            continue
        default = parameter.default
        if default is inspect.Parameter.empty:
            shown.append(name)
        else:
            simple = default is None or isinstance(default, str | float | int)
            shown.append(f"{name}={default if simple else '…'}")
    documented = SIGNATURES[where].split()
    assert shown[: len(documented)] == documented
    later = shown[len(documented) :]
    assert all("=" in parameter for parameter in later), "callers of old do not give it"
    assert not later or where == "anamnesis.store.Memory", "only a note grows"


def test_the_database_is_opened_for_several_sessions() -> None:
    store = import_module("anamnesis.store")

    assert store._SCHEMA_VERSION == 1
    for table in ("memories", "memory_tags", "memories_fts"):
        assert table in store._SCHEMA
    assert "porter unicode61" in store._SCHEMA
