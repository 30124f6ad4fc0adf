"""The composer: every operator and strategy through the verifier; what is fused; what a text is like."""

import math
import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonrl.program import COMPUTE, Program, emit
from tritonrl.program.emit import variable
from tritonrl.synth import Config, program
from tritonrl.tasks import Task
from tritonrl.teach.composer import Composer, compose
from tritonrl.teach.composer.groups import Group, Partition
from tritonrl.teach.composer.indexing import aligned, contiguous, offset, split
from tritonrl.teach.composer.strategies import STRATEGIES, persistent_tiles, striding
from tritonrl.teach.composer.strategies.strategy import Sizes, Strategy, choose
from tritonrl.verify import Completion, Settings, Zygotes, verify_many

QUICK = Settings(num_calls=3, lint_seconds=0.0, total_seconds=5.0, needs_plan=True)

shapes = st.lists(st.integers(1, 5), min_size=0, max_size=4).map(tuple)


@given(shapes, st.data())
@settings(max_examples=200, deadline=None)
def test_an_offset_is_where_the_element_lies(shape: tuple[int, ...], data: st.DataObject):
    """Of the tensor itself, and of one that is broadcast to it: evaluated, against PyTorch's own strides."""
    own = tuple(data.draw(st.sampled_from([1, size])) for size in shape)[
        data.draw(st.integers(0, len(shape))) :
    ]
    whole, operand = (torch.arange(math.prod(each)).reshape(each) for each in (shape, own))
    expected = operand.expand(shape).reshape(-1).tolist()
    text = offset(aligned(split("at", shape), own), contiguous(own))
    assert [eval(text, {"at": at}) for at in whole.reshape(-1).tolist()] == expected


def level_one(op: str, seed: int = 3, num_draws: int = 1) -> Program:
    """The smallest of some."""
    drawn = (program(Config(1, seed, ops=(op,)), index) for index in range(num_draws))
    return min(drawn, key=lambda made: (made.flops, made.fused_bytes))


def as_task(made: Program) -> Task:
    source = emit(made)
    return Task.functional(made.program_id, source)


def rejected(programs: list[Program], completions: list[str], zygotes: Zygotes) -> list[str]:
    """Those that the verifier does not accept, with the reason."""
    answers = [Completion.parse(text) for text in completions]
    outcomes = verify_many([as_task(each) for each in programs], answers, QUICK, zygotes=zygotes)
    return [
        f"{programs[each.number].ops}: {each.error or each.verdict.rejection}"  # type: ignore[union-attr]
        for each in outcomes
        if not (each.verdict and each.verdict.accepted)
    ]


@pytest.mark.slow
def test_every_operator_is_accepted(zygotes: Zygotes):
    """Those that no program of the strategies has."""
    shown = {op for made in (*REPRESENTATIVE.values(), *OTHERS) for op in made.ops}
    # A kernel of a thousand programs takes seconds a call where it is interpreted.
    programs = [level_one(op, num_draws=20) for op in COMPUTE if op not in shown]
    assert len(programs) > len(COMPUTE) / 2
    drawn = [compose(made, random.Random(number)) for number, made in enumerate(programs)]
    assert rejected(programs, drawn, zygotes) == []


def made_of(*nodes: list, inputs: tuple[str, ...], outputs: tuple[int, ...] = ()) -> Program:
    last = len(inputs) + len(nodes) - 1
    return Program.from_json(
        {"inputs": list(inputs), "nodes": list(nodes), "outputs": list(outputs or (last,))}
    )


