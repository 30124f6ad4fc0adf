"""The composer on a GPU: is what it writes accepted, how fast is it, and do its strategies matter?

    python benchmarks/composer.py accept [--count 500] --out FILE.jsonl
    python benchmarks/composer.py time [--count 60] [--compiled 30] --out FILE.jsonl
    python benchmarks/composer.py strategies --out FILE.jsonl

`accept` has the verifier judge drawn answers for fresh programs of levels 1, 2, 3 and 5, untimed; `time` the
likely fastest answers, timed against eager and, the first of each level, against `torch.compile`; both take
up a file that they have begun. `strategies` times every choice for a few groups by `triton.testing.do_bench`.
"""

import argparse
import collections
import importlib.util
import json
import math
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tritonrl.program import Program, emit
from tritonrl.render import progress
from tritonrl.synth import Config, program
from tritonrl.tasks import Task
from tritonrl.teach.composer import Composer, compose
from tritonrl.teach.composer.groups import Partition
from tritonrl.teach.composer.strategies import STRATEGIES
from tritonrl.teach.verified import wilson
from tritonrl.verify import Completion, Settings, verify_many
from tritonrl.verify.settings import choose_target

LEVELS = (1, 2, 3, 5)
SEED = 2026
WORTH_US = 20.0
"""Shorter kernels are launches more than traffic."""
FLOPS_PER_BYTE = 4.0
"""Below which memory decides."""
GROUPS: dict[str, tuple[list[str], list]] = {
    "relu": (["float32[8192,8192]"], [["relu", [0]]]),
    "add of a bias": (["float32[65536,1024]", "float32[1024]"], [["add", [0, 1]]]),
    "transpose": (["float32[8192,8192]"], [["transpose", [0], {"dim0": 0, "dim1": 1}]]),
    "softmax of short rows": (["float32[262144,64]"], [["softmax", [0], {"dim": 1}]]),
    "softmax of rows": (["float32[16384,2048]"], [["softmax", [0], {"dim": 1}]]),
    "softmax of long rows": (["float32[64,1000000]"], [["softmax", [0], {"dim": 1}]]),
    "layer_norm": (["float32[32768,1024]"], [["layer_norm", [0], {"normalized_dims": 1}]]),
    "sum over the first dim": (["float32[16384,4096]"], [["sum", [0], {"dim": [0]}]]),
    "sum of everything": (["float32[8192,8192]"], [["sum", [0], {"dim": [0, 1]}]]),
    "cumsum": (["float32[8192,4096]"], [["cumsum", [0], {"dim": 1}]]),
    "matmul": (["float16[4096,4096]", "float16[4096,4096]"], [["matmul", [0, 1]]]),
    "matmul, long sum": (["float16[256,16384]", "float16[16384,256]"], [["matmul", [0, 1]]]),
    "conv2d": (
        ["float16[32,64,56,56]", "float16[64,64,3,3]"],
        [["conv2d", [0, 1], {"padding": [1, 1], "stride": [1, 1], "dilation": [1, 1], "groups": 1}]],
    ),
    "depthwise conv2d": (
        ["float32[32,64,56,56]", "float32[64,1,3,3]"],
        [["conv2d", [0, 1], {"padding": [1, 1], "stride": [1, 1], "dilation": [1, 1], "groups": 64}]],
    ),
    "max_pool2d": (
        ["float32[64,64,112,112]"],
        [["max_pool2d", [0], {"kernel_size": [3, 3], "stride": [2, 2], "padding": [1, 1]}]],
    ),
    "attention": (["float16[4,16,2048,64]"] * 3, [["scaled_dot_product_attention", [0, 1, 2]]]),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("accept", "time", "strategies"))
    parser.add_argument("--count", type=int)
    parser.add_argument("--compiled", type=int, default=30)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if given.what == "strategies":
        rows = _kept(given.out) or list(_written(given.out, _strategies()))
        Console().print(_strategy_table(rows))
        return
    count = given.count or {"accept": 500, "time": 60}[given.what]
    jobs = [(level, index) for index in range(count) for level in LEVELS]
    done = {(row["level"], row["index"]) for row in _kept(given.out)}
    jobs = [job for job in jobs if job not in done]
    parts = {"eager": jobs}
    if given.what == "time":
        parts = {"both": [job for job in jobs if job[1] < given.compiled]}
        parts["eager"] = [job for job in jobs if job not in parts["both"]]
    for baseline, part in parts.items():
        rows = _judged(part, given.dtype, timing=given.what == "time", baseline=baseline)
        for _ in _written(given.out, rows):
            pass
    Console().print(*(_speeds if given.what == "time" else _acceptance)(_kept(given.out)))


