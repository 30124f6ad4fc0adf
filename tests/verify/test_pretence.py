"""A host that is written for CUDA, on a machine without a GPU: what tensors say, and where they are made."""

import pytest
import torch

from tritonrl.verify.inside.pretence import CUDA, PretendedGpu


def test_tensors_say_that_they_are_on_a_gpu_while_it_is_pretended():
    tensor = torch.zeros(2)
    with PretendedGpu():
        assert tensor.is_cuda
        assert not tensor.is_cpu
        assert tensor.device == CUDA
        assert tensor.get_device() == 0
        assert torch.nn.Linear(2, 2).cuda().weight.is_cuda
    assert not tensor.is_cuda
    assert tensor.device.type == "cpu"


def test_moving_a_tensor_there_gives_it_back():
    tensor = torch.zeros(2)
    with PretendedGpu():
        moved = [tensor.cuda(), tensor.to("cuda"), tensor.to(0), tensor.to(tensor.device, non_blocking=True)]
        cast = tensor.to("cuda:0", torch.float16)
    assert all(each is tensor for each in moved)
    assert cast.dtype == torch.float16


@pytest.mark.parametrize("device", ["cuda", "cuda:0", 0, CUDA])
def test_what_is_made_there_is_made_here(device: object):
    with PretendedGpu():
        made = [
            torch.empty(2, device=device), torch.tensor([1.0], device=device),
            torch.zeros(2).new_ones(3, device=device), torch.arange(3, device=device),
        ]  # fmt: skip
        with torch.device(CUDA):
            made.append(torch.ones(2))
    assert {each.device.type for each in made} == {"cpu"}
