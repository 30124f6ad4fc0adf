"""The annotated task file: the same task, and a comment for every value."""

import re

import pytest
import torch

from tests.program.recapture import recapture
from tritonrl.program import Program, annotated, emit
from tritonrl.program.annotate import described
from tritonrl.program.capture import capture_function
from tritonrl.program.ops.arithmetic import broadcast
from tritonrl.program.program import Spec
from tritonrl.program.run import draw_inputs, run_all
from tritonrl.synth import Config, program


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("float32[]", "()"),
        ("float32[7]", "(7,)"),
        ("bfloat16[3,5]", "bfloat16 (3, 5), size 15"),
        ("float32[2,3,5,7]", "(2, 3, 5, 7), strides 105, 35, size 210"),
    ],
)
def test_a_value_says_what_its_shape_does_not(spec: str, text: str):
    assert described(Spec.parse(spec)) == text


@pytest.mark.parametrize("level", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_it_is_the_same_task_with_a_comment_for_every_value(level: int, dtype: str):
    for index in range(12):
        made = program(Config(level, seed=7, dtype=dtype), index)
        source = annotated(made)
        assert [line.partition("  # ")[0] for line in source.splitlines()] == emit(made).splitlines()
        inputs = [f"tensor_{n} {described(spec)}" for n, spec in enumerate(made.inputs)]
        expected = [*inputs, *map(described, made.values[len(inputs) :])]
        assert [READS.sub("", comment) for comment in comments(made)] == expected


READS = re.compile(r", tensor_(\d+) by ([\d, ]+\d)")


def comments(made: Program) -> list[str]:
    """For every value, in order."""
    return re.findall(r"  # (.*)", annotated(made))


def test_an_operand_that_is_read_elsewhere_says_by_which_strides():
    seen = set[str]()
    for index in range(150):
        made = program(Config(3, seed=8, views=0.4), index)
        values = run_all(made, draw_inputs(made, 0))
        for value, comment in enumerate(comments(made)):
            node = made.node_of(value)
            reads = {int(n): [*map(int, by.split(", "))] for n, by in READS.findall(comment)}
            if node is None:
                assert not reads
                continue
            for operand, by in reads.items():
                is_moved = node.row.shape is not broadcast
                expected = values[value] if is_moved else values[operand].expand(values[value].shape)
                assert torch.as_strided(values[operand].contiguous(), expected.shape, by).equal(expected)
                seen.add(node.op)
            if node.row.shape is broadcast:
                shape = made.values[value].shape
                assert set(reads) == {each for each in node.operands if made.values[each].shape != shape}
    assert {"permute", "transpose", "add", "where"} <= seen


def test_what_is_read_in_place_says_no_strides():
    assert all(
        "by" not in each for each in comments(capture_function(relu_twice, [torch.ones(3, 4)]).program)
    )


def relu_twice(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x) + x


def test_it_loads_with_the_same_inputs_and_the_same_function():
    for index in range(6):
        made = program(Config(2, seed=9), index)
        again: Program = recapture(annotated(made)).program
        assert emit(again) == emit(made)
