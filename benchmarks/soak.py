"""Does the verifier last? Honest kernels among candidates that crash, hang, flood and eat what there is.

    python benchmarks/soak.py [COUNT=500] [--device auto|cpu|cuda] [--seed 0]

A fifth of the candidates are troublemakers. Every candidate must get a verdict, every honest one the same as
without troublemakers around it, and afterwards no process and no device memory may be left behind. Exit 1 if
one of these does not hold.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from tritonrl.redteam.corpus import corpus
from tritonrl.render import progress
from tritonrl.tasks import Task
from tritonrl.verify import Settings, verify_many
from tritonrl.verify.sandbox.kernel import prctl
from tritonrl.verify.settings import choose_device, choose_target

HONEST = (
    "add_relu_flat", "copy_flat", "cumsum_rows_block", "gelu_scale_helper", "layer_norm_row",
    "outer_mul_tile", "rms_norm_row", "row_sum_split", "scale_shift_flat", "softmax_rows_one_block",
    "sub_div_flat", "where_leaky_flat",
)  # fmt: skip
SHARE = 5
"""One candidate in so many is a troublemaker."""
SECONDS = 8.0
LEAVING_SECONDS = 10.0
"""For what was killed to be gone."""
DEVICE_SLACK_BYTES = 64 * 2**20
PR_SET_CHILD_SUBREAPER = 36

CANDIDATE = """import ctypes
import os
import signal
import threading
import time

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    {in_kernel}
    tl.store(out_ptr + at, x, mask=at < n)


@triton.jit
def wild_kernel(x_ptr):
    tl.store(x_ptr + (1 << 40), 1.0)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    {before}
    kernel[(triton.cdiv(out.numel(), 128),)](tensor_0, out, out.numel(), BLOCK=128{options})
    {after}
    return [out]
