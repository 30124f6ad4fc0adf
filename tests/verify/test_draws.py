"""Draws: what every own draw shows is observed, and no variation leaves it."""

import random
from collections.abc import Callable

import pytest
import torch

from tritonrl.tasks import Task
from tritonrl.verify.checking import _plain_ones_first
from tritonrl.verify.oracle.draws import (
    KINDS,
    LEVELS,
    SHIFT,
    Part,
    another,
    change_elements,
    redraw_parameter,
    reorder,
    vary,
)
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.oracle.properties import Properties, observe
from tritonrl.verify.settings import Settings
from tritonrl.verify.zygotes import Zygotes

INTENSITIES = (1.0, 0.3, 0.02)
Make = Callable[[torch.Generator], torch.Tensor]


def normal(g: torch.Generator) -> torch.Tensor:
    return torch.randn(7, 9, generator=g)


def uniform(g: torch.Generator) -> torch.Tensor:
    return torch.rand(7, 9, generator=g)


def shares(g: torch.Generator) -> torch.Tensor:
    """Between 0 and 1, but not as `torch.rand` has them: somebody meant that."""
    return torch.rand(7, 9, generator=g) ** 3


def distributions(g: torch.Generator) -> torch.Tensor:
    return torch.softmax(torch.randn(5, 7, generator=g), dim=-1)


def one_hot(g: torch.Generator) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.randint(0, 9, (7,), generator=g), 9).float()


def masks(g: torch.Generator) -> torch.Tensor:
    return torch.where(torch.rand(7, 7, generator=g) < 0.5, 0.0, float("-inf"))


def lower_triangular(g: torch.Generator) -> torch.Tensor:
    return torch.tril(torch.randn(2, 6, 6, generator=g))


def upper_triangular(g: torch.Generator) -> torch.Tensor:
    return torch.triu(torch.randn(6, 8, generator=g))


def symmetric(g: torch.Generator) -> torch.Tensor:
    made = torch.randn(6, 6, generator=g)
    return made + made.T


def away_from_zero(g: torch.Generator) -> torch.Tensor:
    return 1 + torch.rand(7, 9, generator=g)


def causal_weights(g: torch.Generator) -> torch.Tensor:
    scores = torch.randn(6, 6, generator=g)
    return torch.softmax(scores.masked_fill(torch.ones(6, 6).triu(1).bool(), float("-inf")), dim=-1)


def diagonal(g: torch.Generator) -> torch.Tensor:
    return torch.diag(torch.randn(6, generator=g))


def several(make: Make, count: int = 3) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    return [make(generator) for _ in range(count)]


def variations(make: Make, num_seeds: int = 4) -> dict[str, torch.Tensor]:
    """Every kind at every intensity, several times, of a new draw."""
    properties = observe(several(make))
    made = {}
    for kind in KINDS:
        for intensity in INTENSITIES:
            for seed in range(num_seeds):
                generator = torch.Generator().manual_seed(seed)
                own = make(generator)
                made[f"{kind} {intensity} {seed}"] = vary(kind, own, properties, intensity, generator)
    return made


def leaving(make: Make, holds: Callable[[torch.Tensor], bool]) -> list[str]:
    """The variations that leave a property which every own draw has."""
    assert all(holds(own) for own in several(make)), "the property is the task's own"
    return [name for name, made in variations(make).items() if not holds(made)]


def test_a_plain_draw_is_observed_as_it_is():
    seen = observe(several(normal))
    assert seen.signed
    assert (seen.fixed, seen.whole, seen.rows_sum_to_one, seen.symmetric, seen.triangle) == (
        False, False, False, False, None,
    )  # fmt: skip
    assert not seen.unit_interval
    assert -6 < seen.lowest < -1 < 1 < seen.highest < 6


def test_a_property_needs_every_draw():
    triangular, plain = several(lambda g: torch.tril(torch.randn(4, 4, generator=g)), 2), several(normal, 1)
    assert observe(triangular).triangle == "lower"
    assert observe([*triangular, torch.randn(4, 4)]).triangle is None
    assert not observe([torch.rand(3), torch.rand(3) + 1]).unit_interval
    assert observe(plain).fixed, "one draw shows nothing that varies"


