"""Is a measured speedup true, and does it stay the same? Needs a GPU.

python benchmarks/timing.py [--tasks 20] [--repeats 20] [--out FILE.json]

A reference timed against itself must come out at 1; one kernel verified again and again must get the same
speedup; the device times of a copy and of a matmul must be those of `triton.testing.do_bench`.
"""

import argparse
import itertools
import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import triton.testing
from composed import answers, as_task, programs
from rich.console import Console
from rich.table import Table

from tritonrl.tasks import Task
from tritonrl.verify import Settings, Zygotes, verify
from tritonrl.verify.inside.timed import device_seconds
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.replaying import MOST_TIMED
from tritonrl.verify.timing import baselines
from tritonrl.verify.timing.rounds import Rounds, Runner
from tritonrl.verify.timing.statistics import figure, ratio

WORTH_US = 50.0
"""Shorter calls are launches more than work."""
AGAIN_US = {"decided by the device": 100.0, "where the host can keep up just so": 50.0}
"""Least device time of the kernels that are judged again and again."""
WARM_MS = 500
"""After which the clock of a device has come down to what it can keep."""
MIB = 2**20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    settings = Settings(device="cuda", timing=True, lint_seconds=0.0)
    with Zygotes() as zygotes:
        found: dict[str, Any] = {
            "itself": list(against_itself(zygotes, settings, chosen.tasks)),
            "again": [again(zygotes, settings, chosen.repeats, what) for what in AGAIN_US],
            "do_bench": list(against_do_bench()),
        }
    if chosen.out:
        chosen.out.write_text(json.dumps(found, indent=1))
    Console().print(*tables(found))


def tasks() -> Iterator[tuple[Task, str]]:
    """Tasks of the gpu profile and a kernel for each; about half take longer than `WORTH_US`."""
    for program in itertools.islice(programs((1, 2, 3), 31), 120):
        yield as_task(program), answers(program, 1)[0]


def against_itself(zygotes: Zygotes, settings: Settings, count: int) -> Iterator[dict[str, Any]]:
    """Two processes run the same reference, as a candidate and its baseline would."""
    for task, _ in tasks():
        oracle = Oracle(zygotes, task, settings)
        exam = oracle.exam()
        with oracle.worker(exam) as one, oracle.worker(exam) as other:
            sets = baselines.sets_of(one, exam, settings.device)
            runners = [
                Runner(name, worker.process, 60.0) for name, worker in (("one", one), ("other", other))
            ]
            for runner, worker in zip(runners, (one, other), strict=True):
                baselines.make_ready(worker, exam, settings)
                runner.prepare(sets)
            rounds = Rounds(zygotes.clock, sets, *runners)
            rounds.load()
            with rounds.on_cores():
                rounds.warm_up()
                rounds.settle()
                device_us = runners[0].device_seconds(min(rounds.num_calls, MOST_TIMED)) * 1e6
            one_us, other_us = ([each * 1e6 for each in runner.samples] for runner in runners)
            wall_us, speedup = figure(one_us).median, ratio(other_us, one_us)
            sets.close()
        oracle.close()
        if wall_us > WORTH_US:
            yield {
                "task": task.id, "wall_us": wall_us, "device_us": device_us, "speedup": speedup.median,
                "spread": speedup.spread, "num_rounds": rounds.num_rounds, "samples_us": [one_us, other_us],
            }  # fmt: skip
            count -= 1
        if not count:
            return


def again(zygotes: Zygotes, settings: Settings, count: int, what: str) -> dict[str, Any]:
    """One kernel through the whole verifier, many times."""
    for task, code in tasks():
        verdict = verify(task, code, settings, zygotes=zygotes)
        if verdict.timing and AGAIN_US[what] < verdict.timing.device_us < 2 * AGAIN_US[what]:
            break
    verdicts = [verify(task, code, settings, zygotes=zygotes) for _ in range(count)]
    known = sorted(each.speedup for each in verdicts if each.speedup is not None)
    low, high = (known[round(share * (len(known) - 1))] for share in (0.05, 0.95))
    middle, refused = statistics.median(known), len(verdicts) - len(known)
    timings = [each.timing.model_dump() for each in verdicts if each.timing]
    return {
        "what": what, "task": task.id, "refused": refused, "median": middle, "p5": low, "p95": high,
        "timings": timings,
    }  # fmt: skip


def against_do_bench() -> Iterator[dict[str, Any]]:
    source = torch.randn(256 * MIB, device="cuda")
    target = torch.empty_like(source)
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    jobs: dict[str, Callable[[], Any]] = {
        "copy of 1 GiB": lambda: target.copy_(source),
        "bf16 matmul of 8192": lambda: torch.mm(a, b),
    }
    for name, job in jobs.items():
        # In turns, on a device that is warm: a matmul of a device that has rested is seven percent faster.
        triton.testing.do_bench(job, warmup=0, rep=WARM_MS)
        pairs = [(_do_bench_ms(job), device_seconds([job] * 10) * 1000) for _ in range(5)]
        theirs, ours = map(statistics.median, zip(*pairs, strict=True))
        yield {"what": name, "ours_ms": ours, "do_bench_ms": theirs, "ratio": ours / theirs}


def _do_bench_ms(job: Callable[[], Any]) -> float:
    return triton.testing.do_bench(job, warmup=10, rep=100, return_mode="median")


def tables(found: dict[str, Any]) -> Iterator[Table]:
    itself = Table("reference against itself", "a call", "device", "speedup", "± half the interval", box=None)
    for row in found["itself"]:
        times = f"{row['wall_us']:.0f} µs", f"{row['device_us']:.0f} µs"
        itself.add_row(row["task"], *times, f"{row['speedup']:.3f}", f"{row['spread']:.1%}")
    yield itself
    repeated = Table("one kernel again and again", "median", "p5", "p95", "p95/p5", "refused", box=None)
    for row in found["again"]:
        numbers = [f"{row[name]:.3f}" for name in ("median", "p5", "p95")]
        repeated.add_row(row["what"], *numbers, f"{row['p95'] / row['p5']:.3f}", str(row["refused"]))
    yield repeated
    compared = Table("device time", "ours", "do_bench", "ratio", box=None)
    for row in found["do_bench"]:
        times = f"{row['ours_ms']:.3f} ms", f"{row['do_bench_ms']:.3f} ms"
        compared.add_row(row["what"], *times, f"{row['ratio']:.3f}")
    yield compared


if __name__ == "__main__":
    main()
