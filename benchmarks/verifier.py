"""Verdicts a second: the pool of forked, sandboxed processes against a fresh interpreter for every candidate.

python benchmarks/verifier.py [NUM_CANDIDATES] [--device cpu|cuda] [--timing] [--out FILE.json]

The fresh interpreters do less (`benchmarks/fresh_interpreter.py`): as many calls on inputs of the task,
compared with `allclose`, and one compilation of what was launched; no sandbox, no float64, no other inputs.
On the CPU all rows judge the same kernels of the red team. On a GPU candidates are the composer's, up to
eight a task as in a training group; the fresh interpreters take a sample of them. The start of the pool is in
its rate; beside it stands the rate from the first verdict on. All rows are measured in this one run.
"""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from composed import answers, as_task, programs
from rich.console import Console
from rich.table import Table

from tritonrl.redteam.corpus import FOLDER
from tritonrl.tasks import Task, load_task
from tritonrl.verify import Settings, verify_many
from tritonrl.verify.settings import choose_device, choose_target

FRESH = Path(__file__).with_name("fresh_interpreter.py")
KERNELS = (
    "add_relu_flat", "gelu_scale_helper", "softmax_rows_one_block", "row_sum_split", "layer_norm_row",
    "outer_mul_tile", "cumsum_rows_block", "sub_div_flat",
)  # fmt: skip
NUM_CANDIDATES = {"cpu": 48, "cuda": 240}
LEVELS = (1, 2, 3)
GROUP_SIZE = 8
FRESH_PER_WORKER = 2
FRESH_ONE_AT_A_TIME = 6

Job = tuple[Task, str]
Outcome = tuple[bool, bool]
"""Whether a candidate is accepted, and whether it has a speedup."""
progress = Console(stderr=True)


@dataclass(frozen=True)
class Row:
    """One way to judge, as measured."""

    name: str
    ours: bool
    num_candidates: int
    num_accepted: int
    """All should be: every candidate is honest."""
    num_with_speedup: int
    """Those whose time is to be trusted, where it is measured."""
    elapsed_s: float
    first_s: float | None
    """When the first verdict was there; None where nothing is started beforehand."""

    @property
    def rate(self) -> float:
        return self.num_candidates / self.elapsed_s

    @property
    def rate_after_start(self) -> float | None:
        if self.first_s is None or self.num_candidates < 2:
            return None
        return (self.num_candidates - 1) / (self.elapsed_s - self.first_s)


def main() -> None:
    options = _options()
    cores = len(os.sched_getaffinity(0))
    count = options.num_candidates or NUM_CANDIDATES[options.device]
    rows = []
    for row in _on_cpu(count, cores) if options.device == "cpu" else _on_cuda(count, cores, options.timing):
        rows.append(row)
        progress.print(f"{row.name}: {row.num_candidates} candidates in {row.elapsed_s:.1f} s")
        if options.out:
            machine = {"device": options.device, "num_cores": cores}
            found = [asdict(each) | {"verdicts_per_second": each.rate} for each in rows]
            options.out.write_text(json.dumps(machine | {"rows": found}, indent=2) + "\n")
    ours = [row for row in rows if row.ours]
    heads = ("", "verdicts a second", "once started", "accepted", "with a speedup", "tritonrl is faster by")
    table = Table(*heads, box=None)
    for row in rows:
        faster = "" if row.ours else ", ".join(f"{each.rate / row.rate:.1f}×" for each in ours)
        started = f"{row.rate_after_start:.2f}" if row.rate_after_start else ""
        accepted = f"{row.num_accepted} of {row.num_candidates}"
        with_speedup = str(row.num_with_speedup or "")
        table.add_row(row.name, f"{row.rate:.2f}", started, accepted, with_speedup, faster)
    Console().print(f"{options.device}, {cores} cores", table, sep="\n")
    if any(row.num_accepted < row.num_candidates for row in rows):
        sys.exit("some honest candidates were not accepted")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Verdicts a second, against fresh interpreters.")
    parser.add_argument("num_candidates", nargs="?", type=int, help="default: 48 on the CPU, 240 on a GPU")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--timing", action="store_true", help="a further row with timing; cuda only")
    parser.add_argument("--out", type=Path, help="write the rows to this file as JSON")
    options = parser.parse_args()
    if options.timing and options.device == "cpu":
        parser.error("--timing needs --device cuda: nothing is timed on the CPU")
    return options


