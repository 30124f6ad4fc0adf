"""The log of a call: what a candidate's process says it did, as data that another process can repeat.

A log speaks of memories, numbered as they appear, and of tensors as strided views of them: views are no
steps, and neither are allocations. What is left are launches of kernels and operators that write. It comes
from an untrusted process and proves nothing by itself; the replay of it does (see `verify.faithful`).

A value is `["tensor", memory, dtype, shape, stride, offset]`, `["value", 3]`, `["list", [...]]`, or another
kind that `inside.encoding` writes and reads.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field

from tritonrl.verify.limits import MOST_CONFIGS, MOST_STEPS
from tritonrl.verify.memory import dtype_name, extent_bytes, spec_of

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
    is_constexpr: bool = False
    """Whether it is a `triton.constexpr_function`, which kernels call."""


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
    addresses: list[int] = []
    """Of the memories that are literals, those that hold addresses of others, as `data_ptr()` gives them."""
    steps: list[Annotated[Launch | Operation, Field(discriminator="do")]] = Field(max_length=MOST_STEPS)
    prologue: int = Field(default=0, ge=0)
    """So many steps at the beginning were done in earlier calls: what they made is still there."""

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
    "aten.fill_.Scalar": "overwrite",
    "aten.zero_.default": "overwrite",
    "aten.add_.Tensor": "count",
}
"""The free operators that write, beside which there are allocations (`empty` and its kin) and views. Casts,
`cat`, `pad`, indexing and `flip` are work. What copies or overwrites is work where the reference does the
like: see `MOVES`, `MASKS` and `PICKS`."""


MOVES = frozenset(
    f"aten.{name}"
    for name in (
        *("clone", "copy", "cat", "stack", "repeat", "roll", "flip", "rot90", "tril", "triu", "narrow_copy"),
        "constant_pad_nd",
        *(f"{way}_pad{dims}d" for way in ("reflection", "replication") for dims in (1, 2, 3)),
        *("im2col", "col2im", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
        *(f"{way}{dims}d" for way in ("upsample_nearest", "_upsample_nearest_exact") for dims in (1, 2, 3)),
        *("index", "index_select", "index_copy", "index_put", "_index_put_impl", "gather", "take"),
        *("scatter", "masked_scatter", "masked_select", "max_unpool2d", "max_unpool3d"),
        *("slice_scatter", "select_scatter", "diagonal_scatter", "diag_embed", "block_diag"),
        *("permute_copy", "transpose_copy", "expand_copy", "unfold_copy", "as_strided_copy", "split_copy"),
        *("diagonal_copy", "select_copy", "slice_copy"),
    )
)
"""Operators whose work is to put numbers elsewhere: where the reference contains one, a copy by the host may
be all of that work. `embedding` is not among them: its indices are a question's, so copies that were recorded
on one question are wrong on the next."""


WHOLE = frozenset(
    f"aten.{name}"
    for name in (
        *("clone", "copy", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
        *("permute_copy", "transpose_copy"),
        *("slice_scatter", "select_scatter", "diagonal_scatter", "index_copy"),
    )
)
"""Those of `MOVES` that a copy of one whole tensor to another, in whatever order of dims, may be, or all but
a part of. It keeps every element once and the first and the last in their places: so it is no roll, flip,
padding, repetition, triangle or choice, and joins no two tensors. Where the reference joins or chooses all of
one tensor, in whatever order, `inside.work` says `permute_copy`."""


MASKS = frozenset(
    f"aten.{name}"
    for name in (
        *("tril", "triu", "constant_pad_nd", "masked_fill", "where", "index_fill", "fill", "zero"),
        *("index_put", "_index_put_impl", "scatter", "masked_scatter", "max_unpool2d", "max_unpool3d"),
    )
)
"""Operators that put a number in a part of a tensor: where the reference contains one, filling a part by the
host may be its work. A whole tensor of zeros stays free: kernels add to it, or write what is not padding."""


PICKS = frozenset(
    f"aten.{way}_pool{dims}d{ending}"
    for way in ("max", "avg")
    for dims in (1, 2, 3)
    for ending in ("", "_with_indices")
)
"""Operators that take a number out of several, and all of whose work may be that (a pool of one in steps of
two): where the reference contains one, a copy of a part by the host is work. One of a whole tensor, in
another order of dims or to the middle of a larger one, stays free."""


def is_free(step: Operation, of_reference: frozenset[str], sizes: Sequence[int]) -> bool:
    """Whether an operator is no work: it fills, or copies what stays of one type. Moving data is work where
    the reference does it, but for a copy of all of a tensor that can be nothing of that kind, and so is
    filling a part. `sizes` are the log's. A log may be forged: what cannot be read is work."""
    kind = FREE.get(step.name)
    try:
        if kind is None or not _is_plain(step):
            return False
        tensors = [value for value in (*step.args, *step.outputs) if value[:1] == ["tensor"]]
        match kind:
            case "count":
                # One number of the module's own, raised by a constant: `num_batches_tracked += 1`.
                return len(tensors) == 2 and tensors[0] == tensors[1] and tensors[0][2:4] == ["int64", []]
            case "fill" | "overwrite":
                return not _contains(of_reference, MASKS) or all(
                    _is_whole(each, sizes) for each in step.outputs
                )
            case _:
                if len({each[2] for each in tensors}) != 1:
                    return False
                if step.kwargs.get("dtype", _NONE) not in (_NONE, ["torch", tensors[0][2]]):
                    return False
                if _contains(of_reference, MOVES):
                    return not _contains(of_reference, WHOLE) and _are_whole_and_alike(tensors, sizes)
                is_part = _dense_bytes(_copied(step)) is None
                return not (is_part and _contains(of_reference, PICKS))
    except (LookupError, TypeError, ValueError, AttributeError):
        return False


