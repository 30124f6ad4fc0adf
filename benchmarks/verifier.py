"""Verdicts a second: the pool of forked, sandboxed processes against a fresh interpreter for every candidate.

python benchmarks/verifier.py [NUM_CANDIDATES]

The fresh interpreters do less (`benchmarks/fresh_interpreter.py`): as many calls on inputs of the task,
compared with `allclose`, and one compilation of what was launched; no sandbox, no float64, no other inputs.
All three rows judge the same candidates in this one run.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tritonrl.redteam.corpus import FOLDER
from tritonrl.tasks import load_task
from tritonrl.verify import verify_many

FRESH = Path(__file__).with_name("fresh_interpreter.py")
KERNELS = (
    "add_relu_flat", "gelu_scale_helper", "softmax_rows_one_block", "row_sum_split", "layer_norm_row",
    "outer_mul_tile", "cumsum_rows_block", "sub_div_flat",
)  # fmt: skip


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 48
    workers = len(os.sched_getaffinity(0))
    files = [FOLDER / "cases" / "honest" / f"{KERNELS[number % len(KERNELS)]}.py" for number in range(count)]
    fresh = files[: max(workers, len(KERNELS))]
    rates = {
        f"tritonrl, {workers} workers, start included": _rate(lambda: _pool(files, workers), len(files)),
        f"fresh interpreters, {workers} at a time": _rate(lambda: _fresh(fresh, workers), len(fresh)),
        "fresh interpreters, one at a time": _rate(lambda: _fresh(fresh, 1), len(fresh)),
    }
    ours = next(iter(rates.values()))
    table = Table("", "verdicts a second", "tritonrl is faster by", box=None)
    for name, rate in rates.items():
        table.add_row(name, f"{rate:.2f}", "" if rate == ours else f"{ours / rate:.1f}×")
    Console().print(table)


def _rate(job: Callable[[], None], count: int) -> float:
    started = time.perf_counter()
    job()
    return count / (time.perf_counter() - started)


def _task_of(file: Path) -> Path:
    found = re.search(r"^task: (\w+)", file.read_text(), flags=re.MULTILINE)
    assert found
    return FOLDER / "tasks" / f"{found[1]}.py"


def _pool(files: list[Path], workers: int) -> None:
    tasks = [load_task(_task_of(file)) for file in files]
    candidates = [file.read_text() for file in files]
    for judged in verify_many(tasks, candidates, workers=workers):
        assert judged.verdict, judged.error
        assert judged.verdict.accepted, judged.verdict.findings


def _fresh(files: list[Path], workers: int) -> None:
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(_judge_fresh, files))


def _judge_fresh(file: Path) -> None:
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "TRITON_DEFAULT_FP_FUSION": "1",
        "TRITON_ALWAYS_COMPILE": "1",
    }
    for how in ("interpret", "compile"):
        command = [sys.executable, FRESH, how, _task_of(file), file]
        subprocess.run([str(word) for word in command], env=environment, check=True)


if __name__ == "__main__":
    main()
