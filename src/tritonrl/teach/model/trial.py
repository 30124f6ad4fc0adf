"""Trial: a task's variants are run in the sandbox, beside the task itself, before anybody is asked about
them."""

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import torch

from tritonrl.errors import TritonrlError
from tritonrl.tasks import Task, TaskError
from tritonrl.teach.model.generators import variant
from tritonrl.teach.model.records import Variant, Varied
from tritonrl.verify import Zygotes
from tritonrl.verify.completion import blocks
from tritonrl.verify.oracle.tolerance import tolerance
from tritonrl.verify.oracle.worker import Worker

STEP_SECONDS = 20.0
"""Longest that importing, constructing, drawing or running may take."""
MOST_TIMES = 8
"""How much larger than its task a variant may be: the prompt asks for four times, in each of the inputs."""
LEAST_BOUND_BYTES = 2**16
"""Up to which any variant may grow."""
COPIES = 8
"""How often a worker may hand over what a call returns: in two types, and with its spread."""
SEEDS = (1, 2)

Result = TypeVar("Result")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tried:
    """What a run of a task showed."""

    shapes: tuple[tuple[int, ...], ...]
    """Of inputs and state."""
    types: tuple[torch.dtype, ...]
    """Of inputs."""
    varies: tuple[bool, ...]
    """Which inputs differ from draw to draw."""
    size_bytes: int


def vary(zygotes: Zygotes, task: Task, text: str, most: int, device: str = "cpu") -> Varied:
    """The variants that the generators in a model's answer make of a task. Whatever one of them does costs
    that one."""
    written = blocks(text)[:most]
    own = _safely(task, lambda: tried(zygotes, task, None, device)) if written else ""
    if isinstance(own, str):
        return Varied(task=task.id, variants=tuple(Variant(error=own) for _ in written))
    most_bytes, seen = max(MOST_TIMES * own.size_bytes, LEAST_BOUND_BYTES), {own.shapes}

    def made(block: str, number: int) -> Task:
        new = variant(task, block, number)
        found = tried(zygotes, new, most_bytes, device)
        _compare(new, own, found)
        if found.shapes in seen:
            raise TaskError(new.id, "the shapes are those of the task or of another variant")
        seen.add(found.shapes)
        return new

    variants = []
    for number, block in enumerate(written, start=1):
        found = _safely(task, functools.partial(made, block, number))
        variants.append(Variant(error=found) if isinstance(found, str) else Variant(task=found))
    return Varied(task=task.id, variants=tuple(variants))


def _safely(task: Task, work: Callable[[], Result]) -> Result | str:
    """What comes of it, or why nothing does: what the process of a task says is not to be trusted."""
    try:
        return work()
    except TritonrlError as error:
        return str(error)
    except Exception as error:
        _log.exception("a trial of %s failed", task.id)
        return f"{task.id}: {type(error).__name__} while it was tried"


def tried(zygotes: Zygotes, task: Task, most_bytes: int | None, device: str = "cpu") -> Tried:
    """Run a task once; a `TaskError` where it does not run, is too large, random or not finite."""
    with Worker(zygotes, task, STEP_SECONDS, device) as worker:
        worker.most_bytes = most_bytes and most_bytes * COPIES
        state = worker.build(0, SEEDS[0], {})
        inputs, others = (worker.draw(seed, {}) for seed in SEEDS)
        expected = worker.expect(0, inputs, state, tolerance("float32"), ())
    first, second = inputs.tensors, others.tensors
    outputs = [each.native for each in expected.outputs]
    size = sum(each.numel() * each.itemsize for each in (*first, *state.tensors, *outputs))
    if most_bytes is not None and size > most_bytes:
        raise TaskError(task.id, f"{size:,} bytes of tensors; at most {most_bytes:,} are allowed")
    if not outputs or expected.random:
        raise TaskError(task.id, "its result is random" if outputs else "it returns no tensor")
    if not all(bool(torch.isfinite(each).all()) for each in outputs):
        raise TaskError(task.id, "its result is not finite")
    return Tried(
        shapes=tuple(tuple(each.shape) for each in (*first, *state.tensors)),
        types=tuple(each.dtype for each in first),
        varies=tuple(not _same(a, b) for a, b in zip(first, second, strict=True)),
        size_bytes=size,
    )


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.equal(one, other)


def _compare(new: Task, own: Tried, found: Tried) -> None:
    if found.types != own.types:
        raise TaskError(new.id, "its inputs are not of the types that the task's own are")
    if any(before and not now for before, now in zip(own.varies, found.varies, strict=True)):
        raise TaskError(new.id, "an input is the same in every draw, which the task's own is not")
