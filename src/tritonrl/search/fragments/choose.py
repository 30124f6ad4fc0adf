"""Choose: the set of disjoint fragments that saves the most, exactly.

Two fragments that are each convex may still wait for each other (one needs a value of the other and the other
way round); such a set cannot run, and counts as none. The problem goes to CP-SAT without that rule, which
hardly ever matters; a solution that breaks it is ruled out, and the next one asked for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from ortools.sat.python import cp_model

RESOLUTION = 10**9
"""The largest saving in the integers that the solver counts in."""


@dataclass(frozen=True)
class Option:
    """A fragment that could be taken."""

    positions: frozenset[int]
    saving: float
    """Of the whole program's time, in any unit; negative where it costs time."""


def choose(
    reads: dict[int, set[int]],
    options: Sequence[Option],
    *,
    most: int | None = None,
    covered: Iterable[int] = (),
) -> tuple[int, ...] | None:
    """The places of the options to take. `reads` says for each operator which others it reads; `most` bounds
    the number of fragments, and all of `covered` must be in one. None if there is no such set."""
    if not options:
        return None if set(covered) else ()
    model = cp_model.CpModel()
    taken = [model.new_bool_var(f"{place}") for place in range(len(options))]
    holders: dict[int, list[int]] = {position: [] for position in covered}
    for place, option in enumerate(options):
        for position in option.positions:
            holders.setdefault(position, []).append(place)
    needed = set(covered)
    for position, places in holders.items():
        together = [taken[place] for place in places]
        if position in needed:
            model.add_exactly_one(together)
        else:
            model.add_at_most_one(together)
    if most is not None:
        model.add(sum(taken) <= most)
    unit = max(max(abs(option.saving) for option in options), 1e-30) / RESOLUTION
    weights = [round(option.saving / unit) for option in options]
    model.maximize(sum(weight * each for weight, each in zip(weights, taken, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.catch_sigint_signal = False
    while solver.solve(model) == cp_model.OPTIMAL:
        chosen = tuple(place for place, each in enumerate(taken) if solver.boolean_value(each))
        ring = waiting_ring(reads, [options[place].positions for place in chosen])
        if ring is None:
            return chosen
        model.add_bool_or([taken[chosen[place]].negated() for place in ring])
    return None


def waiting_ring(reads: dict[int, set[int]], chosen: Sequence[frozenset[int]]) -> set[int] | None:
    """Which of these fragments wait for each other in a ring; None if they can run one after the other."""
    owner = {position: place for place, positions in enumerate(chosen) for position in positions}

    def unit(position: int) -> tuple[bool, int]:
        return (True, owner[position]) if position in owner else (False, position)

    graph: dict[tuple[bool, int], set[tuple[bool, int]]] = {}
    for position, read in reads.items():
        mine = graph.setdefault(unit(position), set())
        mine |= {unit(each) for each in read} - {unit(position)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return {place for is_fragment, place in error.args[1] if is_fragment}
    return None