"""


@dataclass(frozen=True)
class Trouble:
    """A candidate for the task `copy` that does this instead of, before or after its work."""

    name: str
    before: str = ""
    after: str = ""
    in_kernel: str = ""
    options: str = ""
    needs_gpu: bool = False

    @property
    def code(self) -> str:
        parts = {
            part: getattr(self, part).replace("\n", "\n    ") for part in ("before", "after", "in_kernel")
        }
        return CANDIDATE.format(**parts, options=self.options)


TRAP = 'tl.inline_asm_elementwise("trap; mov.b32 $0, $1;", "=r,r", [at], tl.int32, is_pure=False, pack=1)'
TROUBLE = (
    Trouble("an illegal address", in_kernel="tl.store(out_ptr + at + (1 << 40), x, mask=at < n)"),
    Trouble("a kernel without end", in_kernel="while tl.load(x_ptr, volatile=True) < 1e30:\n    pass"),
    Trouble("writes beside its input", in_kernel="tl.store(x_ptr + n + at, x, mask=at < 8)"),
    Trouble("Python without end", "while True:\n    pass"),
    Trouble("leaves by os._exit", "os._exit(0)"),
    Trouble("a segmentation fault", "ctypes.string_at(0)"),
    Trouble("eats host memory", "kept = []\nwhile True:\n    kept.append(b'x' * (64 << 20))"),
    Trouble("forks", "os.fork()"),
    Trouble(
        "starts 300 threads",
        "for _ in range(300):\n    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "time.sleep(60)",
    ),
    Trouble("floods stdout", "while True:\n    os.write(1, b'x' * 65536)"),
    Trouble("kills its parent", "os.kill(os.getppid(), signal.SIGKILL)"),
    Trouble("a trap in a kernel", in_kernel=TRAP, needs_gpu=True),
    Trouble(
        "a device assertion",
        in_kernel='tl.device_assert(x > 1e30, "no", mask=at < n)',
        options=", debug=True",
        needs_gpu=True,
    ),
    Trouble(
        "corrupts its context and goes on",
        "try:\n    wild_kernel[(1,)](out)\n    torch.cuda.synchronize()\nexcept Exception:\n    pass",
        needs_gpu=True,
    ),
    Trouble(
        "eats device memory",
        "kept = []\nwhile True:\n    kept.append(torch.empty(1 << 30, dtype=torch.uint8, device=out.device))",
        needs_gpu=True,
    ),
    Trouble(
        "keeps device memory",
        "global KEPT\nKEPT = torch.ones(8 << 30, dtype=torch.uint8, device=out.device)",
        "out.zero_()",
        needs_gpu=True,
    ),
)


@dataclass(frozen=True)
class Candidate:
    name: str
    task: Task
    code: str
    is_honest: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])  # pyright: ignore
    parser.add_argument("count", nargs="?", type=int, default=500)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    device = choose_device(given.device)
    settings = Settings(
        device=device, target=choose_target(None, device), call_seconds=SECONDS, total_seconds=SECONDS,
        skip_layers=("lint",),
    )  # fmt: skip
    # Whatever loses its parent becomes our child, and cannot be overlooked.
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    cases = corpus(tuple(f"honest/{name}" for name in HONEST), device)
    honest = [Candidate(case.id, case.task, case.code, True) for case in cases]
    clean = dict(zip((each.name for each in honest), _judge(honest, settings), strict=True))
    before = _device_bytes(device)
    started = time.perf_counter()
    mixed = list(_mix(honest, given.count, device, random.Random(given.seed)))
    told = _judge(mixed, settings)
    seconds = time.perf_counter() - started
    left = _left_behind()
    checks = _checks(mixed, told, clean, left, _device_bytes(device) - before)
    console = Console()
    console.print(_sheet(mixed, told))
    console.print(f"{len(mixed)} candidates on {device}, {seconds:.0f} s, seed {given.seed}")
    for name, wrong in checks.items():
        console.print(f"{'✗' if wrong else '✓'} {name}{': ' if wrong else ''}{'; '.join(wrong[:5])}")
    sys.exit(any(checks.values()))


def _checks(
    mixed: Sequence[Candidate], told: Sequence[str], clean: dict[str, str], left: list[str], lost_bytes: int
) -> dict[str, list[str]]:
    """What must hold → what speaks against it."""
    pairs = list(zip(mixed, told, strict=True))
    honest = [(each.name, what) for each, what in pairs if each.is_honest]
    return {
        "every candidate has a verdict": [what for what in told if what.startswith("error")],
        "honest ones are accepted": [f"{name}: {what}" for name, what in honest if what != "accepted"],
        "troublemakers are rejected": [
            each.name for each, what in pairs if not each.is_honest and what == "accepted"
        ],
        "honest ones are judged as without troublemakers": [
            f"{name}: {what}, not {clean[name]}" for name, what in honest if what != clean[name]
        ],
        "no process is left": left,
        "device memory is given back": [f"{lost_bytes / 2**20:+.0f} MiB"]
        if abs(lost_bytes) > DEVICE_SLACK_BYTES
        else [],
    }


def _mix(honest: Sequence[Candidate], count: int, device: str, rng: random.Random) -> Iterator[Candidate]:
    """Honest ones by lot, every troublemaker in turn, all of them shuffled."""
    (copy,) = (each.task for each in honest if each.name == "honest/copy_flat")
    kinds = [each for each in TROUBLE if device != "cpu" or not each.needs_gpu]
    rng.shuffle(kinds)
    trouble = [kinds[number % len(kinds)] for number in range(count // SHARE)]
    drawn = rng.choices(honest, k=count - len(trouble))
    everything = [*drawn, *(Candidate(each.name, copy, each.code, False) for each in trouble)]
    rng.shuffle(everything)
    yield from everything


def _judge(candidates: Sequence[Candidate], settings: Settings) -> list[str]:
    """What became of each: `accepted`, the rule that it broke, or the error that kept us from a verdict."""
    told = [""] * len(candidates)
    tasks, codes = [each.task for each in candidates], [each.code for each in candidates]
    with progress("candidates", len(candidates)) as move:
        for done, judged in enumerate(verify_many(tasks, codes, settings), start=1):
            if judged.verdict is None:
                told[judged.number] = f"error: {judged.error}"
            else:
                rejection = judged.verdict.rejection
                told[judged.number] = rejection.rule if rejection else "accepted"
            move(done)
    return told


def _device_bytes(device: str) -> int:
    """Device memory in use, as a fresh process sees it that has nothing of ours."""
    if device == "cpu":
        return 0
    import torch

    torch.cuda.empty_cache()
    look = "import torch; free, total = torch.cuda.mem_get_info(); print(total - free)"
    return int(subprocess.run([sys.executable, "-c", look], capture_output=True, check=True).stdout)


def _left_behind() -> list[str]:
    """Descendants that live after a while, orphans included."""
    deadline = time.monotonic() + LEAVING_SECONDS
    while left := list(_descendants(os.getpid())):
        if time.monotonic() > deadline:
            break
        time.sleep(0.1)
    return left


def _descendants(pid: int) -> Iterator[str]:
    children: dict[int, list[tuple[int, str]]] = {}
    for entry in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                name, _, fields = file.read().partition(" (")[2].rpartition(") ")
        except OSError:
            continue  # gone meanwhile
        state, parent = fields.split()[:2]
        if state != "Z":  # the dead are nobody's burden but their parent's
            children.setdefault(int(parent), []).append((int(entry), name))
    waiting = [pid]
    while waiting:
        for child, name in children.get(waiting.pop(), ()):
            yield f"{name} ({child})"
            waiting.append(child)


def _sheet(candidates: Sequence[Candidate], told: Sequence[str]) -> Table:
    found: dict[str, Counter[str]] = {}
    for each, what in zip(candidates, told, strict=True):
        found.setdefault("honest kernels" if each.is_honest else each.name, Counter())[what] += 1
    table = Table("candidates", "number", "accepted, or by what rule rejected", box=None)
    for name, counts in sorted(found.items(), key=lambda item: (item[0] != "honest kernels", item[0])):
        words = ", ".join(f"{what} {number}" for what, number in counts.most_common())
        table.add_row(name, str(counts.total()), words)
    return table


if __name__ == "__main__":
    main()
