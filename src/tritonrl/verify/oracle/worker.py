"""The reference worker as the judge sees it: questions about a task, answers as tensors that only the judge
holds."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tritonrl.tasks import Task, TaskError
from tritonrl.verify.lending import Lender
from tritonrl.verify.memory import check_spec, contiguous_spec, spec_of
from tritonrl.verify.oracle.compare import Value
from tritonrl.verify.oracle.plain import is_plain
from tritonrl.verify.oracle.tolerance import FAR, Tolerance
from tritonrl.verify.process import Death, Process
from tritonrl.verify.roles import REFERENCE, DeviceFull, Role, says_full
from tritonrl.verify.zygotes import Zygotes

MUTANTS_SHARE = 0.25
"""Of the time that one question to a process may take, after which no further mutant is run for it."""


@dataclass(frozen=True)
class Values:
    """A nested value: its structure, and its tensors apart."""

    structure: Any
    tensors: tuple[torch.Tensor, ...]

    def with_tensors(self, tensors: Iterable[torch.Tensor]) -> "Values":
        return Values(self.structure, tuple(tensors))


@dataclass(frozen=True)
class State:
    """What a module is constructed from, and its parameters and buffers."""

    init: Values
    names: tuple[str, ...]
    roles: tuple[str, ...]
    tensors: tuple[torch.Tensor, ...]

    def with_tensors(self, tensors: Iterable[torch.Tensor]) -> "State":
        return State(self.init, self.names, self.roles, tuple(tensors))


@dataclass(frozen=True)
class Expected:
    """What one call must do."""

    structure: Any
    outputs: tuple[Value, ...]
    aliases: tuple[bool, ...]
    """Whether an output shares memory with an input."""
    overlapping: tuple[bool, ...]
    """Whether an output has several elements in one place (a stride of zero)."""
    memories: tuple[int, ...]
    """The first output that lies in the same memory, for each."""
    changed: Mapping[int, Value]
    """Inputs and then state entries that the call changes in place, by their number."""
    random: bool
    in_double: bool
    """Whether the reference could be run in float64."""
    num_terms: int

    @property
    def values(self) -> tuple[Value, ...]:
        """All that can be compared: outputs, then what is changed."""
        return (*self.outputs, *self.changed.values())

    @property
    def output_bytes(self) -> int:
        """Of all that the call returns."""
        return sum(value.native.nbytes for value in self.outputs)


@dataclass(frozen=True)
class Work:
    """What a run of the reference is made of."""

    seconds: float
    """On an idealised GPU; see `verify.inside.work`."""
    products: int
    """Floating-point operations of products of matrices and their kin."""
    operators: frozenset[str]
    """Those that compute or move data: `aten.add`."""


@dataclass(frozen=True)
class MutantRuns:
    """Mutants that are run at the task's own sizes."""

    inputs: Values
    state: State
    changed: Iterable[int]
    """The inputs and state entries that are looked at afterwards."""
    mutants: Sequence[Mapping[str, Any]]
    seconds: float
    """After which no further one is run."""


class TaskTooLarge(TaskError, DeviceFull):
    """The task's own code found no memory: it may need too much, or others have it."""


