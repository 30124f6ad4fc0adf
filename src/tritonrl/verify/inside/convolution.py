"""Convolutions in float64 as products of matrices.

A GPU has fast float64 products, but its float64 convolutions take up to a thousand times as long as the
float32 ones that they are to judge.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

MOST_COLUMN_BYTES = 2**30
"""Of what one product reads; more is done in several."""


class ByProducts(TorchDispatchMode):
    """Within it convolutions of float64 tensors on a GPU are products of matrices."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten.convolution.default and not kwargs:
            read = args[0]
            if read.is_cuda and read.dtype == torch.float64:
                return convolution(*args)
        return func(*args, **(kwargs or {}))


def convolution(
    read: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> torch.Tensor:
    """What `torch.ops.aten.convolution` gives."""
    num_dims = read.dim() - 2
    stride, padding, dilation, output_padding = (
        [*each] * num_dims if len(each) == 1 else each for each in (stride, padding, dilation, output_padding)
    )
    if transposed:
        made = _transposed(read, weight, stride, padding, dilation, output_padding, groups)
    else:
        read = F.pad(read, [each for pad in reversed(padding) for each in (pad, pad)])
        made = _plain(read, weight, stride, dilation, groups)
    return made if bias is None else made.add_(bias.view(-1, *[1] * num_dims))


def _plain(
    read: torch.Tensor, weight: torch.Tensor, stride: Sequence[int], dilation: Sequence[int], groups: int
) -> torch.Tensor:
    """Without padding: each element is the filter times a column of what it reads."""
    sizes = [
        (have - step * (count - 1) - 1) // by + 1
        for have, count, step, by in zip(read.shape[2:], weight.shape[2:], dilation, stride, strict=True)
    ]
    steps = read.stride()[2:]
    columns = read.as_strided(
        (groups, weight.shape[1], *weight.shape[2:], len(read), *sizes),
        (
            weight.shape[1] * read.stride(1), read.stride(1),
            *(step * by for step, by in zip(steps, dilation, strict=True)),
            read.stride(0),
            *(step * by for step, by in zip(steps, stride, strict=True)),
        ),
    )  # fmt: skip
    matrix = weight.reshape(groups, weight.shape[0] // groups, -1)
    made = read.new_empty(*matrix.shape[:2], len(read), *sizes)
    behind = (slice(None),) * (len(sizes) - 1)
    for piece in _pieces(len(read), sizes[0], columns.numel() * columns.itemsize):
        part = columns[(..., *piece, *behind)]
        product = torch.bmm(matrix, part.reshape(groups, matrix.shape[2], -1))
        made[(..., *piece, *behind)] = product.view(*matrix.shape[:2], *part.shape[-len(sizes) - 1 :])
    return made.flatten(0, 1).transpose(0, 1).contiguous()


def _pieces(num_images: int, num_rows: int, size_bytes: int) -> Iterator[tuple[slice, slice]]:
    """Images, and rows of an output, so many that their columns are not too large."""
    rows = max(1, MOST_COLUMN_BYTES * num_images * num_rows // max(1, size_bytes))
    images = max(1, rows // max(1, num_rows))
    for image in range(0, num_images, images):
        for row in range(0, num_rows, rows):
            yield slice(image, image + images), slice(row, row + rows)


def _transposed(
    read: torch.Tensor,
    weight: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
) -> torch.Tensor:
    """Elements at a distance of the stride are a plain convolution with some places of the filter."""
    filters = weight.unflatten(0, (groups, -1)).transpose(1, 2).flatten(0, 1)
    sizes = [
        by * (have - 1) + step * (count - 1) + more + 1
        for by, have, step, count, more in zip(
            stride, read.shape[2:], dilation, weight.shape[2:], output_padding, strict=True
        )
    ]
    made = read.new_zeros(read.shape[0], filters.shape[0], *sizes)
    for phases in itertools.product(*map(range, stride)):
        axes = [
            _Axis(*each)
            for each in zip(phases, sizes, read.shape[2:], weight.shape[2:], stride, dilation, strict=True)
        ]
        if all(axis.places for axis in axes):
            read_here = F.pad(read, [pad for axis in reversed(axes) for pad in axis.padding])
            filters_here = filters[(..., *(axis.filter for axis in axes))].flip([*range(2, filters.dim())])
            steps = [axis.step for axis in axes]
            written = tuple(slice(axis.phase, None, axis.stride) for axis in axes)
            made[(..., *written)] = _plain(read_here, filters_here, [1] * len(axes), steps, groups)
    kept = (slice(pad, have - pad) for pad, have in zip(padding, sizes, strict=True))
    return made[(..., *kept)].contiguous()


@dataclass(frozen=True)
class _Axis:
    """One axis of the elements at `phase`, `phase + stride`, … of a transposed convolution."""

    phase: int
    size: int
    num_read: int
    filter_size: int
    stride: int
    dilation: int

    @property
    def places(self) -> list[int]:
        """Those of the filter that reach them."""
        return [at for at in range(self.filter_size) if (at * self.dilation - self.phase) % self.stride == 0]

    @property
    def filter(self) -> slice:
        return slice(self.places[0], None, self.stride // math.gcd(self.stride, self.dilation))

    @property
    def step(self) -> int:
        """Between the elements that two such places read."""
        return self.dilation // math.gcd(self.stride, self.dilation)

    @property
    def padding(self) -> tuple[int, int]:
        nearest, farthest = (
            (self.places[end] * self.dilation - self.phase) // self.stride for end in (0, -1)
        )
        num_made = -(-(self.size - self.phase) // self.stride)
        return farthest, num_made - nearest - self.num_read
