"""The programs of a launch in another order than Triton's interpreter has them, one after the other from the
first to the last.

A GPU promises no order, and without atomics not even that a program ever sees what another one of its launch
has stored. So here they go from the last to the first, and the stores of each are put aside until all are
through: a GPU may do that, and a kernel that is wrong then has a race. Atomics are how programs may speak
with each other, so where a launch has one, stores stay where they are and only the order is another.

A program that waits for one that comes later waits for ever. It has to read memory for that, and there a
deadline is looked at.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder

MOST_BYTES = 512 * 2**20
"""Of stores that are put aside, with their addresses; in a launch that stores more only the order is
another."""
ATOMICS = tuple(name for name in vars(InterpreterBuilder) if name.startswith("create_atomic"))


LEAST_SECONDS, TIMES = 1.0, 4
"""For a launch in another order, where programs may wait for each other for ever: so many seconds at least,
and so many times what one of its kernel takes as always."""


@dataclass
class Known:
    """What a process has seen of kernels."""

    seconds: dict[str, float] = field(default_factory=dict)
    """The longest that a launch took in the usual order."""
    failed: dict[str, str] = field(default_factory=dict)
    """Those that do not run in another order → why."""

    def took(self, kernel: str, seconds: float) -> None:
        self.seconds[kernel] = max(seconds, self.seconds.get(kernel, 0.0))


class _Together(Exception):
    """The programs of this launch cannot be kept apart."""


@dataclass(frozen=True)
class _Store:
    places: Any
    mask: Any
    old: Any
    new: Any

    @property
    def num_bytes(self) -> int:
        return sum(each.nbytes for each in (self.places, self.mask, self.old, self.new))

    def undo(self) -> None:
        _write(self.places, self.old, self.mask)

    def do(self) -> None:
        _write(self.places, self.new, self.mask)


@dataclass
class Backwards:
    """Launches whose programs go from the last to the first, until a time on the monotonic clock."""

    deadline: float
    known: "Known"
    """What is remembered of the kernels."""
    until: float = 0.0
    """The deadline of the launch under way."""
    keeps_apart: bool = False
    cannot: bool = False
    """Whether the programs of the launch under way turned out to be not to be kept apart."""
    own: list[_Store] = field(default_factory=list)
    """By the program that runs."""
    aside: list[_Store] = field(default_factory=list)
    """By those that are through."""
    num_bytes: int = 0

    def launch(self, kernel: str, run: Callable[[], Any], undo: Callable[[], None]) -> None:
        """Do a launch: with programs kept apart, or else in the other order only. One that fails in the other
        order says nothing: it is undone and done as always, as are all of its kernel from then on."""
        if kernel in self.known.failed or time.monotonic() > self.deadline:
            run()
            return
        wanted = max(LEAST_SECONDS, TIMES * self.known.seconds.get(kernel, 0.0))
        self.until = min(self.deadline, time.monotonic() + wanted)
        self.cannot = False
        try:
            self._in_another_order(run)
        except Exception as error:
            self.known.failed[kernel] = f"{type(error).__name__}: {error}"[:300]
            undo()
            run()

    def _in_another_order(self, run: Callable[[], Any]) -> None:
        try:
            self._launch(run, keeps_apart=True)
        except Exception:
            if not self.cannot:
                raise
            self._launch(run, keeps_apart=False)

    def _launch(self, run: Callable[[], Any], *, keeps_apart: bool) -> None:
        self.keeps_apart, self.num_bytes = keeps_apart, 0
        self.own, self.aside = [], []
        _under_way.append(self)
        try:
            run()
        finally:
            _under_way.remove(self)
            self.next_program()
        for store in self.aside:
            store.do()

    def next_program(self) -> None:
        """Take back what the last one stored; also what a launch that failed had stored."""
        for store in reversed(self.own):
            store.undo()
        self.aside += self.own
        self.own = []

    def look_at_the_clock(self) -> None:
        if time.monotonic() > self.until:
            raise TimeoutError("programs took too long in another order")

    def speak(self) -> None:
        """Have programs of this launch see each other's stores from now on; it starts again for that."""
        if self.keeps_apart:
            self.cannot = True
            raise _Together

    def keep(self, places: Any, new: Any, mask: Any) -> None:
        old = interpreter._interpreter.load(places, mask, np.zeros_like(new), new.dtype)
        store = _Store(places, mask, old, new)
        self.num_bytes += store.num_bytes
        if self.num_bytes > MOST_BYTES:
            self.speak()
        self.own.append(store)


_under_way: list[Backwards] = []
"""The one that a launch is under, if any."""


def install() -> None:
    """Have the interpreter of this process ask for the order; without one it does as it always does."""
    builder: Any = InterpreterBuilder
    builder.set_grid_idx = _from_the_last(builder.set_grid_idx)
    builder.create_masked_load = _watched(builder.create_masked_load)
    builder.create_masked_store = _put_aside(builder.create_masked_store)
    for name in ATOMICS:
        setattr(builder, name, _spoken(getattr(builder, name)))


def _from_the_last(plain: Callable[..., Any]) -> Callable[..., Any]:
    def chosen(self: Any, *at: int) -> Any:
        if not _under_way:
            return plain(self, *at)
        _under_way[0].next_program()
        return plain(self, *(size - 1 - each for size, each in zip(self.grid_dim, at, strict=True)))

    return chosen


def _watched(load: Callable[..., Any]) -> Callable[..., Any]:
    def watched(self: Any, *operands: Any, **options: Any) -> Any:
        if _under_way:
            _under_way[0].look_at_the_clock()
        return load(self, *operands, **options)

    return watched


def _put_aside(store: Callable[..., Any]) -> Callable[..., Any]:
    def kept(self: Any, ptrs: Any, value: Any, mask: Any, *rest: Any, **options: Any) -> Any:
        if _under_way and _under_way[0].keeps_apart:
            _under_way[0].keep(ptrs.data, value.data, mask.data)
        return store(self, ptrs, value, mask, *rest, **options)

    return kept


def _spoken(atomic: Callable[..., Any]) -> Callable[..., Any]:
    def spoken(self: Any, *operands: Any, **options: Any) -> Any:
        if _under_way:
            _under_way[0].speak()
            _under_way[0].look_at_the_clock()
        return atomic(self, *operands, **options)

    return spoken


def _write(places: Any, values: Any, mask: Any) -> None:
    interpreter._interpreter.store(places, values, mask)
