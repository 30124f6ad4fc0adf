"""Where a kernel may read and write, where Triton's interpreter runs it: in the memories of its replay.

On a GPU what lies beyond a tensor is another one's, or nobody's and the end of the process. Here lanes that
go there are remembered and left out. Those that are masked off may have any address.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

READS, WRITES = "reads", "writes"


class Bounds:
    """Pieces of memory, by their addresses, and whether somebody went beyond them."""

    def __init__(self, memories: Sequence[range]) -> None:
        known = sorted((each.start, each.stop) for each in memories)
        self._starts = np.array([start for start, _ in known], dtype=np.uint64)
        self._stops = np.array([stop for _, stop in known], dtype=np.uint64)
        self.beyond = ""
        """What was done outside of them, if anything."""

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Have launches keep to them."""
        _held.append(self)
        try:
            yield
        finally:
            _held.remove(self)

    def keep_in(self, doing: str, pointers: Any, mask: Any) -> Any:
        """The mask, without lanes that are outside of all memories."""
        chosen = np.broadcast_to(np.asarray(mask.data, dtype=bool), np.shape(pointers.data))
        places = pointers.data if chosen.all() else pointers.data[chosen]
        size = np.uint64(max(1, pointers.get_element_ty().primitive_bitwidth // 8))
        # Mostly all lie in one memory, and then the two at the ends show it.
        if not places.size or self._are_in_one(np.array([places.min(), places.max()], np.uint64), size):
            return mask
        inside = self._memory_of(pointers.data.astype(np.uint64), size) >= 0
        if (inside | ~chosen).all():
            return mask
        self.beyond = self.beyond or doing
        return TensorHandle(chosen & inside, tl.int1)

    def _are_in_one(self, places: Any, size: Any) -> bool:
        first, last = self._memory_of(places, size)
        return first == last >= 0

    def _memory_of(self, places: Any, size: Any) -> Any:
        """The number of the memory that each place lies in, or -1."""
        found = np.searchsorted(self._starts, places, side="right") - 1
        return np.where((found >= 0) & (places + size <= self._stops[found]), found, -1)


_held: list[Bounds] = []
"""Those that a launch is to keep to, if any."""


def install() -> None:
    """Have the interpreter of this process look where it reads and writes."""
    builder: Any = InterpreterBuilder
    builder.create_masked_load = _kept(builder.create_masked_load, READS, at=0, mask_at=1)
    builder.create_masked_store = _kept(builder.create_masked_store, WRITES, at=0, mask_at=2)
    builder.create_atomic_rmw = _kept(builder.create_atomic_rmw, WRITES, at=1, mask_at=3)


def _kept(plain: Callable[..., Any], doing: str, *, at: int, mask_at: int) -> Callable[..., Any]:
    def kept(self: Any, *operands: Any, **options: Any) -> Any:
        if _held and len(operands) > mask_at:
            given = list(operands)
            given[mask_at] = _held[-1].keep_in(doing, given[at], given[mask_at])
            operands = tuple(given)
        return plain(self, *operands, **options)

    return kept
