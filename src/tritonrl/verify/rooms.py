"""Rooms for questions: shared memory with places for inputs, outputs and state, handed to one process.

The judge writes a question into a room, asks the process about it, and takes what is there afterwards. Rooms
are made for each shape of question when it first comes up.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from tritonrl.verify.lending import Lender, fill
from tritonrl.verify.memory import Arena, Place, contiguous_spec, dtype_name, extent_bytes, spec_of
from tritonrl.verify.oracle.exam import Draw, Exam

if TYPE_CHECKING:
    from tritonrl.verify.device_memory import DeviceArena

ALL_ROOMS_BYTES = 2**29
"""Of the rooms of one shape, where there are more than the least."""


@dataclass(frozen=True)
class Room:
    """One piece of memory for questions of one shape."""

    name: str
    arena: "Arena | DeviceArena"
    num_inputs: int
    num_outputs: int

    @property
    def outputs(self) -> list[Place]:
        return self.arena.places[self.num_inputs : self.num_inputs + self.num_outputs]

    def place(self, inputs: Sequence[torch.Tensor], state: Sequence[torch.Tensor] = ()) -> dict[str, Any]:
        """Write a question, poison the rest; gives the words that a process needs to find it."""
        views = self.arena.tensors()
        fill(views, inputs)
        first_state = self.num_inputs + self.num_outputs
        for place in self.arena.places[self.num_inputs :]:
            self.arena.poison(place)
        fill(views[first_state:], state)
        self.arena.settle()
        return {
            "arena": self.name,
            "inputs": self.arena.places[: self.num_inputs],
            "outputs": self.outputs,
            "state": self.arena.places[first_state:],
        }

    def take(self) -> tuple[torch.Tensor, ...]:
        """Outputs: copies that only the judge has."""
        return tuple(self.arena.tensor(place).clone() for place in self.outputs)

    def rest(self) -> tuple[torch.Tensor, ...]:
        """Inputs and then state, where they lie: to be looked at before the next question is placed."""
        places = self.arena.places
        rest = [*places[: self.num_inputs], *places[self.num_inputs + self.num_outputs :]]
        return tuple(map(self.arena.tensor, rest))


class Rooms:
    """The rooms of one process: of each shape the least number, or the most where they are small."""

    def __init__(self, exam: Exam, lender: Lender, least: int = 1, most: int = 1) -> None:
        self._exam = exam
        self._lender = lender
        self._least, self._most = least, most
        self._rooms: dict[str, list[Room]] = {}

    def of(self, draw: Draw, slot: int = 0) -> Room:
        """A room that fits a question."""
        return self.all_of(draw)[slot]

    def all_of(self, draw: Draw) -> list[Room]:
        """All rooms that fit it."""
        specs = self._specs(draw)
        key = f"{draw.variant} {specs}"
        if key not in self._rooms:
            size = sum(map(extent_bytes, specs))
            count = max(self._least, min(self._most, ALL_ROOMS_BYTES // max(1, size)))
            purposes = [f"room {len(self._rooms)}.{number}" for number in range(count)]
            loans = [self._lender.lend(purpose, specs) for purpose in purposes]
            for loan in loans:
                loan.arena.raise_guards(secrets.randbits(63))
            counts = len(draw.inputs.tensors), len(draw.expected.outputs)
            self._rooms[key] = [Room(loan.name, loan.arena, *counts) for loan in loans]
        return self._rooms[key]

    def state(self, draw: Draw) -> tuple[torch.Tensor, ...]:
        """The weights that a question is asked under, where the judge sets them."""
        if not self._exam.replaces_weights:
            return ()
        return self._exam.variants[draw.variant].states[draw.state].tensors

    def _specs(self, draw: Draw) -> list[Place]:
        inputs = [spec_of(each) for each in draw.inputs.tensors]
        outputs = [contiguous_spec(dtype_name(v.native.dtype), v.native.shape) for v in draw.expected.outputs]
        state = [contiguous_spec(dtype_name(each.dtype), each.shape) for each in self.state(draw)]
        return [*inputs, *outputs, *state]
