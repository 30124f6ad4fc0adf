"""Logs as data: what is free, what the compiler makes of a launch, values there and back, work."""

import pytest
import torch
import triton.language as tl
from pydantic import ValidationError

from tritonrl.verify.inside.encoding import decode, encode
from tritonrl.verify.inside.work import BYTES_PER_SECOND, FLOPS_PER_SECOND, Work
from tritonrl.verify.kernels import Specialisation
from tritonrl.verify.log import FREE, Launch, Log, Operation, is_free


def tensor(dtype: str = "float32", offset: int = 0) -> list:
    return ["tensor", 0, dtype, [4], [1], offset]


def operation(name: str, *args: list, output: list | None = None) -> Operation:
    outputs = [output or tensor()]
    return Operation(do="op", name=name, args=list(args), kwargs={}, outputs=outputs, line=None)


@pytest.mark.parametrize("name", [name for name, kind in FREE.items() if kind != "count"])
def test_what_the_table_lists_is_free(name: str):
    assert is_free(operation(name, tensor()), frozenset({"aten.add"}))


@pytest.mark.parametrize(
    "name", ["aten.add.Tensor", "aten.cat.default", "aten.index.Tensor", "aten.flip.default"]
)
def test_nothing_else_is(name: str):
    assert not is_free(operation(name, tensor()), frozenset())


def test_a_cast_is_work_and_so_is_a_copy_that_the_reference_makes():
    assert not is_free(operation("aten._to_copy.default", tensor("float16")), frozenset())
    assert not is_free(operation("aten.copy_.default", tensor(), tensor("int32")), frozenset())
    assert not is_free(operation("aten.clone.default", tensor()), frozenset({"aten.clone"}))
    assert is_free(operation("aten.zeros.default"), frozenset({"aten.clone"}))


def test_a_counter_is_free_and_other_sums_are_work():
    counter = ["tensor", 3, "int64", [], [], 0]
    assert is_free(operation("aten.add_.Tensor", counter, ["value", 1], output=counter), frozenset())
    assert not is_free(operation("aten.add_.Tensor", tensor(), ["value", 1]), frozenset())
    assert not is_free(operation("aten.add_.Tensor", counter, counter, output=counter), frozenset())


def launch(**arguments: list) -> Launch:
    return Launch(
        do="launch", kernel="k@1#0", grid=[1], arguments=arguments, constants=["C"], options={}, tuned=False
    )


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (["value", 1], ["int", 1]),
        (["value", 48], ["int", 16]),
        (["value", 7], ["int", 17]),
        (["value", 2**40], ["int", 16 << 32]),
        (["value", 2**40 + 1], ["int", 17 << 32]),
        (["value", True], ["bool"]),
        (["value", 2.5], ["number"]),
        (["float", "inf"], ["number"]),
        (tensor(), ["pointer", "float32", True]),
        (tensor(offset=2), ["pointer", "float32", False]),
        (["tuple", [["value", 3]]], ["tuple", [["int", 17]]]),
        (["value", None], ["value", None]),
    ],
)
def test_integers_and_pointers_are_kept_as_triton_tells_them_apart(value: list, kept: list):
    assert Specialisation.of(launch(a=value)).arguments == {"a": kept}


def test_constants_are_kept_as_they_are():
    assert Specialisation.of(launch(C=["value", 7])).arguments == {"C": ["value", 7]}


@pytest.mark.parametrize(
    "value",
    [1, 2.5, True, None, "text", float("-inf"), [1, (2, "x")], torch.float16, torch.device("cpu"), tl.float32,
     torch.contiguous_format],
    ids=str,
)  # fmt: skip
def test_a_value_comes_back_as_it_was(value: object):
    data = encode(value, lambda each: ["other", ""], lambda each: None)
    assert decode(data, lambda *place: None, lambda key: None) == value


def test_a_log_is_checked_before_anything_looks_at_it():
    empty = {name: [] for name in Log.model_fields}
    assert Log.model_validate(empty).launches == []
    for wrong in (
        {"sizes": [-1]},
        {"steps": [{"do": "dance"}]},
        {"inputs": "x"},
        {"extra": 1},
        {"sizes": [1.5]},
    ):
        with pytest.raises(ValidationError):
            Log.model_validate(empty | wrong)


def test_calls_that_did_the_same_have_the_same_key():
    empty = {name: [] for name in Log.model_fields}
    step = launch(a=["value", 1]).model_dump()
    assert Log.model_validate(empty).key == Log.model_validate(empty).key
    assert Log.model_validate(empty).key != Log.model_validate(empty | {"steps": [step]}).key


def test_work_is_the_longer_of_moving_and_computing():
    with Work() as small:
        torch.ones(10).add(1.0).view(2, 5).t()
    # ones writes 10, add reads and writes 10; views and allocations are free.
    assert small.seconds == pytest.approx((40 + 80) / BYTES_PER_SECOND)
    assert small.operators == {"aten.ones", "aten.add"}
    a = torch.empty(512, 512)
    with Work() as large:
        a @ a
    assert large.seconds == pytest.approx(2 * 512**3 / FLOPS_PER_SECOND)
