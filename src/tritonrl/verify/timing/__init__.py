"""Timing: how long a candidate takes, by a clock that it cannot touch; see docs/timing.md."""
