"""The log of a call: what a candidate's process says it did, as data that another process can repeat.

A log speaks of memories, numbered as they appear, and of tensors as strided views of them: views are no
steps, and neither are allocations. What is left are launches of kernels and operators that write. It comes
from an untrusted process and proves nothing by itself; the replay of it does (see `verify.faithful`).

A value is `["tensor", memory, dtype, shape, stride, offset]`, `["value", 3]`, `["list", [...]]`, or another
kind that `inside.encoding` writes and reads.
"""

import hashlib
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tritonrl.verify.limits import MOST_CONFIGS, MOST_STEPS

Value = list[Any]
Name = Annotated[str, Field(max_length=500)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Kernel(_Record):
    """A kernel of the candidate: where its text is, and what the names in it mean."""

    name: str
    line: int
    scope: dict[str, Value]
    """Outer names that its text uses → their values."""
    defaults: dict[str, Value] = {}


class Launch(_Record):
    """A kernel was launched."""

    do: Literal["launch"]
    kernel: Name
    """Key of a `Kernel`."""
    grid: list[Annotated[int, Field(ge=0)]] = Field(max_length=3)
    arguments: dict[str, Value]
    constants: list[str]
    """Arguments that are `tl.constexpr`."""
    options: dict[str, Value]
    tuned: bool
    """One of several configurations of an autotuner."""


class Operation(_Record):
    """An operator of a library wrote something."""

    do: Literal["op"]
    name: Name
    """Namespace, operator and overload: `aten.add.Tensor`."""
    args: list[Value]
    kwargs: dict[str, Value]
    outputs: list[Value]
    line: int | None
    """Of the candidate's file."""


class Log(_Record):
    """One call."""

    sizes: list[Annotated[int, Field(ge=0)]]
    """Bytes of each memory."""
    inputs: list[Value]
    state: list[Value]
    outputs: list[Value]
    constants: list[list[int]]
    """[memory, number of a tensor that existed before the first question]."""
    literals: list[list[Any]]
    """[memory, bytes in hexadecimal]: small tensors written out in the code; or [memory, "zeros"]."""
    foreign: list[int]
    """Memories that nothing recorded has made."""
    steps: list[Annotated[Launch | Operation, Field(discriminator="do")]] = Field(max_length=MOST_STEPS)

    @property
    def launches(self) -> list[Launch]:
        return [step for step in self.steps if isinstance(step, Launch)]

    @cached_property
    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return self.model_dump()

    @cached_property
    def key(self) -> str:
        """Equal for calls that did the same, on whatever values."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class Report(_Record):
    """What the process says about a call."""

    log: Log
    kernels: dict[str, Kernel]
    """Those launched that were not described before."""
    configs: int = Field(le=MOST_CONFIGS)
    """Configurations of the autotuner that has most."""


FREE = {
    "aten.clone.default": "clone",
    "aten.copy_.default": "copy",
    "aten._to_copy.default": "copy",
    "aten.zeros.default": "fill",
    "aten.zeros_like.default": "fill",
    "aten.new_zeros.default": "fill",
    "aten.ones.default": "fill",
    "aten.ones_like.default": "fill",
    "aten.new_ones.default": "fill",
    "aten.full.default": "fill",
    "aten.full_like.default": "fill",
    "aten.new_full.default": "fill",
    "aten.scalar_tensor.default": "fill",
    "aten.fill_.Scalar": "fill",
    "aten.zero_.default": "fill",
    "aten.add_.Tensor": "count",
}
"""The free operators that write, beside which there are allocations (`empty` and its kin) and views. Casts,
`cat`, `pad`, indexing and `flip` are work."""


def is_free(step: Operation, of_reference: frozenset[str]) -> bool:
    """Whether an operator is no work: it fills, or copies what stays of one type; moving data is work where
    the reference does it."""
    kind = FREE.get(step.name)
    tensors = [value for value in (*step.args, *step.outputs) if value[:1] == ["tensor"]]
    if kind == "count":
        # One number of the module's own, raised by a constant: `num_batches_tracked += 1`.
        return len(tensors) == 2 and tensors[0] == tensors[1] and tensors[0][2:4] == ["int64", []]
    if kind in (None, "fill"):
        return kind is not None
    return len({value[2] for value in tensors}) == 1 and not of_reference & {"aten.clone", "aten.copy_"}
