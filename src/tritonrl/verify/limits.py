"""Bounds on what a candidate's process may report; more than any honest one needs."""

MOST_STEPS = 4096
MOST_CONFIGS = 256
"""Of an autotuner; each takes a call."""
MOST_SPECIALISATIONS = 256
LARGEST_CONSTANTS = 256 * 2**20
"""Bytes of the tensors that exist before the first question."""
