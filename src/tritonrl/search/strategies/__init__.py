"""Ways to search, by name. A new one is a file and a row here."""

from tritonrl.errors import UnknownNameError
from tritonrl.search.strategies.best_of_n import best_of_n
from tritonrl.search.strategies.fragments import fragments, one_fragment
from tritonrl.search.strategies.refine import refine
from tritonrl.search.strategies.strategy import Search, Strategy

__all__ = ["STRATEGIES", "Search", "Strategy", "strategy_of"]

STRATEGIES: dict[str, Strategy] = {
    "best-of-n": best_of_n, "fragments": fragments, "one-fragment": one_fragment, "refine": refine,
}  # fmt: skip


def strategy_of(name: str) -> Strategy:
    if name not in STRATEGIES:
        raise UnknownNameError("search", name, list(STRATEGIES))
    return STRATEGIES[name]
