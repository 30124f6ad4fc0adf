"""Solve: numbers for the shapes of a DAG, with OR-Tools CP-SAT.

A plain CP-SAT solve returns corners (nearly always 256×1), and an objective is slow. Here the guesses of the
unknowns are hints: the solver follows them where it can and mends them where it must, so it returns shapes
that people use. It is limited by deterministic time, so the same seed gives the same shapes on any machine.
"""

import math
from collections.abc import Sequence
from typing import Any

from ortools.sat.python import cp_model

from tritonrl.program.shapes import Dim, Shape
from tritonrl.synth.unknowns import Size, Unknowns


def solve(
    unknowns: Unknowns,
    shapes: Sequence[Shape],
    parameters: Sequence[bool],
    calls: Sequence[tuple[bool, Sequence[int]]],
    flops: Sequence[tuple[int, Shape]],
) -> list[tuple[int, ...]] | None:
    """Numbers for all shapes that keep every constraint and the profile's bounds; None if there are none.

    `calls` has for each compute operator whether it reads an input, and the values it reads and writes;
    `flops` is a sum of (coefficient, dims to multiply).
    """
    problem, bounds = _Problem(unknowns), unknowns.profile
    for constrain in unknowns.constraints:
        constrain(problem)
    counts = [
        problem.product(shape, 1 if parameter else bounds.least_elements, bounds.most_elements)
        for shape, parameter in zip(shapes, parameters, strict=True)
    ]
    moved = [sum(counts[value] for value in values) for _, values in calls]
    most_flops = bounds.most_flops * len(calls)
    work = [factor * problem.product(shape, 1, most_flops) for factor, shape in flops if factor]
    problem.model.add(sum(counts) <= bounds.most_total_elements * len(calls))
    problem.model.add(sum(work) <= most_flops)
    problem.model.add(sum(moved) >= bounds.least_traffic * len(calls))
    for elements, (reads_input, _) in zip(moved, calls, strict=True):
        if reads_input:
            problem.model.add(elements >= bounds.least_traffic // 2)
    values = problem.solve()
    if values is None:
        return None
    roots = [[unknowns.find(dim) for dim in shape] for shape in shapes]
    return [tuple(values[root] if isinstance(root, Size) else root for root in shape) for shape in roots]


class _Model(cp_model.CpModel):
    """A model without the CamelCase aliases of every method, which cost 0.5 ms a model."""

    def _add_pre_pep8_methods(self) -> None:
        pass


class _Problem:
    """The CP-SAT model of a set of unknowns, in the making."""

    def __init__(self, unknowns: Unknowns) -> None:
        self.unknowns = unknowns
        self.model = _Model()
        self._variables: dict[Size, Any] = {}
        self._products: dict[tuple[Dim, ...], tuple[Any, int, int]] = {}

    def var(self, a: Dim) -> Any:
        """The model's variable of an unknown; a number stays a number."""
        a = self.unknowns.find(a)
        if not isinstance(a, Size):
            return a
        if a not in self._variables:
            self._variables[a] = self._new(a.low, a.high, a.guess)
        return self._variables[a]

    def _new(self, low: int, high: int, guess: int) -> Any:
        variable = self.model.new_int_var(low, high, "")
        self.model.add_hint(variable, max(low, min(guess, high)))
        return variable

    def product(self, dims: Shape, low: int, high: int) -> Any:
        """A variable for the product, at least low and at most high; equal products are one variable.

        It is built factor by factor: no partial product is above the bound, so none overflows."""
        sizes = tuple(each for each in map(self.unknowns.find, dims) if each != 1)
        result, known_low, known_high = self._products.get(sizes) or self._new_product(sizes, low, high)
        if low > known_low:
            self.model.add(result >= low)
        if high < known_high:
            self.model.add(result <= high)
        self._products[sizes] = result, max(low, known_low), min(high, known_high)
        return result

    def _new_product(self, sizes: tuple[Dim, ...], low: int, high: int) -> tuple[Any, int, int]:
        if not sizes:
            return 1, 1, 1
        last = self.unknowns.find(sizes[-1])
        if len(sizes) == 1:
            known = (last.low, last.high) if isinstance(last, Size) else (last, last)
            return self.var(last), known[0], known[1]
        result = self._new(low, high, math.prod(map(self.unknowns.guess, sizes)))
        self.model.add_multiplication_equality(result, [self.product(sizes[:-1], 1, high), self.var(last)])
        return result, low, high

    def solve(self) -> dict[Size, int] | None:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        # The solver would catch an interrupt and leave it to the system afterwards, which ends us at once.
        solver.parameters.catch_sigint_signal = False
        # About 10 ms: whatever is not solved by then seldom is, and another draw of the inputs is cheaper.
        solver.parameters.max_deterministic_time = 0.002
        solver.parameters.random_seed = 0
        # Presolve costs more than the search it saves: 8 ms against 1.5 ms at 20 operators.
        solver.parameters.cp_model_presolve = False
        solver.parameters.linearization_level = 0
        solver.parameters.search_branching = cp_model.HINT_SEARCH
        status = solver.solve(self.model)
        assert status != cp_model.MODEL_INVALID, self.model.validate()
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return {size: solver.value(variable) for size, variable in self._variables.items()}
