"""Answers whose numbers can be read from their questions, and masks that one dim alone makes needless."""

import random

import pytest

from tests.teach.readable import integers, unreadable
from tritonrl.program import Program
from tritonrl.synth import Config, program
from tritonrl.teach.composer import Composer
from tritonrl.teach.composer.groups import Partition
from tritonrl.teach.composer.numbers import (
    Number,
    atom,
    extent,
    fills,
    negative,
    next_power_of_two,
    plus,
    quotient,
    share,
    times,
)
from tritonrl.teach.composer.spelling import spelled_out
from tritonrl.teach.composer.strategies import STRATEGIES


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("profile", ["cpu", "gpu"])
@pytest.mark.parametrize(("level", "count"), [(1, 40), (2, 20), (3, 15), (5, 10)])
def test_every_number_of_an_answer_is_read_from_the_question(
    level: int, count: int, profile: str, dtype: str
):
    for index in range(count):
        made = program(Config(level, 13, profile, views=0.2, dtype=dtype), index)
        composer = Composer(made)
        for draw in (None, *map(random.Random, range(3))):
            answer = composer.answer(draw)
            assert unreadable(made, answer) == set(), answer


ODD = [
    (["float32[17,26,129,160]"], ["max_pool2d", [0], {"kernel_size": [3, 3], "stride": [2, 2]}]),
    (["float32[3,7,29,31]"], ["adaptive_avg_pool2d", [0], {"output_size": [5, 6]}]),
    (["float32[3,26,29,31]", "float32[52,13,3,5]"], ["conv2d", [0, 1], {"groups": 2}]),
    (["float32[3,26,29,31]", "float32[26,19,3,5]"], ["conv_transpose2d", [0, 1], {"groups": 2}]),
    (["float32[3,26,29,31]", "float32[26,19,3,5]"], ["conv_transpose2d", [0, 1], {"stride": [2, 3]}]),
    (["float32[3,60,29,31]"], ["group_norm", [0], {"num_groups": 3}]),
    (["float32[19,23,29,31]"], ["mean", [0], {"dim": [1, 3]}]),
    (["float32[19,23,29,31]"], ["var", [0], {"dim": [0, 2], "correction": 1}]),
    (["float32[19,23,29,31]"], ["flip", [0], {"dims": [1, 3]}]),
    (["float32[19,23,29]", "float32[19,37,29]", "float32[19,41,29]"], ["cat", [0, 1, 2], {"dim": 1}]),
    (["float32[19,23,29,1100]", "float32[37,1100]"], ["linear", [0, 1]]),
    (["float32[3,5,23,1100]", "float32[3,5,1100,47]"], ["matmul", [0, 1]]),
    (["float32[3,5,23,48]"] * 3, ["scaled_dot_product_attention", [0, 1, 2]]),
]


@pytest.mark.parametrize(("inputs", "node"), ODD, ids=[node[0] for _, node in ODD])
def test_every_strategy_writes_numbers_that_can_be_read(inputs: list[str], node: list):
    made = Program.from_json({"inputs": inputs, "nodes": [node], "outputs": [len(inputs)]})
    (group,) = Partition(spelled_out(made)).groups
    for strategy in STRATEGIES:
        if strategy.fits(made, group):
            for sizes in strategy.choices(made, group):
                answer = Composer(made).written([(strategy, sizes)])
                assert unreadable(made, answer) == set(), answer


@pytest.mark.parametrize(
    ("number", "value", "text"),
    [
        (extent((17, 52, 129, 160)), 18245760, "18245760"),
        (extent((17, 52, 129, 160), (0, 2, 3)), 350880, "17 * 20640"),
        (extent((17, 52, 129, 160), (0, 2)), 2193, "17 * 129"),
        (extent((17, 52, 1), (0, 1)), 884, "884"),
        (extent((17, 1, 52), (0, 2)), 884, "884"),
        (extent((17, 52), ()), 1, "1"),
        (times(3, quotient(52, 2), 9), 702, "3 * (52 // 2) * 9"),
        (times(1, quotient(52, 2)), 26, "52 // 2"),
        (quotient(52, 1), 52, "52"),
        (plus(877, -1), 876, "877 - 1"),
        (plus(plus(0, 23), 37), 60, "23 + 37"),
        (negative(plus(23, 37)), -60, "-(23 + 37)"),
        (negative(negative(plus(23, 37))), 60, "23 + 37"),
        (plus(negative(plus(23, 37)), 100), 40, "100 - (23 + 37)"),
        (plus(plus(877, -1), negative(plus(877, -1))), 0, "0"),
        (times(-3, plus(877, -1)), -2628, "-(3 * (877 - 1))"),
        (share(1100, 4, 32), 288, "triton.cdiv(1100, 4 * 32) * 32"),
        (next_power_of_two(901), 1024, "1024"),
        (next_power_of_two(times(17, 53)), 1024, "triton.next_power_of_2(17 * 53)"),
        (next_power_of_two(10000), 16384, "triton.next_power_of_2(10000)"),
    ],
)
def test_a_number_is_written_as_what_it_comes_from(number: int, value: int, text: str):
    assert number == value
    assert f"{number}" == text
    if "triton" not in text:
        assert eval(text) == value
        assert eval(f"1000 - {atom(number)}") == 1000 - value


@pytest.mark.parametrize(
    ("number", "block", "full"),
    [
        (extent((3, 1024, 5)), 512, True),
        (extent((16, 64)), 1024, False),  # it does, but no dim alone shows it
        (extent((3, 1536)), 512, False),
        (extent((3, 5)), 1, True),
        (extent((8, 512, 7), (0, 2)), 512, False),
        (quotient(1024, 4), 16, False),
        (quotient(1024, 1), 16, True),
        (64, 32, True),
        (48, 16, False),
    ],
)
def test_blocks_fill_a_number_where_one_of_its_dims_is_a_large_power_of_two(
    number: int, block: int, full: bool
):
    assert fills(block, number) is full
    if full:
        assert number % block == 0


def test_the_test_finds_what_can_not_be_read():
    made = Program.from_json({"inputs": ["float32[17,20,53]"], "nodes": [["relu", [0]]], "outputs": [1]})
    assert unreadable(made, "at < 18020 and row < 17 * 1060 in blocks of 8192, 16 warps, x1019 3.5") == set()
    assert unreadable(made, "row < 340 or 16384") == {340, 16384}
    assert integers(f"{Number(340, '17 * 20')} tensor_9") == {17, 20}
