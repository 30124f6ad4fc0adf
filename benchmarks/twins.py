"""Why do two processes that do the same take a device different times? Kernel by kernel. Needs a GPU.

python benchmarks/twins.py [--processes 4] [--tasks 20] [--out FILE.json]

The tasks of `benchmarks/timing.py`, run by several processes one at a time, each in an order of its own and
at several places of the device's memory. A difference between places of one process is that of memory; one
between processes that no place makes up for is of the process itself; and where other kernels run, the
library has chosen otherwise.
"""

import argparse
import contextlib
import itertools
import json
import multiprocessing
import random
import statistics
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table
from timing import MIB, WORTH_US, tasks

from tritonrl.verify.inside.timed import device_seconds

NUM_PLACES = 3
NUM_WARM_UPS, NUM_RUNS = 3, 8

Source = tuple[str, str]
"""Of a task: its id and its text."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    # About half of them take long enough.
    sources = [(task.id, task.source) for task, _ in itertools.islice(tasks(), 2 * chosen.tasks)]
    rows = list(_in_turn(sources, chosen.processes))
    if chosen.out:
        chosen.out.write_text(json.dumps(rows, indent=1))
    Console().print(_table(rows))


def _in_turn(sources: list[Source], count: int) -> Iterator[dict[str, Any]]:
    """What each of so many processes measures; all live to the end, and one at a time is at work."""
    orders = [random.Random(number).sample(sources, len(sources)) for number in range(count)]
    with contextlib.ExitStack() as stack:
        context = multiprocessing.get_context("spawn")
        alone = [stack.enter_context(ProcessPoolExecutor(1, mp_context=context)) for _ in range(count)]
        for step in track(range(len(sources)), "tasks", console=Console(stderr=True)):
            for number, process in enumerate(alone):
                name, source = orders[number][step]
                for place, kernels in enumerate(process.submit(_at_places, source).result()):
                    yield {"task": name, "process": number, "place": place, "kernels_us": kernels}


def _at_places(source: str) -> list[dict[str, float]]:
    """Microseconds of each kernel of a call, by its name and number; every time at another place."""
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    task: dict[str, Any] = {}
    exec(compile(source, "task", "exec"), task)
    found: list[dict[str, float]] = []
    for place in range(NUM_PLACES):
        torch.cuda.empty_cache()
        torch.manual_seed(place)
        aside = torch.empty(random.randrange(1, 128) * MIB, dtype=torch.uint8, device="cuda")
        with torch.device("cuda"):
            inputs = task["get_inputs"]()
        for _ in range(NUM_WARM_UPS):
            task["fused_operator"](*inputs)
        if device_seconds([partial(task["fused_operator"], *inputs)] * NUM_RUNS) * 1e6 < WORTH_US:
            break
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(NUM_RUNS):
                task["fused_operator"](*inputs)
            torch.cuda.synchronize()
        del aside, inputs
        found.append(
            _of_a_call([(event.name, event.device_time) for event in profile.events() if event.device_time])
        )
    torch.cuda.empty_cache()
    return found


def _of_a_call(events: list[tuple[str, float]]) -> dict[str, float]:
    """The median over calls of each kernel, of those that every call has."""
    times = defaultdict(list)
    for name, us in events:
        times[name].append(us)
    return {
        f"{name} {number}": statistics.median(us[number :: len(us) // NUM_RUNS])
        for name, us in times.items()
        for number in range(len(us) // NUM_RUNS)
    }


def _table(rows: list[dict[str, Any]]) -> Table:
    """How far times lie apart within a process, and between them."""
    table = Table("task", "a call", "places", "processes", "the same kernels", "most between", box=None)
    for name in dict.fromkeys(row["task"] for row in rows):
        own = [row for row in rows if row["task"] == name]
        totals = defaultdict(list)
        for row in own:
            totals[row["process"]].append(sum(row["kernels_us"].values()))
        middle = {process: statistics.median(each) for process, each in totals.items()}
        typical = statistics.median(middle.values())
        within = max(max(each) / min(each) for each in totals.values())
        same = len({tuple(sorted(row["kernels_us"])) for row in own}) == 1
        table.add_row(
            name, f"{typical:.0f} µs", f"{within:.3f}", f"{max(middle.values()) / min(middle.values()):.3f}",
            "yes" if same else "no", _most_between(own) if same else "",
        )  # fmt: skip
    return table


def _most_between(rows: list[dict[str, Any]]) -> str:
    """The kernel whose time differs most between processes."""
    gains: dict[str, float] = {}
    for kernel in rows[0]["kernels_us"]:
        times = defaultdict(list)
        for row in rows:
            times[row["process"]].append(row["kernels_us"][kernel])
        middle = [statistics.median(each) for each in times.values()]
        gains[kernel] = max(middle) - min(middle)
    kernel = max(gains, key=lambda name: gains[name])
    return f"{gains[kernel]:.1f} µs in {kernel[:60]}"


if __name__ == "__main__":
    main()