class Worker:
    """Runs one task's own code. A failure of that code is a `TaskError`: the question was wrong."""

    most_bytes: int | None = None
    """Of the tensors of one answer, where that is bounded."""

    def __init__(
        self, zygotes: Zygotes, task: Task, seconds: float, device: str = "cpu", role: Role = REFERENCE
    ) -> None:
        self.task = task
        self.seconds = seconds
        self.device = device
        self._zygotes = zygotes
        self.is_plain = role is REFERENCE and is_plain(task)
        """Whether its process can be used for another such task."""
        self.process: Process = zygotes.take(role, device, fresh=not self.is_plain)
        self._lender = Lender(lambda *words: self._ask(*words, doing="be given memory"), device)
        self._asked: dict[str, tuple[torch.Tensor, ...]] = {}
        """What each piece of memory holds that questions are written to. A run works on copies."""
        try:
            answer = self._ask(
                {
                    "do": "load", "source": task.source, "entry": task.entry, "init_style": task.init_style,
                    "construct": task.kind != "functional", "device": device.partition(":")[0],
                },
                doing="be imported",
            )  # fmt: skip
        except BaseException:
            self.close()
            raise
        self.varying: dict[str, int] = answer["varying"]

    def draw(self, seed: int, sizes: Mapping[str, int]) -> Values:
        """The task's own inputs."""
        message = {"do": "draw", "seed": seed, "sizes": sizes}
        answer, tensors = self._fetch(message, doing="draw its inputs")
        return Values(answer["structure"], tensors)

    def build(self, variant: int, seed: int, sizes: Mapping[str, int]) -> State:
        """Construct the task's module at these sizes."""
        message = {"do": "build", "variant": variant, "seed": seed, "sizes": sizes}
        answer, tensors = self._fetch(message, doing="be constructed")
        count = answer["arguments"]
        init = Values(answer["structure"], tensors[:count])
        return State(init, tuple(answer["names"]), tuple(answer["roles"]), tensors[count:])

    def expect(
        self,
        variant: int,
        inputs: Values,
        state: State,
        tolerance: Tolerance,
        noise: Sequence[int],
        far: Sequence[int] = (),
        *,
        twice: bool = True,
    ) -> Expected:
        """Run the reference: in its type, `twice` to see whether it is random, in float64, and under rounding
        noise, also such that reaches far; once for each seed. Ties among integers are looked for, unless one
        run is a quick look."""
        near = tolerance.num_noise - tolerance.num_wide
        message = {
            "do": "expect", "roundoff": tolerance.roundoff, "far": FAR,
            "noise": [[seed, 1 if place < near else FAR] for place, seed in enumerate(noise)],
            "far_noise": list(far), "ties": tolerance.typical if len(noise) > 1 else 0.0, "twice": twice,
        }  # fmt: skip
        answer, tensors = self._fetch(message, variant, inputs, state, doing="run")
        count, changed = answer["count"], answer["changed"]
        names = [f"output {place}" for place in range(count)] if count > 1 else ["the output"] * count
        names += [_effect_name(place, len(inputs.tensors), state) for place in changed]
        total = len(names)
        values = [
            Value(name, native, exact.double() if native.is_floating_point() else exact, spread, *far_off)
            for name, native, exact, spread, *far_off in zip(
                names, *(tensors[at : at + total] for at in range(0, len(tensors), total)), strict=True
            )
        ]
        return Expected(
            answer["structure"],
            tuple(values[:count]),
            tuple(answer["aliases"]),
            tuple(answer["overlapping"]),
            tuple(answer["memories"]),
            dict(zip(changed, values[count:], strict=True)),
            answer["random"],
            answer["in_double"],
            answer["longest"],
        )

    def after(self, variant: int, inputs: Values, state: State) -> dict[int, torch.Tensor]:
        """The inputs and then state entries that a call changes in place, by their number, as it leaves
        them."""
        answer, tensors = self._fetch({"do": "after"}, variant, inputs, state, doing="run")
        return dict(zip(answer["changed"], tensors, strict=True))

    def work(self, variant: int, inputs: Values, state: State) -> Work:
        """How much work a run is."""
        answer = self._with_inputs({"do": "work"}, variant, inputs, state, doing="run")
        return Work(answer["seconds"], answer["products"], frozenset(answer["operators"]))

    def baseline(self, inputs: Values, state: State, *, tf32: bool, compiled: bool) -> None:
        """Make ready for timed calls of the first variant with these weights."""
        message = {"do": "baseline", "tf32": tf32, "compile": compiled}
        self._with_inputs(message, 0, inputs, state, doing="be timed")

    def captured(self) -> dict[str, Any]:
        """The task's program; see `verify.inside.captured`."""
        return self._ask({"do": "capture"}, doing="be captured")

    def rest(self) -> None:
        """Give back what is kept for the next question: that may be long in coming."""
        self._ask({"do": "rest"}, doing="rest")  # first: a device may still be reading what it was lent
        self._asked = {}
        self._lender.take_back()

    def mutants(self, variant: int, inputs: Values, state: State) -> dict[str, Any]:
        """The operators of a run and what can be changed in each."""
        return self._with_inputs({"do": "mutants"}, variant, inputs, state, doing="run")

    def mutate(self, runs: MutantRuns, most: int) -> list[tuple[torch.Tensor, ...] | None]:
        """Of each mutant the outputs, then the inputs and state entries asked for, in float64; of each, where
        it has more, about `most` elements. None of those that do not run, or come up too late."""
        message = self._of_mutants("mutate", runs) | {"most": most}
        try:
            answer, tensors = self._fetch(message, 0, runs.inputs, runs.state, doing="run changed")
        except TaskError:
            if self.process.ended is not None:
                raise
            return [None for _ in runs.mutants]
        rest = iter(tensors)
        return [None if each is None else tuple(itertools.islice(rest, each)) for each in answer["counts"]]

    def tells(self, runs: MutantRuns) -> bool:
        """Whether these inputs tell one of the mutants from the reference in float64, of those that come up
        in time. Inputs on which that cannot be said may be worth a question."""
        message = self._of_mutants("tells", runs)
        try:
            return self._with_inputs(message, 0, runs.inputs, runs.state, doing="run changed")["tells"]
        except TaskError:
            if self.process.ended is not None:
                raise
            return True

    def _of_mutants(self, do: str, runs: MutantRuns) -> dict[str, Any]:
        seconds = min(runs.seconds, MUTANTS_SHARE * self.seconds)
        return {"do": do, "changed": list(runs.changed), "mutants": list(runs.mutants), "seconds": seconds}

    def _fetch(
        self, message: dict[str, Any], *given: Any, doing: str
    ) -> tuple[dict[str, Any], tuple[torch.Tensor, ...]]:
        """Ask, make room for the tensors announced, have them copied there, and take them."""
        answer = self._with_inputs(message, *given, doing=doing) if given else self._ask(message, doing=doing)
        specs = [check_spec(spec) for spec in answer["tensors"]]
        size = sum(math.prod(spec["shape"]) * getattr(torch, spec["dtype"]).itemsize for spec in specs)
        if self.most_bytes is not None and size > self.most_bytes:
            what = f"cannot {doing}: {size:,} bytes of tensors; at most {self.most_bytes:,} are allowed"
            raise TaskError(self.task.id, what)
        loan = self._lender.lend("fetched", [contiguous_spec(s["dtype"], s["shape"]) for s in specs])
        loan.arena.settle()  # what was taken from there before is written over
        fetch = {"do": "fetch", "arena": loan.name, "places": loan.arena.places}
        self._ask(fetch, doing="hand over its results")
        pairs = zip(loan.arena.tensors(), specs, strict=True)
        return answer, tuple(_restrided(tensor, spec) for tensor, spec in pairs)

    def _with_inputs(
        self, message: dict[str, Any], variant: int, inputs: Values, state: State, *, doing: str
    ) -> dict[str, Any]:
        tensors = (*inputs.tensors, *state.tensors)
        loan = self._lender.lend("asked", [spec_of(each) for each in tensors])
        if not _are_those(self._asked.get(loan.name, ()), tensors):
            self._asked[loan.name] = ()  # as long as they are being written
            loan.write(tensors)
            self._asked[loan.name] = tensors
        places, count = loan.arena.places, len(inputs.tensors)
        message |= {
            "variant": variant, "structure": inputs.structure, "arena": loan.name,
            "inputs": places[:count], "state": places[count:],
        }  # fmt: skip
        return self._ask(message, doing=doing)

    def _ask(self, message: dict[str, Any], descriptors: Sequence[int] = (), *, doing: str) -> dict[str, Any]:
        try:
            answer = self.process.ask(message, descriptors, seconds=self.seconds)
        except Death as death:
            last = death.output.strip().rpartition("\n")[2][-300:]
            printed = f"; it last printed: {last}" if last else ""
            raise TaskError(self.task.id, f"cannot {doing}: it {death.detail}{printed}") from death
        if "error" in answer:
            error = answer["error"]
            line = f" (line {error['line']})" if error["line"] else ""
            kind = TaskTooLarge if self.device != "cpu" and says_full(error) else TaskError
            raise kind(self.task.id, f"cannot {doing}: {error['type']}: {error['message'][:300]}{line}")
        return answer

    def close(self) -> None:
        """Let go of the process: for another plain task after a plain one."""
        if self.is_plain:
            self._zygotes.give_back(self.process, self.seconds)
        else:
            self.process.end()
        self._asked = {}
        self._lender.close()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _are_those(held: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor]) -> bool:
    """The same tensors, which nobody changes."""
    return len(held) == len(wanted) and all(a is b for a, b in zip(held, wanted, strict=True))


def _restrided(tensor: torch.Tensor, spec: dict[str, Any]) -> torch.Tensor:
    """A private copy with the strides that the worker's tensor had, unless elements share places."""
    if 0 in spec["stride"] or 0 in spec["shape"]:
        return tensor.clone()
    made = torch.empty_strided(spec["shape"], spec["stride"], dtype=tensor.dtype, device=tensor.device)
    return made.copy_(tensor)


def _effect_name(place: int, num_inputs: int, state: State) -> str:
    name = f"input {place}" if place < num_inputs else f"{state.names[place - num_inputs]!r}"
    return f"{name} after the call"
