"""Logs as data: what is free, what the compiler makes of a launch, values there and back, work."""

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
import triton.language as tl
from pydantic import ValidationError
from triton.language.extra import libdevice
from triton.runtime.jit import JITFunction

from tritonrl.verify.inside.encoding import decode, encode
from tritonrl.verify.inside.plain_kernels import NotKernel
from tritonrl.verify.inside.work import BYTES_PER_SECOND, FLOPS_PER_SECOND, Work
from tritonrl.verify.kernels import Specialisation
from tritonrl.verify.log import FREE, Launch, Log, Operation, is_about, is_free, overlap, why_work

SIZES = [16, 4096, 4096, 8]
"""Bytes of the memories of a log; `tensor()` is all of the first."""


def tensor(dtype: str = "float32", offset: int = 0) -> list:
    return ["tensor", 0, dtype, [4], [1], offset]


def part(shape: list[int], stride: list[int], offset: int = 0) -> list:
    return ["tensor", 1, "float32", shape, stride, offset]


def copying(name: str, source: list) -> Operation:
    """An operator that copies this to all of a memory, in place or not."""
    return operation(name, *([tensor()] if name == "aten.copy_.default" else []), source)


def operation(name: str, *args: list, output: list | None = None) -> Operation:
    outputs = [output or tensor()]
    return Operation(do="op", name=name, args=list(args), kwargs={}, outputs=outputs, line=None)


@pytest.mark.parametrize("name", [name for name, kind in FREE.items() if kind != "count"])
def test_what_the_table_lists_is_free(name: str):
    makes = name.split(".")[1] in ("zeros", "ones", "full", "scalar_tensor")
    assert is_free(operation(name, *([] if makes else [tensor()])), frozenset({"aten.add"}), SIZES)


@pytest.mark.parametrize(
    "name", ["aten.add.Tensor", "aten.cat.default", "aten.index.Tensor", "aten.flip.default"]
)
def test_nothing_else_is(name: str):
    assert not is_free(operation(name, tensor()), frozenset(), SIZES)


def test_a_cast_is_work_and_so_is_a_copy_that_the_reference_makes():
    assert not is_free(operation("aten._to_copy.default", tensor("float16")), frozenset(), SIZES)
    assert not is_free(operation("aten.copy_.default", tensor(), tensor("int32")), frozenset(), SIZES)
    assert not is_free(operation("aten.clone.default", tensor()), frozenset({"aten.clone"}), SIZES)
    assert is_free(operation("aten.zeros.default"), frozenset({"aten.clone"}), SIZES)


def test_a_counter_is_free_and_other_sums_are_work():
    counter = ["tensor", 3, "int64", [], [], 0]
    assert is_free(operation("aten.add_.Tensor", counter, ["value", 1], output=counter), frozenset(), SIZES)
    assert not is_free(operation("aten.add_.Tensor", tensor(), ["value", 1]), frozenset(), SIZES)
    assert not is_free(operation("aten.add_.Tensor", counter, counter, output=counter), frozenset(), SIZES)


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("aten.clone.default", [tensor()], {"memory_format": tensor()}),
        ("aten.copy_.default", [tensor()], {"src": tensor("int32")}),
        ("aten.copy_.default", [tensor(), ["list", [tensor()]]], {}),
        ("aten.full.default", [["list", [["value", 4]]], tensor()], {}),
        ("aten.full_like.default", [tensor(), tensor()], {}),
        ("aten.zeros.default", [["list", [tensor()]]], {}),
        ("aten.fill_.Scalar", [tensor(), tensor()], {}),
        ("aten.zero_.default", [tensor(offset=4)], {}),
        ("aten._to_copy.default", [tensor()], {"dtype": ["torch", "int32"]}),
    ],
    ids=str,
)
def test_tensors_elsewhere_and_other_types_are_work(name: str, args: list, kwargs: dict):
    step = operation(name, *args).model_copy(update={"kwargs": kwargs})
    assert not is_free(step, frozenset(), SIZES)


def test_a_copy_to_the_same_type_is_free():
    kwargs = {"dtype": ["torch", "float32"], "device": ["device", "cuda:0"], "memory_format": ["value", None]}
    step = operation("aten._to_copy.default", tensor()).model_copy(update={"kwargs": kwargs})
    assert is_free(step, frozenset({"aten.add"}), SIZES)