@pytest.mark.parametrize(
    ("make", "name", "expected"),
    [
        (uniform, "unit_interval", True),
        (uniform, "signed", False),
        (away_from_zero, "away_from_zero", True),
        (uniform, "away_from_zero", False),
        (distributions, "rows_sum_to_one", True),
        (lower_triangular, "triangle", "lower"),
        (upper_triangular, "triangle", "upper"),
        (symmetric, "symmetric", True),
        (one_hot, "whole", True),
        (masks, "whole", True),
        (lambda g: torch.randint(0, 9, (4,), generator=g), "fixed", True),
        (lambda g: torch.rand(4, generator=g) < 0.5, "fixed", True),
        (lambda g: torch.full((3,), 0.125), "fixed", True),
        (lambda g: torch.empty(0, 3), "fixed", True),
    ],
)
def test_properties_are_observed(make: Make, name: str, expected: object):
    assert getattr(observe(several(make)), name) == expected


def test_an_input_that_is_always_the_same_is_left_alone():
    table = torch.randn(4, 4)
    properties = observe([table, table.clone(), table.clone()])
    for kind in set(KINDS) - {"constants"}:
        assert torch.equal(vary(kind, table, properties, 1.0, torch.Generator()), table)


def always(own: torch.Tensor) -> torch.Tensor:
    """An input that is the same in every draw, where a question is about such."""
    return vary("constants", own, observe([own, own.clone()]), 1.0, torch.Generator().manual_seed(2))


@pytest.mark.parametrize(
    "own", [torch.ones(64), torch.zeros(8, 8), torch.linspace(0.1, 3.2, 32), torch.randn(4, 6)]
)
def test_where_a_question_is_about_them_constants_are_others(own: torch.Tensor):
    made = always(own)
    assert (made.shape, made.dtype) == (own.shape, own.dtype)
    assert bool(torch.isfinite(made).all())
    assert not bool((made == own).any())


@pytest.mark.parametrize(
    "own",
    [
        torch.tensor(0.5), torch.tensor([0.5]), torch.eye(6), torch.tril(torch.ones(6, 6)),
        torch.tril(torch.randn(6, 6)), torch.tensor([0.0, float("-inf"), 0.0]), torch.arange(9.0),
        torch.arange(9), torch.softmax(torch.randn(4, 5), -1), torch.ones(4, dtype=torch.bool),
    ],
)  # fmt: skip
def test_a_number_a_mask_and_a_pattern_are_what_they_are_even_then(own: torch.Tensor):
    assert torch.equal(always(own), own)


def test_what_rand_draws_is_also_asked_of_both_signs_and_far_away():
    made = vary("beyond", torch.rand(64, 9), observe(several(uniform)), 1.0, torch.Generator().manual_seed(3))
    assert float(made.min()) < -140
    assert float(made.max()) > 140
    assert bool(((made > -4) & (made < 0)).any())


@pytest.mark.parametrize("make", [normal, shares, distributions, one_hot, away_from_zero])
def test_a_range_that_somebody_chose_is_kept(make: Make):
    own = make(torch.Generator().manual_seed(1))
    assert torch.equal(vary("beyond", own, observe(several(make)), 1.0, torch.Generator()), own)


@pytest.mark.parametrize(
    "make",
    [
        one_hot,
        lambda g: one_hot(g).long(),
        masks,
        lambda g: torch.randint(0, 50, (4, 20), generator=g).cumsum(1),
        lambda g: torch.stack([torch.randperm(20, generator=g) for _ in range(3)]),
        lambda g: torch.randint(0, 9, (), generator=g),
    ],
    ids=["one-hot", "one-hot integers", "additive mask", "offsets", "permutations", "a number"],
)
def test_what_means_something_is_only_drawn_by_the_task(make: Make):
    properties = observe(several(make))
    for kind in KINDS:
        own = make(torch.Generator().manual_seed(8))
        assert torch.equal(vary(kind, own, properties, 1.0, torch.Generator()), own)


