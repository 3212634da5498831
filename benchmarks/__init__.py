"""Measurements: ratios to a baseline in the same run, by CPU time."""
