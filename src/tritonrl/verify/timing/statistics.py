"""From measured batches to a figure and how far it is to be believed. Pure arithmetic."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Figure:
    """A median, and an interval that holds the true one."""

    median: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Half the width of the interval, relative to the median."""
        return (self.high - self.low) / 2 / self.median


def figure(samples: Sequence[float], confidence: float = CONFIDENCE) -> Figure:
    """The median, and the narrowest pair of samples that enclose the true one with this confidence, whatever
    the distribution: how many samples lie below it is binomial. All samples, where there are too few."""
    ordered = sorted(samples)
    rank = 0
    while 2 * _share_up_to(rank + 1, len(ordered)) <= 1 - confidence:
        rank += 1
    return Figure(statistics.median(ordered), ordered[rank], ordered[-1 - rank])


def ratio(over: Sequence[float], under: Sequence[float]) -> Figure:
    """How many times longer `over` takes: from pairs that were measured one right after the other."""
    return figure([a / b for a, b in zip(over, under, strict=True)])


def _share_up_to(rank: int, count: int) -> float:
    """How likely it is that at most so many of the samples lie below the true median."""
    return sum(comb(count, below) for below in range(rank + 1)) / 2**count