def test_a_counter_is_raised_by_a_constant():
    counter = ["tensor", 3, "int64", [], [], 0]
    step = operation("aten.add_.Tensor", counter, output=counter)
    assert not is_free(step.model_copy(update={"kwargs": {"other": counter}}), frozenset(), SIZES)


def test_zeros_in_a_part_of_a_memory_are_work_where_the_reference_masks():
    whole, some = tensor(), part([31, 32], [32, 1])
    assert is_free(operation("aten.zeros.default", output=whole), frozenset({"aten.tril"}), SIZES)
    assert not is_free(operation("aten.zeros.default", output=some), frozenset({"aten.tril"}), SIZES)
    assert is_free(operation("aten.zeros.default", output=some), frozenset({"aten.add"}), SIZES)


IMAGE = torch.arange(256.0).reshape(1, 4, 8, 8)
ROWS = torch.tensor([2, 0])
MOVERS = {
    "cat": lambda x: torch.cat([x, x], 1),
    "stack": lambda x: torch.stack([x, x]),
    "roll": lambda x: x.roll(2, 1),
    "flip": lambda x: x.flip(1),
    "rot90": lambda x: x.rot90(1, (2, 3)),
    "repeat": lambda x: x.repeat(2, 1, 1, 1),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 1),
    "pad": lambda x: F.pad(x, (1, 2)),
    "pad reflect": lambda x: F.pad(x, (1, 2, 1, 1), mode="reflect"),
    "pad replicate": lambda x: F.pad(x, (1, 2, 1, 1), mode="replicate"),
    "pad circular": lambda x: F.pad(x, (1, 2, 1, 1), mode="circular"),
    "unfold": lambda x: F.unfold(x, 3),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "channel_shuffle": lambda x: F.channel_shuffle(x, 2),
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "tril": lambda x: x.tril(),
    "triu_": lambda x: x.triu_(),
    "index": lambda x: x[:, ROWS],
    "index_select": lambda x: x.index_select(1, ROWS),
    "index_put_": lambda x: x.index_put_((torch.tensor(0), ROWS), torch.tensor(0.0)),
    "scatter": lambda x: x.scatter(1, ROWS.reshape(1, 2, 1, 1), 0.0),
    "masked_scatter": lambda x: x.masked_scatter(x > 9, x),
    "unpool": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
    "slice_scatter": lambda x: x.slice_scatter(x[:, :1], 1, 3),
    "diag": lambda x: x.diag_embed(),
    "transpose": lambda x: x.transpose(1, 2).contiguous(),
}


@pytest.mark.parametrize("move", MOVERS.values(), ids=MOVERS)
def test_a_copy_is_work_where_the_reference_moves_data(move: Callable[[torch.Tensor], torch.Tensor]):
    x = IMAGE.clone()
    with Work() as work:
        move(x).relu()
    row = part([4], [1])
    for name in ("aten.clone.default", "aten.copy_.default", "aten._to_copy.default"):
        assert not is_free(copying(name, row), frozenset(work.operators), SIZES)
    assert "strides" in why_work(operation("aten.clone.default", row), frozenset(work.operators))
    assert is_free(operation("aten.zeros.default"), frozenset(work.operators), SIZES)


POOLS = {
    "max_pool1d": lambda x: F.max_pool1d(x[0], 1, 2),
    "max_pool2d": lambda x: F.max_pool2d(x, 1, 2),
    "avg_pool1d": lambda x: F.avg_pool1d(x[0], 1, 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 1, 2),
    "avg_pool3d": lambda x: F.avg_pool3d(x, 1, 2),
}


@pytest.mark.parametrize("pool", POOLS.values(), ids=POOLS)
def test_a_copy_of_a_part_is_work_where_the_reference_picks(pool: Callable[[torch.Tensor], torch.Tensor]):
    with Work() as work:
        pool(IMAGE)
    for name in ("aten.clone.default", "aten.copy_.default"):
        turned, every_other = part([4, 2], [1, 4]), part([2, 2], [4, 2])
        assert is_free(copying(name, turned), frozenset(work.operators), SIZES)
        assert not is_free(copying(name, every_other), frozenset(work.operators), SIZES)
        assert is_free(copying(name, every_other), frozenset({"aten.add"}), SIZES)


