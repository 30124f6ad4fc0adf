"""What a run of `eval` writes: a frozen record a line, on this machine or another."""

import importlib.metadata
import platform
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

import tritonrl
from tritonrl.tasks import Task
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Verdict

Blame = Literal["task", "model", "verifier"]
"""Whose fault it is that there is no verdict: the task does not work, the model gave no answer, or our own
machinery failed. Only the model's counts against it."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Config(_Record):
    """What was asked for, resolved; with the versions it decides what a run is. `config.json`."""

    suite: str
    count: int | None = None
    """Tasks of the suite, the first ones; None: all."""
    seed: int = 0
    """Of synthesised tasks, and of a model that draws."""
    profile: str = "cpu"
    """Of the sizes of synthesised tasks."""
    model: str
    """Who answers; `file:NAME` for saved completions."""
    samples: int = Field(1, ge=1)
    """Answers a task."""
    search: str | None = None
    """How the best answer to a task is searched for; None: the model's own is taken as it is."""
    budget: str | None = None
    """Of the search, for each task on average."""
    part: tuple[int, int] = (1, 1)
    """Which part of the tasks, of how many."""
    settings: Settings
    """How answers are judged."""
    versions: dict[str, str]


def versions() -> dict[str, str]:
    """Of what decides an outcome."""
    libraries = {name: importlib.metadata.version(name) for name in ("torch", "triton")}
    return {"tritonrl": tritonrl.__version__, "python": platform.python_version(), **libraries}


class Listed(_Record):
    """One task of the suite: itself, or why there is none. A line of `tasks.jsonl`."""

    id: str
    task: Task | None = None
    error: str | None = None


class Written(_Record):
    """What the model gave for one sample of a task. A line of `completions.jsonl`."""

    task: str
    sample: int
    text: str | None = None
    """The whole answer; None where there is none."""
    error: str | None = None
    blame: Blame | None = None
    ops: tuple[str, ...] | None = None
    """Operators of the task, where the model found them out."""
    seconds: float = 0.0


class Outcome(_Record):
    """What became of one sample. A line of `verdicts.jsonl`."""

    task: str
    sample: int
    verdict: Verdict | None = None
    error: str | None = None
    blame: Blame | None = None

    @property
    def counts(self) -> bool:
        """Whether it says anything about the model."""
        return self.verdict is not None or self.blame == "model"
