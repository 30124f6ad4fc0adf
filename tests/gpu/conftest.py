"""Tests here run where a CUDA device is, and say so where none is."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _needs_a_gpu():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
