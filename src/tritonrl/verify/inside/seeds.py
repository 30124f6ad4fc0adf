"""Seeds that a task's own code sets: with `torch.manual_seed(42)` in `get_inputs` all draws would be the
same, and a candidate could bring their answers along.

While inputs are drawn, every such seed is mixed with that of the draw, which nobody knows.
"""

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import torch


class Seeds:
    """Stands before the functions that seed a generator, in a process that runs a task's code and nothing
    else. Outside of `drawing` they do what they always do."""

    def __init__(self) -> None:
        self._of_draw: int | None = None
        self._installed = False

    @contextlib.contextmanager
    def drawing(self, seed: int) -> Iterator[None]:
        self._of_draw = seed
        try:
            yield
        finally:
            self._of_draw = None

    def install(self) -> None:
        """Before the task is imported: it may keep what it finds under these names."""
        if self._installed:
            return
        self._installed = True
        names = ((torch, "manual_seed"), (torch.random, "manual_seed"), (random, "seed"))
        for module, name in (*names, (torch.cuda, "manual_seed"), (torch.cuda, "manual_seed_all")):
            setattr(module, name, self._before(getattr(module, name)))
        torch.Generator = _with_seed_of(torch.Generator, "manual_seed", self._mixed)  # type: ignore[misc]
        random.Random = _with_seed_of(random.Random, "seed", self._mixed)  # type: ignore[misc]
        with contextlib.suppress(ImportError):
            import numpy

            for name in ("seed", "default_rng"):
                setattr(numpy.random, name, self._before(getattr(numpy.random, name)))
            numpy.random.RandomState = _with_seed_of(numpy.random.RandomState, "__init__", self._mixed)

    def _before(self, seeds: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *seed, **named: seeds(
            *(self._mixed(each) for each in seed), **{key: self._mixed(each) for key, each in named.items()}
        )

    def _mixed(self, seed: Any) -> Any:
        if self._of_draw is None or type(seed) is not int:
            return seed
        return hash((self._of_draw, seed)) % 2**32


def _with_seed_of(kind: type, method: str, mixed: Callable[[Any], Any]) -> type:
    """A generator's class, whose seed is another than the one given."""
    seeds = getattr(kind, method)
    return type(kind.__name__, (kind,), {method: lambda self, *given: seeds(self, *map(mixed, given))})
