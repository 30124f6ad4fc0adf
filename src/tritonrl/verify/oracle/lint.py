"""Task lint: the oracle is itself tested. Wrong programs take the exam, and the exam is made harder until
they fail.

A mutant is *killed* by a question on which the comparator rejects it; *equivalent* if no question, harder
ones included, tells it from the reference even in float64 (a relu after a sigmoid may be dropped); else it
*survives*, and the task is weak: a kernel that makes the same mistake would pass.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import torch
from pydantic import BaseModel, ConfigDict

from tritonrl.tasks import TaskError
from tritonrl.verify.oracle.compare import all_finite, compare, in_pieces, rms
from tritonrl.verify.oracle.exam import Author, Draw, Exam
from tritonrl.verify.oracle.worker import State, Values, Worker
from tritonrl.verify.structure import some_of

SAME = 1e-9
"""Relative to the size of the result: below this a float64 result is the same one."""
NUM_ROUNDS = 2
"""Of harder questions, before a mutant counts as a survivor or as equivalent."""

NOTHING_WRONG: dict[str, Any] = {"rounded": "", "position": -1, "name": "", "most": sys.maxsize}
"""A mutant that is the reference; all elements of what it gives."""

Status = Literal["killed", "equivalent", "survived", "untried"]
Given = tuple[torch.Tensor, ...]
Attempt = Callable[[Draw], Given | None]
"""What a wrong program gives on a draw; None where it has nothing to give."""
MOST_AT_FIRST = 2**20
"""Elements of each tensor that are looked at first: most mistakes show everywhere."""


class Mutant(BaseModel):
    """One wrong program and what became of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    operator: str
    """Name and number of the operator that is wrong (`softmax 3`), or `whole` for the program."""
    mistake: str
    status: Status
    killed_by: str | None = None
    """Kind of the inputs that gave it away."""