DEPTHWISE = {"groups": 6, "stride": [2, 1], "padding": [1, 0], "dilation": [1, 2]}
UNEVEN = {"groups": 1, "stride": [2, 3], "padding": [1, 2], "dilation": [1, 1], "output_padding": [1, 1]}
WIDE_POOL = {"kernel_size": [3, 5, 5], "stride": [2, 1, 2], "padding": [1, 2, 0]}
REPRESENTATIVE = {
    "flat": made_of(["relu", [0]], ["exp", [1]], inputs=("float32[9,700]",)),
    "striding": made_of(["add", [0, 1]], inputs=("float32[9,700]", "float32[700]")),
    "planes": made_of(
        ["relu", [0]], ["transpose", [1], {"dim0": 1, "dim1": 2}], ["exp", [2]], inputs=("float32[5,37,70]",)
    ),
    "row blocks": made_of(["softmax", [0], {"dim": 0}], inputs=("float32[70,33]",)),
    "looped rows": made_of(["layer_norm", [0], {"normalized_dims": 1}], inputs=("float32[3,5001]",)),
    "split rows": made_of(["var", [0], {"dim": [0], "correction": 1}], inputs=("float32[1030,2]",)),
    "tiles": made_of(
        ["exp", [0]], ["matmul", [2, 1]], ["relu", [3]], inputs=("float16[70,90]", "float16[90,50]")
    ),
    "phases": made_of(
        ["conv_transpose2d", [0, 1, 2], UNEVEN],
        ["mul", [4, 3]],
        inputs=("float32[2,5,6,7]", "float32[5,4,3,5]", "float32[4]", "float32[4,1,20]"),
    ),
    "packed tiles": made_of(
        ["conv2d", [0, 1, 2], {**DEPTHWISE, "groups": 2}],
        ["relu", [3]],
        inputs=("float32[2,38,6,7]", "float32[6,19,3,2]", "float32[6]"),
    ),
    "persistent tiles": made_of(["bmm", [0, 1]], inputs=("float32[3,20,40]", "float32[3,40,50]")),
    "split products": made_of(
        ["linear", [0, 1, 2]], ["tanh", [3]], inputs=("float32[20,1100]", "float32[24,1100]", "float32[24]")
    ),
    "direct": made_of(["conv2d", [0, 1], DEPTHWISE], inputs=("float32[2,6,5,6]", "float32[12,1,3,3]")),
    "windows": level_one("max_pool2d", seed=5),
    "wide windows": made_of(
        ["adaptive_avg_pool2d", [0], {"output_size": [3, 2]}], ["relu", [1]], inputs=("float32[2,2,50,37]",)
    ),
    "attention": level_one("scaled_dot_product_attention", seed=26),
}
"""A program for each strategy."""
OTHERS = [
    made_of(["softmax", [0], {"dim": 1}], ["mul", [1, 0]], inputs=("float32[3,5001]",)),
    made_of(["cumsum", [0], {"dim": 1}], inputs=("float32[3,600]",)),
    made_of(["cumprod", [0], {"dim": 0}], inputs=("float32[300,2]",)),
    made_of(["argmax", [0], {"dim": 1}], inputs=("float32[3,5001]",)),
    made_of(["sum", [0], {"dim": [0]}], inputs=("float32[4200,2]",)),
    made_of(["bmm", [0, 1]], inputs=("float16[1,20,1024]", "float16[1,1024,16]")),
    made_of(["sigmoid", [1]], ["bmm", [0, 2]], inputs=("bfloat16[3,20,40]", "bfloat16[3,40,50]")),
    made_of(
        ["permute", [0], {"dims": [2, 0, 1]}], ["add", [2, 1]], inputs=("float32[4,6,33]", "float32[33,4,6]")
    ),
    made_of(
        ["relu", [0]], ["softmax", [1], {"dim": 1}], ["exp", [0]], ["sum", [3], {"dim": [1]}],
        inputs=("bfloat16[7,33]",), outputs=(1, 2, 3, 4),
    ),
    made_of(
        ["conv_transpose2d", [0, 1, 2], {**DEPTHWISE, "groups": 3, "output_padding": [1, 0]}],
        inputs=("float32[2,6,4,4]", "float32[6,2,3,3]", "float32[6]"),
    ),
    # Numbers that are written as expressions.
    made_of(["var", [0], {"dim": [0, 2], "correction": 1}], inputs=("float32[19,3,23,5]",)),
    made_of(["group_norm", [0], {"num_groups": 3}], ["relu", [1]], inputs=("float32[2,15,11,13]",)),
    made_of(["conv2d", [0, 1], {"groups": 2}], inputs=("float32[1,14,4,6]", "float32[26,7,3,5]")),
    made_of(["adaptive_avg_pool2d", [0], {"output_size": [5, 6]}], inputs=("float32[2,3,29,12]",)),
    made_of(
        ["exp", [0]], ["adaptive_avg_pool3d", [1], {"output_size": [1, 1, 1]}],
        inputs=("float16[2,3,4,13,7]",), outputs=(1, 2),
    ),
    made_of(["adaptive_max_pool1d", [0], {"output_size": [1]}], inputs=("float32[5,1900]",)),
    made_of(
        ["avg_pool3d", [0], {**WIDE_POOL, "count_include_pad": False}], inputs=("float32[2,2,5,7,5]",)
    ),
    made_of(["max_pool3d", [0], {**WIDE_POOL, "dilation": [1, 2, 1]}], inputs=("float32[1,2,5,9,7]",)),
    # One channel: its filter is the same for all outputs.
    made_of(["conv_transpose2d", [0, 1], {}], inputs=("float32[2,1,9,9]", "float32[1,1,3,3]")),
    # One row, which a tile must not write sixteen times.
    made_of(["linear", [0, 1, 2]], inputs=("float32[1,1,90]", "float32[40,90]", "float32[40]")),
    made_of(["linear", [0, 1, 2]], ["mul", [3, 2]], inputs=("float32[60]", "float32[30,60]", "float32[30]")),
    made_of(["conv2d", [0, 1], {}], inputs=("float32[1,6,3,3]", "float32[20,6,3,3]")),
    # Heads so wide that few of them fit into shared memory.
    made_of(
        ["scaled_dot_product_attention", [0, 1, 2], {"is_causal": True}],
        inputs=("float32[1,20,400]", "float32[1,20,400]", "float32[1,20,300]"),
    ),
    made_of(["cat", [0, 1, 2], {"dim": 1}], inputs=("float32[3,23,7]", "float32[3,19,7]", "float32[3,18,7]")),
    made_of(
        ["slice", [0], {"dim": 1, "start": 3, "end": 40, "step": 2}], ["flip", [1], {"dims": [0, 1]}],
        ["exp", [2]], inputs=("float32[19,43]",),
    ),
    made_of(["matmul", [0, 1]], inputs=("float32[3,2,17,30]", "float32[3,2,30,21]")),
    # One matrix for all batches, and for a single row.
    made_of(
        ["matmul", [0, 1]], ["add", [3, 2]], inputs=("float16[3,2,9,30]", "float16[1,30,21]", "float16[9,1]")
    ),
    made_of(["matmul", [0, 1]], inputs=("float32[1,1,30]", "float32[30,21]")),
    # Read in the loop of a product and after it.
    made_of(
        ["mul", [0, 2]], ["matmul", [3, 1]], ["add", [4, 2]],
        inputs=("float16[70,90]", "float16[90,50]", "float16[70,1]"),
    ),
    # Counted along twice.
    made_of(
        ["reshape", [0], {"shape": [8, 3]}], ["flip", [1], {"dims": [0]}], ["add", [1, 2]],
        inputs=("float32[4,6]",),
    ),
]  # fmt: skip
"""Programs that ask something else of those that fit them."""
PACKED = [
    made_of(["conv_transpose2d", [0, 1], UNEVEN], inputs=("float32[1,18,3,4]", "float32[18,5,3,5]")),
    made_of(["conv_transpose1d", [0, 1], {"groups": 2}], inputs=("float16[1,34,9]", "float16[34,3,4]")),
    made_of(["conv2d", [0, 1], {"stride": [2, 1]}], inputs=("float32[2,20,5,6]", "float32[9,20,1,1]")),
    made_of(["linear", [0, 1]], ["mul", [2, 2]], inputs=("float32[3,11,70]", "float32[21,70]")),
]
"""What packed tiles lay out: the filters of phases, of one tap, of a group's columns, of a linear."""


