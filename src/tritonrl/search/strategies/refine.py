"""Refine: what the verifier found goes back to a policy that can read it, which tries again."""

from collections.abc import Generator

from tritonrl.errors import UserError
from tritonrl.policy.policy import ReadsFindings
from tritonrl.search.strategies.strategy import Search, Wave

ROUNDS = 3
"""In which the samples come: the first are new, each of the others mends one of the round before."""


def refine(search: Search) -> Generator[Wave, None, None]:
    if not isinstance(search.policy, ReadsFindings):
        raise UserError(f"--search refine: {search.model} cannot read what the verifier finds")
    width = -(-search.samples // ROUNDS)
    earlier: Wave = []
    for first in range(0, search.samples, width):
        count = search.budget.take(min(width, search.samples - first))
        wave = [search.whole(first + place) for place in range(count)]
        for each, last in zip(wave, earlier, strict=False):
            each.after = last if last.verdict else None
        if not wave:
            return
        yield wave
        earlier = wave
