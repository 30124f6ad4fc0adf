"""Hands that judge nothing: a fragment takes as long as a table says, a whole as long as its parts do."""

import re
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from tests.evaluate.made_up import verdict
from tritonrl import form
from tritonrl.policy import Proposal, unheard
from tritonrl.policy.programs import Questions
from tritonrl.program import Program
from tritonrl.search.found import Found
from tritonrl.search.library import Library
from tritonrl.search.run import Runner
from tritonrl.search.strategies import STRATEGIES, Search
from tritonrl.tasks import Task
from tritonrl.verify import Completion, Judged, Settings, Verdict
from tritonrl.verify.judge import versions
from tritonrl.verify.verdict import Speedup, Timing

TIMED = Settings(device="cuda", timing=True, policy="hybrid")
Times = Callable[[tuple[str, ...]], tuple[float, float] | None]
"""From a fragment's operators to PyTorch's time and a kernel's, in microseconds; None: it is rejected."""


class Writes:
    """A policy whose kernels are a name and a number."""

    scope = "names"

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def note(self, task: Task) -> str | None:
        return None

    def propose(self, task: Task, samples, hear=unheard):
        for sample in samples:
            self.asked.append((task.id, sample))
            ops = "_".join(task.ops or ())
            yield Proposal(sample, form.answer(ops, f"def triton_fused_operator(*xs):\n    return {ops!r}\n"))


@dataclass
class Table:
    """Judges by a table, and remembers how it was asked to."""

    times: Times
    whole_factor: float = 1.0
    """How much longer a whole takes than its parts promise."""
    rejects: set[str] = field(default_factory=set)
    """Code that is not what it was."""
    judged: list[tuple[str, Settings]] = field(default_factory=list)

    def submit(
        self, number: int, task: Task, candidate: Completion, settings: Settings | None = None
    ) -> Future[Judged]:
        assert settings is not None
        self.judged.append((task.id, settings))
        future: Future[Judged] = Future()
        future.set_result(Judged(number, task, self._verdict(task, candidate.code or "", settings)))
        return future

    def _verdict(self, task: Task, code: str, settings: Settings) -> Verdict:
        program = Program.from_json(task.program or {})
        if task.id.startswith("fragment-"):
            times = None if code in self.rejects else self.times(program.ops)
        else:
            times = self._whole(program, code)
        if times is None:
            return verdict(task.id, correct=False)
        made = verdict(task.id).model_copy(update={"versions": versions()})
        return timed(made, *times) if settings.timing else made

    def _whole(self, program: Program, code: str) -> tuple[float, float]:
        """By the calls of fragments in the code: each saves what the table says."""
        names = dict(re.findall(r"def (fragment_\d+)\(\*xs\):\n    return '(\w*)'", code))
        body = code.partition("def triton_fused_operator")[2]
        before = sum((self.times((op,)) or (10.0, 0.0))[0] for op in program.ops)
        saved = 0.0
        for call in re.findall(r"= (fragment_\d+)\(", body):
            eager, triton = self.times(tuple(split(names[call]))) or (0.0, 0.0)
            saved += eager - triton
        return before, (before - saved) * self.whole_factor


def split(name: str) -> list[str]:
    """Operators of a made-up kernel, by its name."""
    return name.split("_") if "_" in name else [name]


def timed(made: Verdict, eager_us: float, triton_us: float) -> Verdict:
    ratio = eager_us / triton_us
    against = Speedup(
        wall_us=eager_us, device_us=eager_us, speedup=ratio, low=ratio, high=ratio, device_speedup=ratio
    )
    timing = Timing(
        wall_us=triton_us, device_us=triton_us, spread=0.01, baselines={"eager": against}, num_rounds=9,
        num_calls=80, noop_us=1, floor_us=0.1, num_checked=3,
    )  # fmt: skip
    return made.model_copy(update={"timing": timing, "speedup": ratio})


def task_of(nodes: list, outputs: list[int], name: str = "whole", size: str = "4096,1024") -> Task:
    document = {"inputs": [f"float32[{size}]"], "nodes": nodes, "outputs": outputs}
    program = Program.from_json(document)
    return Task.functional(name, "", program=document, ops=program.ops)


def search_for(
    task: Task, policy: Writes, library: Library | None = None, settings: Settings = TIMED, **more
) -> Search:
    return Search(
        Found(task, settings), policy, 3, Questions(), library=library or Library(), model="names", **more
    )


def ran(hands: Table, *searches: Search, strategy: str = "fragments") -> None:
    runner = Runner(searches[0].policy)
    ended = list(runner.run([(each, STRATEGIES[strategy]) for each in searches], hands))
    assert sorted(map(id, ended)) == sorted(map(id, searches))
