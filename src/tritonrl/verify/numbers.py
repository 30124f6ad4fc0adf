"""Numbers that a host reads of a tensor of one element (`scale.item()`) and hands on as they are, which is no
work: a replay on another question is given that question's number.

Which number of a log is one is seen over all calls that did the same: it is the element of a certain input or
weight in every one of them, and that is not the same in all. What the host has computed of it is not, and
stays what it was in the call: wrong on another question.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from tritonrl.verify.kernels import short_name
from tritonrl.verify.log import Launch, Log
from tritonrl.verify.oracle.exam import Draw
from tritonrl.verify.session import Recorded

Path = tuple[int | str, ...]
"""From the steps of a log down to a number."""
Deeds = tuple[str, ...]
"""The kernels and operators of a log, in order."""


class Numbers:
    """Those of a candidate's logs. `state` gives the weights that a question is asked under."""

    def __init__(
        self, recorded: Iterable[Recorded], state: Callable[[Draw], tuple[torch.Tensor, ...]]
    ) -> None:
        self._state = state
        self._alike: dict[Deeds, list[Recorded]] = defaultdict(list)
        for each in recorded:
            self._alike[_deeds(each.log)].append(each)
        self._read = {deeds: self._find(alike) for deeds, alike in self._alike.items()}

    def replaced(self, recorded: Recorded, draw: Draw) -> list[list[Any]]:
        """[path, number] for what a log must say on a question; nothing on one that it was recorded on."""
        read = self._read.get(_deeds(recorded.log))
        if not read or recorded.has(draw):
            return []
        old, elements = dict(_numbers(recorded.log)), self._elements(draw)
        return [[list(path), type(old[path])(elements[place])] for path, place in read.items()]

    def loose(self, log: Log) -> list[str]:
        """Arguments of kernels that differ between calls that were asked alike and are no such number, in
        words."""
        alike = self._alike.get(_deeds(log), [])
        found: dict[str, None] = {}
        for path, number in _numbers(log):
            step = log.steps[int(path[0])]
            if not isinstance(step, Launch) or path in self._read.get(_deeds(log), {}):
                continue
            others = {dict(_numbers(each.log)).get(path) for each in alike if each.log.sizes == log.sizes}
            if others - {number}:
                found[f"{path[2]!r} of {short_name(step.kernel)!r}"] = None
        return list(found)

    def _find(self, alike: list[Recorded]) -> dict[Path, int]:
        """Where numbers are that follow an input or a weight → which."""
        seen = [(dict(_numbers(each.log)), self._elements(draw)) for each in alike for draw in each.draws]
        numbers, elements = seen[0]
        changing = [place for place in elements if len({own.get(place) for _, own in seen}) > 1]
        found = {
            path: place
            for path, number in numbers.items()
            for place in changing
            if type(number) is float or type(elements[place]) is int
            if all(path in own and own[path] == given.get(place) for own, given in seen)
        }
        return found

    def _elements(self, draw: Draw) -> dict[int, int | float]:
        """Inputs and weights of one element, by their place."""
        tensors = (*draw.inputs.tensors, *self._state(draw))
        return {
            place: each.item() for place, each in enumerate(tensors) if each.numel() == 1 and _is_number(each)
        }


def _is_number(tensor: torch.Tensor) -> bool:
    return tensor.dtype != torch.bool and not tensor.is_complex()


def _deeds(log: Log) -> Deeds:
    return tuple(step.kernel if isinstance(step, Launch) else step.name for step in log.steps)


def _numbers(log: Log) -> Iterator[tuple[Path, int | float]]:
    """Those that steps are given, but for what a kernel is compiled for."""
    for number, step in enumerate(log.steps):
        if isinstance(step, Launch):
            for name, value in step.arguments.items():
                if name not in step.constants:
                    yield from _within(value, (number, "arguments", name))
        else:
            for index, value in enumerate(step.args):
                yield from _within(value, (number, "args", index))
            for name, value in step.kwargs.items():
                yield from _within(value, (number, "kwargs", name))


def _within(value: list[Any], path: Path) -> Iterator[tuple[Path, int | float]]:
    match value:
        case ["value", int() | float() as number] if type(number) is not bool:
            yield (*path, 1), number
        case ["list" | "tuple", list() as values]:
            for index, each in enumerate(values):
                yield from _within(each, (*path, 1, index))
