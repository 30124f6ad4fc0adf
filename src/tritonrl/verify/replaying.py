"""The judge's hold on a process that repeats logs."""

import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from tritonrl.verify.kernels import cut_out
from tritonrl.verify.lending import Lender
from tritonrl.verify.log import Launch, Log, is_copy, is_free, may_overwrite
from tritonrl.verify.memory import spec_of
from tritonrl.verify.numbers import Numbers
from tritonrl.verify.oracle.exam import Draw
from tritonrl.verify.process import Process
from tritonrl.verify.roles import REPLAY
from tritonrl.verify.rooms import Room, Rooms
from tritonrl.verify.session import MOST_ROOMS, SLOW_SECONDS, Recorded, Session, raise_for
from tritonrl.verify.settings import Settings
from tritonrl.verify.specialisation import file_of
from tritonrl.verify.zygotes import Zygotes

if TYPE_CHECKING:
    from tritonrl.verify.timing.sets import Sets

POISONS = ("like data", "not a number")
Poisoned = tuple[Draw, str]
"""A question, and what lies in memory before it is asked."""
MOST_TIMED = 8
TIMED_BYTES = 2 * 2**30
"""Of the memories of a log that is timed, over all sets."""
BACKWARDS_LEAST_SECONDS, BACKWARDS_MOST_SECONDS = 10.0, 20.0
"""For a replay in another order, where programs may wait for each other for ever; between them, so many times
what the last replay took:"""
BACKWARDS_TIMES = 4


@dataclass(frozen=True)
class Replayed:
    """What a replay gave."""

    outputs: tuple[torch.Tensor, ...]
    after: tuple[torch.Tensor, ...]
    """Inputs and then state, where they lie until the next replay."""
    identities: frozenset[int]
    """Launches that only copied, by their number in the log."""
    costs: dict[int, float]
    """Work of the library's operators, by their number in the log."""
    failures: dict[int, str]
    """Steps that could not be repeated."""
    beyond: str
    """What a kernel did outside of its memories: `reads`, `writes` or nothing."""
    not_backwards: dict[str, str]
    """Kernels whose programs do not run in another order → why; they ran as always."""
    overwriting: tuple[int, ...]
    """Steps of the host that overwrote what was computed and is returned, where that was looked at."""