@pytest.mark.slow
def test_every_strategy_is_accepted(zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch):
    """At the first and the last sizes on a program of its own, and at the first on others."""
    for module in (striding, persistent_tiles):
        monkeypatch.setattr(module, "NUM_PROCESSORS", 1)  # else only large tensors are worth it
    assert [*REPRESENTATIVE] == [strategy.name for strategy in STRATEGIES]
    ways = [(REPRESENTATIVE[each.name], each, place) for each in STRATEGIES for place in (0, -1)]
    ways += [
        (made, each, 0)
        for made in OTHERS
        for each in STRATEGIES
        if each.fits(made, Partition(made).groups[0])
    ]
    ways += [(made, each, 0) for made in PACKED for each in STRATEGIES if each.name == "packed tiles"]
    programs, texts = [], []
    for made, strategy, place in ways:
        (group,) = Partition(made).groups
        sizes = strategy.choices(made, group)[place]
        programs.append(made)
        texts.append(Composer(made).written([(strategy, sizes)]))
        assert f"_kernel: {strategy.name}, " in texts[-1]
    assert rejected(programs, texts, zygotes) == []


ONE_COLUMN = [
    made_of(
        ["sin", [0]], ["linear", [3, 1, 2]], ["relu", [4]],
        inputs=("float32[3,7,300]", "float32[1,300]", "float32[1]"),
    ),
    made_of(["linear", [0, 1]], inputs=("float32[9,60]", "float32[1,60]")),
    made_of(["relu", [1]], ["matmul", [0, 2]], inputs=("float16[5,3,9,70]", "float16[3,70,1]")),
]  # fmt: skip


