"""The kernels that a candidate launches: where the text of each is, and what the names in it mean.

A kernel is `{"name", "line", "scope", "defaults", "is_constexpr"}`: plain data, from which the judge cuts it
out of the candidate's file (see `verify.kernels`), so that it can be compiled and replayed without the
candidate.
"""

import hashlib
import inspect
import json
from typing import Any

import torch
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import ConstexprFunction, JITFunction

from tritonrl.verify.inside.encoding import Value, encode


class Kernels:
    """Kernels by key; each is described once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._new: dict[str, dict[str, Any]] = {}
        self._described: set[str] = set()
        self._open: set[int] = set()

    def take(self) -> dict[str, dict[str, Any]]:
        """What was described since the last time."""
        taken, self._new = self._new, {}
        return taken

    def key_of(self, value: Any) -> str | None:
        """The key of a kernel; None for anything else."""
        kinds = (InterpretedFunction, JITFunction, ConstexprFunction)
        return self.key(value) if isinstance(value, kinds) else None

    def key(self, kernel: Any) -> str:
        """The key of a kernel; its description and those of all kernels that it calls are kept for the
        judge. Two kernels made from one text with other values around them are two."""
        code = kernel.fn.__code__
        if code.co_filename != self.file:
            return f"{kernel.fn.__module__}:{kernel.fn.__qualname__}"
        place = f"{kernel.fn.__name__}@{code.co_firstlineno}"
        if id(kernel) in self._open:
            return place  # it calls itself, which no compiler takes
        self._open.add(id(kernel))
        closure = inspect.getclosurevars(kernel.fn)
        names = {name: kernel.fn.__globals__[name] for name in code.co_names if name in kernel.fn.__globals__}
        scope = {**names, **closure.globals, **closure.nonlocals}
        parameters = inspect.signature(kernel.fn).parameters.values()
        described = {
            "name": kernel.fn.__name__,
            "line": code.co_firstlineno,
            "scope": {name: self._encode(value) for name, value in scope.items()},
            "defaults": {p.name: self._encode(p.default) for p in parameters if p.default is not p.empty},
            "is_constexpr": isinstance(kernel, ConstexprFunction),
        }
        self._open.discard(id(kernel))
        key = f"{place}#{hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:12]}"
        if key not in self._described:
            self._described.add(key)
            self._new[key] = described
        return key

    def _encode(self, value: Any) -> Value:
        return encode(value, _no_tensor, self.key_of)


def _no_tensor(value: torch.Tensor) -> Value:
    return ["other", type(value).__name__]
