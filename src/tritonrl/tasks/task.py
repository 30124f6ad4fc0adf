"""`Task`: what is to be computed, as one frozen record, whatever file, row or data set it came from.

A Task is text and names only. Making one never imports or executes the text: it is somebody's Python, and it
runs nowhere but in the verifier's sandboxed reference worker.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tritonrl.errors import UserError

FUNCTION_ENTRY = "triton_fused_operator"
"""What an answer to a functional task defines."""
MODULE_ENTRY = "ModelNew"
"""What an answer to a module defines."""
Kind = Literal["kernelbench", "module", "functional"]
InitStyle = Literal["none", "args", "args_kwargs"]


class TaskError(UserError):
    """A task that cannot be loaded; one line, `where: what is wrong and what would be right`."""

    def __init__(self, where: str, what: str) -> None:
        # A file name or a library's message may hold line breaks; the command line prints one line.
        super().__init__(" ".join(f"{where}: {what}".split()))


class Task(BaseModel):
    """Reference source, its entry points, and how its constructor and inputs are obtained."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """Stable name: `level1/19_Name` for a file or a KernelBench row (`model:Net` where a class was named),
    the row's own `id` in a JSONL, its `uuid` in KernelBook."""

    kind: Kind
    """`kernelbench`: class `Model`; `module`: another `nn.Module` class; `functional`: `fused_operator`."""

    source: str
    """The reference as Python text: it defines `entry`, `get_inputs()` and perhaps `get_init_inputs()`."""

    entry: str
    """Name of the class or function in `source` that is to be replaced."""

    init_style: InitStyle
    """What `get_init_inputs()` returns: nothing, because there is none; the constructor's arguments as a flat
    list; or `[[arguments…], {keywords}]`, as in KernelBook."""

    path: str | None = None
    """File that the task was read from; None for a row of a data set."""

    level: int | None = None
    """Difficulty: KernelBench's level, or the number of compute operators of a synthetic task."""

    problem: int | None = None
    """Problem number within its level, as in `level1/19_Name.py`."""

    program: dict[str, Any] | None = None
    """The compact Program behind `source`, where `synth` wrote one."""

    ops: tuple[str, ...] | None = None
    """Operator names of a synthetic task, in program order."""

    @property
    def candidate_entry(self) -> str:
        """The name that a candidate must define."""
        return FUNCTION_ENTRY if self.kind == "functional" else MODULE_ENTRY

    @classmethod
    def functional(
        cls,
        name: str,
        source: str,
        level: int | None = None,
        program: dict[str, Any] | None = None,
        ops: tuple[str, ...] | None = None,
    ) -> "Task":
        """A task whose source defines `fused_operator`."""
        return cls(
            id=name, kind="functional", source=source, entry="fused_operator", init_style="none", level=level,
            program=program, ops=ops,
        )  # fmt: skip
