"""Shapes that are still to be found: the algebra of `program.shapes` over unknown sizes.

Every statement of a rule becomes a constraint for `synth.solve`, and moves a *guess* along: sizes start at
realistic targets (powers of two, multiples of 8, primes, odd numbers) and each rule carries them forward.
"""

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from tritonrl.program.shapes import Dim, Shape
from tritonrl.synth.profile import Profile

LARGEST_SIZE = 1 << 15
BROADCAST_SHARE = 0.12
"""How often a dim of a new tensor is 1 where an operator would stretch it."""

USUAL_KERNELS = (1, 2, 3, 3, 3, 3, 4, 5, 5, 7)
"""What people choose where a size must be small."""


class Infeasible(Exception):
    """These operands cannot fit this operator, or only in a degenerate way."""


class Size:
    """An unknown size: a class of dims known to be equal, with bounds and a guess."""

    __slots__ = ("fresh", "guess", "high", "low", "parent")

    def __init__(self, guess: int, *, fresh: bool, high: int = LARGEST_SIZE) -> None:
        self.parent: Size | None = None
        self.low, self.high = 1, high
        self.guess = max(1, min(guess, high))
        self.fresh = fresh
        """Belongs to a new tensor that no rule has touched: its guess may still move freely."""


class Problem(Protocol):
    """What a constraint is written into."""

    model: Any
    """The CP-SAT model."""

    def var(self, a: Dim) -> Any:
        """The model's variable of an unknown; a number stays a number."""
        ...

    def product(self, dims: Shape, low: int, high: int) -> Any:
        """A variable for the product, at least low and at most high."""
        ...


class Mark(NamedTuple):
    """A state of the unknowns to come back to."""

    constraints: int
    trail: int
    ties: int


