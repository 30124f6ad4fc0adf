"""Questions about tensors that may take a large part of a GPU, and in float64 twice as much: arithmetic is
done piece by piece. All that is asked at once is waited for once: on a GPU that is shared each wait is a turn
of everybody else."""

import math
from collections.abc import Iterable, Iterator, Sequence

import torch

PIECE = 2**24
"""Elements of a piece: in float64 an eighth of a gigabyte."""
SAME = 1e-9
"""Relative to the size of a result: below this a float64 result is the same one."""


def in_pieces(*tensors: torch.Tensor) -> Iterator[tuple[torch.Tensor, ...]]:
    """Elements in order, so many of each tensor at a time."""
    return zip(*(each.reshape(-1).split(PIECE) for each in tensors), strict=True)


def are_finite(*tensors: torch.Tensor) -> list[bool]:
    """Of each tensor, whether all its elements are; integers always are."""
    # The largest, and so one that is no number, is found in one pass.
    largest = [
        torch.stack([torch.linalg.vector_norm(piece, ord=math.inf).double() for (piece,) in in_pieces(each)])
        for each in tensors
        if each.is_floating_point() and each.numel()
    ]
    found = iter(torch.stack([torch.isfinite(each).all() for each in largest]).tolist() if largest else ())
    return [next(found) if each.is_floating_point() and each.numel() else True for each in tensors]


def rms(pieces: Iterable[torch.Tensor]) -> torch.Tensor:
    """The root mean square of all elements; zero of none."""
    count, total = 0, torch.zeros((), dtype=torch.float64)
    for piece in pieces:
        numbers = piece if piece.is_floating_point() else piece.double()
        squares = torch.linalg.vector_norm(numbers, dtype=torch.float64).square()
        count, total = count + piece.numel(), total.to(piece.device) + squares
    return (total / max(1, count)).sqrt()


def differ(given: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]) -> bool:
    """Whether a float64 result is another one."""
    pairs = list(zip(given, exact, strict=False))
    if any(got.shape != right.shape for got, right in pairs):
        return True
    found = []
    for got, right in pairs:
        least = SAME * rms(piece for (piece,) in in_pieces(right))
        found += [
            (torch.sub(one.double(), other.double()).abs_() > least).any()
            for one, other in in_pieces(got, right)
        ]
    return bool(torch.stack(found).any()) if found else False