def test_a_product_of_one_column_is_a_sum_over_rows():
    for made in ONE_COLUMN:
        text = compose(made)
        assert "tl.dot(" not in text
        assert "tl.sum(" in text


@pytest.mark.slow
def test_products_of_one_column_are_accepted(zygotes: Zygotes):
    drawn = [compose(made, random.Random(number)) for number, made in enumerate(ONE_COLUMN)]
    assert rejected(ONE_COLUMN, drawn, zygotes) == []


def test_a_row_of_one_element_is_a_block(zygotes: Zygotes):
    """The loss of a batch of one is a mean over one."""
    single = made_of(["cross_entropy", [0, 1]], inputs=("float32[1,100]", "int64[1]"))
    assert rejected([single], [compose(single)], zygotes) == []


def test_labels_that_are_not_smoothed_need_no_mean():
    """It would be a pass more, and no number where a score is infinite."""
    for op, label in (("cross_entropy", "int64[4]"), ("soft_cross_entropy", "float32[4,100]")):
        plain, smoothed = (
            compose(made_of([op, [0, 1], {"reduction": "none", **more}], inputs=("float32[4,100]", label)))
            for more in ({}, {"label_smoothing": 0.1})
        )
        assert "0.1" in smoothed
        assert "mean" not in plain
        assert "1.0 -" not in plain


@pytest.mark.slow
@pytest.mark.parametrize("level", [2, 3, 5])
def test_larger_programs_are_accepted(level: int, zygotes: Zygotes):
    made = (program(Config(level, seed=29), index) for index in range(24))
    programs = sorted(made, key=lambda each: each.flops + each.fused_bytes)[:6]
    drawn = [compose(made, random.Random(number)) for number, made in enumerate(programs)]
    assert rejected(programs, drawn, zygotes) == []


def groups_of(
    *nodes: list, inputs: tuple[str, ...] = ("float32[8,32]",), outputs: tuple[int, ...] = ()
) -> list[list[str]]:
    made = made_of(*nodes, inputs=inputs, outputs=outputs)
    return [[made.node_of(value).op for value in group.values] for group in Partition(made).groups]  # type: ignore[union-attr]


def test_what_goes_over_the_same_elements_is_one_kernel():
    assert groups_of(["relu", [0]], ["exp", [1]], ["add", [2, 0]]) == [["relu", "exp", "add"]]
    row = {"dim": 1}
    assert groups_of(["relu", [0]], ["softmax", [1], row], ["mul", [2, 0]], ["sum", [3], {"dim": [1]}]) == [
        ["relu", "softmax", "mul", "sum"]
    ]
    assert groups_of(["softmax", [0], row], ["softmax", [1], {"dim": 0}]) == [["softmax"], ["softmax"]]
    two = ("float32[8,32]", "float32[32,16]", "float32[16]")
    assert groups_of(["matmul", [0, 1]], ["add", [3, 2]], ["gelu", [4]], inputs=two) == [
        ["matmul", "add", "gelu"]
    ]
    assert groups_of(["relu", [0]], ["transpose", [1], {"dim0": 0, "dim1": 1}], ["exp", [2]]) == [
        ["relu", "transpose", "exp"]
    ]