PERMUTING = {
    "cat": lambda x: torch.cat(x.chunk(2, 1), 0),
    "stack": lambda x: torch.stack([x[:, ::2], x[:, 1::2]]),
    "index": lambda x: x[:, torch.tensor([0, 2, 1, 3])],
    "index_select": lambda x: x.index_select(1, torch.tensor([0, 2, 1, 3])),
    "unfold": lambda x: F.unfold(x, 2, stride=2),
    **{name: MOVERS[name] for name in ("pixel_shuffle", "pixel_unshuffle", "channel_shuffle")},
    **{name: MOVERS[name] for name in ("slice_scatter", "transpose")},
}
"""What a copy of a whole tensor, in another order of dims, does or all but does."""
OTHERS = {
    **{name: move for name, move in MOVERS.items() if name not in PERMUTING},
    "cat": lambda x: torch.cat([x, x * 2], 1), "index": MOVERS["index"], "unfold": MOVERS["unfold"],
}  # fmt: skip
OTHERS.pop("repeat_interleave")
OTHERS.pop("pad circular")
"""Both are made of copies."""


@pytest.mark.parametrize("move", PERMUTING.values(), ids=PERMUTING)
def test_a_copy_of_a_whole_tensor_is_work_where_the_reference_permutes(move: Callable[..., torch.Tensor]):
    with Work() as work:
        move(IMAGE).relu()
    assert not is_free(operation("aten.clone.default", tensor()), frozenset(work.operators), SIZES)


@pytest.mark.parametrize("move", OTHERS.values(), ids=OTHERS)
def test_and_free_where_it_cannot_be_what_the_reference_does(move: Callable[..., torch.Tensor]):
    x = IMAGE.clone()
    with Work() as work:
        move(x).relu()
    whole, turned = part([32, 32], [32, 1]), ["tensor", 2, "float32", [32, 32], [1, 32], 0]
    assert is_free(operation("aten.clone.default", whole, output=turned), frozenset(work.operators), SIZES)
    for output in (part([32, 16], [32, 1]), part([16, 32], [32, 1], 512), part([1024], [1])):
        step = operation("aten.copy_.default", output, whole, output=output)
        assert not is_free(step, frozenset(work.operators), SIZES)


def test_views_and_arithmetic_move_nothing():
    with Work() as work:
        (IMAGE[:, 1:].transpose(1, 2) * 2).sum(0)
    assert is_free(operation("aten.clone.default", tensor()), frozenset(work.operators), SIZES)


@pytest.mark.parametrize("name", ["aten.zero_.default", "aten.fill_.Scalar"])
@pytest.mark.parametrize(
    ("filled", "is_whole"),
    [
        (part([32, 32], [32, 1]), True),
        (part([4, 16, 16], [256, 1, 16]), True),
        (part([1, 1024], [7, 1]), True),
        (part([31, 32], [32, 1]), False),
        (part([31], [1], 33), False),
        (part([32, 16], [32, 1]), False),
        (part([512, 512], [1, 1]), False),
        (part([1024, 1], [0, 1]), False),
    ],
)
def test_filling_a_part_is_work_where_the_reference_masks(name: str, filled: list, is_whole: bool):
    step = operation(name, filled, output=filled)
    assert is_free(step, frozenset({"aten.tril"}), SIZES) == is_whole
    assert is_free(step, frozenset({"aten.masked_fill_"}), SIZES) == is_whole
    assert is_free(step, frozenset({"aten.cat"}), SIZES)


@pytest.mark.parametrize(
    "value",
    [["tensor"], [*tensor()[:1], 9, *tensor()[2:]], tensor("x"), ["tensor", 0, {}, "x", None, 0]],
    ids=str,
)
def test_what_cannot_be_read_is_work(value: list):
    assert not is_free(operation("aten.zero_.default", value), frozenset({"aten.tril"}), SIZES)
    assert not is_free(operation("aten.clone.default", value), frozenset({"aten.cat"}), SIZES)


