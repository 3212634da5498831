"""Texts that several tests and benchmarks share."""