@pytest.mark.parametrize(
    "make",
    [lambda g: torch.randint(-7, 50, (16, 20), generator=g), lambda g: torch.rand(16, 20, generator=g) < 0.5],
    ids=["integers", "booleans"],
)
def test_some_rows_of_integers_are_at_the_ends_of_their_range(make: Make):
    """The same rows of every input of a question; nothing is beyond what was drawn."""
    properties, own = observe(several(make)), make(torch.Generator().manual_seed(8))
    made = [vary("structured", own, properties, 1.0, torch.Generator(), Part(n, seed=5)) for n in range(2)]
    lowest, highest = (getattr(torch.cat(several(make)), end)().item() for end in ("min", "max"))
    assert made[0].dtype == own.dtype
    assert torch.equal(*made)
    both = torch.tensor([lowest] * 10 + [highest] * 10, dtype=own.dtype)
    for row in (torch.full((20,), lowest), torch.full((20,), highest), both):
        assert (made[0] == row).all(1).sum() == 2, "one in eight of sixteen"
    for one, others in ((highest, lowest), (lowest, highest)):
        single = ((made[0] == one).sum(1) == 1) & ((made[0] == others).sum(1) == 19)
        assert single.sum() == 2
    assert (made[0] == own).all(1).sum() >= 6
    assert all(
        torch.equal(vary(kind, own, properties, 1.0, torch.Generator()), own) for kind in ("mixed", "own")
    )


def test_a_single_row_of_integers_has_both_ends():
    def make(g: torch.Generator) -> torch.Tensor:
        return torch.randint(0, 50, (20,), generator=g)

    made = vary("structured", make(torch.Generator()), observe(several(make)), 1.0, torch.Generator())
    assert made[:10].unique().numel() == made[10:].unique().numel() == 1
    assert made[0] < 5
    assert made[-1] > 45


def test_numbers_between_zero_and_one_stay_there():
    assert leaving(shares, lambda x: bool(((x >= 0) & (x <= 1)).all())) == []


def test_numbers_without_sign_get_none():
    assert leaving(lambda g: 40 * torch.rand(7, 9, generator=g), lambda x: bool((x >= 0).all())) == []


def test_a_denominator_stays_away_from_zero():
    assert leaving(away_from_zero, lambda x: bool((x > 0.1).all())) == []


def test_distributions_stay_distributions():
    def holds(x: torch.Tensor) -> bool:
        return bool((x >= 0).all()) and torch.allclose(x.sum(-1), torch.ones(len(x)), atol=1e-5)

    assert leaving(distributions, holds) == []


@pytest.mark.parametrize(("make", "cut"), [(lower_triangular, torch.tril), (upper_triangular, torch.triu)])
def test_triangular_matrices_stay_triangular(make: Make, cut: Callable[[torch.Tensor], torch.Tensor]):
    assert leaving(make, lambda x: torch.equal(x, cut(x))) == []


def test_symmetric_matrices_stay_symmetric():
    assert leaving(symmetric, lambda x: torch.equal(x, x.mT)) == []


def test_causal_attention_weights_stay_causal_and_stay_weights():
    def holds(x: torch.Tensor) -> bool:
        return torch.equal(x, torch.tril(x)) and torch.allclose(x.sum(-1), torch.ones(6), atol=1e-3)

    assert leaving(causal_weights, holds) == []


def test_diagonal_matrices_stay_diagonal():
    assert leaving(diagonal, lambda x: torch.equal(x, torch.diag(x.diag()))) == []


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"beyond", "constants"}))
def test_every_kind_changes_a_plain_draw_and_keeps_its_shape_and_type(kind: str):
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        own = torch.randn(16, 24, generator=torch.Generator().manual_seed(1)).to(dtype)
        properties = Properties(fixed=False, lowest=-3.0, highest=3.0)
        made = vary(kind, own, properties, 1.0, torch.Generator().manual_seed(2))
        assert (made.shape, made.dtype) == (own.shape, own.dtype)
        assert not torch.equal(made, own)
        assert bool(torch.isfinite(made).all())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), (1,), (5,), (1, 1), (2, 3, 4, 5)])
def test_every_kind_works_on_every_rank(kind: str, shape: tuple[int, ...]):
    own = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    properties = Properties(fixed=False, lowest=-3.0, highest=3.0)
    assert vary(kind, own, properties, 1.0, torch.Generator()).shape == own.shape


def test_the_own_draw_is_kept_as_it_is():
    own = normal(torch.Generator().manual_seed(1))
    assert vary("own", own, observe(several(normal)), 1.0, torch.Generator()) is own


def test_a_softmax_without_its_maximum_overflows_on_shifted_rows():
    made = vary(
        "row_shift", torch.randn(32, 8), observe(several(normal)), 1.0, torch.Generator().manual_seed(3)
    )
    assert not bool(torch.isfinite(torch.exp(made)).all())
    assert bool(torch.isfinite(torch.softmax(made, -1)).all())


PLAIN = Properties(fixed=False, lowest=-3.0, highest=3.0)
SEEDS = range(60)


