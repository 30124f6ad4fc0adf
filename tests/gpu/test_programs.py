"""Programs of the gpu profile on a real device: they run, and their values are finite and vary."""

import pytest
import torch

from tritonrl.program import emit
from tritonrl.program.run import draw_inputs, run_all
from tritonrl.synth import Config, program

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(("level", "count"), [(1, 150), (2, 100), (3, 60), (5, 40), (10, 15), (20, 8)])
def test_gpu_programs_run_and_vary(level: int, count: int):
    sick = []
    for index in range(count):
        made = program(Config(level, seed=21, profile="gpu"), index)
        values = run_all(made, draw_inputs(made, index, "cuda"))
        for spec, value in zip(made.values, values, strict=True):
            assert tuple(value.shape) == spec.shape
        for position, value in enumerate(values[len(made.inputs) :]):
            if not torch.isfinite(value).all() or (value == value.flatten()[0]).all():
                sick.append((made.nodes[position].op, emit(made)))
    assert not sick
