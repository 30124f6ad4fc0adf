"""The composer on a GPU: do its strategies matter, and how near are its kernels to what memory allows?

    python benchmarks/composer.py strategies --out FILE.jsonl
    python benchmarks/composer.py bandwidth RUN

`strategies` times every choice for a few groups by `triton.testing.do_bench`. `bandwidth` reads a timed run
of `tritonrl eval`, which also says what is accepted and how fast it is.
"""

import argparse
import importlib.util
import json
import multiprocessing
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tritonrl.evaluate.folder import Folder
from tritonrl.program import Program
from tritonrl.program.run import draw_inputs, run
from tritonrl.teach.composer import Composer, compose
from tritonrl.teach.composer.groups import Partition
from tritonrl.teach.composer.strategies import STRATEGIES
from tritonrl.teach.composer.strategies.cost import moved_bytes
from tritonrl.verify import Completion

Way = tuple[str, dict[str, Any]]
"""An answer, and what is known of it."""
WORTH_US = 20.0
"""Shorter kernels are launches more than traffic."""
FLOPS_PER_BYTE = 4.0
"""Below which memory decides."""
WELL_USED = 0.8
"""Of the bandwidth of a copy."""
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
    "conv_transpose2d of stride 2": (
        ["float16[32,128,28,28]", "float16[128,64,4,4]"],
        [["conv_transpose2d", [0, 1], {"padding": [1, 1], "stride": [2, 2]}]],
    ),
    "conv_transpose2d of stride 2 in float32": (
        ["float32[32,128,28,28]", "float32[128,64,4,4]"],
        [["conv_transpose2d", [0, 1], {"padding": [1, 1], "stride": [2, 2]}]],
    ),
    "conv_transpose2d to few channels": (
        ["float32[8,512,17,256]", "float32[512,16,5,7]"], [["conv_transpose2d", [0, 1], {"padding": [1, 1]}]],
    ),
    "conv3d in float32": (
        ["float32[8,64,16,56,56]", "float32[64,64,3,3,3]"], [["conv3d", [0, 1], {"padding": [1, 1, 1]}]],
    ),
    "adaptive_avg_pool2d": (
        ["float32[16,64,224,224]"], [["adaptive_avg_pool2d", [0], {"output_size": [7, 7]}]],
    ),
    "uneven adaptive_avg_pool2d": (
        ["float32[16,64,223,225]"], [["adaptive_avg_pool2d", [0], {"output_size": [7, 7]}]],
    ),
    "adaptive_avg_pool1d": (
        ["float32[119,313,259]"], [["adaptive_avg_pool1d", [0], {"output_size": [7]}]],
    ),
    "attention": (["float16[4,16,2048,64]"] * 3, [["scaled_dot_product_attention", [0, 1, 2]]]),
    "attention in float32": (["float32[4,16,1024,64]"] * 3, [["scaled_dot_product_attention", [0, 1, 2]]]),
    "attention in float32, wide heads": (
        ["float32[64,128,256]"] * 3, [["scaled_dot_product_attention", [0, 1, 2]]],
    ),
    "matmul in float32": (["float32[4096,4096]", "float32[4096,4096]"], [["matmul", [0, 1]]]),
    "linear in float32": (["float32[16384,4096]", "float32[512,4096]"], [["linear", [0, 1]]]),
    "conv2d in float32": (
        ["float32[32,64,56,56]", "float32[64,64,3,3]"],
        [["conv2d", [0, 1], {"padding": [1, 1], "stride": [1, 1], "dilation": [1, 1], "groups": 1}]],
    ),
    "conv2d to few channels": (
        ["float32[32,128,56,56]", "float32[4,128,3,3]"],
        [["conv2d", [0, 1], {"padding": [1, 1], "stride": [1, 1], "dilation": [1, 1], "groups": 1}]],
    ),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("strategies").add_argument("--out", type=Path, required=True)
    commands.add_parser("bandwidth").add_argument("run", type=Path)
    given = parser.parse_args()
    Console().print(_strategy_table(given.out) if given.what == "strategies" else _bandwidth(given.run))