def together(kind: str, shapes: list[tuple[int, ...]], seed: int) -> list[torch.Tensor]:
    """The inputs of one question, drawn where there is no zero."""
    generator = torch.Generator().manual_seed(seed)
    own = [torch.rand(shape, generator=generator) + 1 for shape in shapes]
    parts = [Part(number, seed=seed) for number in range(len(own))]
    pairs = zip(own, parts, strict=True)
    return [vary(kind, each, PLAIN, 1.0, generator, part) for each, part in pairs]


@pytest.mark.parametrize(
    "shapes",
    [
        [(31, 70)] * 2,
        [(2, 4)] * 3,
        [(7,)] * 2,
        [(9, 20), (20,)],
        [(9, 20), (9, 20), (20,), (9, 20)],
        [(3, 5, 8), (3, 5, 8)],
    ],
    ids=str,
)
def test_each_input_is_zero_where_no_other_is_whatever_was_drawn(shapes: list[tuple[int, ...]]):
    for seed in SEEDS:
        zero = torch.stack(torch.broadcast_tensors(*(each == 0 for each in together("zeros", shapes, seed))))
        alone = zero & (zero.sum(0) == 1)
        assert all(bool(each.any()) for each in alone), f"seed {seed}"


@pytest.mark.parametrize("shapes", [[(31, 70)] * 2, [(2, 8)] * 3, [(9, 20), (20,)], [(3, 5, 8)] * 2], ids=str)
def test_some_places_are_zero_in_all_inputs_and_some_in_none(shapes: list[tuple[int, ...]]):
    for seed in SEEDS:
        zero = torch.stack(torch.broadcast_tensors(*(each == 0 for each in together("zeros", shapes, seed))))
        assert bool(zero.all(0).any()), f"seed {seed}"
        assert bool((~zero).all(0).any()), f"seed {seed}"


@pytest.mark.parametrize("shape", [(9, 20), (3, 9, 20), (2, 3, 5, 8)])
def test_a_line_of_every_dim_is_zero(shape: tuple[int, ...]):
    for seed in SEEDS:
        (made,) = together("zeros", [shape], seed)
        assert all(bool((made == 0).all(dim).any()) for dim in range(len(shape))), f"seed {seed}"


def test_an_input_that_may_not_be_zero_is_left_as_it_was_drawn():
    own = torch.rand(8, 12) + 0.01
    generator = torch.Generator()
    assert torch.equal(vary("zeros", own, PLAIN, 1.0, generator, Part(chosen=False)), own)
    away = Properties(fixed=False, lowest=1.0, highest=2.0)
    assert torch.equal(vary("zeros", 1 + own, away, 1.0, generator), 1 + own)


@pytest.mark.parametrize("count", [4, 5, 12, 29, 80])
def test_rows_are_shifted_by_every_amount_whatever_was_drawn(count: int):
    own = torch.zeros(count, 6)
    for seed in SEEDS:
        made = vary("row_shift", own, PLAIN, 1.0, torch.Generator().manual_seed(seed))
        assert set(made[:, 0].tolist()) == {torch.tensor(SHIFT * each).item() for each in LEVELS}


def test_a_window_of_rows_lies_far_below():
    own = torch.zeros(2, 4, 10, 14)
    for seed in SEEDS:
        made = vary("row_shift", own, PLAIN, 1.0, torch.Generator().manual_seed(seed))
        assert float(torch.nn.functional.max_pool2d(made, 2).min()) == -SHIFT


@pytest.mark.parametrize(("kind", "sign"), [("all_low", -1), ("all_small", 1)])
def test_a_whole_tensor_has_one_sign(kind: str, sign: int):
    own = torch.randn(12, 20, generator=torch.Generator().manual_seed(1))
    assert bool((sign * vary(kind, own, PLAIN, 1.0, torch.Generator()) > 0).all())


def test_rows_with_a_spike_and_constant_ones_are_there_whatever_was_drawn():
    own = torch.rand(12, 30, generator=torch.Generator().manual_seed(1)) + 1
    for seed in SEEDS:
        made = vary("structured", own, PLAIN, 1.0, torch.Generator().manual_seed(seed))[
            :-1
        ]  # the last is heavy
        is_constant, has_spike = (made[:, :-1] == made[:, :1]).all(1), (made > 20).any(1)
        assert 1 <= int(is_constant.sum()) <= 2
        assert 1 <= int(has_spike.sum()) <= 2


