"""Nested values survive the way through JSON; what cannot cross is refused by name."""

import json
import math
from collections import OrderedDict, namedtuple
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tritonrl.verify.structure import Unsupported, flatten, unflatten

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.sampled_from([torch.float32, torch.bfloat16, torch.int64, torch.bool]),
    st.sampled_from([torch.device("cpu"), torch.device("cuda", 1), torch.device("meta")]),
    st.integers(0, 100).map(lambda number: torch.full((2,), number)),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(st.text(), st.integers()), inner, max_size=4),
    ),
    max_leaves=20,
)


def crossed(value: Any) -> Any:
    """There and back again, through text."""
    tensors: list[torch.Tensor] = []
    text = json.dumps(flatten(value, tensors))
    return unflatten(json.loads(text), tensors)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return a is b
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, float) and math.isnan(a):
        return isinstance(b, float) and math.isnan(b)
    return (
        type(a) is type(b)
        and a == b
        and (not isinstance(a, float) or math.copysign(1, a) == math.copysign(1, b))
    )


@given(values)
def test_any_nested_value_comes_back_as_it_was(value: Any):
    assert same(value, crossed(value))


@given(values)
def test_tensors_are_taken_out_in_the_order_in_which_they_stand(value: Any):
    def found(each: Any) -> list[torch.Tensor]:
        if isinstance(each, torch.Tensor):
            return [each]
        inner = each.values() if isinstance(each, dict) else each if isinstance(each, (list, tuple)) else ()
        return [tensor for one in inner for tensor in found(one)]

    tensors: list[torch.Tensor] = []
    flatten(value, tensors)
    assert [id(each) for each in tensors] == [id(each) for each in found(value)]


def test_the_example_of_the_docstring():
    x = torch.ones(1)
    tensors: list[torch.Tensor] = []
    structure = flatten([x, (2, None), {"scale": 0.5}], tensors)
    assert structure == [
        "list",
        [["tensor", 0], ["tuple", [["value", 2], ["value", None]]], ["dict", [["scale", ["value", 0.5]]]]],
    ]
    assert tensors == [x]


def test_one_tensor_in_two_places_is_two_entries():
    x = torch.ones(1)
    tensors: list[torch.Tensor] = []
    assert flatten([x, x], tensors) == ["list", [["tensor", 0], ["tensor", 1]]]
    assert len(tensors) == 2


def test_a_list_is_no_tuple_and_true_is_not_one():
    assert flatten([1], []) != flatten((1,), [])
    assert json.dumps(flatten(True, [])) != json.dumps(flatten(1, []))
    assert flatten(0.0, []) == ["value", 0.0]


def test_other_containers_cross_as_the_plain_ones_they_are():
    pair = namedtuple("pair", "a b")
    assert crossed(pair(1, 2)) == (1, 2)
    assert crossed(OrderedDict(a=1)) == {"a": 1}
    assert crossed(torch.Size([2, 3])) == (2, 3)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({1, 2}, "set"),
        (object(), "object"),
        (1j, "complex"),
        (b"bytes", "bytes"),
        ({(1, 2): 3}, "dict"),
        ({1.5: 3}, "dict"),
        (lambda: 0, "function"),
        ([torch.nn.Linear(1, 1)], "Linear"),
        (range(3), "range"),
    ],
)
def test_what_cannot_cross_is_refused_by_name(value: object, name: str):
    with pytest.raises(Unsupported, match=f"^a {name}$"):
        flatten(value, [])
