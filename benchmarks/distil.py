"""Pairs a second of one core, made and expanded, with as many sizes and draws as `tritonrl distil` has by
default.

Made: programs are drawn, solved and run, resized, written as task and answers, and encoded as compact JSON
Lines. Expanded: what a data loader does with such a row. Time is the process's own on its core (other
processes of the machine do not count), and the start, some seconds of imports, is left out.

python benchmarks/distil.py [SECONDS_PER_ROW]
"""

import sys
import time
from itertools import count

import torch
from rich.console import Console
from rich.table import Table

from tritonrl.teach.distil import shard_rows
from tritonrl.teach.pairs import Row, expand
from tritonrl.teach.run import Part, Run
from tritonrl.teach.shards import encode

LEVELS = (1, 2, 3, 5)
PROFILES = ("cpu", "gpu")
GOAL = 300
CHUNK = 10


def main() -> None:
    budget_s = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    torch.set_num_threads(1)
    columns = ("pairs a program", "made pairs/s", f"ratio to the goal of {GOAL}", "expanded pairs/s")
    table = Table("profile", "level", *columns, "bytes a pair", "characters a pair")
    for profile in PROFILES:
        for level in LEVELS:
            run = Run(levels=(level,), seed=1, profile=profile)
            measure_made(run, 0.0)  # imports
            rows, num_programs, made = measure_made(run, budget_s)
            num_chars, expanded = measure_expanded(rows)
            pairs = sum(len(row["seeds"]) for row in rows)
            table.add_row(
                profile, str(level), f"{pairs / num_programs:.1f}", f"{made:.0f}",
                f"{made / GOAL:.1f}×", f"{expanded:.0f}", f"{len(encode(rows, 'jsonl')) / pairs:.0f}",
                f"{num_chars / pairs:.0f}",
            )  # fmt: skip
    Console().print(f"{run.shapes} sizes a program, {run.draws} draws a size; the same text counts once")
    Console().print(table)


def measure_made(run: Run, budget_s: float) -> tuple[list[Row], int, float]:
    """Rows, of how many programs, and pairs a second."""
    rows: list[Row] = []
    started = time.process_time()
    for first in count(step=CHUNK):
        chunk = list(shard_rows(run, Part("", run.levels[0], range(first, first + CHUNK))))
        encode(chunk, "jsonl")
        rows += chunk
        taken = time.process_time() - started
        if taken >= budget_s:
            return rows, first + CHUNK, sum(len(row["seeds"]) for row in rows) / taken
    raise AssertionError("unreachable")


def measure_expanded(rows: list[Row]) -> tuple[int, float]:
    """Characters of all pairs, and pairs a second."""
    started = time.process_time()
    pairs = [pair for row in rows for pair in expand(row)]
    taken = time.process_time() - started
    return sum(len(pair.source) + len(pair.completion) for pair in pairs), len(pairs) / taken


if __name__ == "__main__":
    main()
