"""Metrics of samples, n for each task: unbiased estimates of what k of them would give. Pure arithmetic.

A task of which c of n samples succeed is solved by k of them with chance 1 - C(n - c, k) / C(n, k); the best
of k values drawn without replacement is the i-th smallest of n with chance C(i - 1, k - 1) / C(n, k).
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tritonrl.intervals import bootstrap, wilson


@dataclass(frozen=True)
class Measure:
    """A figure, the interval that holds the true one with 95 % confidence, and the tasks behind it. None for
    its ends where these tasks tell of no spread."""

    value: float
    low: float | None
    high: float | None
    num_tasks: int

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)

    def document(self) -> dict[str, float | None]:
        return {"value": self.value, "low": self.low, "high": self.high, "num_tasks": self.num_tasks}


def pass_at(k: int, num_samples: int, num_right: int) -> float:
    """The chance that one of k samples is right, where so many of all are."""
    _check(k, num_samples)
    return 1.0 - math.comb(num_samples - num_right, k) / math.comb(num_samples, k)


def best_of(k: int, values: Sequence[float]) -> float:
    """The largest of k of these values, on average."""
    _check(k, len(values))
    ordered = enumerate(sorted(values))
    return sum(math.comb(rank, k - 1) * value for rank, value in ordered) / math.comb(len(values), k)


def _check(k: int, num_samples: int) -> None:
    if not 1 <= k <= num_samples:
        raise ValueError(f"{k} of {num_samples} samples cannot be drawn")


def share(chances: Sequence[float]) -> Measure | None:
    """The mean chance of a task: by drawing tasks again; by Wilson where every task is right or wrong, or all
    chances are equal and drawing tells nothing. Wilson's is then wide: no chances spread as much as those.
    One task whose samples differ tells of no other task."""
    are_sure = all(chance in (0.0, 1.0) for chance in chances)
    if chances and (are_sure or (len(chances) > 1 and len(set(chances)) == 1)):
        return Measure(statistics.fmean(chances), *wilson(sum(chances), len(chances)), len(chances))
    return mean(chances)


def mean(values: Sequence[float]) -> Measure | None:
    """None of nothing; without an interval where all are equal, and drawing again gives the same."""
    if not values:
        return None
    low, high = bootstrap(values) if len(set(values)) > 1 else (None, None)
    return Measure(statistics.fmean(values), low, high, len(values))


def geomean(values: Sequence[float]) -> Measure | None:
    """Of values that are not negative; a single zero makes it zero."""
    if not all(values):
        return Measure(0.0, None, None, len(values))
    found = mean([math.log(value) for value in values])
    if found is None:
        return None
    low, high = [math.exp(each) for each in found.interval] if found.interval else (None, None)
    return Measure(math.exp(found.value), low, high, found.num_tasks)
