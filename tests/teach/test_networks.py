"""Networks: programs as modules have them, with numbers as people write them; the composer answers all."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest
import torch

from tritonrl.program import Program, emit
from tritonrl.program.capture import capture
from tritonrl.program.run import draw_inputs, run_all
from tritonrl.tasks import Task
from tritonrl.teach.composer import Composer
from tritonrl.teach.networks import LARGE, MOST_ELEMENTS, SMALL, Sizes, network
from tritonrl.teach.networks.network import Network
from tritonrl.teach.numbers import with_other_numbers
from tritonrl.verify import Zygotes, verify_many
from tritonrl.verify.completion import Completion


def drawn(count: int, dtype: str = "float32", sizes: Sizes | None = None) -> list[Program]:
    return [network(random.Random(seed), 1 + seed % 6, dtype, sizes) for seed in range(count)]


def test_they_have_the_operators_and_views_of_networks():
    ops = Counter(node.op for made in drawn(1000) for node in made.nodes)
    assert {"linear", "conv1d", "conv2d", "conv_transpose2d", "layer_norm", "batch_norm", "rsqrt"} <= set(ops)
    assert {"scaled_dot_product_attention", "masked_fill", "cat", "lerp_scalar"} <= set(ops)
    assert {"reshape", "permute", "transpose", "slice", "select", "unsqueeze", "expand"} <= set(ops)
    assert len(ops) > 70


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_composer_answers_all(dtype: str):
    for number, made in enumerate(drawn(200, dtype)):
        assert 1 <= made.level <= 6
        assert max(spec.num_elements for spec in made.values) <= MOST_ELEMENTS
        assert min(spec.num_elements for spec in made.values) >= 1
        changed = with_other_numbers(made, random.Random(number), 0.5)
        assert "triton_fused_operator" in Composer(changed).answer(random.Random(0))


def test_the_same_seed_gives_the_same_program():
    assert [made.program_id for made in drawn(20)] == [made.program_id for made in drawn(20)]


def test_sizes_are_of_modules_in_use_or_of_small_ones():
    large, small = (drawn(100, sizes=sizes) for sizes in (LARGE, SMALL))
    assert max(spec.num_elements for made in small for spec in made.values) < 1 << 20
    assert sum(made.fused_bytes > 1 << 20 for made in large) > 60


def test_a_whole_one_looks_as_capture_has_it():
    """Arguments come first, then weights, each in the order of their use."""
    module = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
    program = capture(module, [torch.randn(5, 6)]).program
    assert [str(spec) for spec in program.inputs] == [
        "float32[5,6]", "float32[8,6]", "float32[8]", "float32[4,8]", "float32[4]",
    ]  # fmt: skip
    net = Network(random.Random(0), "float32", SMALL)
    net.at = net.tensor(5, 6)
    net.apply("linear", net.at, net.weight(8, 6), net.weight(8))
    net.apply("add", net.at, net.tensor(5, 8))
    net.apply("linear", net.at, net.weight(4, 8), None)
    made = net.program()
    shapes = [spec.shape for spec in made.inputs]
    assert shapes == [(5, 6), (5, 8), (8, 6), (8,), (4, 8)]
    assert [node.operands for node in made.nodes] == [(0, 2, 3), (5, 1), (6, 4)]
    assert made.outputs == (7,)


@pytest.mark.slow
def test_small_ones_are_answered_rightly(zygotes: Zygotes):
    programs = list(islice(_finite(), 12))
    tasks = [Task.functional(made.program_id, emit(made), made.level, made.to_json()) for made in programs]
    answers = [Completion.of_text(Composer(made).answer(random.Random(7))) for made in programs]
    outcomes = verify_many(tasks, answers, zygotes=zygotes)
    assert [each.verdict and each.verdict.rejection for each in outcomes] == [None] * len(programs)
    assert all(each.verdict and each.verdict.accepted for each in outcomes)


def _finite() -> Iterator[Program]:
    """Small ones, of which no value is too large or no number."""
    for made in drawn(200, sizes=SMALL):
        values = run_all(made, draw_inputs(made, 0))
        numbers = [value for value in values if value.is_floating_point()]
        if all(value.isfinite().all() and value.abs().max() < 1e3 for value in numbers):
            yield made


# Numbers


def test_numbers_are_of_all_kinds_and_programs_stay_what_they_are():
    written: list[str] = []
    for seed in range(400):
        made = network(random.Random(seed), 4)
        changed = with_other_numbers(made, random.Random(seed), 1.0)
        assert changed.structure_id == made.structure_id
        assert changed.values == made.values
        written += [
            repr(node.attrs[name]) for node in changed.nodes for name in ("value", "eps", "min", "exponent")
            if node.attrs.get(name) is not None
        ]  # fmt: skip
    assert len(set(written)) > 150
    assert {"3", "100", "-inf"} <= set(written)
    assert any("e-" in each for each in written)
    assert any(len(each) > 15 for each in written)


def test_none_is_changed_where_none_is_asked_for():
    for made in drawn(50):
        assert with_other_numbers(made, random.Random(0), 0.0) == made


def test_integers_and_masks_keep_theirs():
    whole = Program.from_json({
        "inputs": ["int64[4,5]", "float32[4,5]", "bool[4,5]"],
        "nodes": [["add_scalar", [0], {"value": 2}],
                  ["masked_fill", [1, 2], {"comparison": "!=", "threshold": 0, "value": 0.0}],
                  ["hardtanh", [1]]],
        "outputs": [3, 4, 5],
    })  # fmt: skip
    fillings = set()
    for seed in range(60):
        added, masked, bounded = with_other_numbers(whole, random.Random(seed), 1.0).nodes
        assert added.attrs["value"] == 2
        assert (masked.attrs["comparison"], masked.attrs["threshold"]) == ("!=", 0)
        fillings.add(masked.attrs["value"])
        assert bounded.attrs["min_val"] < bounded.attrs["max_val"]
    assert len(fillings) > 20
