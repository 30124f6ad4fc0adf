"""A task's program: captured where the task's own code runs, in the sandbox."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tritonrl.program import Program
from tritonrl.tasks import Task, TaskError
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.zygotes import Zygotes

CAPTURE_SECONDS = 120.0


class Captured(BaseModel):
    """A task as a program, and how the program takes the place of the task's code."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    program: Program
    sources: tuple[tuple[str, str], ...]
    """For each input of the program `input`, `parameter`, `buffer` or `constant`, and an expression in terms
    of `args` and `self`."""
    returned: str
    """An expression for what the task returns, in terms of the program's `outputs`."""
    updates: tuple[str, ...]
    """Expressions for the buffers that a call changes, empty for an input; their new values are the last
    outputs."""
    random: tuple[str, ...]
    """Random operators; a task that has any has no one right answer."""


def capture_task(zygotes: Zygotes, task: Task) -> Captured:
    """As it is where it will run: sizes may depend on whether there is a GPU. A `TaskError` where the task
    cannot be captured."""
    with Worker(zygotes, task, CAPTURE_SECONDS, zygotes.device) as worker:
        answer: dict[str, Any] = worker.captured()
    try:
        return Captured.model_validate({**answer, "program": Program.from_json(answer["program"])})
    except (ValidationError, ValueError, KeyError, TypeError) as error:
        raise TaskError(task.id, "was captured as something that is no program") from error
