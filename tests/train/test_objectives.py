"""Objectives against numbers worked out by hand, their rules for groups, and their gradients."""

import math
from collections.abc import Callable

import pytest
import torch

from tritonrl.train.objectives import drpo, grpo, hrd, surrogate
from tritonrl.train.objectives.groups import EPSILON, normalised

NOT = math.nan
HALF = math.sqrt(0.5)
PAIR = 0.5 / (HALF + EPSILON)
"""The advantage of 1 beside 0."""
TWO = 1 / (2 * HALF + EPSILON)
"""The advantage of 2 beside 0."""


def rows(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize(
    ("rewards", "size", "expected"),
    [
        # mean 1/2, std √(1/3): ±(1/2)/(√(1/3) + ε)
        ((1, 0, 1, 0), 4, [0.5 / (math.sqrt(1 / 3) + EPSILON) * sign for sign in (1, -1, 1, -1)]),
        # two groups, each by itself
        ((1, 0, 2, 0), 2, [PAIR, -PAIR, TWO, -TWO]),
        ((1, 1, 1, 1), 4, [0, 0, 0, 0]),
        ((0.1, 0.1, 0.1), 3, [0, 0, 0]),  # whose mean is not 0.1 as floats go
        ((0, 0, 0, 0), 4, [0, 0, 0, 0]),
        # what is not scored leaves the group: the others are 1 and 0
        ((1, NOT, 0, NOT), 4, [PAIR, 0, -PAIR, 0]),
        ((NOT, 1, NOT, NOT), 4, [0, 0, 0, 0]),
        ((NOT, NOT), 2, [0, 0]),
        ((1, 0), 1, [0, 0]),
    ],
)  # fmt: skip
def test_advantages_of_groups(rewards: tuple[float, ...], size: int, expected: list[float]):
    assert normalised(rows(*rewards), size).tolist() == pytest.approx(expected, abs=1e-12)


# HRD

MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])


def of_hrd(correct: torch.Tensor, speedup: torch.Tensor, plan: torch.Tensor, alpha: float) -> float:
    """With π_θ = π_old the loss is minus the mean over answers of the mean advantage of their tokens."""
    logps = torch.full((2, 4), -1.0, dtype=torch.float64)
    return hrd.loss(logps, logps, MASK, plan, correct, speedup, size=2, alpha=alpha).item()


FAST = 0.25 / (0.5 * HALF + EPSILON)
"""The advantage of 1.5 beside 1."""


UNEVEN = torch.tensor([[1, 0, 0, 0], [1, 0, 0, 0]]).bool()
"""A quarter of the first answer is its plan, and half of the second."""
TWICE = 0.75 / (1.5 * HALF + EPSILON)
"""The advantage of 1.5 beside 0."""


@pytest.mark.parametrize(
    ("correct", "speedup", "alpha", "expected"),
    [
        # -1/2·[(α·TWICE + 3·PAIR)/4 + (-α·TWICE - PAIR)/2]
        ((1, 0), (1.5, 0), 0.1, -0.5 * ((0.1 * TWICE + 3 * PAIR) / 4 - (0.1 * TWICE + PAIR) / 2)),
        ((1, 1), (1.5, 1), 0.1, -0.5 * (0.1 * FAST / 4 - 0.1 * FAST / 2)),
        ((1, 0), (NOT, 0), 0.1, -0.5 * (3 * PAIR / 4 - PAIR / 2)),
        ((1, 0), (1.5, 0), 0.0, -0.5 * (3 * PAIR / 4 - PAIR / 2)),
        ((1, 0), (1.5, 0), 1.0, -0.5 * ((TWICE + 3 * PAIR) / 4 - (TWICE + PAIR) / 2)),
        ((1, NOT), (1.5, NOT), 0.1, 0.0),
        ((0, 0), (0, 0), 0.1, 0.0),
        ((NOT, NOT), (NOT, NOT), 0.1, 0.0),
    ],
)
def test_hrd_by_hand(correct, speedup, alpha, expected):
    assert of_hrd(rows(*correct), rows(*speedup), UNEVEN, alpha) == pytest.approx(expected, abs=1e-12)


def test_hrd_clips_each_token_by_its_own_advantage():
    old = torch.zeros(2, 2, dtype=torch.float64)
    logps = torch.log(torch.tensor([[1.5, 1.5], [1.5, 0.5]], dtype=torch.float64))
    plan = torch.tensor([[True, False], [True, False]])
    mask = torch.ones(2, 2)
    found = hrd.loss(logps, old, mask, plan, rows(1, 0), rows(1.5, 0), size=2, alpha=0.1)
    # Gains end at 1.2; of what is to become rarer, a ratio of 1.5 counts whole and 0.5 as 0.8.
    first = (1.2 * 0.1 * TWICE + 1.2 * PAIR) / 2
    second = (1.5 * -0.1 * TWICE + 0.8 * -PAIR) / 2
    assert found.item() == pytest.approx(-(first + second) / 2, abs=1e-12)


