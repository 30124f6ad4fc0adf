"""Best of n: ask for n answers to the task; the fastest that is accepted is kept."""

from collections.abc import Generator

from tritonrl.search.strategies.strategy import Search, Wave


def best_of_n(search: Search) -> Generator[Wave, None, None]:
    yield [search.whole(sample) for sample in range(search.budget.take(search.samples))]
