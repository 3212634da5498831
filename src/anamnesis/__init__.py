"""Anamnesis: cross-machine, file-first memory for coding agents."""

__version__ = "1.0.0"
DISTRIBUTION = "anamnesis-memory"  # what installers call it (docs/decisions/0290-names.md)
