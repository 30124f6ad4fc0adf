"""Nested Python values as JSON with the tensors taken out: what a task's inputs and outputs are made of.

[x, (2, None), {"scale": 0.5}]  →  ["list", [["tensor", 0], ["tuple", [["value", 2], ["value", None]]],
                                   ["dict", [["scale", ["value", 0.5]]]]]]  and  [x]
"""

import math
from collections.abc import Sequence
from typing import Any

import torch


class Unsupported(TypeError):
    """A value that cannot cross between processes."""


def flatten(value: Any, tensors: list[torch.Tensor]) -> list[Any]:
    """The structure of a value; its tensors are appended to the list given."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return ["tensor", len(tensors) - 1]
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return [kind, [flatten(each, tensors) for each in value]]
    if isinstance(value, dict) and all(isinstance(key, (str, int)) for key in value):
        return ["dict", [[key, flatten(each, tensors)] for key, each in value.items()]]
    if isinstance(value, float) and not math.isfinite(value):
        return ["float", str(value)]
    if value is None or type(value) in (bool, int, float, str):
        return ["value", value]
    if isinstance(value, (torch.dtype, torch.device)):
        return [type(value).__name__, str(value).removeprefix("torch.")]
    raise Unsupported(f"a {type(value).__name__}")


def some_of(tensor: torch.Tensor, most: int) -> torch.Tensor:
    """Elements at regular distances, about so many; a tensor that has no more as it is."""
    step = tensor.numel() // most
    return tensor.reshape(-1)[::step] if step > 1 else tensor


def part_of(tensor: torch.Tensor, most: int) -> torch.Tensor:
    """The same elements, without what is left of a tensor that has more."""
    return some_of(tensor, most).contiguous()


def unflatten(structure: Any, tensors: Sequence[torch.Tensor]) -> Any:
    """The value of a structure."""
    kind, content = structure
    return _KINDS[kind](content, tensors)


_KINDS = {
    "tensor": lambda content, tensors: tensors[content],
    "list": lambda content, tensors: [unflatten(each, tensors) for each in content],
    "tuple": lambda content, tensors: tuple(unflatten(each, tensors) for each in content),
    "dict": lambda content, tensors: {key: unflatten(each, tensors) for key, each in content},
    "float": lambda content, tensors: float(content),
    "value": lambda content, tensors: content,
    "dtype": lambda content, tensors: getattr(torch, content),
    "device": lambda content, tensors: torch.device(content),
}
