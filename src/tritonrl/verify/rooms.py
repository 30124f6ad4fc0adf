"""Rooms for questions: shared memory with places for inputs, outputs and state, handed to one process.

The judge writes a question into a room, asks the process about it, and takes what is there afterwards. Rooms
are made for each shape of question when it first comes up.
"""

import itertools
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from tritonrl.verify.lending import Lender, fill
from tritonrl.verify.memory import Arena, Place, contiguous_spec, dtype_name, extent_bytes, raw, spec_of
from tritonrl.verify.oracle.exam import Draw, Exam

if TYPE_CHECKING:
    from tritonrl.verify.device_memory import DeviceArena

ALL_ROOMS_BYTES = 2**29
"""Of the rooms of one shape, where there are more than the least."""


@dataclass(frozen=True)
class Room:
    """Places for questions of one shape, in memory that may hold several such rooms."""

    name: str
    """Of the memory."""
    arena: "Arena | DeviceArena"
    inputs: list[Place]
    outputs: list[Place]
    state: list[Place]

    def place(self, inputs: Sequence[torch.Tensor], state: Sequence[torch.Tensor] = ()) -> dict[str, Any]:
        """Write a question, poison the rest; gives the words that a process needs to find it. It lies there
        when the memory has settled."""
        fill(self._tensors(self.inputs), inputs)
        for place in self.state:
            self.arena.poison(place)
        fill(self._tensors(self.state), state)
        return {"inputs": self.inputs, "state": self.state, **self.clear()}

    def clear(self) -> dict[str, Any]:
        """Poison the outputs alone; gives the words to find them."""
        for place in self.outputs:
            self.arena.poison(place)
        return {"arena": self.name, "outputs": self.outputs}

    def take(self) -> tuple[torch.Tensor, ...]:
        """Outputs: copies that only the judge has."""
        return tuple(raw(each).clone().view(each.dtype) for each in self._tensors(self.outputs))

    def rest(self) -> tuple[torch.Tensor, ...]:
        """Inputs and then state, where they lie: to be looked at before the next question is placed."""
        return (*self._tensors(self.inputs), *self._tensors(self.state))

    def _tensors(self, places: Sequence[Place]) -> list[torch.Tensor]:
        return [self.arena.tensor(place) for place in places]


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
            loan = self._lender.lend(f"rooms {len(self._rooms)}", specs * count)
            loan.arena.raise_guards(secrets.randbits(63))
            num_inputs, num_outputs = len(draw.inputs.tensors), len(draw.expected.outputs)
            places = iter(loan.arena.places)
            counts = num_inputs, num_outputs, len(specs) - num_inputs - num_outputs
            self._rooms[key] = [
                Room(loan.name, loan.arena, *(list(itertools.islice(places, each)) for each in counts))
                for _ in range(count)
            ]
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
