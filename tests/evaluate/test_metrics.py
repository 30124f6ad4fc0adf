"""Metrics against numbers worked by hand, and against trying everything out."""

import itertools
import math
import random
import statistics

import pytest

from tritonrl.evaluate import metrics
from tritonrl.evaluate.metrics import best_of, pass_at
from tritonrl.intervals import bootstrap, wilson


def test_wilson_by_hand():
    """8 of 10: the textbook's 0.490 to 0.943."""
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 5) == pytest.approx((0.0, 0.4345), abs=1e-4)


def test_pass_at_k_by_hand():
    """Of 4 samples 1 is right: two of them hold it with chance 1 - C(3,2)/C(4,2) = 1 - 3/6."""
    assert pass_at(2, 4, 1) == 0.5
    assert pass_at(1, 4, 1) == 0.25
    assert pass_at(4, 4, 1) == 1.0
    assert pass_at(3, 4, 0) == 0.0
    assert pass_at(2, 4, 3) == 1.0, "of two samples one is right at least"


@pytest.mark.parametrize("n", range(1, 7))
def test_pass_at_k_is_the_share_of_all_choices_that_hold_a_right_one(n: int):
    for right, k in itertools.product(range(n + 1), range(1, n + 1)):
        samples = [place < right for place in range(n)]
        choices = [any(choice) for choice in itertools.combinations(samples, k)]
        assert pass_at(k, n, right) == pytest.approx(statistics.fmean(choices))


@pytest.mark.parametrize("n", range(1, 7))
def test_the_best_of_k_is_the_mean_of_the_largest_over_all_choices(n: int):
    values = [random.Random(n * 10 + place).choice([0.0, 1.0, 1.5, 3.0]) for place in range(n)]
    for k in range(1, n + 1):
        largest = [max(choice) for choice in itertools.combinations(values, k)]
        assert best_of(k, values) == pytest.approx(statistics.fmean(largest))


@pytest.mark.parametrize(("k", "n"), [(0, 3), (4, 3), (1, 0)])
def test_samples_that_are_not_there_cannot_be_drawn(k: int, n: int):
    with pytest.raises(ValueError, match="cannot be drawn"):
        pass_at(k, n, 0)
    with pytest.raises(ValueError, match="cannot be drawn"):
        best_of(k, [1.0] * n)


def test_a_share_of_tasks_has_wilsons_interval_and_a_mean_of_chances_another():
    found = metrics.share([1.0] * 8 + [0.0] * 2)
    assert found
    assert (found.value, found.num_tasks) == (0.8, 10)
    assert (found.low, found.high) == wilson(8, 10)
    chances = [0.25, 0.5, 1.0, 0.0]
    found = metrics.share(chances)
    assert found
    assert (found.low, found.high) == bootstrap(chances)
    assert found.interval
    assert 0.0 <= found.interval[0] < found.value < found.interval[1] <= 1.0


def test_no_interval_has_no_width():
    """Drawing again from one value, or from equal ones, says that it is known exactly."""
    for found in (metrics.share([0.5]), metrics.mean([2.0]), metrics.mean([2.0] * 9), metrics.geomean([2.0])):
        assert found
        assert found.interval is None
        assert (found.document()["low"], found.document()["high"]) == (None, None)
    found = metrics.share([0.5] * 4)
    assert found
    assert found.interval == wilson(2, 4)


def test_the_mean_and_the_geometric_mean_by_hand():
    found = metrics.geomean([0.5, 2.0, 8.0])
    assert found
    assert found.value == pytest.approx(2.0)
    assert found.interval
    assert found.interval[0] < 2.0 < found.interval[1]
    mean = metrics.mean([0.5, 2.0, 8.0])
    assert mean
    assert mean.value == 3.5


def test_a_zero_makes_the_geometric_mean_zero():
    found = metrics.geomean([0.0, 4.0])
    assert found
    assert (found.value, found.interval) == (0.0, None)


def test_of_nothing_there_is_no_figure():
    assert metrics.share([]) is None
    assert metrics.mean([]) is None
    assert metrics.geomean([]) is None


def test_the_bootstrap_holds_the_true_mean_as_often_as_it_says():
    """Of 200 samples of 30 exponential values, 95 % within a few."""
    rng, hits = random.Random(1), 0
    for _ in range(200):
        low, high = bootstrap([rng.expovariate(1.0) for _ in range(30)])
        hits += low <= 1.0 <= high
    assert 0.86 <= hits / 200 <= 0.99
    assert bootstrap([2.0, 2.0]) == (2.0, 2.0)
    assert not math.isnan(bootstrap([1.0])[0])