def _on_cpu(count: int, cores: int) -> Iterator[Row]:
    files = [FOLDER / "cases" / "honest" / f"{KERNELS[number % len(KERNELS)]}.py" for number in range(count)]
    jobs = [(load_task(_task_of(file)), file.read_text()) for file in files]
    fresh, how = jobs[: max(cores, len(KERNELS))], ("interpret", "compile")
    pool = partial(_pool, settings=Settings(), workers=cores)
    yield _measure(f"tritonrl, {cores} workers, start included", jobs, pool, ours=True)
    yield _measure(f"fresh interpreters, {cores} at a time", fresh, partial(_fresh, how, cores))
    yield _measure("fresh interpreters, one at a time", fresh, partial(_fresh, how, 1))


def _on_cuda(count: int, cores: int, timing: bool) -> Iterator[Row]:
    device = choose_device("cuda")
    settings = {"device": device, "target": choose_target(None, device)}
    candidates = (
        (as_task(each), code) for each in programs(LEVELS, seed=0) for code in answers(each, GROUP_SIZE)
    )
    groups = list(itertools.islice(candidates, count))
    pool = partial(_pool, settings=Settings(**settings))
    yield _measure(f"tritonrl, {GROUP_SIZE} candidates a task, start included", groups, pool, ours=True)
    if timing:
        pool = partial(_pool, settings=Settings(**settings, timing=True, baseline="eager"))
        name = f"tritonrl, {GROUP_SIZE} candidates a task, with timing, start included"
        yield _measure(name, groups, pool, ours=True)
    for workers, size in ((cores, FRESH_PER_WORKER * cores), (1, FRESH_ONE_AT_A_TIME)):
        name = f"fresh interpreters, {workers if workers > 1 else 'one'} at a time"
        sample = groups[:: max(1, count // size)][:size]
        yield _measure(name, sample, partial(_fresh, ("gpu",), workers))


def _task_of(file: Path) -> Path:
    found = re.search(r"^task: (\w+)", file.read_text(), flags=re.MULTILINE)
    assert found
    return FOLDER / "tasks" / f"{found[1]}.py"


def _measure(
    name: str, jobs: list[Job], judge: Callable[[list[Job]], Iterable[Outcome]], ours: bool = False
) -> Row:
    """The row of a judge, which says of each candidate as it goes what came of it."""
    started = time.perf_counter()
    outcomes, first_s = [], None
    for outcome in judge(jobs):
        first_s = first_s or time.perf_counter() - started
        outcomes.append(outcome)
    accepted, with_speedup = map(sum, zip(*outcomes, strict=True))
    elapsed_s = time.perf_counter() - started
    return Row(name, ours, len(jobs), accepted, with_speedup, elapsed_s, first_s if ours else None)


def _pool(jobs: list[Job], settings: Settings, workers: int | None = None) -> Iterator[Outcome]:
    tasks, candidates = zip(*jobs, strict=True)
    for judged in verify_many(tasks, candidates, settings, workers=workers):
        is_accepted = judged.verdict is not None and judged.verdict.accepted
        if not is_accepted:
            progress.print(judged.task.id, judged.error or judged.verdict.rejection)
        yield is_accepted, judged.verdict is not None and judged.verdict.speedup is not None


def _fresh(how: tuple[str, ...], workers: int, jobs: list[Job]) -> list[Outcome]:
    """Each job in processes of its own. Triton's cache is empty at first, and no kernel is taken from it;
    what Triton builds once for all kernels stays there, as it does for a plain evaluator."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        return list(pool.map(partial(_judge_fresh, how, Path(folder)), range(len(jobs)), jobs))


def _judge_fresh(how: tuple[str, ...], folder: Path, number: int, job: Job) -> Outcome:
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "TRITON_DEFAULT_FP_FUSION": "1",
        "TRITON_ALWAYS_COMPILE": "1",
        "TRITON_CACHE_DIR": str(folder / "cache"),
    }
    task, candidate = folder / f"task_{number}.py", folder / f"candidate_{number}.py"
    task.write_text(job[0].source)
    candidate.write_text(job[1])
    commands = [[sys.executable, str(FRESH), each, str(task), str(candidate)] for each in how]
    return all(subprocess.run(command, env=environment).returncode == 0 for command in commands), False


if __name__ == "__main__":
    main()
