"""Tests here run where a CUDA device is, and say so where none is. What they measure is shown at the end."""

from collections.abc import Callable

import pytest
import torch

MEASURED = pytest.StashKey[list[tuple[str, str, str]]]()


@pytest.fixture(autouse=True)
def _needs_a_gpu():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Callable[[str, str, str], None]:
    """Keeps a row of the table: what, how much, and what it must be."""
    rows = request.config.stash.setdefault(MEASURED, [])
    return lambda what, found, wanted: rows.append((what, found, wanted))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config):
    rows = config.stash.get(MEASURED, [])
    if not rows:
        return
    table = [("on this device", "measured", "must be"), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(3)]
    terminalreporter.section("measured")
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminalreporter.write_line("  ".join(cells).rstrip())
