"""One candidate under examination: the judge's hold on its process, and what it gave for each question.

The judge writes inputs into shared memory, asks for a call, and copies the outputs before it looks at them;
state, inputs and the guard zones between them are to be as they were. There are several rooms for each shape
of question, so that new values can come at an old address and old values at a new one.
"""

import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from pydantic import ValidationError

from tritonrl.verify.kernels import Specialisation
from tritonrl.verify.lending import Lender
from tritonrl.verify.limits import LARGEST_CONSTANTS, MOST_SPECIALISATIONS
from tritonrl.verify.log import Kernel, Log, Report, is_about
from tritonrl.verify.memory import contiguous_spec, dtype_name, spec_of
from tritonrl.verify.oracle.exam import Draw, Exam, Redrawn
from tritonrl.verify.oracle.worker import State
from tritonrl.verify.process import Death, Process
from tritonrl.verify.roles import CANDIDATE
from tritonrl.verify.rooms import Room, Rooms
from tritonrl.verify.settings import TARGETS, Settings
from tritonrl.verify.zygotes import Zygotes

LEAST_ROOMS, MOST_ROOMS = 2, 4
"""Of each shape of question. As many calls are asked for at once: on a GPU that is shared, judge and
candidate wait for everybody else whenever one comes after the other."""
SLOW_SECONDS = 0.2
"""Of a call, from which on they are asked for one by one: who is slow is asked fewer."""
NUM_HELD = 6
"""Earlier outputs that the candidate keeps, to be looked at again: the first three, and the last ones."""
NUM_HELD_TO_THE_END = 3
LATE_ONE_IN = 4
"""Calls on a GPU whose inputs arrive a little later, in the stream that the candidate is given. In one queue
nobody could come before them."""
GRADIENTS_ONE_IN = 4
"""Calls in PyTorch's own mode, of weights that want no gradient; the others are without gradients. A host may
look which it is."""
MOST_ROUNDS = 4
"""Times that a call is asked again because kernels were missing: what is launched may depend on results."""

Question = tuple[Draw, Room]
"""What is asked, and where."""
Provide = Callable[["Session"], list[dict[str, Any]]]


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
    """Inputs and then state entries after the call, where they lie until the next."""
    guards_broken: torch.Tensor
    """Whether something was written between tensors."""
    log: Log
    device: str
    """Where it had to be computed."""


@dataclass
class Recorded:
    """Calls with the same log."""

    log: Log
    draws: list[Draw] = field(default_factory=list)
    """What was asked in them, each once."""
    known: tuple[Draw, ...] = ()
    """What had been asked when the first of them was answered: nothing of another question is in the log."""

    def has(self, draw: Draw) -> bool:
        return any(draw is each for each in self.draws)

    def knows(self, draw: Draw) -> bool:
        return any(draw is each for each in self.known)


@dataclass
class _Asked:
    """A question that lies in its room, and the words that ask it."""

    draw: Draw
    room: Room
    message: dict[str, Any]
    num_rounds: int = 0
    """Of kernels that were made for it."""

    @property
    def number(self) -> int:
        return self.message["number"]


