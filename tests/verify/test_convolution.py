"""Convolutions by products of matrices are those of PyTorch."""

import random

import pytest
import torch

from tritonrl.verify.inside import convolution as module
from tritonrl.verify.inside.convolution import convolution


@pytest.mark.parametrize("most_bytes", [module.MOST_COLUMN_BYTES, 4096, 300])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("num_dims", [1, 2, 3])
def test_convolutions_are_those_of_pytorch(
    num_dims: int, transposed: bool, most_bytes: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "MOST_COLUMN_BYTES", most_bytes)  # in one piece, or by images, or by rows
    rng, made = random.Random(num_dims), torch.Generator().manual_seed(num_dims)

    def sizes(least: int, most: int) -> list[int]:
        return [rng.randint(least, most) for _ in range(num_dims)]

    for _ in range(40):
        groups, stride, dilation, padding = rng.randint(1, 3), sizes(1, 3), sizes(1, 2), sizes(0, 2)
        num_in, num_out = groups * rng.randint(1, 3), groups * rng.randint(1, 3)
        channels = (num_in, num_out // groups) if transposed else (num_out, num_in // groups)
        more = [step - 1 for step in stride] if transposed else [0] * num_dims
        shapes = [(2, num_in, *sizes(8, 10)), (*channels, *sizes(1, 4)), (num_out,)]
        tensors = [torch.randn(shape, generator=made, dtype=torch.float64) for shape in shapes]
        rest = (stride, padding, dilation, transposed, more, groups)
        expected = torch.ops.aten.convolution.default(*tensors, *rest)
        torch.testing.assert_close(convolution(*tensors, *rest), expected, rtol=0, atol=1e-12)


def test_one_number_may_stand_for_all_dims():
    read, weight = (torch.randn(shape, dtype=torch.float64) for shape in [(1, 4, 6, 7), (2, 4, 3, 3)])
    given = convolution(read, weight, None, [2], [1], [1], False, [0], 1)
    torch.testing.assert_close(given, torch.conv2d(read, weight, stride=2, padding=1))
