"""Networks: programs as modules have them; the composer answers all."""

import random
from collections import Counter

import pytest

from tritonrl.program import Program, emit
from tritonrl.tasks import Task
from tritonrl.teach.composer import Composer
from tritonrl.teach.networks import MOST_ELEMENTS, network
from tritonrl.verify import Zygotes, verify
from tritonrl.verify.completion import Completion


def drawn(count: int, dtype: str = "float32") -> list[Program]:
    return [network(random.Random(seed), 1 + seed % 6, dtype) for seed in range(count)]


def test_they_have_the_operators_and_views_of_networks():
    ops = Counter(node.op for made in drawn(600) for node in made.nodes)
    assert {"linear", "conv2d", "layer_norm", "batch_norm", "rsqrt"} <= set(ops)
    assert {"scaled_dot_product_attention", "reshape", "permute"} <= set(ops)
    assert len(ops) > 35


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_composer_answers_all(dtype: str):
    for made in drawn(150, dtype):
        assert 1 <= made.level <= 6
        assert max(spec.num_elements for spec in made.values) <= MOST_ELEMENTS
        assert "triton_fused_operator" in Composer(made).answer(random.Random(0))


def test_the_same_seed_gives_the_same_program():
    assert [made.program_id for made in drawn(20)] == [made.program_id for made in drawn(20)]


def test_small_ones_are_answered_rightly(zygotes: Zygotes):
    small = [made for made in drawn(400) if sum(spec.num_elements for spec in made.values) < 40_000]
    assert len(small) >= 4
    for made in small[:4]:
        task = Task.functional(made.program_id, emit(made), made.level, made.to_json())
        verdict = verify(task, Completion.of_text(Composer(made).answer()), zygotes=zygotes)
        assert verdict.accepted, verdict.rejection
