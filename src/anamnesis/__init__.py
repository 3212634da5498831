"""Anamnesis: cross-machine, file-first memory for coding agents."""

__version__ = "1.0.0"