class TaskLint(BaseModel):
    """How well a task tells right from wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    mutants: tuple[Mutant, ...]
    num_draws: int
    strengthened_by: tuple[str, ...]
    """Kinds of questions that were added to kill a mutant."""
    error: str | None = None
    """Why the task could not be tested; it then has no mutants."""

    @property
    def weak(self) -> bool:
        return any(mutant.status == "survived" for mutant in self.mutants)

    def count(self, status: Status) -> int:
        return sum(mutant.status == status for mutant in self.mutants)


@dataclass
class _Suspect:
    operator: str
    mistake: str
    attempt: Attempt
    glance: Attempt | None = None
    """Some elements of that, where they are had for less."""
    mutant: dict[str, Any] | None = None
    """What the worker runs; None where it is made from right answers."""
    is_decision: bool = False
    """Whether it only decides otherwise where two are equal."""
    killed_by: str | None = None
    differs: bool = False
    """Some question tells it from the reference, if not beyond tolerance."""
    tried: bool = False

    def outcome(self) -> Mutant:
        # A tie that the exam does not count is one that rounding decides: nobody's mistake.
        status: Status = "survived" if self.differs and not self.is_decision else "equivalent"
        if not self.tried:
            status = "untried"
        if self.killed_by:
            status = "killed"
        return Mutant(operator=self.operator, mistake=self.mistake, status=status, killed_by=self.killed_by)


def lint(worker: Worker, author: Author, exam: Exam, seconds: float) -> tuple[TaskLint, Exam]:
    """Test the exam of a task, and give it back with the questions that it lacked. Stops trying after
    `seconds`."""
    deadline = time.monotonic() + seconds
    draws = [draw for draw in exam.draws if draw.variant == 0]
    suspects = list(_suspects(worker, exam, draws))
    _question(suspects, draws, exam, deadline)
    suspects = [suspect for suspect in suspects if suspect.tried or time.monotonic() > deadline]
    tells = _Telling(worker, exam, suspects)
    added: list[Draw] = []
    for number in range(NUM_ROUNDS):
        # Of ties one round asks all there is to ask.
        standing = [each for each in suspects if not each.killed_by and not (number and each.is_decision)]
        if not standing or time.monotonic() > deadline:
            break
        added += [draw for draw in author.harder(exam, tells) if _question(suspects, [draw], exam, deadline)]
    found = TaskLint(
        task=exam.task.id,
        mutants=tuple(suspect.outcome() for suspect in suspects),
        num_draws=len(exam.draws) + len(added),
        strengthened_by=tuple(dict.fromkeys(draw.kind for draw in added)),
    )
    return found, replace(exam, draws=(*exam.draws, *added))


def _question(suspects: list[_Suspect], draws: list[Draw], exam: Exam, deadline: float) -> bool:
    """Ask those suspects that are still standing until a question kills them; whether one did."""
    killed = False
    for suspect in suspects:
        for draw in draws if not suspect.killed_by else ():
            if time.monotonic() > deadline:
                return killed
            given, is_rejected = _tried(suspect, draw, exam)
            if given is None:
                continue
            suspect.tried = True
            if is_rejected:
                suspect.killed_by, killed = draw.kind, True
                break
            exact = [value.exact for value in draw.expected.values]
            suspect.differs = suspect.differs or _differ(given, exact)
    return killed


def _tried(suspect: _Suspect, draw: Draw, exam: Exam) -> tuple[Given | None, bool]:
    """What it gives, no more than some elements where those show that it is wrong; and whether it is."""
    given = None
    if _is_large(draw):
        given = (suspect.glance or suspect.attempt)(draw)
        if given is not None and _shows(given, draw, exam):
            return given, True
    if given is None or suspect.glance:
        given = suspect.attempt(draw)
    return given, given is not None and _is_rejected(given, draw, exam)


def _is_large(draw: Draw) -> bool:
    return any(value.exact.numel() > 2 * MOST_AT_FIRST for value in draw.expected.values)


def _shows(given: Given, draw: Draw, exam: Exam) -> bool:
    """Whether some elements are enough to see that it is wrong."""
    allowed = exam.tolerance.of_any(draw.expected.num_terms)
    return any(
        compare(value.some(MOST_AT_FIRST), some_of(got, MOST_AT_FIRST).to(value.native.dtype), allowed, 0)
        for value, got in zip(draw.expected.values, given, strict=False)
    )


def _is_rejected(given: Given, draw: Draw, exam: Exam) -> bool:
    return any(
        value.native.shape != got.shape
        or compare(value, got.to(value.native.dtype), exam.tolerance, draw.expected.num_terms)
        for value, got in zip(draw.expected.values, given, strict=False)
    )


class _Telling:
    """Whether inputs tell one of those who stand from the reference: a few runs say that, where the answer
    to a question takes ten. Who is equivalent stands to the end."""

    def __init__(self, worker: Worker, exam: Exam, suspects: list[_Suspect]) -> None:
        self._worker, self._suspects = worker, suspects
        self._changed = exam.draws[0].expected.changed

    def __call__(self, inputs: Values, state: State) -> bool:
        def run(mutant: dict[str, Any]) -> Given | None:
            return _run(self._worker, inputs, state, self._changed, mutant)

        standing = [each.mutant for each in self._suspects if not each.killed_by]
        exact = run(NOTHING_WRONG) if standing else ()
        if exact is None or not all(map(all_finite, exact)):
            return True
        return any(
            mutant is None or ((given := run(mutant)) is not None and _differ(given, exact))
            for mutant in standing
        )


def _differ(given: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]) -> bool:
    for got, right in zip(given, exact, strict=False):
        if got.shape != right.shape:
            return True
        pieces = list(in_pieces(got, right))
        least = SAME * rms(right for _, right in pieces)
        if any(bool(((got.double() - right.double()).abs() > least).any()) for got, right in pieces):
            return True
    return False


def _run(
    worker: Worker, inputs: Values, state: State, changed: Iterable[int], mutant: dict[str, Any]
) -> Given | None:
    try:
        return worker.mutate(0, inputs, state, changed, mutant)
    except TaskError:
        if worker.process.ended is not None:
            raise
        return None  # a mutant that does not run is no program


def _suspects(worker: Worker, exam: Exam, draws: list[Draw]) -> Iterator[_Suspect]:
    """Wrong programs, the crudest first."""
    for mistake, attempt in _whole(draws).items():
        yield _Suspect("whole", mistake, attempt)
    first = draws[0]
    found = worker.mutants(0, first.inputs, exam.variants[0].states[first.state])

    def mutated(operator: str, mistake: str, mutant: dict[str, Any], is_decision: bool = False) -> _Suspect:
        def attempt(draw: Draw, mutant: dict[str, Any] = mutant) -> Given | None:
            state = exam.variants[0].states[draw.state]
            return _run(worker, draw.inputs, state, draw.expected.changed, mutant)

        glance = partial(attempt, mutant={**mutant, "most": MOST_AT_FIRST})
        return _Suspect(operator, mistake, attempt, glance, mutant, is_decision)

    for name in found["rounded"]:
        if _is_lower(name, exam.dtype):
            yield mutated("whole", f"is computed in {name}", {**NOTHING_WRONG, "rounded": name})
    for position, operator in enumerate(found["operators"]):
        for mistake in operator["mutants"]:
            mutant = {**NOTHING_WRONG, "position": position, "name": mistake}
            yield mutated(f"{operator['operator']} {position}", mistake, mutant, operator["decides"])


def _is_lower(precision: str, dtype: str) -> bool:
    order = ["float64", "float32", "tf32", "float16", "bfloat16"]
    return dtype in order and order.index(precision) > order.index(dtype)


def _whole(draws: list[Draw]) -> dict[str, Attempt]:
    """Wrong programs that need no run: they are made from the right answers."""

    def tail(draw: Draw, axis: int) -> Given | None:
        cut = []
        for value in draw.expected.outputs:
            made = value.exact.clone()
            if made.dim():
                made.select(axis, -1).zero_()
            cut.append(made)
        return tuple(cut) if any(each.dim() for each in cut) else None

    def stale(draw: Draw) -> Given | None:
        others = (other for other in draws if other is not draw and _shapes(other) == _shapes(draw))
        other = next(others, None)
        return tuple(value.exact for value in other.expected.outputs) if other else None

    def returned(draw: Draw) -> Given | None:
        wanted = [value.native for value in draw.expected.outputs]
        fitting = [
            next((x for x in draw.inputs.tensors if x.shape == w.shape and x.dtype == w.dtype), None)
            for w in wanted
        ]
        return tuple(x for x in fitting if x is not None) if all(x is not None for x in fitting) else None

    return {
        "gives zeros": lambda draw: tuple(torch.zeros_like(v.exact) for v in draw.expected.outputs),
        "gives the mean": lambda draw: tuple(_mean_of(v.exact) for v in draw.expected.outputs),
        "gives an input back": returned,
        "misses the last row": lambda draw: tail(draw, 0),
        "misses the last column": lambda draw: tail(draw, -1),
        "gives an earlier result": stale,
    }


def _shapes(draw: Draw) -> list[torch.Size]:
    return [value.exact.shape for value in draw.expected.outputs]


def _mean_of(exact: torch.Tensor) -> torch.Tensor:
    return torch.full_like(exact, exact.double().mean().item()) if exact.numel() else exact
