"""What `kernel.warmup(...)` gives a candidate: a kernel that is compiled, of which nothing was run.

A warm-up launches nothing, so nothing of it is in a log, and it may be given types instead of tensors. Triton
compiles there and then and returns the compiled kernel. Here kernels are interpreted, or compiled by others
when they are launched, in checked calls as in timed ones: so a stand-in is returned. It has the figures of a
small kernel, and a launch through it is an ordinary launch.
"""

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

REGISTERS = 32
"""Of a thread: what many kernels need."""
MOST_THREADS = 1024
"""Of a program."""
OPTIONS = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}
"""As Triton has them where nobody asks for others."""


class WarmedUp:
    """A kernel with the constants and options of its warm-up."""

    n_regs, n_spills, n_max_threads = REGISTERS, 0, MOST_THREADS

    def __init__(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        parameters = inspect.signature(kernel.fn).parameters
        bound = bind(kernel, args, kwargs)
        constants = [name for name, each in parameters.items() if is_constant(each)]
        self._kernel = kernel
        self._fixed = {name: bound.arguments[name] for name in constants if name in bound.arguments}
        self._options = {name: value for name, value in kwargs.items() if name not in parameters}
        self._names = list(parameters)
        self.name = kernel.fn.__name__
        self.metadata = SimpleNamespace(name=self.name, shared=0, **OPTIONS | self._options)

    def _init_handles(self) -> None:
        """There is nothing to load."""

    def __getitem__(self, grid: tuple[int, int, int]) -> Callable[..., None]:
        """Launch it. As Triton has it, the grid has three sizes, and every argument is given in its place,
        constants included; those of the warm-up hold."""
        x, y, z = grid

        def launch(*args: Any, stream: Any = None) -> None:
            given = dict(zip(self._names, args, strict=True)) | self._fixed
            self._kernel[x, y, z](**given, **self._options)

        return launch


def bind(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
    """The arguments of a launch or a warm-up by name, without what are options."""
    signature = inspect.signature(kernel.fn)
    bound = signature.bind(*args, **{name: kwargs[name] for name in kwargs if name in signature.parameters})
    bound.apply_defaults()
    return bound


def is_constant(parameter: inspect.Parameter) -> bool:
    """Whether a kernel is compiled for each value of it."""
    return "constexpr" in str(parameter.annotation)
