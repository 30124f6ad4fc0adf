"""Report: are the operators of a run uniform, and which pairs of operators follow one another?"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tritonrl.program import COMPUTE, lookup

SIGNIFICANCE = 0.001


@dataclass(frozen=True)
class Report:
    """Counts of operators and of producer → consumer pairs over a run."""

    num_programs: int
    operators: Mapping[str, int]
    chi_square: float
    p_value: float
    pairs: Mapping[tuple[str, str], int]
    possible_pairs: frozenset[tuple[str, str]]

    @property
    def uniform(self) -> bool:
        """Whether the counts are compatible with a uniform draw."""
        return self.p_value >= SIGNIFICANCE

    @property
    def num_pairs_seen(self) -> int:
        return len(set(self.pairs) & self.possible_pairs)

    @property
    def missing_pairs(self) -> list[tuple[str, str]]:
        return sorted(self.possible_pairs - set(self.pairs))

    def to_json(self) -> dict[str, Any]:
        return {
            "num_programs": self.num_programs,
            "operators": dict(self.operators),
            "chi_square": self.chi_square,
            "degrees_of_freedom": len(self.operators) - 1,
            "p_value": self.p_value,
            "uniform": self.uniform,
            "pairs": {f"{a} -> {b}": count for (a, b), count in sorted(self.pairs.items())},
            "num_pairs_seen": self.num_pairs_seen,
            "num_pairs_possible": len(self.possible_pairs),
            "missing_pairs": [f"{a} -> {b}" for a, b in self.missing_pairs],
        }


class Tally:
    """Counts rows as they are made."""

    def __init__(self, ops: Iterable[str] = COMPUTE) -> None:
        self.num_programs = 0
        self.operators = Counter(dict.fromkeys(ops, 0))
        self.pairs: Counter[tuple[str, str]] = Counter()

    def add(self, program: Mapping[str, Any]) -> None:
        """Count one program, given as its JSON. A pair is seen through views: they are no operators."""
        self.num_programs += 1
        sources: list[str | None] = [None] * len(program["inputs"])
        for op, inputs, *_ in program["nodes"]:
            read = [sources[value] for value in inputs if value is not None]
            if lookup(op).is_view:
                sources.append(read[0])
                continue
            self.operators[op] += 1
            self.pairs.update((source, op) for source in read if source)
            sources.append(op)

    def report(self) -> Report:
        counts = list(self.operators.values())
        expected = sum(counts) / len(counts)
        statistic = sum((count - expected) ** 2 / expected for count in counts) if expected else 0.0
        possible = possible_pairs(tuple(self.operators))
        p_value = chi_square_tail(statistic, len(counts) - 1)
        return Report(self.num_programs, self.operators, statistic, p_value, self.pairs, possible)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Probability of a chi-square value at least this large."""
    if degrees < 1:
        return 1.0
    import torch

    half = torch.tensor([degrees / 2, statistic / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(half[0], half[1]))


def possible_pairs(ops: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """Pairs whose ranks and types fit: the first operator has some output that the second takes as data."""
    from tritonrl.synth.profile import PROFILES
    from tritonrl.synth.sample import fits, sketch

    outputs: dict[str, dict[tuple[int, str], Any]] = {op: {} for op in ops}
    rng = random.Random(0)
    for op in ops:
        for _ in range(40):
            value = sketch(rng, [op], PROFILES["cpu"]).values[-1]
            outputs[op][len(value.shape), value.dtype] = value
    pairs = set()
    for first in ops:
        for second in ops:
            row = lookup(second)
            slots = [slot for slot in row.slots if not slot.parameter]
            if any(fits(row, slot, value, None) for slot in slots for value in outputs[first].values()):
                pairs.add((first, second))
    return frozenset(pairs)
