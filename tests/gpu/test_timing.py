"""Is a measured speedup true? What `benchmarks/timing.py` measures, held to what docs/timing.md promises."""

import contextlib
import itertools
import sys
from pathlib import Path

import pytest
import torch

from tritonrl.verify import Settings, Zygotes
from tritonrl.verify.oracle.worker import Values
from tritonrl.verify.timing.sets import Sets

pytestmark = pytest.mark.gpu
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
SETTINGS = Settings(device="cuda", timing=True, lint_seconds=0.0)


@pytest.fixture(scope="module")
def own_zygotes():
    with Zygotes() as made:
        yield made


def test_a_reference_against_itself_comes_out_at_one(own_zygotes: Zygotes, measured):
    from timing import against_itself

    rows = list(against_itself(own_zygotes, SETTINGS, 20))
    found = [row["speedup"] for row in rows]
    measured("a reference against itself, 20 tasks", f"{min(found):.3f} to {max(found):.3f}", "1.00 ± 0.03")
    assert [row for row in rows if not 0.97 <= row["speedup"] <= 1.03] == []


def test_one_kernel_gets_the_same_speedup_again_and_again(own_zygotes: Zygotes, measured):
    from timing import again

    found = again(own_zygotes, SETTINGS, 20, "decided by the device")
    measured("one kernel 20 times, p95/p5", f"{found['p95'] / found['p5']:.3f}", "at most 1.10")
    assert found["refused"] == 0
    assert found["p95"] / found["p5"] <= 1.10


def test_device_times_are_those_of_do_bench(measured):
    from timing import against_do_bench

    for row in against_do_bench():
        measured(f"{row['what']}, device time over do_bench's", f"{row['ratio']:.3f}", "1.00 ± 0.05")
        assert row["ratio"] == pytest.approx(1.0, abs=0.05)


def test_every_batch_gets_other_values_at_the_same_places():
    draws = [Values(["list", [["tensor", 0], ["tensor", 1]]], tensors()) for _ in range(3)]
    with contextlib.closing(Sets(draws, output_bytes=0, device="cuda")) as sets:
        seen = []
        for _ in range(4):
            (first, indices), copies = sets.tensors(5), sets.refresh(8, picked=5)
            assert torch.equal(first, copies[0])
            assert any(torch.equal(indices, draw.tensors[1]) for draw in draws), "whole draws of integers"
            mixed = torch.stack([draw.tensors[0] for draw in draws])
            assert bool((mixed == first).any(0).all()), "elements of the task's own draws, each in its place"
            seen.append(first.clone())
        assert not any(torch.equal(a, b) for a, b in itertools.combinations(seen, 2))


def tensors() -> tuple[torch.Tensor, ...]:
    return torch.randn(100, 33, device="cuda").T, torch.randint(0, 9, (7,), device="cuda")
