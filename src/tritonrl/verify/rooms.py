"""Rooms for questions: shared memory with places for inputs, outputs and state, handed to one process.

The judge writes a question into a room, asks the process about it, and takes what is there afterwards. Rooms
are made for each shape of question when it first comes up.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from tritonrl.verify.memory import Arena, Place, contiguous_spec, dtype_name, spec_of
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.roles import Process, Role, Zygotes
from tritonrl.verify.settings import Settings

if TYPE_CHECKING:
    from tritonrl.verify.device_memory import DeviceArena


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
        self.arena.raise_guards(secrets.randbits(63))
        return {
            "arena": self.name,
            "inputs": self.arena.places[: self.num_inputs],
            "outputs": self.outputs,
            "state": self.arena.places[first_state:],
        }

    def take(self) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
        """Outputs, and inputs and then state as they are now: copies that only the judge has."""
        taken = [view.to("cpu", copy=True) for view in self.arena.tensors()]
        first_state = self.num_inputs + self.num_outputs
        outputs = taken[self.num_inputs : first_state]
        return tuple(outputs), (*taken[: self.num_inputs], *taken[first_state:])


class Rooms:
    """The rooms of one process, `count` of each shape."""

    def __init__(self, exam: Exam, settings: Settings, count: int) -> None:
        self.process: Process | None = None
        self._exam = exam
        self._seconds = settings.call_seconds
        self._count = count
        self._rooms: dict[str, list[Room]] = {}
        self.lent: DeviceArena | None = self._all_on_device() if settings.device != "cpu" else None
        """On a GPU all rooms lie in one piece, which a process is lent before it is confined."""

    def hand_to(self, zygotes: Zygotes, role: Role) -> Process:
        """Start the process that these rooms are for."""
        self.process = zygotes.start(role, self.lent.handle() if self.lent is not None else None)
        return self.process

    def of(self, draw: Draw, slot: int = 0) -> Room:
        """A room that fits a question."""
        specs = self._specs(draw)
        key = _key(draw, specs)
        if key not in self._rooms:
            assert self.process is not None
            names = [f"{len(self._rooms)}.{number}" for number in range(self._count)]
            arenas = [Arena(specs) for _ in names]
            self._rooms[key] = [self._room(*each, draw) for each in zip(names, arenas, strict=True)]
            message = {"do": "map", "maps": names}
            self.process.ask(message, [arena.descriptor for arena in arenas], seconds=self._seconds)
        return self._rooms[key][slot]

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

    @staticmethod
    def _room(name: str, arena: "Arena | DeviceArena", draw: Draw) -> Room:
        return Room(name, arena, len(draw.inputs.tensors), len(draw.expected.outputs))

    def _all_on_device(self) -> "DeviceArena":
        from tritonrl.verify.device_memory import LENT, DeviceArena

        shapes = {
            _key(draw, specs): (draw, specs) for draw in self._exam.draws for specs in [self._specs(draw)]
        }
        whole = DeviceArena(
            [spec for _, specs in shapes.values() for _ in range(self._count) for spec in specs]
        )
        taken = 0
        for key, (draw, specs) in shapes.items():
            self._rooms[key] = []
            for _ in range(self._count):
                part = whole.part(slice(taken, taken + len(specs)))
                self._rooms[key].append(self._room(LENT, part, draw))
                taken += len(specs)
        return whole

    def close(self) -> None:
        if self.lent is not None:
            self.lent.close()
        else:
            for rooms in self._rooms.values():
                for room in rooms:
                    room.arena.close()
        self._rooms = {}


def _key(draw: Draw, specs: list[Place]) -> str:
    return f"{draw.variant} {specs}"


def fill(places: Sequence[torch.Tensor], values: Sequence[torch.Tensor]) -> None:
    """Copy each value into its place."""
    for place, value in zip(places, values, strict=False):
        place.copy_(value)