def test_the_smallest_magnitude_is_there_however_few_rows_there_are():
    for count in (1, 2, 5, 40):
        made = vary("small", torch.ones(count, 9), PLAIN, 1.0, torch.Generator().manual_seed(count))
        assert float(made.min()) == (2.0**-24 if count > 1 else 2.0**-12)
        assert count == 1 or 2.0**-12 in made, "an epsilon of 1e-5 beside a variance"


def test_rows_are_shifted_beyond_what_a_kernel_takes_for_infinite():
    for dtype, reach in ((torch.float32, 9e4), (torch.bfloat16, 9e4), (torch.float16, 1.6e4)):
        own = torch.randn(16, 9, generator=torch.Generator().manual_seed(1)).to(dtype)
        made = vary("far", own, PLAIN, 1.0, torch.Generator().manual_seed(2)).float()
        assert float(made.max()) > reach
        assert float(made.min()) < -reach
        assert (made.abs().amax(1) < 10).sum() >= 4, "some are left where they are"


def test_some_probabilities_are_zero_and_rows_still_sum_to_one():
    own = torch.softmax(torch.randn(16, 9, generator=torch.Generator().manual_seed(1)), -1)
    properties = observe([own, own.roll(1, 0), own.roll(2, 0)])
    assert properties.rows_sum_to_one
    made = vary("zeros", own, properties, 1.0, torch.Generator().manual_seed(2))
    assert (made == 0).any()
    assert torch.allclose(made.sum(-1), torch.ones(16))


def test_milder_variations_move_less():
    properties = observe(several(normal))
    own = torch.randn(32, 8, generator=torch.Generator().manual_seed(1))
    moved = [
        float((vary("row_shift", own, properties, each, torch.Generator().manual_seed(3)) - own).abs().max())
        for each in INTENSITIES
    ]
    assert moved == sorted(moved, reverse=True)
    assert moved[0] > 20 * moved[2]


@pytest.mark.parametrize(
    "own", [torch.randn(6, 4).T, torch.randn(4, 12)[:, ::2], torch.randn(3, 2, 4).permute(2, 0, 1)]
)
def test_strides_are_kept(own: torch.Tensor):
    properties = Properties(fixed=False, lowest=-3.0, highest=3.0)
    assert vary("mixed", own, properties, 1.0, torch.Generator()).stride() == own.stride()
    assert change_elements(own, own + 1, 3, torch.Generator()).stride() == own.stride()
    assert reorder(own, properties, torch.Generator()).stride() == own.stride()


def test_elements_that_share_a_place_get_places_of_their_own():
    own = torch.randn(1, 4).expand(3, 4)
    made = vary("mixed", own, Properties(fixed=False, lowest=-3.0, highest=3.0), 1.0, torch.Generator())
    assert made.is_contiguous()
    assert not torch.equal(made[0], made[1])


def test_a_near_twin_differs_in_few_elements_and_only_to_the_other_draw():
    own, other = torch.zeros(20, 30), torch.ones(20, 30)
    made = change_elements(own, other, 2, torch.Generator().manual_seed(1))
    assert 1 <= int(made.sum()) <= 2
    assert torch.equal(own, torch.zeros(20, 30)), "the draw itself is not touched"


def test_a_twin_of_another_shape_is_the_other_draw():
    other = torch.ones(5)
    assert torch.equal(change_elements(torch.zeros(4), other, 2, torch.Generator()), other)


STRUCTURED_TASK = """import torch
import torch.nn.functional as F


def get_inputs():
    kinds = F.one_hot(torch.randint(0, 9, (64,)), 9).float()
    shares = torch.softmax(torch.randn(64, 9), dim=-1)
    return [kinds, shares, torch.randperm(64), torch.tril(torch.randn(9, 9))]


def fused_operator(tensor_0, tensor_1, tensor_2, tensor_3):
    return [((tensor_0 + tensor_1) @ tensor_3)[tensor_2]]
"""


