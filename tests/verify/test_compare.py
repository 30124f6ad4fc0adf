"""Comparing one tensor with the right one: shape, type, what is not finite, integers, and messages."""

import math

import pytest
import torch

from tritonrl.verify.oracle.compare import Mismatch, Value, compare
from tritonrl.verify.oracle.tolerance import TABLE

ROW = TABLE["float32"]


def floats(*numbers: float, dtype: torch.dtype = torch.float32) -> Value:
    exact = torch.tensor(numbers, dtype=torch.float64)
    return Value("the output", exact.to(dtype), exact, torch.zeros_like(exact))


def integers(numbers: list[int], spread: list[float]) -> Value:
    native = torch.tensor(numbers)
    return Value("the output", native, native, torch.tensor(spread, dtype=torch.float64))


def marked(value: Value, got: torch.Tensor) -> Mismatch | None:
    return compare(value, got, ROW, num_terms=1)


def test_the_right_answer_is_right():
    value = floats(1.0, -2.0, 0.0)
    assert marked(value, value.native) is None


@pytest.mark.parametrize("shape", [(3, 1), (1, 3), (6,), ()])
def test_a_shape_that_broadcasts_is_a_wrong_shape(shape: tuple[int, ...]):
    wrong = marked(floats(1.0, 1.0, 1.0), torch.ones(shape))
    assert wrong is not None
    assert wrong.rule == "B8"
    assert f"float32{list(shape)}" in wrong.what
    assert "float32[3]" in wrong.what


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int32])
def test_another_type_is_wrong_however_exact_its_values(dtype: torch.dtype):
    wrong = marked(floats(1.0, 2.0), torch.tensor([1.0, 2.0]).to(dtype))
    assert wrong is not None
    assert wrong.rule == "B8"
    assert str(dtype).removeprefix("torch.") in wrong.what


@pytest.mark.parametrize("special", [math.nan, math.inf, -math.inf])
def test_nothing_but_a_number_passes_for_a_number(special: float):
    wrong = marked(floats(1.0, 2.0, 3.0), torch.tensor([1.0, special, 3.0]))
    assert wrong is not None
    assert wrong.rule == "B8"
    assert "1 elements" in wrong.what


@pytest.mark.parametrize("right", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("given", [math.nan, math.inf, -math.inf, 0.0, 3e38])
def test_what_is_not_finite_must_be_of_the_same_kind(right: float, given: float):
    same = right == given or (math.isnan(right) and math.isnan(given))
    assert (marked(floats(1.0, right), torch.tensor([1.0, given])) is None) == same


def test_elements_beside_an_infinity_are_still_compared():
    value = floats(1.0, math.inf, 2.0)
    assert marked(value, torch.tensor([1.0, math.inf, 2.0])) is None
    wrong = marked(value, torch.tensor([1.0, math.inf, 2.1]))
    assert wrong is not None
    assert "[2]: 2.1 instead of 2" in wrong.what


def test_zeros_must_be_zero_up_to_the_size_of_the_tensor():
    assert marked(floats(0.0, 1.0), torch.tensor([2.0**-24, 1.0])) is None
    assert marked(floats(0.0, 1.0), torch.tensor([1e-3, 1.0])) is not None
    assert marked(floats(0.0, 0.0), torch.zeros(2)) is None
    assert marked(floats(0.0, 0.0), torch.tensor([0.0, 1e-30])) is not None


def test_where_the_function_cancels_more_error_is_allowed_and_only_there():
    exact = torch.ones(2, dtype=torch.float64)
    value = Value("the output", exact.float(), exact, torch.tensor([1e-2, 0.0], dtype=torch.float64))
    assert marked(value, torch.tensor([1.05, 1.0])) is None
    assert marked(value, torch.tensor([1.0, 1.05])) is not None


def test_pytorchs_own_error_is_a_unit_too():
    exact = torch.ones(4, dtype=torch.float64)
    own_error = Value("the output", torch.full((4,), 1.01), exact, torch.zeros(4, dtype=torch.float64))
    assert marked(own_error, torch.full((4,), 1.05)) is None
    assert marked(own_error, torch.full((4,), 1.5)) is not None


def test_integers_must_be_equal():
    value = integers([3, 0, 7], [0.0, 0.0, 0.0])
    assert marked(value, torch.tensor([3, 0, 7])) is None
    wrong = marked(value, torch.tensor([3, 1, 8]))
    assert wrong is not None
    assert wrong.what == "the output has 2 of 3 elements wrong; first at [1]: 1 instead of 0"


def test_an_integer_that_rounding_noise_changes_is_not_held_against_a_candidate():
    value = integers([3, 0, 7], [0.0, 2.0, 0.0])
    assert marked(value, torch.tensor([3, 2, 7])) is None
    assert marked(value, torch.tensor([4, 2, 7])) is not None


def test_a_place_among_several_is_nearly_any_and_a_large_number_is_not():
    place = integers([3, 5], [0.0, 90.0])
    assert marked(place, torch.tensor([3, 400])) is None
    number = integers([1 << 30, 5], [2000.0, 0.0])
    assert marked(number, torch.tensor([(1 << 30) + 5000, 5])) is None
    assert marked(number, torch.tensor([0, 5])) is not None


def test_what_is_true_is_the_byte_one():
    value = Value("the output", torch.tensor([True, False]), torch.tensor([True, False]), torch.zeros(2))
    wrong = marked(value, torch.tensor([2, 0], dtype=torch.uint8).view(torch.bool))
    assert wrong is not None
    assert "2 instead of" in wrong.what


def test_booleans_must_be_equal():
    value = Value("the output", torch.tensor([True, False]), torch.tensor([True, False]), torch.zeros(2))
    assert marked(value, torch.tensor([True, False])) is None
    assert marked(value, torch.tensor([True, True])) is not None


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_an_empty_tensor_is_right_when_its_shape_is(dtype: torch.dtype):
    empty = torch.empty(0, 3, dtype=dtype)
    value = Value("the output", empty, empty.double(), empty.double())
    assert marked(value, empty) is None
    assert marked(value, torch.empty(3, 0, dtype=dtype)) is not None


def test_a_scalar_is_compared_and_named():
    exact = torch.tensor(2.0, dtype=torch.float64)
    value = Value("output 1", exact.float(), exact, torch.zeros_like(exact))
    assert marked(value, torch.tensor(2.0)) is None
    wrong = marked(value, torch.tensor(2.5))
    assert wrong is not None
    assert wrong.what.startswith("output 1 is off by")
    assert "[]: 2.5 instead of 2" in wrong.what


def test_the_figures_name_the_worst_element_and_count_the_wrong_ones():
    value = floats(*([1.0] * 100))
    got = torch.ones(100)
    got[17], got[40] = 1.5, 1.1
    wrong = marked(value, got)
    assert wrong is not None
    assert "2 of 100 elements" in wrong.what
    assert "[17]: 1.5 instead of 1" in wrong.what
