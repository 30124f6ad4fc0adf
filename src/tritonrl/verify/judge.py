"""The judge: runs a candidate through the layers and writes the Verdict. It executes no code but its own.

    verdict = verify(load_task("task.py"), Path("kernel.py").read_text())

The first layer that fails decides. A failure of the candidate is data in the Verdict; a failure of the task
is a `TaskError`, of our own machinery a `VerifierError`.
"""

import contextlib
import importlib.metadata
import time
from collections.abc import Callable
from typing import Any

import torch

import tritonrl
from tritonrl.llm import Client
from tritonrl.tasks import Task
from tritonrl.verify.case import Case, is_full
from tritonrl.verify.completion import Completion
from tritonrl.verify.layers import LAYERS
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.roles import DeviceFull
from tritonrl.verify.rubric import asking
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding, Layer, Sandbox, Timing, Verdict
from tritonrl.verify.zygotes import Zygotes, zygotes_of_own

VALIDITY = ("parse", "syntax", "lint", "judge", "faithful", "timing")
"""The layers that decide whether a candidate is a real Triton implementation; one that does something else
when it is timed is none."""
JUDGES_SHARE = 0.5
"""Of a device's memory, for all judges."""


def verify(
    task: Task,
    candidate: str | Completion,
    settings: Settings | None = None,
    *,
    zygotes: Zygotes | None = None,
    oracle: Oracle | None = None,
    model: Client | None = None,
    crowded: bool = False,
    tell: Callable[[Layer], None] = lambda layer: None,
) -> Verdict:
    """Judge one candidate: plain code, or a completion. `zygotes`, `oracle` and `model` (the client of
    `settings.judge`) are kept by callers that judge many. Where the device is crowded a candidate that fails
    while it is full is not judged by that; else only where it is still full afterwards, and so was not filled
    by the candidate. `tell` hears of each layer as it is through."""
    settings = settings or Settings()
    completion = Completion.of_code(candidate) if isinstance(candidate, str) else candidate
    with contextlib.ExitStack() as stack:
        held = stack.enter_context(zygotes_of_own(zygotes))
        held.expect(settings.device)
        known = oracle or stack.enter_context(contextlib.closing(Oracle(held, task, settings)))
        if settings.judge and model is None:
            model = stack.enter_context(asking.open_model(settings.judge))
        case = Case(task, completion, settings, held, known, model)
        stack.callback(case.close)
        stack.enter_context(case.turns.sharing())
        stack.enter_context(_on(settings.device, JUDGES_SHARE / held.num_judges))
        try:
            verdict = _run(case, tell)
        except torch.OutOfMemoryError as error:
            raise DeviceFull("the device has no memory left for the judge") from error
    if case.found_full if crowded else case.has_failed and is_full(settings.device):
        raise DeviceFull("the device has no memory left, so that a candidate's failure says nothing of it")
    return verdict


def _on(device: str, share: float) -> contextlib.AbstractContextManager[Any]:
    """Where the judge's own tensors are made, in its share of the memory there: at the limit PyTorch gives
    back what it keeps for later."""
    if device == "cpu":
        return contextlib.nullcontext()
    if not torch.cuda.is_initialized():
        from tritonrl.verify.device_memory import wait_without_spinning

        wait_without_spinning()
        torch.cuda.set_per_process_memory_fraction(share, torch.device(device).index or 0)
    return torch.cuda.device(device)


def _run(case: Case, tell: Callable[[Layer], None]) -> Verdict:
    started = time.perf_counter()
    layers: list[Layer] = []
    findings: list[Finding] = []
    for name, check, despite in LAYERS:
        decided = any(layer.status == "fail" and layer.name not in despite for layer in layers)
        decided |= case.gpu_only
        decided |= name == "faithful" and (case.session is None or case.session.last is None)
        decided |= name == "timing" and not case.settings.timing
        decided |= name == "judge" and case.settings.judge is None
        if decided or name in case.settings.skip_layers:
            layers.append(Layer(name=name, status="skip", seconds=0.0))
            continue
        case.story = []
        if name == "compile":
            case.prepare()
        began = time.perf_counter()
        found = list(check(case))
        # A late specialisation is compiled while correctness is checked, and its finding is the compiler's.
        failed = any(finding.severity == "reject" for finding in found)
        seconds = round(time.perf_counter() - began, 4)
        is_open = case.gpu_only or (name == "judge" and case.not_judged)
        status = "fail" if failed else "skip" if is_open else "pass"
        layers.append(Layer(name=name, status=status, seconds=seconds, story=tuple(case.story)))
        tell(layers[-1])
        findings += found
    findings += [*case.notes, *case.oracle.warnings()]
    return _verdict(case, layers, findings, time.perf_counter() - started)


def _verdict(case: Case, layers: list[Layer], findings: list[Finding], seconds: float) -> Verdict:
    status = {layer.name: layer.status for layer in layers}
    decided_by = {finding.layer for finding in findings if finding.severity == "reject"}
    sandbox = case.sandbox
    return Verdict(
        task=case.task.id,
        device=case.settings.device_kind,
        policy=case.settings.policy,
        precision=case.settings.precision,
        target=case.settings.target,
        valid=_valid(case, status, findings),
        compiled=_outcome(status["compile"]) if "compile" not in decided_by else False,
        correct=_outcome(status["correct"]),
        allclose=case.allclose,
        speedup=_speedup(case.timing, case.settings.baseline) if "timing" not in decided_by else None,
        timing=case.timing,
        coverage=case.coverage,
        findings=tuple(findings),
        layers=tuple(layers),
        num_draws=len(case.session.asked) if case.session else 0,
        num_calls=case.session.num_calls if case.session else 0,
        weights_replaced=case.replaced,
        sandbox=None
        if sandbox is None
        else Sandbox(
            held=tuple(name for name, reason in sandbox.items() if reason is None),
            missing={name: reason for name, reason in sandbox.items() if reason is not None},
        ),
        versions=versions(),
        seconds=round(seconds, 4),
    )


def _valid(case: Case, status: dict[str, str], findings: list[Finding]) -> bool | None:
    """Whether it is a real Triton implementation, right or wrong; None where nothing could be repeated, or a
    judge that was asked gave no opinion."""
    if case.undecided:
        return None
    if any(status[name] == "fail" for name in VALIDITY) or "A2" in {each.rule for each in findings}:
        return False
    return True if status["faithful"] == "pass" and not case.not_judged else None


def _speedup(timing: Timing | None, baseline: str) -> float | None:
    """None where the figure is not to be trusted. Of two baselines, against the eager one."""
    if timing is None or timing.refused:
        return None
    found = timing.baselines.get("compile" if baseline == "compile" else "eager")
    return found.speedup if found else None


def _outcome(status: str) -> bool | None:
    return {"pass": True, "fail": False}.get(status)


def versions() -> dict[str, str]:
    packages = {name: importlib.metadata.version(name) for name in ("torch", "triton")}
    return {"tritonrl": tritonrl.__version__, **packages}
