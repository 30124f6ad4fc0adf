"""Runs with made-up verdicts: tables and reports need no verifier."""

from pathlib import Path

from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.records import Config, Listed, Outcome, Written
from tritonrl.tasks import Task
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding, Layer, Speedup, Timing, Verdict

SOURCE = "import torch\n\n\ndef get_inputs():\n    return [torch.randn(4)]\n\n\ndef fused_operator(tensor_0):\n    return [tensor_0 * 2]\n"  # noqa: E501
ANSWER = "<think>\none kernel\n</think>\n```python\nimport triton\n```\n"


def verdict(
    task: str,
    *,
    valid: bool | None = True,
    compiled: bool = True,
    correct: bool = True,
    allclose: bool | None = None,
    speedups: dict[str, float] | None = None,
    refused: str | None = None,
    rule: str = "correct",
    layer: str = "correct",
) -> Verdict:
    accepted = bool(valid and compiled and correct)
    timing = None
    if speedups is not None:
        against = {
            name: Speedup(
                wall_us=100 * each,
                device_us=90 * each,
                speedup=each,
                low=each,
                high=each,
                device_speedup=each,
            )
            for name, each in speedups.items()
        }
        timing = Timing(
            wall_us=100, device_us=90, spread=0.01, baselines=against, num_rounds=9, num_calls=80, noop_us=70,
            floor_us=10, num_checked=3, refused=refused,
        )  # fmt: skip
    findings = () if accepted else (Finding(layer=layer, rule=rule, message=f"broke {rule}"),)
    return Verdict(
        task=task, device="cpu", policy="full", precision="ieee", target="sm_90", valid=valid,
        compiled=compiled, correct=correct, allclose=allclose, timing=timing,
        speedup=(speedups or {}).get("eager") if refused is None else None,
        coverage=1.0 if accepted else None,
        findings=findings, layers=(Layer(name=layer, status="pass" if accepted else "fail", seconds=0.1),),
        num_draws=9, num_calls=30, weights_replaced=None, sandbox=None, versions={}, seconds=1.0,
    )  # fmt: skip


def config(**changes: object) -> Config:
    fields = {"suite": "made up", "model": "nobody", "settings": Settings(), "versions": {"torch": "2.13.0"}}
    return Config.model_validate(fields | changes)


def task(name: str, level: int = 1, ops: tuple[str, ...] = ("mul",)) -> Task:
    return Task.functional(name, SOURCE, level).model_copy(update={"ops": ops})


def run(path: Path, verdicts: dict[str, list[Verdict | None]], **changes: object) -> Folder:
    """A finished run: for each task its samples, None where the model gave no answer."""
    most = max((len(each) for each in verdicts.values()), default=1)
    listed = [Listed(id=name, task=task(name)) for name in verdicts]
    folder = Folder.open(path, config(samples=max(1, most), **changes), lambda: listed)
    with folder.completions() as write_answer, folder.verdicts() as write:
        for name, samples in verdicts.items():
            for sample, each in enumerate(samples):
                if each is None:
                    reason = {"error": "no idea", "blame": "model"}
                    write_answer(Written(task=name, sample=sample, **reason))  # type: ignore[arg-type]
                    write(Outcome(task=name, sample=sample, **reason))  # type: ignore[arg-type]
                else:
                    write_answer(Written(task=name, sample=sample, text=ANSWER))
                    write(Outcome(task=name, sample=sample, verdict=each))
    return folder
