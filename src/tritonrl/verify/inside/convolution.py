"""Convolutions in float64 as products of matrices, one for each place of the filter.

A GPU has fast float64 products, but its float64 convolutions take up to a thousand times as long as the
float32 ones that they are to judge.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode


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
    filter_size, num_dims = weight.shape[2:], read.dim() - 2
    stride, padding, dilation, output_padding = (
        [*each] * num_dims if len(each) == 1 else each for each in (stride, padding, dilation, output_padding)
    )
    spread = [step * (size - 1) for step, size in zip(dilation, filter_size, strict=True)]
    if transposed:
        # Every element of the input is added to the output once for each place of the filter.
        size = [
            at * (count - 1) + far + more + 1
            for at, count, far, more in zip(stride, read.shape[2:], spread, output_padding, strict=True)
        ]
        counts, matrices = read.shape[2:], weight.unflatten(0, (groups, -1)).transpose(1, 2)
    else:
        read = F.pad(read, [each for pad in reversed(padding) for each in (pad, pad)])
        counts = [
            (have - far - 1) // step + 1
            for have, far, step in zip(read.shape[2:], spread, stride, strict=True)
        ]
        size, matrices = counts, weight.unflatten(0, (groups, -1))
    # Matrices are [group, out, in, *filter]; a group of channels is read by a group alone.
    made = read.new_zeros(read.shape[0], groups, matrices.shape[1], *size)
    read = read.unflatten(1, (groups, -1))
    for place in itertools.product(*map(range, filter_size)):
        window = (
            ...,
            *(
                slice(at * far, at * far + step * (count - 1) + 1, step)
                for at, far, step, count in zip(place, dilation, stride, counts, strict=True)
            ),
        )
        matrix = matrices[(..., *place)]
        if transposed:
            made[window].add_(_product(matrix, read, num_dims))
        else:
            made.add_(_product(matrix, read[window], num_dims))
    made = made.flatten(1, 2)
    if transposed:
        kept = (slice(pad, have - pad) for pad, have in zip(padding, size, strict=True))
        made = made[(..., *kept)].contiguous()
    return made if bias is None else made.add_(bias.view(-1, *[1] * num_dims))


def _product(matrix: torch.Tensor, read: torch.Tensor, num_dims: int) -> torch.Tensor:
    """[group, out, in] times [batch, group, in, *size]."""
    if matrix.shape[2] == 1:
        return matrix.view(*matrix.shape[:2], *[1] * num_dims) * read
    return (matrix @ read.flatten(3)).unflatten(3, read.shape[3:])