class Session:
    """A loaded candidate. Every method may raise `Raised` or `Death`."""

    def __init__(
        self,
        zygotes: Zygotes,
        exam: Exam,
        settings: Settings,
        provide: "Provide | None" = None,
        num_queues: int = 2,
    ) -> None:
        self.exam = exam
        self.settings = settings
        self.process: Process = zygotes.start(replace(CANDIDATE, num_queues=num_queues), settings.device)
        self.lender = Lender(self._ask, settings.device)
        self.rooms = Rooms(exam, self.lender, LEAST_ROOMS, MOST_ROOMS)
        self.provide = provide
        """On a GPU: has kernels made for what a call could not launch; gives the words to hand them over."""
        self.specialisations: dict[str, Specialisation] = {}
        """Those that were not compiled yet."""
        self.kernels: dict[str, Kernel] = {}
        self.recorded: dict[str, Recorded] = {}
        self.constants: list[torch.Tensor] = []
        """What the candidate had made before the first question, as bytes."""
        self.last: tuple[Draw, Answer] | None = None
        """The first wrong answer, or the last."""
        self.provided: list[dict[str, Any]] = []
        """Kernels that were handed over, for a GPU."""
        self.missing: set[str] = set()
        """Parameters of the reference for which the candidate says that it has none."""
        self.num_configs = 0
        self.num_calls = 0
        self.under_way = "no call"
        """What was asked for last, in words."""
        self.asked: list[Draw] = []
        """The draws asked so far, each once."""
        self.held: dict[int, tuple[Draw, Room]] = {}
        self._last_seconds = 0.0
        """What a call took, the last time."""
        self._logs: dict[str, Log] = {}
        self._seen: set[str] = set()
        self._state: dict[int, int | None] = {}

    def load(self, code: str) -> None:
        kind, target = self.settings.device_kind, self.settings.target
        message = {"do": "load", "code": code, "arch": self.settings.arch, "device": kind}
        self._ask(message | {"shared_bytes": TARGETS[target]})

    def construct(self, variant: int) -> bool:
        """Make the entry for a variant; whether its state has the reference's names and shapes."""
        task, chosen = self.exam.task, self.exam.variants[variant]
        state = chosen.states[0]
        message = {
            "do": "construct", "variant": variant, "entry": task.candidate_entry, "seed": chosen.seed,
            "construct": task.kind != "functional", "init": state.init.structure,
        }  # fmt: skip
        # A module is made where everybody makes one, and then moved.
        answer = self._lend("init", state.init.tensors, message, device="cpu")
        self._state[variant] = None
        if chosen.redrawn:
            self._redraw(variant, chosen.redrawn)
        return _same_state(answer.get("state"), state)

    def _redraw(self, variant: int, redrawn: Sequence[Redrawn]) -> None:
        """Give other values to parameters that are of one value when they are made."""
        message = {"do": "redraw", "variant": variant, "values": [each.value for each in redrawn]}
        found = self._lend("redrawn", [each.tensor for each in redrawn], message).get("found")
        if not isinstance(found, list) or len(found) != len(redrawn):
            raise Death("protocol", "reported parameters that are none")
        self.missing |= {
            name for each, has in zip(redrawn, found, strict=True) if not has for name in each.names
        }

    def take_constants(self) -> None:
        """Have a copy of what was made before the first question: a program may have tables."""
        answer = self._ask({"do": "constants", "sets_state": self.exam.replaces_weights})
        sizes = answer.get("sizes")
        if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
            raise Death("protocol", "reported constants that are none")
        if not sizes or sum(sizes) > LARGEST_CONSTANTS:
            return
        loan = self.lender.lend("constants", [contiguous_spec("uint8", [size]) for size in sizes])
        self._ask({"do": "export", "arena": loan.name, "places": loan.arena.places})
        self.constants = [each.clone() for each in loan.arena.tensors()]

    def call(self, draw: Draw, slot: int) -> Answer:
        """Ask one question, in one of the rooms that fit it."""
        return self.calls([(draw, self.rooms.of(draw, slot))])[0]

    def goes_with(self, others: Sequence[Question], draw: Draw, room: Room) -> bool:
        """Whether a question can be asked at once with others: in another room, under the same weights, and
        after the first of its shape. What that one's log says, it says without knowing the others."""
        return (
            self._last_seconds < SLOW_SECONDS
            and all(
                taken is not room
                and (other.variant, other.state) == (draw.variant, draw.state)
                and not _changes_state(other)
                for other, taken in others
            )
            and (
                not any(draw.asks_like(other) for other, _ in others)
                or any(draw.asks_like(each) for each in self.asked)
            )
        )

    def calls(self, questions: Sequence[Question]) -> list[Answer]:
        """Ask questions that go with each other."""
        self._set_state(questions[0][0])
        asked = [self._place(draw, room) for draw, room in questions]
        answers: list[Answer] = []
        while len(answers) < len(asked):
            rest = asked[len(answers) :]
            for each, given in zip(rest, self._given(rest), strict=False):
                log = self._take_log(given)
                if self.provide and given.get("missing") is True and each.num_rounds < MOST_ROUNDS:
                    self._help(each)
                    break
                self.under_way = f"call {each.number}"
                raise_for(given)
                self._check_given(each.draw, log)
                answers.append(self._answer(each, given, log))
        return answers

    def _place(self, draw: Draw, room: Room) -> "_Asked":
        words = room.place(draw.inputs.tensors)
        self.num_calls += 1
        if not any(draw is each for each in self.asked):
            self.asked.append(draw)
        passing = [number for number in self.held if number > NUM_HELD_TO_THE_END]
        forget = passing[: max(0, len(self.held) + 1 - NUM_HELD)]
        for number in forget:
            del self.held[number]
        self.held[self.num_calls] = (draw, room)
        message = {
            "variant": draw.variant, "number": self.num_calls, "forget": forget, "again": False,
            "structure": draw.inputs.structure, **words,
            "late": self.process.role.num_queues > 1 and secrets.randbelow(LATE_ONE_IN) == 0,
            "gradients": secrets.randbelow(GRADIENTS_ONE_IN) == 0,
        }  # fmt: skip
        return _Asked(draw, room, message)

    def _given(self, asked: Sequence["_Asked"]) -> list[dict[str, Any]]:
        """What the process answers, in order, to some of these calls."""
        message = {"do": "calls", "calls": [each.message for each in asked]}
        asked[0].room.arena.settle()
        first, last = asked[0].number, asked[-1].number
        self.under_way = f"call {first}" if first == last else f"one of the calls {first} to {last}"
        started = time.monotonic()
        answer = self.process.ask(message, seconds=self.settings.call_seconds * len(asked))
        self._last_seconds = (time.monotonic() - started) / len(asked)
        raise_for(answer)
        given = answer.get("answers")
        if not isinstance(given, list) or not given or not all(isinstance(each, dict) for each in given):
            self.process.end()
            raise Death("protocol", "reported no answers")
        return given

    def _help(self, asked: "_Asked") -> None:
        """Have made what a call could not launch, so that it can be asked again."""
        assert self.provide is not None
        made = self.provide(self)
        self.provided += made
        self._ask({"do": "compiled", "compiled": made})
        self._state[asked.draw.variant] = None  # what the call did to it is undone
        self._set_state(asked.draw)
        asked.message |= asked.room.place(asked.draw.inputs.tensors) | {"again": True}
        asked.num_rounds += 1

    def _answer(self, asked: "_Asked", given: dict[str, Any], log: Log) -> Answer:
        draw, room = asked.draw, asked.room
        recorded = self.recorded.setdefault(log.key, Recorded(log, known=tuple(self.asked)))
        if not recorded.has(draw):
            recorded.draws.append(draw)
        answer = Answer(
            asked.number, given.get("structure"), _described(given.get("outputs")), room.take(),
            room.rest(), room.arena.guards_broken(), log, self.settings.device_kind,
        )  # fmt: skip
        self.last = (draw, answer)
        return answer

    def _check_given(self, draw: Draw, log: Log) -> None:
        """Inputs and weights of a log must be those that were given: they are where a replay puts them."""
        if not is_about(log, draw.inputs.tensors, self.rooms.state(draw)):
            self.process.end()
            raise Death("protocol", "says of its inputs or weights what they are not")

    def tune(self, draw: Draw) -> None:
        """Have autotuned kernels choose their configuration, on a question that was asked before."""
        self._set_state(draw)
        room = self.rooms.of(draw)
        words = room.place(draw.inputs.tensors)
        room.arena.settle()
        message = {"do": "tune", "variant": draw.variant, "structure": draw.inputs.structure}
        self._ask(message | {"arena": room.name, "inputs": words["inputs"]})
        self._state[draw.variant] = None

    def set_state(self, draw: Draw) -> None:
        """The weights of this question, whatever calls have left."""
        self._state[draw.variant] = None
        self._set_state(draw)

    def look_again(self, numbers: Sequence[int]) -> list[tuple[Draw, tuple[torch.Tensor, ...]]]:
        """The outputs of earlier calls, of different rooms, as they are now, and the questions that they
        answered."""
        rooms = {number: self.held[number][1] for number in numbers}
        words = [{"number": number, **room.clear()} for number, room in rooms.items()]
        next(iter(rooms.values())).arena.settle()
        self._ask({"do": "look", "calls": words})
        return [(self.held[number][0], room.take()) for number, room in rooms.items()]

    def take_specialisations(self) -> list[Specialisation]:
        """Those launched for the first time since this was last asked."""
        taken, self.specialisations = self.specialisations, {}
        return list(taken.values())

    def _take_log(self, answer: dict[str, Any]) -> Log:
        """The log of a call. Most are like an earlier one to the letter."""
        text = json.dumps([answer.get("log"), answer.get("kernels"), answer.get("configs")])
        if text not in self._logs:
            self._logs[text] = self._read_log(answer)
        return self._logs[text]

    def _read_log(self, answer: dict[str, Any]) -> Log:
        try:
            report = Report.model_validate({name: answer.get(name) for name in Report.model_fields})
            launched = [Specialisation.of(launch) for launch in report.log.launches]
            new = {each.text: each for each in launched}
            _ = report.log.key  # what cannot be written out is no log either
            if any(self.kernels.get(key, each) != each for key, each in report.kernels.items()):
                raise ValueError("described a kernel in another way")
            if len(self._seen | set(new)) > MOST_SPECIALISATIONS:
                raise ValueError(f"more than {MOST_SPECIALISATIONS} specialisations")
        except (ValidationError, ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
            self.process.end()
            raise Death("protocol", "reported a log that is none") from error
        self.specialisations |= {text: each for text, each in new.items() if text not in self._seen}
        self._seen |= set(new)
        self.kernels |= report.kernels
        self.num_configs = max(self.num_configs, report.configs)
        return report.log

    def _set_state(self, draw: Draw) -> None:
        """Replace the weights, in place, if another state is wanted or the last call changed it."""
        state = self.exam.variants[draw.variant].states[draw.state]
        if not self.exam.replaces_weights or not state.names or self._state[draw.variant] == draw.state:
            return
        message = {"do": "set_state", "variant": draw.variant, "names": state.names}
        self._lend("state", state.tensors, message)
        self._state[draw.variant] = None if _changes_state(draw) else draw.state

    def _lend(
        self,
        purpose: str,
        tensors: Sequence[torch.Tensor],
        message: dict[str, Any],
        device: str | None = None,
    ) -> dict[str, Any]:
        """Ask something about tensors that it is given."""
        loan = self.lender.lend(purpose, [spec_of(each) for each in tensors], device)
        return self._ask(message | {"arena": loan.name, "places": loan.write(tensors)})

    def _ask(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> dict[str, Any]:
        answer = self.process.ask(message, descriptors, seconds=self.settings.call_seconds)
        raise_for(answer)
        return answer

    def close(self) -> None:
        self.process.end()
        self.lender.close()
        self.provide = None  # it knows the case, which knows this session


def _changes_state(draw: Draw) -> bool:
    return any(place >= len(draw.inputs.tensors) for place in draw.expected.changed)


def _described(claimed: Any) -> tuple[dict[str, Any], ...]:
    """What the process says of its outputs, if that is a list of descriptions."""
    return tuple(each for each in claimed if isinstance(each, dict)) if isinstance(claimed, list) else ()


def raise_for(answer: dict[str, Any]) -> None:
    """What a process answers when its code raised."""
    if "error" in answer:
        raise Raised(answer["error"] if isinstance(answer["error"], dict) else {})


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