class Replay:
    """A clean process with the kernels of a candidate. Its methods may raise `Raised` or `Death`.

    It has never run a host's code, so on a GPU, where a process is expensive, it may repeat for one candidate
    after another. Nobody is rejected by one that was used before."""

    def __init__(
        self, zygotes: Zygotes, session: Session, code: str, settings: Settings, *, fresh: bool
    ) -> None:
        self.exam = session.exam
        kernels = _texts(session, code)
        self._zygotes = zygotes
        self.process: Process = zygotes.take(REPLAY, settings.device, fresh=fresh)
        self._lender = Lender(self._ask, settings.device)
        self._rooms = Rooms(self.exam, self._lender, most=MOST_ROOMS)
        self.numbers = Numbers(session.recorded.values(), self._rooms.state)
        """What its host reads of inputs and weights and hands on as it is."""
        self.library = settings.policy == "hybrid"
        """Whether operators of libraries are repeated, too."""
        self._seconds = settings.call_seconds
        self._last_seconds = 0.0
        """What a replay took, the last time."""
        self.is_backwards = False
        """Whether a replay in another order is under way, or was when the process ended."""
        message = {"do": "load", "kernels": kernels, "arch": settings.arch, "device": settings.device_kind}
        if session.constants:
            loan = self._lender.lend("constants", [spec_of(each) for each in session.constants])
            message |= {"arena": loan.name, "constants": loan.write(session.constants)}
        self._ask(message)
        if session.provided:
            self._ask({"do": "compiled", "compiled": session.provided})

    def most_at_once(self, draw: Draw) -> int:
        """Questions like this that a log can be repeated on at a time."""
        return len(self._rooms.all_of(draw)) if self._last_seconds < SLOW_SECONDS else 1

    def run(
        self,
        recorded: Recorded,
        questions: Sequence[Poisoned],
        *,
        without: Collection[str] = (),
        library: bool | None = None,
        looks: bool = False,
        follows: bool = False,
        backwards: bool = False,
    ) -> list[Replayed]:
        """Repeat a log on questions, each with its poison. `without` are kernels whose launches are left
        out; `looks` says which launches only copied, `follows` which steps overwrote what was computed;
        `backwards`, in the interpreter only, has the programs of each launch in another order."""
        log = recorded.log
        works = self._works(log)
        left_out = {n for n, s in enumerate(log.steps) if isinstance(s, Launch) and s.kernel in without}
        if not (self.library if library is None else library):
            left_out |= works
        rooms = [self._rooms.of(draw, slot) for slot, (draw, _) in enumerate(questions)]
        words = [
            {
                "poison": poison, "seed": secrets.randbits(62),
                "numbers": self.numbers.replaced(recorded, draw),
                **room.place(draw.inputs.tensors, self._rooms.state(draw)),
            }
            for room, (draw, poison) in zip(rooms, questions, strict=True)
        ]  # fmt: skip
        rooms[0].arena.settle()
        extra = self._backwards_seconds() if backwards else 0.0
        copies = [number for number, step in enumerate(log.steps) if is_copy(step)]
        self.is_backwards = backwards
        started = time.monotonic()
        answer = self._ask(
            {
                "do": "replay", "backwards": extra, "log": log.document, "questions": words,
                "steps": [number for number in range(len(log.steps)) if number not in left_out],
                "measured": sorted(works), "looks": looks,
                "copies": copies if follows and may_overwrite(log) else None,
            },
            seconds=(self._seconds + extra) * len(questions),
        )  # fmt: skip
        self.is_backwards = False
        if not backwards:
            self._last_seconds = (time.monotonic() - started) / len(questions)
        return [_replayed(room, each) for room, each in zip(rooms, answer["answers"], strict=True)]

    def _backwards_seconds(self) -> float:
        wanted = max(BACKWARDS_LEAST_SECONDS, BACKWARDS_TIMES * self._last_seconds)
        return min(wanted, BACKWARDS_MOST_SECONDS)

    def prepare(self, log: Log, sets: "Sets") -> None:
        """Have a log ready to be repeated over the first of these sets, to be timed."""
        count = max(1, min(MOST_TIMED, sets.count, TIMED_BYTES // max(1, sum(log.sizes))))
        name = sets.hand_to(self._ask)
        left_out = set() if self.library else self._works(log)
        chosen = [number for number in range(len(log.steps)) if number not in left_out]
        self._ask(
            {
                "do": "prepare", "log": log.document, "poison": POISONS[0],
                "before": [number for number in chosen if number < log.prologue],
                "steps": [number for number in chosen if number >= log.prologue],
                "arena": name, "sets": sets.places(count),
            }
        )  # fmt: skip

    def device_seconds(self, count: int) -> float:
        """What the device needs for the prepared log, over so many sets at most."""
        return self._ask({"do": "device_seconds", "count": count})["seconds"]

    def _works(self, log: Log) -> set[int]:
        """Steps of libraries that are no free operators."""
        own = self.exam.work.operators
        return {
            number
            for number, step in enumerate(log.steps)
            if not isinstance(step, Launch) and not is_free(step, own, log.sizes)
        }

    def _ask(
        self, message: dict[str, Any], descriptors: Sequence[int] = (), seconds: float | None = None
    ) -> dict[str, Any]:
        answer = self.process.ask(message, descriptors, seconds=seconds or self._seconds)
        raise_for(answer)
        return answer

    def close(self) -> None:
        """Let go of the process: for the next candidate, if all is well with it."""
        self._zygotes.give_back(self.process, self._seconds)
        self._lender.close()


def _replayed(room: Room, answer: dict[str, Any]) -> Replayed:
    costs, failures = ({int(n): each for n, each in answer[key].items()} for key in ("costs", "failures"))
    return Replayed(
        room.take(), room.rest(), frozenset(answer["identities"]), costs, failures, answer["beyond"],
        answer["not_backwards"],
        tuple(answer["overwriting"]),
    )  # fmt: skip


def _texts(session: Session, code: str) -> dict[str, str]:
    """The files of all launches; `NotInFile` where the candidate's text has none."""
    launches = {
        file_of(launch.model_dump()): launch
        for recorded in session.recorded.values()
        for launch in recorded.log.launches
    }
    return {name: cut_out(code, session.kernels, launch) for name, launch in launches.items()}
