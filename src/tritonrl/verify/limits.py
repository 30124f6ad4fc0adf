"""Bounds on what a candidate's process may report of a call; more than any honest one needs."""

MOST_STEPS = 4096
MOST_CONFIGS = 256
"""Of an autotuner; each takes a call."""
MOST_SPECIALISATIONS = 256
