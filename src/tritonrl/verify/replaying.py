"""The judge's hold on a process that repeats logs."""

import secrets
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import torch

from tritonrl.verify.kernels import cut_out
from tritonrl.verify.log import Launch, Log, is_free
from tritonrl.verify.memory import Arena, spec_of
from tritonrl.verify.oracle.exam import Draw
from tritonrl.verify.roles import REPLAY, Process, Zygotes
from tritonrl.verify.rooms import Rooms, fill
from tritonrl.verify.session import Raised, Session
from tritonrl.verify.settings import Settings

POISONS = ("like data", "not a number")


@dataclass(frozen=True)
class Replayed:
    """What a replay gave."""

    outputs: tuple[torch.Tensor, ...]
    after: tuple[torch.Tensor, ...]
    """Inputs and then state."""
    identities: frozenset[int]
    """Launches that only copied, by their number in the log."""
    costs: dict[int, float]
    """Work of the library's operators, by their number in the log."""
    failures: dict[int, str]
    """Steps that could not be repeated."""


class Replay:
    """A clean process with the kernels of a candidate. Its methods may raise `Raised` or `roles.Death`."""

    def __init__(self, zygotes: Zygotes, session: Session, code: str, settings: Settings) -> None:
        self.exam = session.exam
        self._rooms = Rooms(self.exam, settings, count=1)
        self.process: Process = self._rooms.hand_to(zygotes, REPLAY.on(settings.device))
        self.library = settings.policy == "hybrid"
        """Whether operators of libraries are repeated, too."""
        self._seconds = settings.call_seconds
        launches: dict[str, list[Launch]] = defaultdict(list)
        for recorded in session.recorded.values():
            for launch in recorded.log.launches:
                launches[launch.kernel].append(launch)
        kernels = {key: cut_out(code, session.kernels, own) for key, own in launches.items()}
        message = {
            "do": "load", "kernels": kernels, "constants": [], "arch": settings.arch,
            "device": settings.device,
        }  # fmt: skip
        if session.constants:
            arena = Arena([spec_of(each) for each in session.constants])
            fill(arena.tensors(), session.constants)
            message |= {"constants": arena.places, "maps": ["constants"]}
            self._ask(message, [arena.descriptor])
            arena.close()
        else:
            self._ask(message)
        if session.provided:
            self._ask({"do": "compiled", "compiled": session.provided})

    def run(
        self,
        log: Log,
        draw: Draw,
        poison: str = POISONS[0],
        *,
        without: Collection[str] = (),
        library: bool | None = None,
        looks: bool = False,
    ) -> Replayed:
        """Repeat a log on a question. `without` are kernels whose launches are left out."""
        free = self.exam.work.operators
        works = {n for n, s in enumerate(log.steps) if not isinstance(s, Launch) and not is_free(s, free)}
        left_out = {n for n, s in enumerate(log.steps) if isinstance(s, Launch) and s.kernel in without}
        if not (self.library if library is None else library):
            left_out |= works
        room = self._rooms.of(draw)
        words = room.place(draw.inputs.tensors, self._rooms.state(draw))
        answer = self._ask(
            {
                "do": "replay", "log": log.model_dump(), "poison": poison, "seed": secrets.randbits(62),
                "steps": [number for number in range(len(log.steps)) if number not in left_out],
                "measured": sorted(works), "looks": looks, **words,
            }
        )  # fmt: skip
        outputs, after = room.take()
        costs, failures = ({int(n): each for n, each in answer[key].items()} for key in ("costs", "failures"))
        return Replayed(outputs, after, frozenset(answer["identities"]), costs, failures)

    def _ask(self, message: dict, descriptors: tuple[int, ...] | list[int] = ()) -> dict:
        answer = self.process.ask(message, descriptors, seconds=self._seconds)
        if "error" in answer:
            raise Raised(answer["error"])
        return answer

    def close(self) -> None:
        self.process.end()
        self._rooms.close()
