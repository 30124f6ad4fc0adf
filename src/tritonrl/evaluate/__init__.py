"""Evaluation: suites of tasks, who answers them, runs on disk, metrics, reports."""
