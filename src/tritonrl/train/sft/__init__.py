"""Supervised training on pairs of a task and an answer."""
