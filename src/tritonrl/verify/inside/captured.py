"""Capture within the sandbox: a task's program, and the words by which it takes the place of the task's code.

`sources` are expressions for the inputs of the program, in terms of `args` and of the module `self`, and
`updates` for the buffers that a call changes; `returned` is one for what the task returns, in terms of the
program's `outputs`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from tritonrl.program.capture import (
    Capture,
    Fixed,
    capture,
    capture_function,
    capture_without_memory,
)


def of_module(build: Callable[[], torch.nn.Module], draw: Callable[[], Sequence[Any]]) -> dict[str, Any]:
    """Without memory if the task's code allows it."""
    drawn: list[Sequence[Any]] = []

    def kept() -> Sequence[Any]:
        drawn.append(draw())
        return drawn[-1]

    try:
        return _described(capture_without_memory(build, kept), drawn[-1])
    except Exception:
        # Code that looks at values, or that makes tensors in a way of its own.
        args = draw()
        return _described(capture(build(), args), args)


def of_function(function: Callable[..., Any], args: Sequence[Any]) -> dict[str, Any]:
    return _described(capture_function(function, args), args)


def _described(found: Capture, args: Sequence[Any]) -> dict[str, Any]:
    paths = [path for path, _ in pytree.tree_flatten_with_path((tuple(args), {}))[0]]
    texts = {
        "input": lambda name: f"args{pytree.keystr(paths[int(name)][1:])}",
        "parameter": _attribute,
        "buffer": _attribute,
        "constant": lambda name: name,
    }
    buffers = {source.name for source in found.sources if source.kind == "buffer"}
    leaves = [each.value if isinstance(each, Fixed) else _Text(f"outputs[{each}]") for each in found.results]
    return {
        "program": found.program.to_json(),
        "sources": [[source.kind, texts[source.kind](source.name)] for source in found.sources],
        "returned": repr(pytree.tree_unflatten(leaves, found.structure)),
        "updates": [_attribute(name) if name in buffers else "" for name in found.updates],
        "random": list(found.random),
    }


class _Text:
    """Stands for a value in what is returned."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _attribute(name: str) -> str:
    """`layers.0.weight` → `getattr(self.layers, '0').weight`."""
    text = "self"
    for part in name.split("."):
        text = f"{text}.{part}" if part.isidentifier() else f"getattr({text}, {part!r})"
    return text