def some(seed: int = 0, groups: int = 3, size: int = 4, tokens: int = 6):
    """A batch with every kind of answer: right, wrong, not scored, of unknown speed."""
    random = torch.Generator().manual_seed(seed)
    count = groups * size
    logps = -torch.rand(count, tokens, generator=random, dtype=torch.float64)
    old = logps + 0.3 * torch.randn(count, tokens, generator=random, dtype=torch.float64)
    lengths = torch.randint(2, tokens + 1, (count,), generator=random)
    mask = (torch.arange(tokens) < lengths[:, None]).long()
    plan = torch.arange(tokens) < (lengths // 2)[:, None]
    correct = (torch.rand(count, generator=random) < 0.5).double()
    speedup = correct * (0.5 + 1.5 * torch.rand(count, generator=random, dtype=torch.float64))
    correct[2], speedup[2] = NOT, NOT
    speedup[correct.nan_to_num(0).nonzero()[0]] = NOT
    return logps, old, mask, plan, correct, speedup


def test_all_code_is_grpo_on_correctness_and_all_plan_is_alpha_times_grpo_on_speed():
    logps, old, mask, plan, correct, speedup = some()
    code, nothing_but = torch.zeros_like(plan), torch.ones_like(plan)
    all_code = hrd.loss(logps, old, mask, code, correct, speedup, 4, alpha=0.1)
    all_plan = hrd.loss(logps, old, mask, nothing_but, correct, speedup, 4, alpha=0.1)
    on = [surrogate.loss(logps, old, normalised(each, 4), mask, 0.2) for each in (correct, speedup)]
    assert all_code.item() == pytest.approx(on[0].item(), rel=1e-12)
    assert all_plan.item() == pytest.approx(0.1 * on[1].item(), rel=1e-12)
    assert all_code.item() == grpo.loss(logps, old, mask, correct, speedup, 4, beta=1.0).item()


def test_alpha_zero_leaves_plan_tokens_untouched():
    logps, old, mask, plan, correct, speedup = some()
    logps.requires_grad_()
    hrd.loss(logps, old, mask, plan, correct, speedup, 4, alpha=0.0).backward()
    assert logps.grad is not None
    assert not logps.grad[plan].any()
    assert logps.grad[~plan & mask.bool()].any()


def test_an_unknown_speed_is_no_gradient_on_its_plan():
    logps, old, mask, plan, correct, speedup = some()
    logps.requires_grad_()
    hrd.loss(logps, old, mask, plan, correct, speedup, 4).backward()
    assert logps.grad is not None
    assert not logps.grad[speedup.isnan()[:, None] & plan].any()
    assert logps.grad[plan].any()
    untimed = torch.where(correct == 1, NOT, speedup)
    logps.grad = None
    hrd.loss(logps, old, mask, plan, correct, untimed, 4).backward()
    assert not logps.grad[plan].any()


# GRPO


@pytest.mark.parametrize(
    ("correct", "speedup", "beta", "expected"),
    [
        ((1, 0), (1.5, 0), 0.9, [1.05, 0]),
        ((1, 1), (2.0, 0.5), 0.3, [1.7, 0.65]),
        ((1, NOT), (1.0, NOT), 0.9, [1.0, NOT]),
        # One speed of the first group is not known: it is compared by correctness alone.
        ((1, 1, 0, 1, 0, 0), (NOT, 1.5, 0, 2, 0, 0), 0.9, [0.9, 0.9, 0, 1.1, 0, 0]),
    ],
)
def test_rewards_of_grpo(correct, speedup, beta, expected):
    size = 3 if len(correct) == 6 else 2
    assert grpo.rewards(rows(*correct), rows(*speedup), size, beta).tolist() == pytest.approx(
        expected, nan_ok=True
    )


def test_grpo_by_hand():
    logps = torch.zeros(2, 2, dtype=torch.float64)
    mask = torch.tensor([[1, 1], [1, 0]])
    old = torch.log(torch.tensor([[1, 0.5], [1, 1]], dtype=torch.float64))  # a ratio of 2
    found = grpo.loss(logps, old, mask, rows(1, 0), rows(1, 0), 2, beta=0.5)
    assert found.item() == pytest.approx(-((1 + 1.2) / 2 * PAIR - PAIR) / 2, abs=1e-12)
    for correct, speedup in (((1, 1), (1, 1)), ((0, 0), (0, 0)), ((1, NOT), (1, NOT))):
        assert grpo.loss(logps, old, mask, rows(*correct), rows(*speedup), 2).item() == 0


# DRPO


@pytest.mark.parametrize(
    ("correct", "speedup", "expected"),
    [
        ((1, 1, 0), (2.0, 1.0, 0), [2**10 / (2**10 + 1), 1 / (2**10 + 1), 0]),  # s^(1/λ)
        ((1, 1, 0), (NOT, NOT, 0), [0.5, 0.5, 0]),
        ((1, 1, 1), (NOT, 1.3, 1.3), [1 / 3, 1 / 3, 1 / 3]),
        ((1, 0, NOT), (0.7, 0, NOT), [1, 0, 0]),
        ((0, 0, NOT), (0, 0, NOT), [0, 0, 0]),
    ],
)
def test_weights_of_drpo(correct, speedup, expected):
    assert drpo.weights(rows(*correct), rows(*speedup), 3, lam=0.1).tolist() == pytest.approx(expected)


LOGPS = torch.tensor([[-1.0, -3.0], [-2.0, 0.0], [-4.0, -4.0], [-6.0, 0.0]], dtype=torch.float64)
"""Means -2, -2 (one token), -4 and -6 (one token)."""
MASKS = torch.tensor([[1, 1], [1, 0], [1, 1], [1, 0]])


@pytest.mark.parametrize(
    ("correct", "speedup", "expected"),
    [
        # All speeds alike: ω = 1/2 each; pain: 5·log((e^(-4/5) + e^(-6/5))/2).
        ((1, 1, 0, 0), (1, 1, 0, 0), 2 + 5 * math.log((math.exp(-0.8) + math.exp(-1.2)) / 2)),
        # One right answer, one wrong, the others not scored: -(-2) + (-4).
        ((1, NOT, 0, NOT), (1, NOT, 0, NOT), 2 - 4),
        # ω of the first is 2^10/(2^10 + 1), of the third, whose mean is -4, the rest.
        ((1, 0, 1, NOT), (2, 0, 1, NOT), (2 * 2**10 + 4) / (2**10 + 1) - 2),
        ((1, 1, 1, 1), (1, 2, 1, 2), 0.0),
        ((0, 0, 0, 0), (0, 0, 0, 0), 0.0),
        ((1, NOT, NOT, NOT), (1, NOT, NOT, NOT), 0.0),
    ],
)
def test_drpo_by_hand(correct, speedup, expected):
    found = drpo.loss(LOGPS, LOGPS, MASKS, rows(*correct), rows(*speedup), 4)
    assert found.item() == pytest.approx(expected, abs=1e-12)


def test_groups_of_drpo_that_drop_out_count_as_nothing():
    correct, speedup = rows(1, 0, 1, 1), rows(1, 0, 1, 1)
    found = drpo.loss(LOGPS, LOGPS, MASKS, correct, speedup, 2)  # the second group is all right
    assert found.item() == pytest.approx((2 - 2) / 2, abs=1e-12)
    correct = rows(1, NOT, 1, 0)
    assert drpo.loss(LOGPS, LOGPS, MASKS, correct, correct, 2).item() == pytest.approx((4 - 6) / 2, abs=1e-12)


@pytest.mark.parametrize(("away", "expected"), [(0.01, 0.0), (0.5, 100 * (math.exp(0.5) - 1.5 - 0.001) ** 2)])
def test_the_hinge_of_drpo_holds_the_policy_near_the_one_that_wrote(away: float, expected: float):
    right = rows(1, 1, 1, 1)
    found = drpo.loss(LOGPS, LOGPS - away, MASKS, right, right, 4)
    assert found.item() == pytest.approx(expected, rel=1e-9, abs=1e-12)


# Gradients


def check_gradient(loss: Callable[[torch.Tensor], torch.Tensor], logps: torch.Tensor) -> None:
    logps = logps.clone().requires_grad_()
    loss(logps).backward()
    assert logps.grad is not None
    step = 1e-6
    for place in range(logps.numel()):
        ends = []
        for sign in (1, -1):
            moved = logps.detach().clone()
            moved.view(-1)[place] += sign * step
            ends.append(loss(moved).item())
        slope = (ends[0] - ends[1]) / (2 * step)
        assert logps.grad.view(-1)[place].item() == pytest.approx(slope, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_of_hrd_are_slopes(seed: int):
    logps, old, mask, plan, correct, speedup = some(seed)
    check_gradient(lambda each: hrd.loss(each, old, mask, plan, correct, speedup, 4), logps)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_of_drpo_are_slopes(seed: int):
    logps, old, mask, _, correct, speedup = some(seed)
    assert drpo.kl(logps, old, mask) > 0.001  # the hinge takes part
    check_gradient(lambda each: drpo.loss(each, old, mask, correct, speedup, 4), logps)


def test_drpo_pulls_right_answers_up_and_the_likeliest_wrong_one_down_most():
    logps, _, mask, _, correct, speedup = some(1)
    logps.requires_grad_()
    drpo.loss(logps, logps.detach(), mask, correct, speedup, 4).backward()
    assert logps.grad is not None
    pull = -logps.grad.sum(1)
    groups = correct.view(-1, 4)
    mixed = ((groups == 1).any(1) & (groups == 0).any(1)).repeat_interleave(4)
    assert (pull[mixed & (correct == 1)] > 0).all()
    assert (pull[mixed & (correct == 0)] < 0).all()
    assert not pull[~mixed | correct.isnan()].any()