def test_every_question_of_an_exam_keeps_what_every_draw_of_the_task_shows(zygotes: Zygotes):
    task = Task.functional("structured", STRUCTURED_TASK)
    left = set()
    for draw in Oracle(zygotes, task, Settings()).exam().draws:
        kinds, shares, order, triangle = draw.inputs.tensors
        holds = {
            "one-hot": torch.equal(kinds.sum(-1), torch.ones(64)) and kinds.unique().tolist() == [0, 1],
            "distributions": torch.allclose(shares.sum(-1), torch.ones(64), atol=1e-5),
            "a permutation": torch.equal(order.sort().values, torch.arange(64)),
            "triangular": torch.equal(triangle, torch.tril(triangle)),
        }
        left |= {(draw.kind, name) for name, held in holds.items() if not held}
    assert left == set()


SEEDED_TASK = """import random

import numpy
import torch
from torch import Generator, manual_seed


def get_inputs():
    manual_seed(42)
    random.seed(1)
    numpy.random.seed(2)
    return [
        torch.randn(8),
        torch.randn(8, generator=Generator().manual_seed(7)),
        torch.tensor([random.random() for _ in range(8)]),
        torch.tensor([random.Random(3).random()] * 8),
        torch.from_numpy(numpy.random.rand(8)).float(),
        torch.from_numpy(numpy.random.default_rng(5).random(8)).float(),
    ]


def fused_operator(*tensors):
    return [sum(tensors)]
"""


def test_seeds_of_a_task_do_not_make_its_draws_the_same(zygotes: Zygotes):
    exam = Oracle(zygotes, Task.functional("seeded", SEEDED_TASK), Settings()).exam()
    own = [draw.inputs.tensors for draw in exam.draws if draw.kind == "own"]
    for drawn in zip(*own, strict=True):
        assert len({each.numpy().tobytes() for each in drawn}) == len(own)


NUMBERS_TASK = """import torch


def get_inputs():
    return [torch.randn(8, 8), 0.75, 3, {"slope": 0.25}]


def fused_operator(tensor_0, power, times, options):
    return [(tensor_0.abs() + 0.1) ** power * times * options["slope"]]
"""


def test_plain_numbers_that_are_not_whole_are_asked_with_other_values_too(zygotes: Zygotes):
    exam = Oracle(zygotes, Task.functional("numbers", NUMBERS_TASK), Settings()).exam()
    asked = {
        (power, times, slope)
        for draw in exam.draws
        for _, (_, power), (_, times), (_, [[_, (_, slope)]]) in [draw.inputs.structure[1]]
    }
    (other,) = asked - {(0.75, 3, 0.25)}
    assert other[1] == 3
    assert other[0] != 0.75
    assert other[2] != 0.25


MOVING_TASK = """import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("center", torch.zeros(6))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        self.center.copy_(0.9 * self.center + 0.1 * x.mean(0))
        return x - self.center


def get_inputs():
    return [torch.randn(5, 6)]


def get_init_inputs():
    return []
"""


def test_a_state_that_calls_change_is_asked_as_they_leave_it(zygotes: Zygotes):
    task = Task(id="moving", kind="kernelbench", source=MOVING_TASK, entry="Model", init_style="args")
    exam = Oracle(zygotes, task, Settings()).exam()
    (variant,) = exam.variants
    states = [dict(zip(each.names, each.tensors, strict=True)) for each in variant.states]
    assert [int(each["steps"]) for each in states] == [0] * (len(states) - 1) + [1]
    assert {draw.state for draw in exam.draws} == set(range(len(states)))


@pytest.mark.parametrize("make", [lambda g: torch.randint(-50, 50, (40,), generator=g), one_hot, normal])
def test_another_tensor_of_the_kind_has_other_values(make: Make):
    own, properties = several(make)[0], observe(several(make))
    made = another(own, properties, torch.Generator().manual_seed(1))
    assert (made.shape, made.dtype) == (own.shape, own.dtype)
    assert not torch.equal(made, own)


@pytest.mark.parametrize(
    "make",
    [
        lambda g: torch.randint(0, 50, (2000,), generator=g),
        lambda g: torch.randint(0, 50, (2000,), generator=g).float(),
    ],
    ids=["integers", "whole floats"],
)
def test_another_tensor_of_whole_numbers_has_another_sum_and_goes_no_further(make: Make):
    own, properties = several(make)[0], observe(several(make))
    made = [another(own, properties, torch.Generator().manual_seed(seed)) for seed in range(8)]
    assert all(each.sum() != own.sum() for each in made)
    assert len({int(each.max()) for each in made}) > 1
    assert all(own.min() <= each.min() <= each.max() <= own.max() for each in made)