def test_a_row_and_its_elements_are_in_one_kernel_where_they_meet():
    kept = {"dim": [1], "keepdim": True}
    assert groups_of(["mean", [0], kept], ["sub", [0, 1]]) == [["mean", "sub"]]
    square = ("float32[8,8]",)
    without = {"dim": [1]}
    assert groups_of(["mean", [0], without], ["sub", [0, 1]], inputs=square) == [["mean"], ["sub"]], (
        "the mean of row i meets column i"
    )


def test_the_samples_of_the_document_are_what_the_composer_writes():
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, root / "examples" / "composer_samples.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("### ") >= 10
    assert (root / "docs" / "composer.md").read_text().endswith(done.stdout)


def test_a_text_is_a_plan_and_code_and_the_same_every_time():
    made = program(Config(5, seed=4), 1)
    text = compose(made)
    assert text == compose(made)
    answer = Completion.parse(text)
    assert answer.plan is not None
    assert answer.code is not None
    kernels = [line.partition(": ")[0].split(" in ") for line in answer.plan.strip().splitlines()]
    groups = Partition(made).groups
    assert [task for task, _ in kernels] == [
        f"{', '.join(map(variable, group.values))} over {group.shape}" for group in groups
    ]
    assert all(name in answer.code for _, name in kernels)
    assert len({compose(made, random.Random(seed)) for seed in range(12)}) > 4, (
        "strategies and sizes are drawn"
    )


def test_kernels_that_read_the_same_tensors_are_one_unless_a_third_is_between_them():
    both = (1, 2)
    assert groups_of(["relu", [0]], ["exp", [0]], outputs=both) == [["relu", "exp"]]
    row = {"dim": [1]}
    assert groups_of(["sqrt", [0]], ["sum", [0], row], outputs=both) == [["sqrt", "sum"]]
    two = ("float32[8,32]", "float32[8,32]")
    assert groups_of(["relu", [0]], ["exp", [1]], inputs=two, outputs=(2, 3)) == [["relu"], ["exp"]]
    square = ("float32[32,32]",)
    between = (["relu", [0]], ["softmax", [1], {"dim": 0}], ["matmul", [2, 0]], ["add", [3, 1]])
    assert groups_of(*between, inputs=square, outputs=(1, 4)) == [["relu", "softmax"], ["matmul", "add"]]


def test_a_product_takes_in_what_prepares_it():
    half, single = (("float16[8,32]", "float16[16,32]"), ("float32[8,32]", "float32[16,32]"))
    nodes = (["transpose", [1], {"dim0": 0, "dim1": 1}], ["exp", [0]], ["matmul", [3, 2]])
    apart = [["exp"], ["transpose", "matmul"]]
    assert groups_of(*nodes, inputs=half) == [["transpose", "exp", "matmul"]]
    assert groups_of(*nodes, inputs=half, outputs=(3, 4)) == apart, "what others want too is computed once"
    assert groups_of(*nodes, inputs=single) == apart, "registers do not hold what is computed for a dot"


SQUARE = "float32[4096,4096]"
HALF = "float16[4096,4096]"


@pytest.mark.parametrize(
    ("nodes", "inputs", "likely"),
    [
        ([["softmax", [0], {"dim": 1}]], ("float32[8192,1000]",), "row blocks"),
        ([["softmax", [0], {"dim": 1}]], ("float32[8192,100000]",), "looped rows"),
        ([["sum", [0], {"dim": [0, 1]}]], (SQUARE,), "split rows"),
        ([["relu", [0]]], (SQUARE,), "flat"),
        ([["transpose", [0], {"dim0": 0, "dim1": 1}], ["relu", [1]]], (SQUARE,), "planes"),
        ([["matmul", [0, 1]]], (HALF, HALF), "tiles"),
        ([["matmul", [0, 1]]], ("float16[64,65536]", "float16[65536,64]"), "split products"),
        ([["conv2d", [0, 1], DEPTHWISE]], ("float32[32,6,128,128]", "float32[12,1,3,3]"), "direct"),
        ([["adaptive_avg_pool1d", [0], {"output_size": [1]}]], ("float32[47,56,2440]",), "row blocks"),
        ([["adaptive_avg_pool2d", [0], {"output_size": [7, 7]}]], ("float32[8,64,224,224]",), "wide windows"),
    ],
)
def test_what_is_likely_the_fastest_is_chosen(nodes: list[list], inputs: tuple[str, ...], likely: str):
    made = made_of(*nodes, inputs=inputs)
    (group,) = Partition(made).groups
    assert likely_way(made, group)[0].name == likely


