"""Best of n: ask for n answers to the task; the fastest that is accepted is kept.

Where speed is not measured that is the likeliest, so others are asked for only if it is not accepted.
"""

from collections.abc import Generator

from tritonrl.search.strategies.strategy import Search, Wave


def best_of_n(search: Search) -> Generator[Wave, None, None]:
    asked = 0
    for until in sorted({search.samples if search.found.settings.timing else 1, search.samples}):
        first, asked = asked, asked + search.budget.take(until - asked)
        yield [search.whole(sample) for sample in range(first, asked)]
        if search.found.best:
            return
