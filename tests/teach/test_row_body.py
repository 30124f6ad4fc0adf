"""Rows: what a compiler may fuse must not change what a row comes to."""

import pytest

from tritonrl.program import Program
from tritonrl.teach.composer import Composer, compose
from tritonrl.teach.composer.groups import Partition
from tritonrl.teach.composer.strategies import STRATEGIES


def test_the_largest_is_taken_off_a_product_that_is_rounded():
    """exp(a * b - largest) is one fused multiply-add: at 1e10 it is exp(±512) where it should be exp(0)."""
    inputs, nodes = ["float32[64,300]"] * 2, [["mul", [0, 1]], ["logsumexp", [2], {"dim": [1]}]]
    program = Program.from_json({"inputs": inputs, "nodes": nodes, "outputs": [3]})
    (group,) = Partition(program).groups
    fitting = [each for each in STRATEGIES if each.fits(program, group)]
    assert len(fitting) >= 2
    for strategy in fitting:
        text = Composer(program).written([(strategy, strategy.choices(program, group)[0])])
        assert "tl.exp(tl.minimum(mul_2, largest_3) - largest_3)" in text


@pytest.mark.parametrize("op", ["softmax", "log_softmax", "logsumexp"])
def test_what_is_read_is_taken_as_it_is(op: str):
    attributes = {"dim": [1] if op == "logsumexp" else 1}
    program = Program.from_json(
        {"inputs": ["float32[64,300]"], "nodes": [[op, [0], attributes]], "outputs": [1]}
    )
    assert "tl.exp(tensor_0 - largest_1)" in compose(program)
