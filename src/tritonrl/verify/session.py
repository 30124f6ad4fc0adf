"""One candidate under examination: the judge's hold on its process, and what it gave for each question.

The judge writes inputs into shared memory, asks for a call, and copies everything out before it looks:
outputs, the state, the inputs as they are now, the guard zones between them. There are two pieces of memory
for each shape of question, so that new values can come at an old address and old values at a new one.
"""

import contextlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from pydantic import ValidationError

from tritonrl.verify.kernels import Kernel, Launch, Launched
from tritonrl.verify.memory import Arena, contiguous_spec, dtype_name, spec_of
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.oracle.worker import State
from tritonrl.verify.roles import CANDIDATE, Death, Process, Zygotes
from tritonrl.verify.settings import Settings

NUM_ARENAS = 2
NUM_HELD = 6
"""Earlier outputs that the candidate keeps, to be looked at again: the first three, and the last ones."""
NUM_HELD_TO_THE_END = 3


class Raised(Exception):
    """The candidate's own code raised; what it raised is data."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error.get("message"))
        self.error = error


@dataclass(frozen=True)
class Answer:
    """What a call gave: plain data that the judge has taken for itself."""

    number: int
    structure: Any
    described: tuple[dict[str, Any], ...]
    """What the process says of each output: shape, type, whose memory. Exact values are checked, not this."""
    outputs: tuple[torch.Tensor, ...]
    after: tuple[torch.Tensor, ...]
    """Inputs and then state entries after the call."""
    guards_hold: bool
    num_launches: int


class Session:
    """A loaded candidate. Every method may raise `Raised` or `roles.Death`."""

    def __init__(self, zygotes: Zygotes, exam: Exam, settings: Settings) -> None:
        self.exam = exam
        self.settings = settings
        self.process: Process = zygotes.start(CANDIDATE)
        self.launches: list[Launch] = []
        self.kernels: dict[str, Kernel] = {}
        self.num_configs = 0
        self.num_calls = 0
        self.asked: list[Draw] = []
        """The draws asked so far, each once."""
        self.held: dict[int, tuple[Draw, Arena, str]] = {}
        self._arenas: dict[tuple[Any, ...], list[tuple[str, Arena]]] = {}
        self._state: dict[int, int | None] = {}

    def load(self, code: str) -> None:
        self._ask({"do": "load", "code": code})

    def construct(self, variant: int) -> bool:
        """Make the entry for a variant; whether its state has the reference's names and shapes."""
        task, chosen = self.exam.task, self.exam.variants[variant]
        state = chosen.states[0]
        message = {
            "do": "construct", "variant": variant, "entry": task.candidate_entry, "seed": chosen.seed,
            "construct": task.kind != "functional", "init": state.init.structure,
        }  # fmt: skip
        answer = self._lend("init", state.init.tensors, message)
        self._state[variant] = None
        return _same_state(answer.get("state"), state)

    def call(self, draw: Draw, slot: int) -> Answer:
        """Ask one question, in one of the two pieces of memory that fit it."""
        self._set_state(draw)
        name, arena = self._arena(draw, slot)
        num_inputs, num_outputs = len(draw.inputs.tensors), len(draw.expected.outputs)
        views = arena.tensors()
        _fill(views, draw.inputs.tensors)
        for place in arena.places[num_inputs:]:
            arena.poison(place)
        arena.raise_guards(secrets.randbits(63))
        self.num_calls += 1
        if not any(draw is each for each in self.asked):
            self.asked.append(draw)
        passing = [number for number in self.held if number > NUM_HELD_TO_THE_END]
        forget = passing[: max(0, len(self.held) + 1 - NUM_HELD)]
        message = {
            "do": "call", "variant": draw.variant, "arena": name, "number": self.num_calls, "forget": forget,
            "structure": draw.inputs.structure, "inputs": arena.places[:num_inputs],
            "outputs": arena.places[num_inputs : num_inputs + num_outputs],
            "state": arena.places[num_inputs + num_outputs :],
        }  # fmt: skip
        answer = self.process.ask(message, seconds=self.settings.call_seconds)
        num_launches = self._take_launches(answer)
        _raise_for(answer)
        taken = [view.clone() for view in views]
        for number in forget:
            del self.held[number]
        self.held[self.num_calls] = (draw, arena, name)
        return Answer(
            self.num_calls,
            answer.get("structure"),
            _described(answer.get("outputs")),
            tuple(taken[num_inputs : num_inputs + num_outputs]),
            (*taken[:num_inputs], *taken[num_inputs + num_outputs :]),
            arena.guards_hold(),
            num_launches,
        )

    def look_again(self, number: int) -> tuple[Draw, tuple[torch.Tensor, ...]]:
        """The outputs of an earlier call as they are now, and the question that they answered."""
        draw, arena, name = self.held[number]
        first = len(draw.inputs.tensors)
        places = arena.places[first : first + len(draw.expected.outputs)]
        self._ask({"do": "look", "number": number, "arena": name, "outputs": places})
        return draw, tuple(arena.tensor(place).clone() for place in places)

    def take_launches(self) -> list[Launch]:
        """Launches seen since the last time."""
        taken, self.launches = self.launches, []
        return taken

    def _take_launches(self, answer: dict[str, Any]) -> int:
        """Keep what is new; gives the number of launches in the call."""
        try:
            seen = Launched.model_validate({key: answer.get(key) for key in Launched.model_fields})
        except ValidationError as error:
            self.process.end()
            raise Death("protocol", "reported launches that are none") from error
        self.launches += seen.launches
        self.kernels |= seen.kernels
        self.num_configs = max(self.num_configs, seen.configs)
        return seen.count

    def _set_state(self, draw: Draw) -> None:
        """Replace the weights, in place, if another state is wanted or the last call changed it."""
        state = self.exam.variants[draw.variant].states[draw.state]
        if not self.exam.replaces_weights or not state.names or self._state[draw.variant] == draw.state:
            return
        message = {"do": "set_state", "variant": draw.variant, "names": state.names}
        self._lend("state", state.tensors, message)
        changes_state = any(place >= len(draw.inputs.tensors) for place in draw.expected.changed)
        self._state[draw.variant] = None if changes_state else draw.state

    def _lend(self, name: str, tensors: Sequence[torch.Tensor], message: dict[str, Any]) -> dict[str, Any]:
        """Ask something about tensors that it is given for as long as it keeps them."""
        with contextlib.closing(Arena([spec_of(each) for each in tensors])) as arena:
            _fill(arena.tensors(), tensors)
            message |= {"maps": [name], "arena": name, "places": arena.places}
            return self._ask(message, [arena.descriptor])

    def _arena(self, draw: Draw, slot: int) -> tuple[str, Arena]:
        inputs = [spec_of(each) for each in draw.inputs.tensors]
        outputs = [contiguous_spec(dtype_name(v.native.dtype), v.native.shape) for v in draw.expected.outputs]
        state = (
            self.exam.variants[draw.variant].states[draw.state].tensors if self.exam.replaces_weights else ()
        )
        specs = [*inputs, *outputs, *(contiguous_spec(dtype_name(each.dtype), each.shape) for each in state)]
        key = (draw.variant, repr(specs))
        if key not in self._arenas:
            made = [(f"{len(self._arenas)}.{number}", Arena(specs)) for number in range(NUM_ARENAS)]
            self._arenas[key] = made
            maps = [name for name, _ in made]
            self._ask({"do": "map", "maps": maps}, [arena.descriptor for _, arena in made])
        return self._arenas[key][slot]

    def _ask(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> dict[str, Any]:
        answer = self.process.ask(message, descriptors, seconds=self.settings.call_seconds)
        _raise_for(answer)
        return answer

    def close(self) -> None:
        self.process.end()
        for arenas in self._arenas.values():
            for _, arena in arenas:
                arena.close()
        self._arenas = {}


def _described(claimed: Any) -> tuple[dict[str, Any], ...]:
    """What the process says of its outputs, if that is a list of descriptions."""
    return tuple(each for each in claimed if isinstance(each, dict)) if isinstance(claimed, list) else ()


def _raise_for(answer: dict[str, Any]) -> None:
    if "error" in answer:
        raise Raised(answer["error"] if isinstance(answer["error"], dict) else {})


def _fill(places: Sequence[torch.Tensor], values: Sequence[torch.Tensor]) -> None:
    for place, value in zip(places, values, strict=False):
        place.copy_(value)


def _same_state(claimed: Any, state: State) -> bool:
    if not isinstance(claimed, dict):
        return False
    shapes = {
        name: [dtype_name(each.dtype), list(each.shape)]
        for name, each in zip(state.names, state.tensors, strict=True)
    }
    return shapes == {
        name: [spec.get("dtype"), spec.get("shape")]
        for name, spec in claimed.items()
        if isinstance(spec, dict)
    }
