"""Values of a log: Python values as JSON, tensors as views of numbered memories; and back.

Written in the candidate's process, read in the one that replays and, without tensors, in the one that
compiles.
"""

import math
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import torch
import triton.language as tl
from triton.runtime.jit import JITCallable, KernelInterface

from tritonrl.verify.inside.plain_kernels import NotKernel, word
from tritonrl.verify.language import is_language

Value = list[Any]


def encode(
    value: Any, tensor: Callable[[torch.Tensor], Value], function: Callable[[Any], str | None]
) -> Value:
    """The value as data. `tensor` describes a tensor, `function` names a kernel."""

    def inner(each: Any) -> Value:
        return encode(each, tensor, function)

    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, tl.constexpr):
        return ["constexpr", inner(value.value)]
    if value is None or type(value) in (bool, int, str):
        return ["value", value]
    if isinstance(value, float):
        return ["value", value] if math.isfinite(value) else ["float", str(value)]
    if isinstance(value, tl.dtype):
        return ["dtype", str(value)]
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return ["torch", str(value).removeprefix("torch.")]
    if isinstance(value, torch.device):
        return ["device", str(value)]
    if (key := function(value)) is not None:
        return ["function", key]
    if isinstance(value, ModuleType):
        return ["module", value.__name__]
    if isinstance(value, list):
        return ["list", [inner(each) for each in value]]
    if isinstance(value, tuple):
        return ["tuple", [inner(each) for each in value]]
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        shapes = [list(map(int, each)) for each in (value.shape, value.strides, value.block_shape)]
        return ["descriptor", tensor(value.base), *shapes]
    if isinstance(value, (type, FunctionType, BuiltinFunctionType)) and is_language(value.__module__):
        return ["attribute", value.__module__, value.__qualname__]
    return ["other", type(value).__name__]


def decode(value: Value, tensor: Callable[..., Any], function: Callable[[str], Any]) -> Any:
    """The value of data. `tensor` finds a tensor, `function` a kernel by its key."""

    def inner(each: Value) -> Any:
        return decode(each, tensor, function)

    kind, *rest = value
    if kind in ("tensor", "pointer"):
        return tensor(*rest)
    if kind == "function":
        return word(*rest[0].split(":", 1)) if ":" in rest[0] else _kernel(function(rest[0]))
    if kind in ("list", "tuple"):
        made = [inner(each) for each in rest[0]]
        return made if kind == "list" else tuple(made)
    if kind == "constexpr":
        return tl.constexpr(inner(rest[0]))
    if kind == "descriptor":
        from triton.tools.tensor_descriptor import TensorDescriptor

        return TensorDescriptor(inner(rest[0]), *rest[1:])
    return _PLAIN[kind](*rest)


def tensors_within(value: Any) -> Iterator[Value]:
    """All tensors of a value, of a step, or of a part of one."""
    if isinstance(value, list) and value[:1] == ["tensor"]:
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from tensors_within(each)


def _refuse(kind: str) -> Any:
    raise NotKernel(f"a {kind} is given to a kernel")


def _kernel(found: Any) -> Any:
    """A function of the file of kernels, in which there are names of Python's, too."""
    return found if isinstance(found, (JITCallable, KernelInterface)) else _refuse(type(found).__name__)


def constant_of_torch(name: str) -> Any:
    """A type, layout or memory format."""
    found = getattr(torch, name)
    known = isinstance(found, (torch.dtype, torch.layout, torch.memory_format))
    return found if known else _refuse(type(found).__name__)


_PLAIN: dict[str, Callable[..., Any]] = {
    "value": lambda value: value,
    "float": float,
    "dtype": lambda name: tl.dtype(name),
    "torch": constant_of_torch,
    "device": torch.device,
    "attribute": word,
    "module": _refuse,
    "other": _refuse,
}
