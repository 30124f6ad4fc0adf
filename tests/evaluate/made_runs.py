"""Runs with made-up verdicts: nothing is verified, so that thousands cost seconds."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.records import Config, Listed, Outcome, Written
from tritonrl.tasks import Task
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding, Layer, Speedup, Timing, Verdict

LAYERS = ("parse", "syntax", "lint", "compile", "correct", "faithful", "timing")
SOURCE = "import torch\n\n\ndef fused_operator(x):\n    return [torch.softmax(x, -1)]\n"
CODE = "import triton\n\n\n@triton.jit\ndef kernel(x, BLOCK):\n    return x  # sample {sample} of {task}\n"
Fate = tuple[str, str] | float | None
"""What becomes of a sample: the layer and rule that reject it, a speedup, or None: accepted and not timed."""


def verdict(task: str, fate: Fate, message: str = "off by 812 units", device: str = "cuda") -> Verdict:
    rejected = fate if isinstance(fate, tuple) else None
    place = LAYERS.index(rejected[0]) if rejected else len(LAYERS)
    statuses = ["pass"] * place + ["fail"] + ["skip"] * len(LAYERS)
    return Verdict(
        task=task,
        device=device,
        policy="full",
        precision="ieee",
        target="sm_90",
        valid=place > LAYERS.index("lint") and not (rejected and rejected[0] == "faithful"),
        compiled=place > LAYERS.index("compile"),
        correct=place > LAYERS.index("correct"),
        speedup=fate if isinstance(fate, float) else None,
        timing=_timing(fate) if isinstance(fate, float) else None,
        coverage=None if rejected else 1.0,
        findings=(Finding(layer=rejected[0], rule=rejected[1], message=message, line=5),) if rejected else (),
        layers=tuple(
            Layer(name=name, status=status, seconds=0.5, story=("30 calls over 12 draws",))  # pyright: ignore[reportArgumentType]
            for name, status in zip(LAYERS, statuses, strict=False)
        ),
        num_draws=12,
        num_calls=34,
        weights_replaced=None,
        sandbox=None,
        versions={"torch": "2.13.0"},
        seconds=3.0,
    )


def _timing(speed: float) -> Timing:
    baselines = {
        name: Speedup(
            wall_us=100 * each, device_us=90 * each, speedup=each, low=0.9 * each, high=1.1 * each,
            device_speedup=each,
        )
        for name, each in (("eager", speed), ("compile", 0.8 * speed))
    }  # fmt: skip
    return Timing(
        wall_us=100.0, device_us=90.0, spread=0.01, baselines=baselines, num_rounds=9, num_calls=80,
        noop_us=70.0, floor_us=10.0, num_checked=3,
    )  # fmt: skip


def make_run(
    path: Path,
    fates: Sequence[Sequence[Fate]],
    model: str = "made-up",
    device: str = "cuda",
    text: Callable[[str, int], str] | None = None,
    ops: Callable[[int], tuple[str, ...]] = lambda number: (("softmax", "add", "matmul")[number % 3], "relu"),
    message: str = "off by 812 units",
    broken: dict[str, str] | None = None,
) -> Folder:
    """A run whose tasks and samples have these fates; `broken` tasks could not be read."""
    names = [f"made/{number:05}" for number in range(len(fates))]
    settings = Settings(device=device, timing=device == "cuda")
    samples = max((len(each) for each in fates), default=1)
    config = Config(
        suite="made-up", model=model, samples=samples, settings=settings, versions={"torch": "2.13.0"}
    )
    tasks = [
        Task.functional(name, SOURCE, level=1 + number % 3).model_copy(update={"ops": ops(number)})
        for number, name in enumerate(names)
    ]
    listed = [Listed(id=task.id, task=task) for task in tasks]
    listed += [Listed(id=name, error=reason) for name, reason in (broken or {}).items()]
    folder = Folder.open(path, config, lambda: listed)
    written = text or (lambda task, sample: answer(CODE.format(task=task, sample=sample)))
    with folder.completions() as keep, folder.verdicts() as judge:
        for name, of_task in zip(names, fates, strict=True):
            for sample, fate in enumerate(of_task):
                keep(Written(task=name, sample=sample, text=written(name, sample)))
                judge(Outcome(task=name, sample=sample, verdict=verdict(name, fate, message, device)))
    return Folder(path)


def answer(code: str, plan: str = "rows in blocks of 1024") -> str:
    return f"<think>\n{plan}\n</think>\n```python\n{code}```\n"
