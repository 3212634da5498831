"""Setting a machine up, checking it, and leaving it as it was."""

from anamnesis.onboard.command import build_env, detect_command
from anamnesis.onboard.hooks import build_hooks, merge_hooks
from anamnesis.onboard.settings import write_settings, write_store_config

__all__ = [
    "build_env",
    "build_hooks",
    "detect_command",
    "merge_hooks",
    "write_settings",
    "write_store_config",
]
