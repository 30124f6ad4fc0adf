"""Task lint: the oracle is itself tested. Wrong programs take the exam, and the exam is made harder until
they fail.

A mutant is *killed* by a question on which the comparator rejects it; *equivalent* if no question, harder
ones included, tells it from the reference even in float64 (a relu after a sigmoid may be dropped); else it
*survives*, and the task is weak: a kernel that makes the same mistake would pass.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from pydantic import BaseModel, ConfigDict

from tritonrl.verify.oracle.author import Author
from tritonrl.verify.oracle.compare import Check, Value, comparison, wrong_in_each
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.oracle.worker import MutantRuns, State, Values, Worker
from tritonrl.verify.pieces import differ
from tritonrl.verify.structure import part_of

NUM_ROUNDS = 2
"""Of harder questions, before a mutant counts as a survivor or as equivalent."""

NOTHING_WRONG: dict[str, Any] = {"rounded": "", "position": -1, "name": ""}
"""A mutant that is the reference."""

Status = Literal["killed", "equivalent", "survived", "untried"]
Given = tuple[torch.Tensor, ...]
Attempt = Callable[[Draw], Given | None]
"""What a wrong program gives on a draw; None where it has nothing to give."""
MOST_AT_FIRST = 2**20
"""Elements of each tensor that are looked at first: most mistakes show everywhere."""
AT_ONCE = 8
"""Wrong programs that are run and compared before anybody waits for a GPU."""


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
    mutant: dict[str, Any] | None = None
    """What the worker runs."""
    attempt: Attempt = lambda draw: None
    """What it gives without a run: made from right answers."""
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
    questioning = _Questioning(worker, exam, deadline)
    questioning.ask(suspects, draws)
    suspects = [suspect for suspect in suspects if suspect.tried or time.monotonic() > deadline]
    tells = _Telling(worker, exam, suspects, deadline)
    added: list[Draw] = []
    for number in range(NUM_ROUNDS):
        # Of ties one round asks all there is to ask.
        standing = [each for each in suspects if not each.killed_by and not (number and each.is_decision)]
        if not standing or time.monotonic() > deadline:
            break
        if number and _is_large(draws[0]) and not tells.has_told:
            break  # millions of elements of every kind were as they should be
        added += [draw for draw in author.harder(exam, tells) if questioning.ask(suspects, [draw])]
    found = TaskLint(
        task=exam.task.id,
        mutants=tuple(suspect.outcome() for suspect in suspects),
        num_draws=len(exam.draws) + len(added),
        strengthened_by=tuple(dict.fromkeys(draw.kind for draw in added)),
    )
    return found, replace(exam, draws=(*exam.draws, *added))


class _Questioning:
    """Suspects before questions."""

    def __init__(self, worker: Worker, exam: Exam, deadline: float) -> None:
        self._worker, self._exam, self._deadline = worker, exam, deadline

    def ask(self, suspects: list[_Suspect], draws: list[Draw]) -> bool:
        """Ask those who are still standing until a question kills them; whether one did."""
        killed = False
        for draw in draws:
            exact = [value.exact for value in draw.expected.values]
            standing = [suspect for suspect in suspects if not suspect.killed_by]
            for some in (standing[at : at + AT_ONCE] for at in range(0, len(standing), AT_ONCE)):
                if time.monotonic() > self._deadline:
                    return killed
                for suspect, (given, is_rejected) in zip(some, self._tried(some, draw), strict=True):
                    if given is None:
                        continue
                    suspect.tried = True
                    if is_rejected:
                        suspect.killed_by, killed = draw.kind, True
                    else:
                        suspect.differs = suspect.differs or differ(given, exact)
        return killed

    def _tried(self, some: list[_Suspect], draw: Draw) -> list[tuple[Given | None, bool]]:
        """What each gives, no more than some elements where those show that it is wrong; and whether it
        is."""
        if not _is_large(draw):
            return self._seen(some, draw)
        glances = self._given(some, draw, MOST_AT_FIRST)
        shown = wrong_in_each([self._at_a_glance(glance, draw) for glance in glances])
        return [
            (glance, wrong is not None) if wrong or glance is None else self._seen([suspect], draw)[0]
            for suspect, glance, wrong in zip(some, glances, shown, strict=True)
        ]

    def _seen(self, some: list[_Suspect], draw: Draw) -> list[tuple[Given | None, bool]]:
        given = self._given(some, draw)
        wrong = wrong_in_each([self._as_a_whole(each, draw) for each in given])
        return [(each, found is not None) for each, found in zip(given, wrong, strict=True)]

    def _given(self, some: list[_Suspect], draw: Draw, most: int = sys.maxsize) -> list[Given | None]:
        """What each gives, of each tensor about so many elements where it has more."""
        mutants = [suspect.mutant for suspect in some if suspect.mutant]
        state, left = self._exam.variants[0].states[draw.state], self._deadline - time.monotonic()
        runs = MutantRuns(draw.inputs, state, draw.expected.changed, mutants, left)
        answers = iter(self._worker.mutate(runs, most) if mutants else ())
        return [next(answers) if each.mutant else _parts(each.attempt(draw), most) for each in some]

    def _at_a_glance(self, given: Given | None, draw: Draw) -> list[Check]:
        """Some elements, under what is allowed of any."""
        allowed = self._exam.tolerance.of_any(draw.expected.num_terms)
        return [
            comparison(value.some(MOST_AT_FIRST), _as(value, got), allowed, 0)
            for value, got in zip(draw.expected.values, given or (), strict=False)
        ]

    def _as_a_whole(self, given: Given | None, draw: Draw) -> list[Check]:
        return [
            comparison(value, _as(value, got), self._exam.tolerance, draw.expected.num_terms)
            for value, got in zip(draw.expected.values, given or (), strict=False)
        ]


def _parts(given: Given | None, most: int) -> Given | None:
    return None if given is None else tuple(part_of(each, most) for each in given)


def _as(value: Value, got: torch.Tensor) -> torch.Tensor:
    return got.to(value.native.dtype)


def _is_large(draw: Draw) -> bool:
    return any(value.exact.numel() > 2 * MOST_AT_FIRST for value in draw.expected.values)


class _Telling:
    """Whether inputs tell one of those who stand from the reference: a few runs say that, where the answer
    to a question takes ten. Who is equivalent stands to the end."""

    def __init__(self, worker: Worker, exam: Exam, suspects: list[_Suspect], deadline: float) -> None:
        self._worker, self._suspects, self._deadline = worker, suspects, deadline
        self._changed = exam.draws[0].expected.changed
        self.has_told = False
        """Whether any inputs did."""

    def __call__(self, inputs: Values, state: State) -> bool:
        told = self._tells(inputs, state)
        self.has_told = self.has_told or told
        return told

    def _tells(self, inputs: Values, state: State) -> bool:
        standing = [each for each in self._suspects if not each.killed_by]
        mutants = [each.mutant for each in standing if each.mutant]
        if len(mutants) < len(standing):
            return True  # what is made from right answers needs no run
        left = self._deadline - time.monotonic()
        runs = MutantRuns(inputs, state, self._changed, mutants, left)
        return bool(mutants) and left > 0 and self._worker.tells(runs)


def _suspects(worker: Worker, exam: Exam, draws: list[Draw]) -> Iterator[_Suspect]:
    """Wrong programs, the crudest first."""
    for mistake, attempt in _whole(draws).items():
        yield _Suspect("whole", mistake, attempt=attempt)
    first = draws[0]
    found = worker.mutants(0, first.inputs, exam.variants[0].states[first.state])
    for name in found["rounded"]:
        if _is_lower(name, exam.dtype):
            yield _Suspect("whole", f"is computed in {name}", {**NOTHING_WRONG, "rounded": name})
    for position, operator in enumerate(found["operators"]):
        for mistake in operator["mutants"]:
            mutant = {**NOTHING_WRONG, "position": position, "name": mistake}
            name = f"{operator['operator']} {position}"
            yield _Suspect(name, mistake, mutant, is_decision=operator["decides"])


def _is_lower(precision: str, dtype: str) -> bool:
    order = ["float64", "float32", "tf32", "float16", "bfloat16"]
    return dtype in order and order.index(precision) > order.index(dtype)


def _whole(draws: list[Draw]) -> dict[str, Attempt]:
    """Wrong programs that need no run: they are made from the right answers."""

    def tail(draw: Draw, axis: int) -> Given | None:
        cut = []
        for value in draw.expected.outputs:
            made = value.exact.clone()
            if made.dim() and made.numel():
                made.select(axis, -1).zero_()
            cut.append(made)
        return tuple(cut) if any(each.dim() and each.numel() for each in cut) else None

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
