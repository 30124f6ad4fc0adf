"""What a kernel is given and its lines are in the order of the program, which a reader need not foresee."""

import re
from collections.abc import Iterator

import pytest

from tests.teach.test_composer import OTHERS, PACKED, REPRESENTATIVE, made_of
from tritonrl.program import COMPUTE, Program
from tritonrl.synth import Config, program
from tritonrl.teach.composer import Composer
from tritonrl.teach.composer.groups import Partition
from tritonrl.teach.composer.scope import MOVES, TRIANGLES
from tritonrl.teach.composer.spelling import spelled_out
from tritonrl.teach.composer.strategies import STRATEGIES
from tritonrl.verify import Completion

IN_PLACE = tuple(op for op in COMPUTE if op not in MOVES or op in TRIANGLES)
"""Operators that read an element where they write it."""
KERNEL = re.compile(r"^def (\w+_kernel)\((.*)\):\n((?:    .*\n)+)", re.MULTILINE)


def answers(made: Program) -> Iterator[tuple[str, str]]:
    """Plan and code, until each group had each of its strategies."""
    made = spelled_out(made)
    groups = Partition(made).groups
    fitting = [[each for each in STRATEGIES if each.fits(made, group)] for group in groups]
    for turn in range(max(map(len, fitting))):
        chosen = [each[turn % len(each)] for each in fitting]
        ways = [(each, each.choices(made, group)[0]) for each, group in zip(chosen, groups, strict=True)]
        answer = Completion.parse(Composer(made).written(ways))
        yield answer.plan or "", answer.code or ""


def is_ascending(numbers: list[int]) -> bool:
    return numbers == sorted(numbers)


def given_in_order(code: str) -> bool:
    """Whether kernels are given what they read by number, then buffers, then what they write by number; and
    are launched so."""
    for name, parameters, body in KERNEL.findall(code):
        pointers = re.findall(r"(\w+)_ptr", parameters)
        (launch,) = re.findall(rf"^    {name}\[.*\]\((.*)\)$", code, re.MULTILINE)
        written = set(re.findall(r"tl\.store\((tensor_\d+)_ptr", body))
        places = [
            (2 if each in written else 0, int(each.removeprefix("tensor_"))) if "tensor_" in each else (1, 0)
            for each in pointers
        ]
        if places != sorted(places) or launch.split(", ")[: len(pointers)] != pointers:
            return False
    return True


def runs(made: Program, body: str) -> Iterator[list[int]]:
    """Numbers of the values that a body computes one after the other. A comment, a loop, its end and lines
    that are no value's (a factor of a product) each begin anew."""
    ops = {f"{node.op}_{made.value_of(place)}" for place, node in enumerate(made.nodes)}
    found: list[int] = []
    depth = 0
    for line in body.splitlines():
        name, _, text = line.strip().partition(" = ")
        if not re.fullmatch(r"\w+_\d+[a-h]?", name) or len(line) - len(line.lstrip()) != depth:
            yield found
            found, depth = [], len(line) - len(line.lstrip())
        if name.rstrip("abcdefgh") in ops and name not in text:  # else a statistic that goes on
            found.append(int(re.findall(r"\d+", name)[-1]))
    yield found


@pytest.mark.parametrize("profile", ["cpu", "gpu"])
@pytest.mark.parametrize(("level", "count"), [(2, 25), (3, 15), (5, 10), (8, 6)])
def test_tensors_are_given_and_values_computed_by_their_numbers(level: int, count: int, profile: str):
    num_lines = 0
    for index in range(count):
        made = spelled_out(program(Config(level, 77, profile, ops=IN_PLACE), index))
        for _, code in answers(made):
            assert given_in_order(code), code
            for *_, body in KERNEL.findall(code):
                found = [*runs(made, body)]
                assert all(map(is_ascending, found)), code
                num_lines += sum(map(len, found))
    assert num_lines > count


def test_every_strategy_is_given_tensors_by_their_numbers():
    drawn = (program(Config(1, 78, "gpu", ops=(op,)), 0) for op in COMPUTE)
    shown = set[str]()
    for made in (*REPRESENTATIVE.values(), *OTHERS, *PACKED, *drawn):
        for plan, code in answers(made):
            assert given_in_order(code), code
            shown |= {each.name for each in STRATEGIES if f"_kernel: {each.name}, " in plan}
    assert shown == {each.name for each in STRATEGIES}


ROWS = ("float32[8,32]", "float32[8,32]")


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        (
            (["tanh", [0]], ["exp", [1]], ["max", [3], {"dim": 1, "keepdim": True}], ["elu", [2]],
             ["add", [5, 4]]),
            "tensor_0 tanh_2 tensor_1 exp_3 largest_4 elu_5 add_6",
        ),
        (
            (["exp", [0]], ["relu", [1]], ["softmax", [2], {"dim": 1}], ["sub", [3, 4]]),
            "tensor_0 exp_2 tensor_1 relu_3 largest_4 total_4 softmax_4 sub_5",
        ),
        # What is moved is read where a line asks for it.
        (
            (["exp", [0]], ["flip", [2], {"dims": [1]}], ["relu", [1]], ["add", [4, 3]]),
            "tensor_1 relu_4 tensor_0 exp_2 add_5",
        ),
        (
            (["exp", [0]], ["triu", [2], {"diagonal": 0}], ["relu", [1]], ["add", [4, 3]]),
            "tensor_0 exp_2 triu_3 tensor_1 relu_4 add_5",
        ),
    ],
)  # fmt: skip
def test_lines_are_those_of_the_program_and_loads_stand_before_who_needs_them(
    nodes: tuple[list, ...], expected: str
):
    _, code = next(answers(made_of(*nodes, inputs=ROWS)))
    ((*_, body),) = KERNEL.findall(code)
    assert re.findall(r"^    (\w+_\d+[a-h]?) = ", body, re.MULTILINE) == expected.split()


def test_outputs_that_are_moved_have_their_turn_as_well():
    nodes = (["exp", [0]], ["flip", [1], {"dims": [1]}], ["relu", [0]])
    _, code = next(answers(made_of(*nodes, inputs=ROWS[:1], outputs=(2, 3))))
    assert code.index("exp_1 = ") < code.index("relu_3 = ")


def test_the_test_finds_what_is_out_of_order():
    made = made_of(["exp", [0]], ["relu", [1]], ["add", [3, 2]], inputs=ROWS)
    (_, code), *_ = answers(made)
    assert given_in_order(code)
    assert not given_in_order(code.replace("(tensor_0_ptr, tensor_1_ptr,", "(tensor_1_ptr, tensor_0_ptr,"))
    assert not given_in_order(code.replace("](tensor_0, tensor_1,", "](tensor_1, tensor_0,"))
    lines = "    relu_3 = 0\n    tensor_0 = 0\n    exp_2 = 0\n    # Write.\n    exp_2 = 0\n"
    assert [*runs(made, lines)] == [[], [3, 2], [2]]