@pytest.mark.parametrize(
    "make",
    [
        lambda g: torch.stack([torch.randperm(20, generator=g) for _ in range(3)]),
        one_hot,
        lambda g: torch.randint(1, 9, (20,), generator=g).cumsum(0),
    ],
    ids=["permutations", "one-hot", "offsets"],
)
def test_another_tensor_of_what_means_something_means_it_still(make: Make):
    own, properties = several(make)[0], observe(several(make))
    made = another(own, properties, torch.Generator().manual_seed(3))
    assert not torch.equal(made, own)
    if properties.in_order:
        assert (made[0], made[-1]) == (own[0], own[-1])
        assert torch.equal(made.diff().sort().values, own.diff().sort().values)
    else:
        assert torch.equal(made.sort(-1).values, own.sort(-1).values)


RAGGED = """import torch


def get_inputs():
    count = int(torch.randint(900, 4000, ()))
    return [torch.randint(0, 16, (count,))]


def fused_operator(tensor_0):
    return [tensor_0.sum(), torch.bincount(tensor_0, minlength=16), tensor_0.max()]
"""


def test_a_question_alone_of_its_shape_gets_another_one_with_another_answer(zygotes: Zygotes):
    exam = Oracle(zygotes, Task.functional("t", RAGGED), Settings()).exam()
    for draw in exam.draws:
        mates = [each for each in exam.draws if each is not draw and each.asks_like(draw)]
        assert any(not each.shares_an_answer(draw) for each in mates)


def test_of_questions_of_one_shape_a_plain_one_comes_first(zygotes: Zygotes):
    """So what is special is asked when there is a log already that says nothing of it."""
    exam = Oracle(zygotes, Task.functional("t", RAGGED), Settings()).exam()
    orders = [_plain_ones_first(exam.draws, random.Random(seed)) for seed in range(8)]
    assert len({tuple(map(id, order)) for order in orders}) == len(orders)
    for order in orders:
        assert sorted(map(id, order)) == sorted(map(id, exam.draws))
        for place, draw in enumerate(order):
            assert draw.is_plain or any(draw.asks_like(before) for before in order[:place])


def test_another_order_has_the_same_values():
    own = torch.randn(9, 11, generator=torch.Generator().manual_seed(1))
    made = reorder(own, observe(several(normal)), torch.Generator().manual_seed(2))
    assert not torch.equal(made, own)
    assert torch.equal(made.flatten().sort().values, own.flatten().sort().values)


@pytest.mark.parametrize("make", [one_hot, distributions, lower_triangular, symmetric])
def test_another_order_keeps_the_properties(make: Make):
    draws = several(make)
    before = observe(draws)
    after = observe([reorder(each, before, torch.Generator().manual_seed(7)) for each in draws])
    assert (after.rows_sum_to_one, after.whole, after.triangle, after.symmetric) == (
        before.rows_sum_to_one,
        before.whole,
        before.triangle,
        before.symmetric,
    )


def test_weights_are_redrawn_around_what_they_were():
    own = 3 + 0.1 * torch.randn(4000, generator=torch.Generator().manual_seed(1))
    made = redraw_parameter("parameter", own, 1.0, torch.Generator().manual_seed(2))
    assert made.dtype == own.dtype
    assert abs(float(made.mean()) - 3) < 0.02
    assert abs(float(made.std()) - 0.1) < 0.02
    assert not torch.equal(made, own)


@pytest.mark.parametrize("own", [torch.ones(64), torch.zeros(64)])
def test_constant_weights_are_spread_out(own: torch.Tensor):
    made = redraw_parameter("parameter", own, 1.0, torch.Generator().manual_seed(2))
    assert float(made.std()) > 0.3


def test_a_buffer_of_one_value_is_spread_out_and_a_single_number_is_not():
    made = redraw_parameter("buffer", torch.zeros(64), 1.0, torch.Generator().manual_seed(2))
    assert float(made.std()) > 0.3
    assert float(redraw_parameter("buffer", torch.ones(1), 1.0, torch.Generator())) == 1.0


def test_variances_stay_positive_and_buffers_and_counters_stay_as_they_are():
    generator = torch.Generator().manual_seed(2)
    assert bool((redraw_parameter("variance", torch.ones(500), 1.0, generator) > 0).all())
    table, counter = torch.randn(5), torch.tensor(7)
    assert torch.equal(redraw_parameter("buffer", table, 1.0, generator), table)
    assert torch.equal(redraw_parameter("parameter", counter, 1.0, generator), counter)