def _bandwidth(run: Path) -> Table:
    """Of programs that memory decides: what their kernels read and write, by the device's own time."""
    from tritonrl.verify.timing.physics import abilities

    able, folder = abilities("cuda").bytes_per_second, Folder(run)
    programs = {
        each.id: Program.from_json(each.task.program)
        for each in folder.listed
        if each.task and each.task.program
    }
    shares = []
    for outcome in folder.outcomes.values():
        made, timing = programs.get(outcome.task), outcome.verdict and outcome.verdict.timing
        if not made or not timing or timing.device_us < WORTH_US:
            continue
        moved = sum(moved_bytes(made, group) for group in Partition(made).groups)
        if made.flops < FLOPS_PER_BYTE * moved:
            shares.append(moved / (timing.device_us * 1e-6) / able)
    table = Table("memory-bound programs", f"above {WELL_USED:.0%} of a copy", "median", box=None)
    used = sum(share > WELL_USED for share in shares)
    table.add_row(str(len(shares)), str(used), f"{statistics.median(shares):.0%}" if shares else "")
    return table


def _strategies() -> Iterator[dict[str, Any]]:
    import torch

    torch.backends.cudnn.allow_tf32 = False
    ways = list(_ways())
    # Compiled by all cores, into Triton's cache.
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for _ in pool.map(_call_once, ways, chunksize=4):
            pass
    eager_us = {title: _median_us(_eager(title)) for title in GROUPS}
    for text, row in ways:
        yield {**row, "us": _median_us(_call(row["group"], text)), "eager_us": eager_us[row["group"]]}


def _median_us(call: Callable[[], Any]) -> float:
    from triton.testing import do_bench

    return 1000 * float(do_bench(call, return_mode="median"))  # type: ignore[arg-type]


def _ways() -> Iterator[Way]:
    """Every choice for every group."""
    for title, (inputs, _) in GROUPS.items():
        made = _program(title)
        (group,) = Partition(made).groups
        likely, composer = compose(made), Composer(made)
        for strategy in (each for each in STRATEGIES if each.fits(made, group)):
            for sizes in strategy.choices(made, group):
                text = composer.written([(strategy, sizes)])
                yield text, {
                    "group": title, "inputs": inputs, "strategy": strategy.name, "sizes": dict(sizes),
                    "rule_us": strategy.cost(made, group, sizes), "is_likely": text == likely,
                }  # fmt: skip


def _program(title: str) -> Program:
    inputs, nodes = GROUPS[title]
    return Program.from_json({"inputs": inputs, "nodes": nodes, "outputs": [len(inputs) + len(nodes) - 1]})


def _eager(title: str) -> Callable[[], Any]:
    made = _program(title)
    return partial(run, made, draw_inputs(made, 0, "cuda"))


def _call(title: str, text: str) -> Callable[[], Any]:
    return partial(_loaded(text), *draw_inputs(_program(title), 0, "cuda"))


def _call_once(way: Way) -> None:
    import torch

    text, row = way
    _call(row["group"], text)()
    torch.cuda.synchronize()


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


def _strategy_table(path: Path) -> Table:
    if not path.exists():
        with path.open("w") as file:
            for row in _strategies():
                file.write(json.dumps(row) + "\n")
                file.flush()
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    table = Table("group", "fastest", "µs", "slowest", "µs", "ratio", "the rule's", "PyTorch µs", box=None)
    for title in dict.fromkeys(row["group"] for row in rows):
        own = sorted((row for row in rows if row["group"] == title), key=lambda row: row["us"])
        likely = next((row for row in own if row["is_likely"]), None)
        table.add_row(
            title, _words(own[0]), f"{own[0]['us']:.0f}", _words(own[-1]), f"{own[-1]['us']:.0f}",
            f"{own[-1]['us'] / own[0]['us']:.1f}×",
            f"{own[0]['us'] / likely['us']:.0%} of the fastest" if likely else "",
            f"{own[0]['eager_us']:.0f}",
        )  # fmt: skip
    return table


def _words(row: dict[str, Any]) -> str:
    return f"{row['strategy']} {' '.join(str(size) for size in row['sizes'].values())}"


if __name__ == "__main__":
    main()