def _kept(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _written(path: Path, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    with path.open("a") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
            file.flush()
            yield row


def _judged(jobs: list[tuple[int, int]], dtype: str, *, timing: bool, baseline: str) -> Iterator[dict]:
    settings = Settings(
        device="cuda", target=choose_target(None, "cuda"), timing=timing, baseline=baseline, needs_plan=True,
        lint_seconds=0.0,
    )  # fmt: skip
    made = [program(Config(level, SEED, "gpu", dtype=dtype), index) for level, index in jobs]
    draws = [None if timing else random.Random(index) for _, index in jobs]
    answers = [Completion.parse(compose(each, rng)) for each, rng in zip(made, draws, strict=True)]
    tasks = [Task.functional(each.program_id, emit(each), each.level, each.to_json()) for each in made]
    with progress(f"programs, {baseline}" if timing else "programs", len(jobs)) as move:
        for number, judged in enumerate(verify_many(tasks, answers, settings), start=1):
            level, index = jobs[judged.number]
            each, verdict = made[judged.number], judged.verdict
            yield {
                "level": level, "index": index, "ops": each.ops, "plan": answers[judged.number].plan,
                "accepted": verdict is not None and verdict.accepted,
                "why": str(judged.error or (verdict and verdict.rejection) or ""),
                "timing": verdict.timing.model_dump() if verdict and verdict.timing else None,
                "bytes": each.bytes, "flops": each.flops,
            }  # fmt: skip
            move(number)


def _acceptance(rows: list[dict[str, Any]]) -> Iterator[Table]:
    table = Table("level", "programs", "accepted", "rate", "95 % interval", box=None)
    for level in LEVELS:
        own = [row["accepted"] for row in rows if row["level"] == level]
        low, high = wilson(sum(own), len(own))
        rate = f"{sum(own) / len(own):.1%}"
        table.add_row(str(level), str(len(own)), str(sum(own)), rate, f"{low:.1%} to {high:.1%}")
    yield table
    by_op: dict[str, list[bool]] = collections.defaultdict(list)
    for row in rows:
        for op in set(row["ops"]):
            by_op[op].append(row["accepted"])
    worst = Table("operator", "programs", "accepted", "rate", box=None)
    for op, own in sorted(by_op.items(), key=lambda item: sum(item[1]) / len(item[1]))[:15]:
        worst.add_row(op, str(len(own)), str(sum(own)), f"{sum(own) / len(own):.1%}")
    yield worst
    reasons = Table("not accepted", box=None)
    for row in rows:
        if not row["accepted"]:
            reasons.add_row(f"level {row['level']} number {row['index']} {row['ops']}: {row['why'][:300]}")
    yield reasons


def _speeds(rows: list[dict[str, Any]]) -> Iterator[Table]:
    table = Table("level", "over", "programs", "geomean", "95 % interval", "device", "refused", box=None)
    for level in LEVELS:
        for name in ("eager", "compile"):
            timed = [row["timing"] for row in rows if row["level"] == level and row["timing"]]
            timed = [each for each in timed if name in each["baselines"]]
            known = [each["baselines"][name] for each in timed if not each["refused"]]
            speeds = [math.log(each["speedup"]) for each in known]
            if len(speeds) < 2:
                continue
            low, high = _bootstrap(speeds)
            device = math.exp(statistics.mean(math.log(each["device_speedup"]) for each in known))
            table.add_row(
                str(level), name, str(len(known)), f"{math.exp(statistics.mean(speeds)):.2f}×",
                f"{low:.2f} to {high:.2f}", f"{device:.2f}×", str(len(timed) - len(known)),
            )  # fmt: skip
    yield table
    from tritonrl.verify.timing.physics import abilities

    able = abilities("cuda").bytes_per_second
    shares = [
        row["bytes"] / (row["timing"]["device_us"] * 1e-6) / able
        for row in rows
        if row["timing"]
        and row["timing"]["device_us"] > WORTH_US
        and row["flops"] < FLOPS_PER_BYTE * row["bytes"]
    ]
    bandwidth = Table("memory-bound programs", "above 80 % of the copy bandwidth", "median share", box=None)
    fast = sum(share > 0.8 for share in shares)
    bandwidth.add_row(str(len(shares)), str(fast), f"{statistics.median(shares):.0%}" if shares else "")
    yield bandwidth


def _bootstrap(logs: list[float], draws: int = 2000) -> tuple[float, float]:
    """An interval for the geometric mean."""
    rng = random.Random(1)
    means = sorted(statistics.mean(rng.choices(logs, k=len(logs))) for _ in range(draws))
    return math.exp(means[int(0.025 * draws)]), math.exp(means[int(0.975 * draws)])


def _strategies() -> Iterator[dict[str, Any]]:
    import torch
    from triton.testing import do_bench

    for title, (inputs, nodes) in GROUPS.items():
        made = Program.from_json(
            {"inputs": inputs, "nodes": nodes, "outputs": [len(inputs) + len(nodes) - 1]}
        )
        (group,) = Partition(made).groups
        tensors = [
            torch.randn(spec.shape, device="cuda", dtype=getattr(torch, spec.dtype)) for spec in made.inputs
        ]
        likely, composer = compose(made), Composer(made)
        for strategy in (each for each in STRATEGIES if each.fits(made, group)):
            for sizes in strategy.choices(made, group):
                text = composer.written([(strategy, sizes)])
                run = partial(_loaded(text), *tensors)
                us = 1000 * float(do_bench(run, return_mode="median"))  # type: ignore[arg-type]
                yield {
                    "group": title, "inputs": inputs, "strategy": strategy.name, "sizes": dict(sizes),
                    "us": us, "rule_us": strategy.cost(made, group, sizes), "is_likely": text == likely,
                }  # fmt: skip


def _loaded(text: str) -> Any:
    """The function that an answer defines."""
    code = Completion.parse(text).code
    assert code
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(code)
    spec = importlib.util.spec_from_file_location(f"composed_{len(sys.modules)}", file.name)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.triton_fused_operator


def _strategy_table(rows: list[dict[str, Any]]) -> Table:
    table = Table("group", "fastest", "µs", "slowest", "µs", "ratio", "the rule's choice", box=None)
    for title in dict.fromkeys(row["group"] for row in rows):
        own = sorted((row for row in rows if row["group"] == title), key=lambda row: row["us"])
        likely = next((row for row in own if row["is_likely"]), None)
        table.add_row(
            title, _words(own[0]), f"{own[0]['us']:.0f}", _words(own[-1]), f"{own[-1]['us']:.0f}",
            f"{own[-1]['us'] / own[0]['us']:.1f}×",
            f"{own[0]['us'] / likely['us']:.0%} of the fastest" if likely else "",
        )  # fmt: skip
    return table


def _words(row: dict[str, Any]) -> str:
    return f"{row['strategy']} {' '.join(str(size) for size in row['sizes'].values())}"


if __name__ == "__main__":
    main()