class Unknowns:
    """The algebra under which rules constrain. `mark` and `undo` take back what an infeasible choice said."""

    def __init__(
        self, rng: random.Random, profile: Profile, broadcast_share: float = BROADCAST_SHARE
    ) -> None:
        self.rng = rng
        self.profile = profile
        self.broadcast_share = broadcast_share
        self.constraints: list[Callable[[Problem], Any]] = []
        self._trail: list[tuple[Size, str, Any]] = []
        self.ties = 0
        """How often two sizes that were both spoken for had to agree: where a contradiction can come from."""

    def tensor(self, rank: int) -> list[Dim]:
        """Sizes of a new tensor, with guesses whose product is a realistic number of elements."""
        budget = self.rng.uniform(*self.profile.typical_log2)
        shares = [self.rng.uniform(0.4, 1.6) for _ in range(rank)]
        return [Size(self._target(budget * share / sum(shares)), fresh=True) for share in shares]

    def _target(self, log2: float) -> int:
        """A size near 2^log2 of one of the kinds that are met in practice."""
        kind, size = self.rng.random(), max(2, round(2**log2))
        if kind < 0.5:
            return 1 << round(log2)
        if kind < 0.7:
            return max(8, size // 8 * 8)
        return _prime_from(size) if kind < 0.85 else size | 1

    # The trail

    def mark(self) -> Mark:
        return Mark(len(self.constraints), len(self._trail), self.ties)

    def undo(self, mark: Mark) -> None:
        del self.constraints[mark.constraints :]
        self.ties = mark.ties
        while len(self._trail) > mark.trail:
            size, field, value = self._trail.pop()
            setattr(size, field, value)

    def _set(self, size: Size, field: str, value: Any) -> None:
        self._trail.append((size, field, getattr(size, field)))
        setattr(size, field, value)

    # Finding and touching

    def find(self, a: Dim) -> Dim:
        while isinstance(a, Size) and a.parent is not None:
            a = a.parent
        return a

    def guess(self, a: Dim) -> int:
        a = self.find(a)
        return a.guess if isinstance(a, Size) else a

    def _touched(self, *dims: Dim) -> None:
        for each in map(self.find, dims):
            if isinstance(each, Size) and each.fresh:
                self._set(each, "fresh", False)

    def _bound(self, a: Dim, low: int, high: int) -> None:
        a = self.find(a)
        if not isinstance(a, Size):
            if not low <= a <= high:
                raise Infeasible
            return
        low, high = max(a.low, low), min(a.high, high)
        if low > high:
            raise Infeasible
        if (low, high) != (a.low, a.high):
            self._set(a, "low", low)
            self._set(a, "high", high)
            self._set(a, "guess", max(low, min(a.guess, high)))

    def _derived(self, guess: int, high: int = LARGEST_SIZE) -> Size:
        return Size(guess, fresh=False, high=high)

    # The algebra

    def same(self, a: Dim, b: Dim) -> Dim:
        a, b = self.find(a), self.find(b)
        if a is b:
            return a
        if not isinstance(a, Size):
            a, b = b, a
        if not isinstance(b, Size):
            self._bound(a, b, b)
            return b
        self.ties += not (a.fresh or b.fresh)
        keep, join = (b, a) if a.fresh else (a, b)
        self._bound(keep, join.low, join.high)
        self._set(join, "parent", keep)
        self._touched(keep)
        return keep

    def broadcast(self, a: Dim, b: Dim) -> Dim:
        a, b = self.find(a), self.find(b)
        if a == 1 or a is b:
            return b
        if b == 1:
            return a
        fresh = [each for each in (a, b) if isinstance(each, Size) and each.fresh]
        if fresh and self.rng.random() < self.broadcast_share:
            one = self.rng.choice(fresh)
            self._bound(one, 1, 1)
            return b if one is a else a
        return self.same(a, b) if fresh else self._either(a, b)

    def _either(self, a: Dim, b: Dim) -> Dim:
        """Both sizes are spoken for: the solver decides whether they are equal or one of them is 1."""
        out = self._derived(max(self.guess(a), self.guess(b)))
        self.ties += 1

        def constrain(problem: Problem) -> None:
            model, var = problem.model, problem.var
            cases = [model.new_bool_var("") for _ in range(3)]
            for case, (left, right) in zip(cases, ((a, b), (a, 1), (b, 1)), strict=True):
                model.add(var(left) == var(right)).only_enforce_if(case)
            for case, larger in zip(cases, (a, b, a), strict=True):
                model.add(var(out) == var(larger)).only_enforce_if(case)
            model.add_exactly_one(cases)

        self.constraints.append(constrain)
        return out

    def divided(self, a: Dim, by: int) -> Dim:
        a = self.find(a)
        if by == 1:
            return a
        if not isinstance(a, Size):
            if a % by:
                raise Infeasible
            return a // by
        quotient = self._derived(max(1, round(a.guess / by)))
        self._bound(a, by, LARGEST_SIZE)
        if a.fresh:
            self._set(a, "guess", quotient.guess * by)
            self._touched(a)
        self.constraints.append(lambda p: p.model.add(p.var(a) == by * p.var(quotient)))
        return quotient

    def product(self, dims: Shape) -> Dim:
        fixed = math.prod(each for each in map(self.find, dims) if not isinstance(each, Size))
        sizes = [each for each in map(self.find, dims) if isinstance(each, Size)]
        if not sizes:
            return fixed
        if len(sizes) == 1 and fixed == 1:
            return sizes[0]
        self._touched(*sizes)
        most = self.profile.most_elements
        out = self._derived(fixed * math.prod(size.guess for size in sizes), high=most)
        self.constraints.append(lambda p: p.model.add(p.var(out) == p.product([fixed, *sizes], 1, most)))
        return out

    def total(self, dims: Shape) -> Dim:
        self._touched(*dims)
        out = self._derived(sum(map(self.guess, dims)))
        parts = list(dims)
        self.constraints.append(lambda p: p.model.add(p.var(out) == sum(map(p.var, parts))))
        return out

    def window(self, size: Dim, kernel: Dim, stride: int, padding: int, dilation: int) -> Dim:
        self._bound(kernel, max(1, 2 * padding), LARGEST_SIZE)
        reach = dilation * (self.guess(kernel) - 1) + 1 - 2 * padding
        size = self.find(size)
        if isinstance(size, Size) and size.guess < reach + stride:
            self._set(size, "guess", min(size.high, reach + 2 * stride))
        self._touched(size, kernel)
        guess = (self.guess(size) - reach) // stride + 1
        return self._steps(
            lambda p: p.var(size) + 2 * padding - dilation * (p.var(kernel) - 1) - 1, stride, guess
        )

    def unwindow(self, size: Dim, kernel: Dim, stride: int, padding: int, dilation: int, extra: int) -> Dim:
        self._bound(kernel, max(1, 2 * padding), LARGEST_SIZE)
        self._touched(size, kernel)
        fixed = extra + 1 - stride - 2 * padding - dilation
        out = self._derived(stride * self.guess(size) + dilation * self.guess(kernel) + fixed)
        self.constraints.append(
            lambda p: p.model.add(p.var(out) == stride * p.var(size) + dilation * p.var(kernel) + fixed)
        )
        return out

    def strided(self, size: Dim, start: int, stop: int | None, step: int) -> Dim:
        self._bound(size, start + 1, LARGEST_SIZE)
        self._touched(size)
        guess = (self.guess(size) - start - 1) // step + 1
        return self._steps(lambda p: p.var(size) - start - 1, step, guess)

    def _steps(self, span: Callable[[Problem], Any], step: int, guess: int) -> Size:
        """How many steps fit into a span, the one at its beginning included."""
        out = self._derived(guess)

        def constrain(problem: Problem) -> None:
            length, count = span(problem), problem.var(out)
            problem.model.add(length >= step * (count - 1))
            problem.model.add(length <= step * count - 1)

        self.constraints.append(constrain)
        return out

    def at_least(self, a: Dim, low: int) -> None:
        self._bound(a, low, self.profile.most_elements)

    def prefer(self, a: Dim, low: int, high: int | None = None) -> None:
        self._bound(a, low, high or self.profile.most_elements)
        a = self.find(a)
        if isinstance(a, Size) and a.fresh and a.high < 16:
            usual = [size for size in USUAL_KERNELS if a.low <= size <= a.high]
            self._set(a, "guess", self.rng.choice(usual or [a.low]))

    def prefer_multiple(self, a: Dim, of: int) -> None:
        self.divided(a, of)


def _prime_from(size: int) -> int:
    """The least prime that is not below size."""
    while any(size % divisor == 0 for divisor in range(2, math.isqrt(size) + 1)):
        size += 1
    return size
