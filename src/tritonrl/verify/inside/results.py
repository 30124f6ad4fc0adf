"""Results: what a run of the reference returned and left behind, and how far others of it lie under noise."""

import math
from typing import Any

import torch

from tritonrl.verify.inside.serving import Memory
from tritonrl.verify.structure import flatten

LEAST_OF_PLACES = 3.0
"""By which a place that moves at all is taken to move: less could be a count, which may be off by as much
only. Of six experts that are equal a few runs seldom show the one that is farthest off."""


class TaskFault(Exception):
    """The task is not what it should be."""


class Result:
    """What a run returned, and what it left behind in its inputs and its state."""

    def __init__(self, returned: Any, inputs: list[torch.Tensor], state: list[torch.Tensor]) -> None:
        self.leaves: list[torch.Tensor] = []
        self.structure = flatten(returned, self.leaves)
        self.leaves = [leaf.detach() for leaf in self.leaves]
        self.after = [*inputs, *(each.detach() for each in state)]
        storages = [each.untyped_storage().data_ptr() for each in inputs]
        places = [leaf.untyped_storage().data_ptr() for leaf in self.leaves]
        self.aliases = [place in storages for place in places]
        self.memories = [places.index(place) for place in places]

    def chosen(self, changed: list[int]) -> list[torch.Tensor]:
        """What it returned, and what it left behind in these places."""
        return [*self.leaves, *(self.after[place] for place in changed)]

    def changed_from(self, message: dict[str, Any], memory: Memory) -> list[int]:
        """Places of the inputs and state entries that the call changed, inputs first."""
        before = memory.tensors(message["arena"], message["inputs"])
        if message["state"]:
            before = [*before, *memory.tensors(message["arena"], message["state"])]
        pairs = zip(before, self.after, strict=True)
        unlike = [_is_unlike(old, new) for old, new in pairs]
        return torch.stack(unlike).nonzero().flatten().tolist() if unlike else []

    def as_native(self, message: dict[str, Any], memory: Memory) -> "Result":
        """A float64 result in the type of the inputs."""
        floats = [
            each.dtype
            for each in memory.tensors(message["arena"], message["inputs"])
            if each.is_floating_point()
        ]
        dtype = floats[0] if floats else torch.float32
        self.leaves = [cast(leaf, dtype) for leaf in self.leaves]
        self.after = [cast(each, dtype) for each in self.after]
        return self


def _is_unlike(old: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
    if old.shape != new.shape:
        return torch.ones((), dtype=torch.bool, device=old.device)
    return (old.nan_to_num() != new.nan_to_num()).any()


def cast(tensor: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    return tensor.to(dtype) if dtype and tensor.is_floating_point() else tensor


def copied(tensor: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    made = cast(tensor, dtype)
    return made.clone() if made is tensor else made


_NONE = torch.zeros((), dtype=torch.float64)

Limits = list[float | None]
"""Of each tensor: the largest number of its type, where it goes beyond that in float64."""


def limits(exact: list[torch.Tensor], native: list[torch.Tensor]) -> Limits:
    """The type is that of the task's own results."""
    sizes = [
        torch.linalg.vector_norm(each, ord=math.inf) if each.is_floating_point() and each.numel() else _NONE
        for each in exact
    ]
    found = torch.stack([size.cpu() for size in sizes]).tolist() if sizes else []
    largest = [_largest(own) for own in native]
    return [most if size > most else None for size, most in zip(found, largest, strict=True)]


def in_range(made: list[torch.Tensor], limits: Limits) -> list[torch.Tensor]:
    """What is beyond the range of its type is the largest number there; an infinity is one."""
    return [
        each if most is None else each.clamp(-most, most).where(torch.isfinite(each), each)
        for each, most in zip(made, limits, strict=True)
    ]


def _largest(own: torch.Tensor) -> float:
    narrow = own.is_floating_point() and own.dtype != torch.float64
    return torch.finfo(own.dtype).max if narrow else math.inf


def same_kind(native: Result, exact: Result) -> None:
    pairs = list(zip(native.leaves, exact.leaves, strict=True))
    if native.structure != exact.structure or any(a.shape != b.shape for a, b in pairs):
        raise TaskFault("in float64 the reference returns something else")
    if any(a.is_floating_point() and b.dtype != torch.float64 for a, b in pairs):
        raise TaskFault("the reference does not stay in float64")


class Spread:
    """Root mean square deviation under noise; of integers the largest deviation. Whether a run that leaves no
    number tells nothing, and allows nothing, or leaves none here either."""

    def __init__(self, exact: torch.Tensor, passes_over: bool = False) -> None:
        self.exact = exact
        self.is_place = False
        """Of integers: whether they say where something is."""
        self._passes_over = passes_over
        self.total = torch.zeros(exact.shape, device=exact.device)
        """The root of the sum of squares: what is squared could be too small for a float32."""
        self._count = 0

    def add(self, run: torch.Tensor, parts: float = 1.0) -> None:
        """A run, of whose deviation one of so many parts counts."""
        self._count += 1
        if self.exact.is_floating_point():
            off = torch.sub(run, self.exact, out=torch.empty_like(self.total))
            if self._passes_over:
                off.nan_to_num_(0.0, 0.0, 0.0)
            torch.hypot(self.total, off if parts == 1 else off.div_(parts), out=self.total)
        else:
            off = (run.double() - self.exact.double()).abs()
            self.total = torch.maximum(self.total, off.float())

    @property
    def num_ties(self) -> int:
        """Of integers, those that were seen to change."""
        return int(self.total.count_nonzero())

    def value(self) -> torch.Tensor:
        if self.exact.is_floating_point() and self._count:
            return self.total.div(self._count**0.5)
        if self.is_place:
            return torch.where(self.total > 0, self.total.clamp(min=LEAST_OF_PLACES), 0.0)
        return self.total
