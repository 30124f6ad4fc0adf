"""Rounding noise: how much the result of a reference may move when everything is computed at a lower
precision.

The reference runs in float64 while every result of an operator is multiplied by 1 + u·z, with u the unit
roundoff of the task's type and z normal: Monte Carlo arithmetic. The spread over a few runs is a scale for
honest error, element by element: wide where the function cancels, narrow where it does not, whatever the
operators are. What an operator rounds inside itself is not seen; `longest` says how many terms one
accumulates at most, and the tolerance grows with it. What cannot be off is left alone: a number that is
written down (a mask's -1e9 is the same in every place that it fills), that an operator has rounded or taken
from an integer, and, where results are integers, whole numbers of any origin: a sum of ones is exact in any
order, and which of two equal counts is an argmax is not for rounding to decide.
"""

import random
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

LEAST_DRAWN, MOST_DRAWN = 2**12, 2**22
"""Normal numbers at a time: few results have less elements, and more would not stay in a GPU's cache."""

LEAST = float(torch.finfo(torch.float32).smallest_normal)
"""What is smaller may be zero to an honest kernel: of two such shares of a softmax neither is the larger."""


class RoundingNoise(TorchDispatchMode):
    """Within it every floating-point result is off by a relative error of about `roundoff`. With
    `keeps_whole`, where results are integers, those that are whole numbers are not, and what is next to
    nothing is nothing; with `keeps_infinite` an infinity stays one, for which everything is read once
    more."""

    def __init__(
        self, roundoff: float, seed: int, *, keeps_whole: bool = False, keeps_infinite: bool = True
    ) -> None:
        super().__init__()
        self.roundoff = roundoff
        self.seed = seed
        self.keeps_whole = keeps_whole
        self.keeps_infinite = keeps_infinite
        self.generators: dict[torch.device, torch.Generator] = {}
        self.drawn: dict[tuple[torch.device, torch.dtype], torch.Tensor] = {}
        self.random = random.Random(seed)
        self.longest = 1
        self._places: dict[int, torch.UntypedStorage] = {}
        """Memories of integers that say where something is, by address; kept, so that no other has it."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = self._called(func, args, kwargs or {})
        read = list(tensors_in((args, kwargs)))
        made = list(tensors_in(result))
        if not _adds_nothing_up(func):
            self.longest = max([self.longest, *_lengths(read, made)])
        shared = (
            {each.untyped_storage().data_ptr() for each in read} if not func._schema.is_mutable else set()
        )
        for each in made if not _is_exact(func, read) else ():
            # A view is no computation; an operator that works in place is.
            if each.is_floating_point() and each.untyped_storage().data_ptr() not in shared:
                self.disturb(each)
        if func._schema.name in _PLACING or any(map(self.is_place, read)):
            integers = (each.untyped_storage() for each in made if not each.is_floating_point())
            self._places |= {each.data_ptr(): each for each in integers}
        return result

    def is_place(self, tensor: torch.Tensor) -> bool:
        """Whether integers are those of an argmax, a sort or the like, or come of such."""
        return not tensor.is_floating_point() and tensor.untyped_storage().data_ptr() in self._places

    def _called(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Which of equal elements a sort or a topk names first is nobody's to know: it is given them in
        another order."""
        if func._schema.name not in _ORDERING or kwargs.get("stable") or not args[0].dim():
            return func(*args, **kwargs)
        names = [argument.name for argument in func._schema.arguments]
        given = dict(zip(names, args, strict=False)) | kwargs
        dim = given.get("dim", -1)
        size, device = args[0].shape[dim], args[0].device
        order = torch.randperm(size, generator=self._generator(device), device=device)
        values, places = func(args[0].index_select(dim, order), *args[1:], **kwargs)
        return values, order[places]

    def _generator(self, device: torch.device) -> torch.Generator:
        if device not in self.generators:
            self.generators[device] = torch.Generator(device).manual_seed(self.seed)
        return self.generators[device]

    def disturb(self, tensor: torch.Tensor) -> None:
        if not tensor.is_contiguous():
            dense = tensor.contiguous()
            self.disturb(dense)
            tensor.copy_(dense)
            return
        # A share of an infinity, taken off it, leaves no number.
        largest = torch.finfo(tensor.dtype).max
        shares = tensor.clamp(-largest, largest) if self.keeps_infinite else tensor
        if self.keeps_whole:
            tensor.masked_fill_(tensor.abs() < LEAST, 0.0)
            shares = shares.masked_fill(tensor == tensor.round(), 0.0)
        pieces = (each.view(-1).split(MOST_DRAWN // 2) for each in (tensor, shares))
        for piece, share in zip(*pieces, strict=True):
            piece.addcmul_(share, self._noise(piece), value=self.random.choice((-1, 1)) * self.roundoff)

    def _noise(self, like: torch.Tensor) -> torch.Tensor:
        """As many normal numbers, from somewhere among those that were drawn. To draw them takes longer than
        most operators do; with another place and sign each time they do as well as new ones."""
        count, device = like.numel(), like.device
        drawn = self.drawn.get((device, like.dtype))
        if drawn is None or drawn.numel() < 2 * count:
            size = max(LEAST_DRAWN, 2 * count)
            # Noise itself need not be exact: in float32 it takes a fraction of the time. It is added in the
            # type of the tensor: of two types at once a GPU does half as many elements.
            drawn = torch.randn(size, generator=self._generator(device), dtype=torch.float32, device=device)
            drawn = self.drawn[device, like.dtype] = drawn.to(like.dtype)
        first = self.random.randrange(drawn.numel() - count + 1)
        return drawn[first : first + count]


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    return (leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor))


def _adds_nothing_up(func: Any) -> bool:
    """An operator of one element at a time, a view or a copy: however long, its error does not grow."""
    return torch.Tag.pointwise in func.tags or func.is_view or func._schema.name in _COPIES


_COPIES = {"aten::clone", "aten::_to_copy", "aten::copy_"}


def _is_exact(func: Any, read: list[torch.Tensor]) -> bool:
    """Whether results are what they are whoever computes them."""
    name = func._schema.name.rstrip("_")
    if name in _FILLING:
        return True
    if name in _ROUNDING:
        return func._overloadname in ("default", "out")  # not to some decimals
    return name == "aten::_to_copy" and not any(each.is_floating_point() for each in read)


_ORDERING = {"aten::topk", "aten::sort", "aten::kthvalue", "aten::mode"}
_PLACING = {
    *_ORDERING, "aten::argmax", "aten::argmin", "aten::max", "aten::min", "aten::median", "aten::cummax",
    "aten::cummin",
}  # fmt: skip
_FILLING = {
    "aten::where", "aten::masked_fill", "aten::index_fill", "aten::constant_pad_nd", "aten::fill",
    "aten::full", "aten::full_like", "aten::new_full", "aten::scalar_tensor", "aten::tril", "aten::triu",
}  # fmt: skip
"""Here is a number that was written down, there what was there before."""
_ROUNDING = {"aten::round", "aten::floor", "aten::ceil", "aten::trunc", "aten::sign"}


def _lengths(read: list[torch.Tensor], made: list[torch.Tensor]) -> Iterator[int]:
    """Bounds on how many terms an operator adds up: a long axis, a full reduction, a filter."""
    for tensor in read:
        yield from tensor.shape
        if tensor.dim() >= 3 and tensor.shape[0]:
            yield min(tensor.numel() // tensor.shape[0], 4096)
        for out in made:
            yield tensor.numel() // max(out.numel(), 1)
