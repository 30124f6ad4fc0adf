"""Tokens a second that a supervised run learns from, by optimizer, and what a step's time goes into.

python benchmarks/learning.py [RECIPE] [--steps 60] [--optimizers adamw,muon] [key=value ...]

The runs follow each other in this one process, in a folder that is thrown away. The first half of each warms
up and is not counted; the device is watched over the last steps.
"""

import argparse
import tempfile
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from torch.profiler import ProfilerActivity, profile

from tritonrl.train.log import Logged
from tritonrl.train.recipe import Sft, load
from tritonrl.train.sft.run import train

EVERY = 5
"""Steps between two lines of the log."""
LEAST_STEPS = 6 * EVERY
"""For a first half, some to count and some to watch."""
LONGEST = 12
"""Kernels that are named."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", nargs="?", type=Path, default=Path("recipes/nano-sft.toml"))
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--optimizers", default="adamw,muon")
    parser.add_argument("changes", nargs="*")
    given = parser.parse_args()
    if given.steps % EVERY or given.steps < LEAST_STEPS:
        parser.error(f"--steps: {given.steps} is no multiple of {EVERY} from {LEAST_STEPS} on")
    table = Table("optimizer", "tokens a second", "ms a step", "ratio", "device busy", box=None)
    watched, first = {}, 0.0
    for name in given.optimizers.split(","):
        watch = Watch(given.steps)
        with tempfile.TemporaryDirectory() as scratch:
            changes = [
                *given.changes, f"out={scratch}/run", f"training.optimizer={name}", "data.held_out.count=0",
                f"training.num_steps={given.steps}", f"training.log_every={EVERY}", "training.decay_steps=0",
            ]  # fmt: skip
            train(load(given.recipe, Sft, changes), watch)
        first = first or watch.rate
        busy = f"{watch.busy:.0%}" if watch.busy is not None else "?"
        table.add_row(name, f"{watch.rate:,.0f}", f"{watch.step_ms:.0f}", f"{watch.rate / first:.2f}×", busy)
        watched[name] = watch
    console = Console()
    console.print(table)
    for name, watch in watched.items():
        console.print(f"\n{name}\n{watch.kernels}", soft_wrap=True, highlight=False)


class Watch:
    """Hears the log of one run."""

    def __init__(self, num_steps: int) -> None:
        self.busy: float | None = None
        self.kernels = ""
        self._num_steps = num_steps
        self._from: Logged | None = None
        activities = [ProfilerActivity.CUDA] if torch.cuda.is_available() else [ProfilerActivity.CPU]
        self._profile = profile(activities=activities)

    def __call__(self, logged: Logged) -> None:
        if logged.step == self._num_steps // 2 // EVERY * EVERY:
            self._from = logged
        elif logged.step == self._num_steps - 2 * EVERY:
            assert self._from is not None
            steps, seconds = logged.step - self._from.step, logged.seconds - self._from.seconds
            self.rate = (logged.num_tokens - self._from.num_tokens) / seconds
            self.step_ms = 1e3 * seconds / steps
        elif logged.step == self._num_steps - EVERY:
            self._profile.start()
        elif logged.step == self._num_steps:
            self._profile.stop()
            events = self._profile.key_averages()
            spent = sum(each.self_device_time_total for each in events) / 1e3 / EVERY
            self.busy = spent / self.step_ms if torch.cuda.is_available() else None
            by = "self_device_time_total" if torch.cuda.is_available() else "self_cpu_time_total"
            self.kernels = events.table(sort_by=by, row_limit=LONGEST, max_name_column_width=60)


if __name__ == "__main__":
    main()