def is_copy(step: Launch | Operation) -> bool:
    """Whether a step puts the numbers of a tensor into another."""
    return isinstance(step, Operation) and FREE.get(step.name) in ("clone", "copy")


def may_overwrite(log: Log) -> bool:
    """Whether a free operator of the log writes to memory that was there before."""
    names = {step.name for step in log.steps if isinstance(step, Operation)}
    return "aten.copy_.default" in names or any(FREE.get(name) == "overwrite" for name in names)


_NONE = ["value", None]


def _is_plain(step: Operation) -> bool:
    """Whether a free operator is given tensors only where it takes them, and writes what it says."""
    operator = step.name.split(".")[1]
    is_given = (
        operator.startswith("new_") or operator.endswith(("_like", "_")) or operator in ("clone", "_to_copy")
    )
    count = 2 if operator == "copy_" else int(is_given)
    others = [value for value in step.args[:count] if value[:1] != ["tensor"]]
    if any(map(_holds_tensor, (*others, *step.args[count:], *step.kwargs.values()))):
        return False
    return not operator.endswith("_") or step.outputs == step.args[:1]


def _holds_tensor(value: Any) -> bool:
    """Whether a tensor is anywhere in a value."""
    if not isinstance(value, list):
        return False
    return value[:1] in (["tensor"], ["descriptor"], ["pointer"]) or any(map(_holds_tensor, value))


def _copied(step: Operation) -> Value:
    """What an operator that copies reads: its only tensor, or the second."""
    return [value for value in step.args if value[:1] == ["tensor"]][-1]


def _contains(operators: frozenset[str], table: frozenset[str]) -> bool:
    """Whether one of the operators is in a table, or does in place (`triu_`) what one there does."""
    return not table.isdisjoint(name.removesuffix("_") for name in operators)


def why_work(step: Operation, of_reference: frozenset[str]) -> str:
    """Why a copy is work here and what to do about it, in words; nothing of other operators."""
    if FREE.get(step.name) not in ("clone", "copy"):
        return ""
    if len({value[2] for value in (*step.args, *step.outputs) if value[:1] == ["tensor"]}) > 1:
        return "; a cast is work: load one type and store the other in the kernel"
    moves = [name for name in sorted(of_reference) if _contains(frozenset({name}), MOVES)]
    if not moves:
        return ""
    return (
        f"; a copy is work where the reference moves data itself ({', '.join(moves)}): "
        "give the kernel the view and its strides"
    )


def _are_whole_and_alike(tensors: Sequence[Value], sizes: Sequence[int]) -> bool:
    """Whether tensors of one shape are each all of its memory: one is the other in another order of dims."""
    return len({tuple(each[3]) for each in tensors}) == 1 and all(_is_whole(each, sizes) for each in tensors)


def _is_whole(tensor: Value, sizes: Sequence[int]) -> bool:
    """Whether a tensor is all of its memory."""
    dense = _dense_bytes(tensor)
    return dense is not None and dense.stop - dense.start >= sizes[tensor[1]]


def _dense_bytes(tensor: Value) -> range | None:
    """Where a tensor without holes lies in its memory, in whatever order of dims."""
    _, _, dtype, shape, stride, offset = tensor
    count, size = 1, getattr(torch, dtype).itemsize
    for step, length in sorted(zip(stride, shape, strict=True)):
        if length != 1:
            if step != count:
                return None
            count *= length
    return range(offset * size, (offset + count) * size)


def is_about(log: Log, inputs: Sequence[torch.Tensor], state: Sequence[torch.Tensor]) -> bool:
    """Whether a log's inputs and weights are of these types and shapes, and each input, as the judge made it,
    is all of a memory of its own. Weights may lie together, as their owner likes."""
    try:
        given = [value[2:] for value in log.inputs]
        weights = [value[2:4] for value in log.state]
        places = [value[1] for value in log.inputs]
        others = [value[1] for value in log.state] + [each[0] for each in (*log.constants, *log.literals)]
        return (
            given == [[*spec_of(each).values(), 0] for each in inputs]
            and weights == [[dtype_name(each.dtype), list(each.shape)] for each in state]
            and [log.sizes[place] for place in places] == [extent_bytes(spec_of(each)) for each in inputs]
            and len({*places, *others}) == len(places) + len(set(others))
            and all(value[0] == "tensor" for value in (*log.inputs, *log.state))
        )
    except (LookupError, TypeError):
        return False


def overlap(one: Value, other: Value) -> bool:
    """Whether two tensors have an element in one place for certain: they begin there, or have no holes. The
    columns of one matrix do not overlap, though they lie in each other's range."""
    try:
        if one[1] != other[1] or 0 in (*one[3], *other[3]):
            return False
        if one[2] == other[2] and one[5] == other[5]:
            return True
        first, second = _dense_bytes(one), _dense_bytes(other)
        if first is None or second is None:
            return False
        return first.start < second.stop and second.start < first.stop
    except (LookupError, TypeError, ValueError, AttributeError):
        return False  # a forged log: its replay shows what it is worth