@pytest.mark.parametrize("size", [20, 21])
def test_windows_are_summed_up_once_and_their_places_are_not_counted(size: int):
    """Places that a thread counted by a mask were fewer on a GPU than there are: the assembler's mistake."""
    made = made_of(
        ["adaptive_avg_pool3d", [0], {"output_size": [4, 4, 4]}], inputs=(f"float32[8,104,{size},68,28]",)
    )
    (group,) = Partition(made).groups
    for strategy in (each for each in STRATEGIES if each.fits(made, group)):
        for sizes in strategy.choices(made, group):
            code = Completion.parse(Composer(made).written([(strategy, sizes)])).code or ""
            assert "tl.where(" not in code
            assert code.count("tl.sum(") == (strategy.name == "wide windows")


def test_blocks_of_attention_are_no_larger_than_heads_and_registers():
    for inputs, queries, keys in (
        (("float32[35448,32,41]", "float32[35448,4,41]", "float32[35448,4,8]"), 32, 16),
        (("float32[64,2048,256]",) * 3, 32, 16),
        (("float16[64,2048,64]",) * 3, 64, 64),
    ):
        made = made_of(["scaled_dot_product_attention", [0, 1, 2], {}], inputs=inputs)
        (group,) = Partition(made).groups
        sizes = likely_way(made, group)[1]
        assert (sizes["QUERIES"], sizes["KEYS"]) == (queries, keys)


def test_rows_beside_each_other_are_read_together():
    made = made_of(["sum", [0], {"dim": [0]}], inputs=("float32[512,8192]",))
    (group,) = Partition(made).groups
    assert likely_way(made, group)[1]["ROWS"] >= 32


def test_more_batches_than_an_axis_takes_are_counted_along_the_first():
    for nodes, inputs in (
        ([["bmm", [0, 1]]], ("float32[65536,32,32]", "float32[65536,32,32]")),
        ([["scaled_dot_product_attention", [0, 1, 2], {}]], ("float32[65536,16,16]",) * 3),
    ):
        text = compose(made_of(*nodes, inputs=inputs))
        assert "[(65536, triton.cdiv(" in text
        assert "batch = tl.program_id(0)" in text


def likely_way(made: Program, group: Group) -> tuple[Strategy, Sizes]:
    return choose([each for each in STRATEGIES if each.fits(made, group)], made, group, None)


def test_what_is_spelled_out_leaves_all_other_values_their_numbers():
    losses = made_of(
        ["cross_entropy", [0, 1], {"reduction": "mean"}], ["tanh", [0]], ["relu", [3]],
        inputs=("float32[8,32]", "int64[8]"), outputs=(2, 4),
    )  # fmt: skip
    text = compose(losses)
    assert "tensor_2_rows" in text
    assert "relu_4 = " in text
    assert "return [tensor_2, tensor_4]" in text
    assert "tensor_5" not in text
    text = compose(ONE_COLUMN[0])
    assert "tensor_4_terms, tensor_4_sum, tensor_4, tensor_5 over" in text
    scan = made_of(
        ["linear", [0, 1]], ["cumsum", [0], {"dim": 1}], ["add", [2, 3]],
        inputs=("float32[9,60]", "float32[1,60]"), outputs=(4,),
    )  # fmt: skip
    texts = {compose(scan, random.Random(seed)) for seed in range(20)}
    assert any("carried_3 = carried_3 + " in text for text in texts)
    assert all("add_4 = total_2 + " in text for text in texts)
