"""Programs a second and core, and the ratio to the 0.5 to 1 a second that DRTriton reports for its CSP-DAG.

Beside it: how many bytes a program takes as JSON, and how long `emit` takes.

python benchmarks/synth.py [SECONDS_PER_ROW]
"""

import sys
import time

import torch
from rich.console import Console
from rich.table import Table

from tritonrl import jsonl
from tritonrl.program import Program, emit
from tritonrl.synth import Config, program

PAPER_PER_SECOND = 1.0
"""The better end of the paper's 1 to 2 seconds a program on a core."""
ROWS = (("cpu", 1), ("cpu", 2), ("cpu", 3), ("cpu", 5), ("cpu", 10), ("cpu", 20), ("gpu", 5), ("gpu", 20))


def main() -> None:
    budget_s = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    torch.set_num_threads(1)
    program(Config(1), 0)  # imports
    table = Table("profile", "level", "programs/s on one core", "ratio to the paper", "JSON bytes", "emit")
    for profile, level in ROWS:
        made, rate = measure(Config(level, seed=1, profile=profile), budget_s)
        size_bytes = sum(len(jsonl.dumps(each.to_json())) for each in made) / len(made)
        started = time.perf_counter()
        for each in made:
            emit(each)
        emit_us = (time.perf_counter() - started) / len(made) * 1e6
        ratio = f"{rate / PAPER_PER_SECOND:.0f}×"
        table.add_row(profile, str(level), f"{rate:.0f}", ratio, f"{size_bytes:.0f}", f"{emit_us:.0f} µs")
    Console().print(table)


def measure(config: Config, budget_s: float) -> tuple[list[Program], float]:
    started, made = time.perf_counter(), []
    while time.perf_counter() - started < budget_s:
        made.append(program(config, len(made)))
    return made, len(made) / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
