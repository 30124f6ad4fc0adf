"""Are programs of the gpu profile more than launch overhead? Eager time against as many empty launches. Needs
a GPU.

python benchmarks/gpu_programs.py [PROGRAMS_PER_LEVEL]
"""

import statistics
import sys
from collections.abc import Callable

import torch
from rich.console import Console
from rich.table import Table

from tritonrl.program.run import draw_inputs, run
from tritonrl.synth import Config, program

CALLS = 10


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    tiny = torch.zeros(1, device="cuda")
    launch_us = time_us(tiny.zero_, calls=1000)
    console = Console()
    console.print(f"{torch.cuda.get_device_name()}: an empty launch takes {launch_us:.1f} µs")
    table = Table(
        "level", "programs", "eager time, median", "ratio to empty launches: least", "5 %", "median"
    )
    for level in (1, 2, 3, 5, 10, 20):
        times, ratios = [], []
        for index in range(count):
            made = program(Config(level, seed=22, profile="gpu"), index)
            inputs = draw_inputs(made, index, "cuda")
            times.append(time_us(lambda made=made, inputs=inputs: run(made, inputs), CALLS))
            ratios.append(times[-1] / (launch_us * level))
        ratios.sort()
        shown = (ratios[0], ratios[len(ratios) // 20], statistics.median(ratios))
        table.add_row(
            str(level),
            str(count),
            f"{statistics.median(times):.0f} µs",
            *(f"{ratio:.1f}×" for ratio in shown),
        )
    console.print(table)


def time_us(job: Callable[[], object], calls: int) -> float:
    """Device time of one call, over a batch of them."""
    job()
    torch.cuda.synchronize()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(calls):
        job()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1000 / calls


if __name__ == "__main__":
    main()
