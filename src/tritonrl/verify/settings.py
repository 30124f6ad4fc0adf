"""`Settings`: how a candidate is to be verified."""

import os
import re

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from tritonrl.errors import UnknownNameError, UserError
from tritonrl.llm import Endpoint
from tritonrl.llm.secrecy import read_key
from tritonrl.verify.oracle.tolerance import PRECISIONS

DEVICES = ("cpu", "cuda")
POLICIES = ("full", "hybrid")
TARGETS = {
    "sm_80": 166912,
    "sm_86": 101376,
    "sm_89": 101376,
    "sm_90": 232448,
    "sm_100": 232448,
    "sm_120": 101376,
}
"""GPUs that kernels can be compiled for, and the shared memory that a kernel may use on each, in bytes."""
SKIPPABLE = ("lint",)
"""Layers that no guarantee rests on."""
BASELINES = ("eager", "compile", "both")


def choose_device(name: str) -> str:
    """The device meant by `auto`, `cpu` or `cuda`."""
    if name not in ("auto", *DEVICES):
        raise UnknownNameError("device", name, ["auto", *DEVICES])
    if name == "cpu" or (name == "auto" and not os.path.exists("/proc/driver/nvidia")):
        return "cpu"  # without importing torch, which takes a second
    import torch

    if not torch.cuda.is_available():
        if name == "cuda":
            raise UserError("--device cuda: PyTorch finds no CUDA device here; see `tritonrl doctor`")
        return "cpu"
    return "cuda"


def choose_target(name: str | None, device: str) -> str:
    """The GPU that kernels are compiled for: the one asked for, the one that is there, or an H100."""
    if name is not None or device == "cpu":
        return name or "sm_90"
    import torch

    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}"


def choose_baseline(name: str) -> str:
    if name not in BASELINES:
        raise UnknownNameError("baseline", name, list(BASELINES))
    return name


def choose_judge(name: str | None) -> str | None:
    """The language model that judges, if there is one and its key is there."""
    if name is not None:
        read_key(Endpoint.named(name))
    return name


class Settings(BaseModel):
    """What the user chose; part of the key of a cached verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    device: str = "cpu"
    policy: str = "full"
    precision: str = "ieee"
    """Lowest precision allowed inside a float32 task."""
    target: str = "sm_90"
    timing: bool = False
    """Whether speed is measured; on a GPU only."""
    baseline: str = "eager"
    """What speed is compared with."""
    judge: str | None = None
    """The language model that judges by the rubric, `openai:NAME`; None: nobody does. Its key stays in the
    environment."""
    skip_layers: tuple[str, ...] = ()
    require_sandbox: bool = False
    """Refuse to run anything where a feature of the sandbox is missing."""
    needs_plan: bool = False
    """Whether a completion without a plan is malformed, as in training."""
    looks_close: bool = False
    """Whether a wrong candidate is also compared as KernelBench does; see `Verdict.allclose`."""
    num_calls: int = 30
    """Checked calls at least, if time allows."""
    call_seconds: float = 60.0
    """Longest that one step of the candidate may take."""
    total_seconds: float = 60.0
    """After which a slow candidate is asked no question twice. Who will not have answered each once within
    ten times that is rejected, after three times at the earliest."""
    reference_seconds: float = 300.0
    lint_seconds: float = 10.0
    """Longest that the task's own exam is tested before the first candidate takes it."""
    compile_seconds: float = 120.0

    @field_validator("device", "policy", "precision", "target", "baseline")
    @classmethod
    def _known(cls, value: str, info) -> str:  # pyright: ignore[reportMissingParameterType]
        known = {
            "device": DEVICES, "policy": POLICIES, "precision": PRECISIONS, "target": TARGETS,
            "baseline": BASELINES,
        }[info.field_name]  # fmt: skip
        one_of_several = info.field_name == "device" and re.fullmatch(r"cuda:\d+", value)
        if value not in known and not one_of_several:
            raise UnknownNameError(info.field_name, value, list(known))
        return value

    @model_validator(mode="after")
    def _needs_a_gpu(self) -> "Settings":
        if self.timing and self.device == "cpu":
            raise UserError("speed is measured on a GPU only: kernels are interpreted on a CPU")
        return self

    @field_validator("judge")
    @classmethod
    def _is_a_model(cls, value: str | None) -> str | None:
        if value is not None:
            Endpoint.named(value)
        return value

    @field_validator("skip_layers")
    @classmethod
    def _skippable(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if name not in SKIPPABLE:
                raise UnknownNameError("layer that can be skipped", name, list(SKIPPABLE))
        return value

    @property
    def device_kind(self) -> str:
        """`cpu` or `cuda`, whichever GPU is meant."""
        return self.device.partition(":")[0]

    @property
    def arch(self) -> int:
        return int(self.target.removeprefix("sm_"))
