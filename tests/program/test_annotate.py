"""The annotated task file: the same task, and a comment for every value."""

import pytest

from tests.program.recapture import recapture
from tritonrl.program import Program, annotated, emit
from tritonrl.program.annotate import described
from tritonrl.program.program import Spec
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
        comments = [line.partition("  # ")[2] for line in source.splitlines() if "  # " in line]
        inputs = [f"tensor_{n} {described(spec)}" for n, spec in enumerate(made.inputs)]
        assert comments == [*inputs, *map(described, made.values[len(inputs) :])]


def test_it_loads_with_the_same_inputs_and_the_same_function():
    for index in range(6):
        made = program(Config(2, seed=9), index)
        again: Program = recapture(annotated(made)).program
        assert emit(again) == emit(made)
