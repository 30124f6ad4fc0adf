"""The composer: every operator and strategy through the verifier; what is fused; what a text is like."""

import math
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonrl.program import COMPUTE, Program, emit
from tritonrl.synth import Config, program
from tritonrl.tasks import Task
from tritonrl.teach.composer import compose
from tritonrl.teach.composer.groups import Partition
from tritonrl.teach.composer.indexing import aligned, contiguous, offset, split
from tritonrl.teach.composer.kernel import kernel_name
from tritonrl.teach.composer.strategies import STRATEGIES
from tritonrl.teach.composer.strategies.strategy import choose
from tritonrl.verify import Completion, Settings, Zygotes, verify_many

QUICK = Settings(num_calls=6, lint_seconds=0.0, total_seconds=5.0, needs_plan=True)

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


def level_one(op: str, seed: int = 3) -> Program:
    return program(Config(1, seed, ops=(op,)), 0)


def as_task(made: Program) -> Task:
    source = emit(made)
    return Task(
        id=made.program_id, kind="functional", source=source, entry="fused_operator", init_style="none"
    )


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
    programs = [level_one(op) for op in COMPUTE]
    drawn = [compose(made, random.Random(number)) for number, made in enumerate(programs)]
    assert rejected(programs, drawn, zygotes) == []


@pytest.mark.slow
def test_every_strategy_is_accepted_at_every_choice_of_sizes(zygotes: Zygotes):
    programs, texts, used = [], [], set()
    for op in (
        "add",
        "mean",
        "softmax",
        "layer_norm",
        "sum",
        "matmul",
        "conv2d",
        "max_pool2d",
        "scaled_dot_product_attention",
    ):
        made = LONG_ROWS if op == "mean" else level_one(op, seed=5)
        (group,) = Partition(made).groups
        stored = frozenset(range(len(made.inputs)))
        for strategy in STRATEGIES:
            for sizes in strategy.choices(made, group) if strategy.fits(made, group) else ():
                kernel = strategy.write(made, group, kernel_name(made, group), stored, sizes)
                used.add(strategy.name)
                programs.append(made)
                texts.append(compose(made, Fixed(strategy, sizes)))  # type: ignore[arg-type]
                assert kernel.plan in texts[-1]
    assert used == {strategy.name for strategy in STRATEGIES}
    assert rejected(programs, texts, zygotes) == []


LONG_ROWS = Program.from_json(
    {"inputs": ["float32[3,5001]"], "nodes": [["mean", [0], {"dim": [1]}]], "outputs": [1]}
)


class Fixed(random.Random):
    """Draws one strategy and its sizes, whatever there is to choose from."""

    def __init__(self, strategy: object, sizes: object) -> None:
        super().__init__()
        self._picks = [strategy, sizes]

    def choice(self, options):  # type: ignore[no-untyped-def]
        wanted = self._picks.pop(0)
        assert wanted in options
        return wanted


@pytest.mark.slow
@pytest.mark.parametrize("level", [2, 3, 5])
def test_larger_programs_are_accepted(level: int, zygotes: Zygotes):
    programs = [program(Config(level, seed=17), index) for index in range(8)]
    drawn = [compose(made, random.Random(number)) for number, made in enumerate(programs)]
    assert rejected(programs, drawn, zygotes) == []


def groups_of(
    *nodes: list, inputs: tuple[str, ...] = ("float32[8,32]",), outputs: tuple[int, ...] = ()
) -> list[list[str]]:
    last = len(inputs) + len(nodes) - 1
    made = Program.from_json(
        {"inputs": list(inputs), "nodes": list(nodes), "outputs": list(outputs or (last,))}
    )
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


def test_a_text_is_a_plan_and_code_and_the_same_every_time():
    made = program(Config(5, seed=4), 1)
    text = compose(made)
    assert text == compose(made)
    answer = Completion.parse(text)
    assert answer.plan is not None
    assert answer.code is not None
    kernels = [line.partition(":")[0] for line in answer.plan.splitlines()]
    assert len(kernels) == len(Partition(made).groups)
    assert all(name in answer.code for name in kernels)
    assert len({compose(made, random.Random(seed)) for seed in range(12)}) > 4, (
        "strategies and sizes are drawn"
    )


def test_what_fits_is_chosen_in_the_order_of_the_list():
    made = level_one("softmax")
    (group,) = Partition(made).groups
    strategy, sizes = choose(STRATEGIES, made, group, None)
    assert (strategy.name, dict(sizes)) == ("row blocks", dict(strategy.choices(made, group)[0]))