@pytest.mark.parametrize(
    ("one", "other", "do"),
    [
        (part([32, 32], [32, 1]), part([32, 32], [32, 1]), True),
        (part([32, 32], [32, 1]), part([32, 32], [1, 32]), True),
        (part([32, 32], [32, 1]), part([32], [1], 992), True),
        (part([16, 32], [32, 1]), part([16, 32], [32, 1], 512), False),
        (part([32], [32]), part([32], [32], 1), False),
        (part([0], [1]), part([32], [1]), False),
        (part([4], [1]), tensor(), False),
        (part([4], [1]), ["tensor", 1], False),
    ],
)
def test_tensors_overlap_where_they_have_an_element_in_one_place(one: list, other: list, do: bool):
    assert overlap(one, other) == overlap(other, one) == do


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


@pytest.mark.parametrize(
    "value",
    [
        ["attribute", "triton.language", "core.builtins.exec"],
        ["attribute", "triton.language.core", "knobs"],
        ["attribute", "triton.language.core", "is_builtin"],
        ["attribute", "triton", "jit"],
        ["attribute", "os", "_exit"],
        ["function", "triton.language:core.builtins.exec"],
        ["constexpr", ["function", "__builtins__"]],
        ["tuple", [["torch", "load"]]],
        ["torch", "os"],
        ["module", "triton.language"],
        ["other", "Switch"],
    ],
    ids=str,
)
def test_only_words_of_the_language_are_found_for_a_log(value: list):
    with pytest.raises(NotKernel):
        decode(value, lambda *place: None, globals().get)


@pytest.mark.parametrize(
    "found", [tl.load, tl.sum, tl.exp, tl.float32, tl.tensor, libdevice.tanh, math.floor]
)
def test_and_they_are(found: object):
    value = encode(found, lambda each: [], lambda each: None)
    if isinstance(found, JITFunction):
        value = ["function", f"{found.fn.__module__}:{found.fn.__qualname__}"]
    assert decode(value, lambda *place: None, lambda key: None) == found


def test_a_log_is_checked_before_anything_looks_at_it():
    empty = {name: [] for name in Log.model_fields} | {"prologue": 0}
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


def log_of(inputs: list, state: list, **fields: list) -> Log:
    empty = {name: [] for name in Log.model_fields} | {"prologue": 0, "sizes": [16, 24, 64]}
    return Log.model_validate({**empty, "inputs": inputs, "state": state, **fields})


GIVEN = [tensor(), ["tensor", 1, "int64", [3], [1], 0]]
WEIGHTS = [["tensor", 2, "float32", [2, 4], [4, 1], 0], ["tensor", 2, "float32", [8], [1], 8]]
ABOUT = [torch.zeros(4), torch.zeros(3, dtype=torch.int64)], [torch.zeros(2, 4), torch.zeros(8)]


def test_a_log_is_about_what_was_given():
    assert is_about(log_of(GIVEN, WEIGHTS), *ABOUT)


@pytest.mark.parametrize(
    ("inputs", "state", "fields"),
    [
        (GIVEN[:1], WEIGHTS, {}),
        ([*GIVEN, GIVEN[1]], WEIGHTS, {}),
        ([tensor("int32"), GIVEN[1]], WEIGHTS, {}),
        ([["tensor", 0, "float32", [2, 2], [2, 1], 0], GIVEN[1]], WEIGHTS, {}),
        ([["tensor", 0, "float32", [4], [0], 0], GIVEN[1]], WEIGHTS, {}),
        ([tensor(offset=1), GIVEN[1]], WEIGHTS, {}),
        ([GIVEN[0], ["tensor", 0, *GIVEN[1][2:]]], WEIGHTS, {}),
        (GIVEN, [["tensor", 1, *WEIGHTS[0][2:]], WEIGHTS[1]], {}),
        (GIVEN, WEIGHTS[:1], {}),
        (GIVEN, [[*WEIGHTS[0][:2], "int32", *WEIGHTS[0][3:]], WEIGHTS[1]], {}),
        (GIVEN, WEIGHTS, {"sizes": [32, 24, 64]}),
        (GIVEN, WEIGHTS, {"literals": [[0, "zeros"]]}),
        (GIVEN, WEIGHTS, {"constants": [[1, 0]]}),
        (GIVEN, WEIGHTS, {"sizes": []}),
        ([["value", 3], GIVEN[1]], WEIGHTS, {}),
    ],
)
def test_and_about_nothing_else(inputs: list, state: list, fields: dict):
    assert not is_about(log_of(inputs, state, **fields), *ABOUT)


def test_calls_that_did_the_same_have_the_same_key():
    empty = {name: [] for name in Log.model_fields} | {"prologue": 0}
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
