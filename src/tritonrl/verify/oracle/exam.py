"""The exam of a task: the draws that a candidate is checked on, and what it must return on each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import torch

from tritonrl.tasks import Task
from tritonrl.verify.memory import spec_of
from tritonrl.verify.oracle.draws import KINDS
from tritonrl.verify.oracle.tolerance import Tolerance
from tritonrl.verify.oracle.worker import Expected, State, Values, Work

NUM_STATES = 2
"""With no weight in common."""


@dataclass(frozen=True)
class Draw:
    """One question: inputs, the state to ask it in, and the answer."""

    kind: str
    variant: int
    inputs: Values
    state: int
    """Number of the state of this variant."""
    expected: Expected

    @property
    def size_bytes(self) -> int:
        """Of the question and its answer."""
        values = sum(value.size_bytes for value in self.expected.values)
        return values + sum(each.nbytes for each in self.inputs.tensors)

    @property
    def is_twin(self) -> bool:
        """Nearly the same as another question; see `Author._near_twins`."""
        return self.kind != "own" and self.kind not in KINDS

    @property
    def is_plain(self) -> bool:
        """Much like what the task draws itself."""
        return self.kind in ("own", "mixed")

    def asks_like(self, other: "Draw") -> bool:
        """Whether inputs have the same shapes and types, and the same plain numbers among them, at the same
        sizes of the task: then a host that looks at no tensor's values does the same on both."""
        mine, others = ([spec_of(each) for each in draw.inputs.tensors] for draw in (self, other))
        same_numbers = self.inputs.structure == other.inputs.structure
        return self.variant == other.variant and same_numbers and mine == others

    def answers_like(self, other: "Draw") -> bool:
        """Whether all that a call must return or leave behind is the same."""
        return all(self._equal_values(other))

    def shares_an_answer(self, other: "Draw") -> bool:
        """Whether some of it is."""
        return any(self._equal_values(other))

    def answers_in_shapes_of(self, other: "Draw") -> bool:
        """Whether it has the same shapes."""
        return self._shapes == other._shapes

    @property
    def _shapes(self) -> list[torch.Size]:
        return [value.exact.shape for value in self.expected.values]

    def _equal_values(self, other: "Draw") -> Iterator[bool]:
        if not self.answers_in_shapes_of(other):
            yield False
            return
        for mine, others in zip(self.expected.values, other.expected.values, strict=True):
            yield torch.equal(mine.exact, others.exact)


@dataclass(frozen=True)
class Redrawn:
    """Parameters of one length that are all of one value when a module is made, and what they are instead."""

    names: tuple[str, ...]
    value: float
    tensor: torch.Tensor


@dataclass(frozen=True)
class Variant:
    """The task at certain sizes, constructed under a certain seed."""

    sizes: Mapping[str, int]
    seed: int
    states: tuple[State, ...]
    """The module's state with different weights; the last resort is one, as it was constructed."""
    redrawn: tuple[Redrawn, ...] = ()
    """Where weights are not set through the state: those that are given other values all the same."""

    def unlike(self, state: int) -> int | None:
        """A state that has no weight in common with this one. Beyond the drawn ones they are twins of the
        first."""
        if len(self.states) < NUM_STATES:
            return None
        return 0 if state == 1 else 1


@dataclass(frozen=True)
class Exam:
    """All questions of a task."""

    task: Task
    dtype: str
    tolerance: Tolerance
    variants: tuple[Variant, ...]
    draws: tuple[Draw, ...]
    work: Work
    """Of the reference at the task's own sizes."""
    replaces_weights: bool
    """Whether weights are set through the state; else both sides construct theirs under the same one-time
    seeds, and those that are then of one value are given others."""

    @cached_property
    def size_bytes(self) -> int:
        """Of all questions and answers."""
        return sum(draw.size_bytes for draw in self.draws)

    @property
    def in_double(self) -> bool:
        return all(draw.expected.in_double for draw in self.draws)
