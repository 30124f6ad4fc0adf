"""Rooms for questions: shared memory with places for inputs, outputs and state, handed to one process.

The judge writes a question into a room, asks the process about it, and takes what is there afterwards. Rooms
are made for each shape of question when it first comes up.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tritonrl.verify.memory import Arena, Place, contiguous_spec, dtype_name, spec_of
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.roles import Process


@dataclass(frozen=True)
class Room:
    """One piece of memory for questions of one shape."""

    name: str
    arena: Arena
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
        self.arena.raise_guards(secrets.randbits(63))
        return {
            "arena": self.name,
            "inputs": self.arena.places[: self.num_inputs],
            "outputs": self.outputs,
            "state": self.arena.places[first_state:],
        }

    def take(self) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
        """Outputs, and inputs and then state as they are now: copies that only the judge has."""
        taken = [view.clone() for view in self.arena.tensors()]
        first_state = self.num_inputs + self.num_outputs
        outputs = taken[self.num_inputs : first_state]
        return tuple(outputs), (*taken[: self.num_inputs], *taken[first_state:])


class Rooms:
    """The rooms of one process, `count` of each shape."""

    def __init__(self, process: Process, exam: Exam, seconds: float, count: int) -> None:
        self._process = process
        self._exam = exam
        self._seconds = seconds
        self._count = count
        self._rooms: dict[tuple[Any, ...], list[Room]] = {}

    def of(self, draw: Draw, slot: int = 0) -> Room:
        """A room that fits a question."""
        inputs = [spec_of(each) for each in draw.inputs.tensors]
        outputs = [contiguous_spec(dtype_name(v.native.dtype), v.native.shape) for v in draw.expected.outputs]
        state = [contiguous_spec(dtype_name(each.dtype), each.shape) for each in self.state(draw)]
        specs = [*inputs, *outputs, *state]
        key = (draw.variant, repr(specs))
        if key not in self._rooms:
            names = [f"{len(self._rooms)}.{number}" for number in range(self._count)]
            made = [Room(name, Arena(specs), len(inputs), len(outputs)) for name in names]
            self._rooms[key] = made
            descriptors = [room.arena.descriptor for room in made]
            self._process.ask({"do": "map", "maps": names}, descriptors, seconds=self._seconds)
        return self._rooms[key][slot]

    def state(self, draw: Draw) -> tuple[torch.Tensor, ...]:
        """The weights that a question is asked under, where the judge sets them."""
        if not self._exam.replaces_weights:
            return ()
        return self._exam.variants[draw.variant].states[draw.state].tensors

    def close(self) -> None:
        for rooms in self._rooms.values():
            for room in rooms:
                room.arena.close()
        self._rooms = {}


def fill(places: Sequence[torch.Tensor], values: Sequence[torch.Tensor]) -> None:
    """Copy each value into its place."""
    for place, value in zip(places, values, strict=False):
        place.copy_(value)
