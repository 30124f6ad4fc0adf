"""Which kernels a candidate launches, and with which specialisation: seen where the interpreter starts a
kernel.

A launch is `{"kernel", "arguments", "options", "tuned"}`; a kernel is `{"name", "line", "scope",
"defaults"}`, its place in the candidate's file and the values of the names that its text uses from outside.
Both are plain data, from which the compile role makes the same specialisation without running the candidate's
code. Integers are kept as Triton distinguishes them: one, a multiple of 16, or neither; of 32 or 64 bits.
"""

import hashlib
import inspect
import json
import math
from types import ModuleType
from typing import Any

import torch
import triton.language as tl
from triton.runtime.autotuner import Autotuner
from triton.runtime.interpreter import InterpretedFunction

MOST_LAUNCHES = 256
"""Distinct specialisations kept; more than any kernel has, and a bound on what a hostile one can send."""


class Launches:
    """Distinct launches since the last `take`, the kernels that they need, and the longest list of
    configurations."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.num_configs = 0
        self._turns: dict[int, int] = {}
        self._tuned = False
        self._seen: set[str] = set()
        self._new: list[dict[str, Any]] = []
        self._count = 0
        self._kernels: dict[str, dict[str, Any]] = {}
        self._described: set[str] = set()
        self._open: set[int] = set()

    def take(self) -> dict[str, Any]:
        """What is new, as JSON."""
        taken = {"launches": self._new, "kernels": self._kernels, "count": self._count}
        self._new, self._kernels, self._count = [], {}, 0
        return {**taken, "configs": self.num_configs}

    def install(self) -> None:
        """Be told of every launch, and choose the configuration of every autotuned one."""
        run = InterpretedFunction.run

        def recorded(kernel: Any, *args: Any, grid: Any, warmup: Any, **kwargs: Any) -> Any:
            size = self._record(kernel, grid, args, kwargs)
            return run(kernel, *args, grid=size, warmup=warmup, **kwargs)

        def autotuned(tuner: Any, *args: Any, **kwargs: Any) -> Any:
            tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
            configs = tuner.prune_configs(kwargs)
            self.num_configs = max(self.num_configs, min(len(configs), MOST_LAUNCHES))
            # Nothing can be timed here, and every configuration must be right: they take turns.
            turn = self._turns[id(tuner)] = self._turns.get(id(tuner), -1) + 1
            chosen = configs[turn % len(configs)]
            if chosen.pre_hook is not None:
                chosen.pre_hook({**tuner.nargs, **kwargs, **chosen.all_kwargs()})
            self._tuned = len(configs) > 1
            try:
                return tuner.fn.run(*args, **kwargs, **chosen.all_kwargs())
            finally:
                self._tuned = False

        InterpretedFunction.run = recorded  # pyright: ignore[reportAttributeAccessIssue]
        Autotuner.run = autotuned  # pyright: ignore[reportAttributeAccessIssue]

    def _record(
        self, kernel: Any, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[int, ...]:
        """Keep a launch that is new; gives the size of its grid."""
        signature = inspect.signature(kernel.fn)
        options = {name: value for name, value in kwargs.items() if name not in signature.parameters}
        given = {name: value for name, value in kwargs.items() if name in signature.parameters}
        bound = signature.bind(*args, **given)
        bound.apply_defaults()
        size: tuple[int, ...] = tuple(grid(dict(bound.arguments)) if callable(grid) else grid)  # pyright: ignore
        if math.prod(size) == 0:
            return size  # no program runs: nothing is launched
        self._count += 1
        constant = {name for name, p in signature.parameters.items() if "constexpr" in str(p.annotation)}
        launch = {
            "kernel": self._kernel(kernel),
            "arguments": {
                name: self._constant(value) if name in constant else self._argument(value)
                for name, value in bound.arguments.items()
            },
            "options": {name: self._constant(value) for name, value in sorted(options.items())},
            "tuned": self._tuned,
        }
        text = json.dumps(launch)
        if text not in self._seen and len(self._seen) < MOST_LAUNCHES:
            self._seen.add(text)
            self._new.append(launch)
        return size

    def _kernel(self, kernel: Any) -> str:
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
            "scope": {name: self._constant(value) for name, value in scope.items()},
            "defaults": {p.name: self._constant(p.default) for p in parameters if p.default is not p.empty},
        }
        self._open.discard(id(kernel))
        key = f"{place}#{hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:12]}"
        if key not in self._described:
            self._described.add(key)
            self._kernels[key] = described
        return key

    def _argument(self, value: Any) -> list[Any]:
        if isinstance(value, torch.Tensor):
            return ["pointer", str(value.dtype).removeprefix("torch."), value.data_ptr() % 16 == 0]
        if isinstance(value, bool):
            return ["bool"]
        if isinstance(value, int):
            kept = 1 if value == 1 else 16 if value % 16 == 0 else 17
            return ["int", kept if -(2**31) <= value < 2**31 else (kept if kept > 1 else 17) << 32]
        if isinstance(value, float):
            return ["float"]
        if isinstance(value, tuple):
            return ["tuple", [self._argument(each) for each in value]]
        if hasattr(value, "block_shape") and hasattr(value, "base"):
            shapes = [list(map(int, each)) for each in (value.shape, value.strides, value.block_shape)]
            return ["descriptor", str(value.base.dtype).removeprefix("torch."), *shapes]
        return self._constant(value)

    def _constant(self, value: Any) -> list[Any]:
        if isinstance(value, tl.constexpr):
            return ["constexpr", self._constant(value.value)]
        if value is None or type(value) in (bool, int, str):
            return ["value", value]
        if isinstance(value, float):
            return ["value", value] if math.isfinite(value) else ["float", str(value)]
        if isinstance(value, tl.dtype):
            return ["dtype", str(value)]
        if isinstance(value, torch.dtype):
            return ["torch_dtype", str(value).removeprefix("torch.")]
        if isinstance(value, InterpretedFunction):
            return ["function", self._kernel(value)]
        if isinstance(value, ModuleType):
            return ["module", value.__name__]
        if isinstance(value, (tuple, list)):
            return ["tuple", [self._constant(each) for each in value]]
        if str(getattr(value, "__module__", "")).startswith("triton.") and hasattr(value, "__qualname__"):
            return ["attribute", value.__module__, value.__qualname__]
        return ["other", type(value).__name__]
