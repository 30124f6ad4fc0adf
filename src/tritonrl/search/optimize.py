"""Optimize: one task, one search, and the drop-in that comes of it.

Without a strategy named, a task of at most one fragment's length is answered as a whole. A longer one goes in
fragments, as does one with operators of no table, and where speed decides, any in which PyTorch may keep a
part.
"""

from dataclasses import dataclass

from tritonrl.errors import UserError
from tritonrl.policy import Policy
from tritonrl.policy.programs import Questions
from tritonrl.program.fragment import LONGEST
from tritonrl.search.budget import Budget
from tritonrl.search.drop_in import drop_in
from tritonrl.search.found import Found
from tritonrl.search.library import Library
from tritonrl.search.live import watching
from tritonrl.search.run import Runner
from tritonrl.search.strategies import STRATEGIES, Search
from tritonrl.tasks import Task
from tritonrl.teach.policies import Make
from tritonrl.verify import Settings, Zygotes
from tritonrl.verify.pool import judging


@dataclass(frozen=True)
class Order:
    """How to search."""

    model: str
    make: Make
    seed: int
    samples: int
    strategy: str | None = None
    budget: Budget | None = None
    library: Library | None = None


@dataclass(frozen=True)
class Optimized:
    found: Found
    strategy: str
    scope: str
    """Of who wrote."""
    text: str | None
    """The drop-in; None where nothing is worth having."""
    seconds: float
    """That the search took, and the verdict on the file."""


def optimize(task: Task, settings: Settings, order: Order) -> Optimized:
    """A `UserError` where the task does not work."""
    found = Found(task, settings)
    with Zygotes() as zygotes:
        zygotes.expect(settings.device)
        policy = order.make(order.seed, zygotes)
        runner = Runner(policy)
        with judging(settings, zygotes=zygotes, tell=runner.tell) as hands, watching(found) as listens:
            search = Search(
                found, policy, order.samples, Questions(zygotes), order.budget or Budget(),
                order.library or Library(), order.model,
            )  # fmt: skip
            name = _begin(search, policy, order)
            if name is not None:
                for _ in runner.run([(search, STRATEGIES[name])], hands, listens=listens):
                    _refuse_broken(found)
            text = drop_in(found, hands, zygotes, order.model)
    return Optimized(found, name or "none", policy.scope, text, round(search.budget.elapsed, 2))


def _begin(search: Search, policy: Policy, order: Order) -> str | None:
    """The strategy; None where somebody interrupts before it begins."""
    try:
        search.found.note = policy.note(search.found.task)
        return order.strategy or fitting(search)
    except KeyboardInterrupt:
        search.found.interrupted = True
        return None


def fitting(search: Search) -> str:
    """The strategy for a task where none is named."""
    try:
        question = search.question()
    except UserError:
        return "best-of-n"  # a policy that needs no program may know better, and another says why it cannot
    settings, level = search.found.settings, question.program.level
    is_long = level > LONGEST or "opaque" in question.ops
    # A library's product may be faster than any kernel, and what surrounds it worth one all the same.
    may_be_in_part = settings.timing and settings.policy == "hybrid" and level > 1
    return "fragments" if (is_long or may_be_in_part) and not question.obstacle else "best-of-n"


def _refuse_broken(found: Found) -> None:
    proposals = [each.proposal for each in found.candidates if each.proposal]
    if proposals and all(each.blames_task for each in proposals):
        raise UserError(proposals[0].error or "")
