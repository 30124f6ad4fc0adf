"""How far a figure from a sample is to be believed: 95 % intervals of a share and of a mean."""

import math
from collections.abc import Sequence

Z = 1.959964
"""Standard deviations within which 95 % of a normal distribution lie."""
NUM_RESAMPLES = 2000
AT_A_TIME = 50


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's interval of a share."""
    share, weight = successes / trials, Z * Z / trials
    centre = (share + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / (4 * trials))
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """The percentile interval of the mean of values drawn again with replacement. The same values give the
    same interval."""
    import numpy

    array, rng = numpy.asarray(values, dtype=float), numpy.random.default_rng(0)
    shape = (AT_A_TIME, len(array))
    drawn = [array[rng.integers(len(array), size=shape)].mean(1) for _ in range(NUM_RESAMPLES // AT_A_TIME)]
    low, high = numpy.percentile(numpy.concatenate(drawn), [2.5, 97.5])
    return float(low), float(high)
