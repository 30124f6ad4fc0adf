"""Where what lies in memory comes from, while a log is repeated: does a host overwrite what was computed?

To fill memory that nobody has written, or that a kernel then adds to, is no work. To put zeros over numbers
that a kernel has computed, and return them, is what a mask does. So beside each memory lies a mark for each
of its bytes. What changes in a launch is data; so are inputs, and copies of data. A number of the host's that
changes data is a mark that stays, until a kernel changes something of what was overwritten.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from tritonrl.verify.inside.encoding import Value, tensors_within

NO_DATA, DATA, OVERWRITTEN = 0, 1, 2
"""A number of the host's, or nothing yet; computed, or given; the host's over that."""


class Origins:
    """Of the memories of one replay. `content` gives the bytes of a memory; `given` are inputs and weights,
    `copies` the numbers of the steps that copy."""

    def __init__(
        self, content: Callable[[int], torch.Tensor], given: Iterable[Value], copies: Iterable[int]
    ) -> None:
        self._content = content
        self._given = {value[1] for value in given}
        self._copies = set(copies)
        self._with_data = set(self._given)
        """Memories that may hold data: a kernel had them, whether it has changed anything or not."""
        self._marks: dict[int, torch.Tensor] = {}
        self._overwritten_by: dict[int, int] = {}
        """Memory → the last step that overwrote data there."""

    @contextlib.contextmanager
    def following(self, number: int, step: dict[str, Any]) -> Iterator[None]:
        """Have a step done, and see what it changes."""
        is_launch = step["do"] == "launch"
        sizes: dict[int, int] = {}
        for value in tensors_within(step if is_launch else step["outputs"]):
            sizes[value[1]] = max(sizes.get(value[1], 1), getattr(torch, value[2]).itemsize)
        before = {memory: self._content(memory).clone() for memory in sizes}
        yield
        for memory, size in sizes.items():
            changed = _in_wholes(before[memory] != self._content(memory), size)
            if is_launch:
                self._with_data.add(memory)
                self._compute(memory, changed)
            elif number in self._copies:
                self._copy(number, step, changed)
            else:
                self._fill(number, memory, changed)

    def overwriting(self, outputs: Iterable[Value]) -> list[int]:
        """The steps that overwrote data which is still overwritten in these tensors."""
        memories = {value[1] for value in outputs if (self._within(value) == OVERWRITTEN).any()}
        return sorted({self._overwritten_by[memory] for memory in memories})

    def _compute(self, memory: int, changed: torch.Tensor) -> None:
        marks = self._of(memory)
        if (marks[changed] == OVERWRITTEN).any():
            marks[marks == OVERWRITTEN] = NO_DATA  # it was made ready for this kernel
        marks[changed] = DATA

    def _fill(self, number: int, memory: int, changed: torch.Tensor) -> None:
        marks = self._of(memory)
        self._overwrite(number, memory, marks, changed & (marks != NO_DATA))

    def _copy(self, number: int, step: dict[str, Any], changed: torch.Tensor) -> None:
        target, source = step["outputs"][0], [*tensors_within(step["args"])][-1]
        marks, changes = self._within(target), _bytes_of(changed, target)
        came = self._within(source).expand_as(marks).clone()
        if source[1] in self._with_data:  # zeros there may be data that equals what was there before
            self._with_data.add(target[1])
        else:
            self._overwrite(number, target[1], marks, changes & (marks != NO_DATA))
        marks.copy_(torch.where(changes & (came != NO_DATA), came, marks))
        if (came == OVERWRITTEN).any():
            self._overwritten_by.setdefault(target[1], self._overwritten_by[source[1]])

    def _overwrite(self, number: int, memory: int, marks: torch.Tensor, where: torch.Tensor) -> None:
        if where.any():
            marks[where] = OVERWRITTEN
            self._overwritten_by[memory] = number

    def _of(self, memory: int) -> torch.Tensor:
        if memory not in self._marks:
            mark = DATA if memory in self._given else NO_DATA
            self._marks[memory] = torch.full_like(self._content(memory), mark)
        return self._marks[memory]

    def _within(self, value: Value) -> torch.Tensor:
        """The marks of a tensor."""
        return _bytes_of(self._of(value[1]), value)


def _in_wholes(changed: torch.Tensor, size: int) -> torch.Tensor:
    """Bytes that changed, and with one of an element all of it."""
    elements = changed[: len(changed) - len(changed) % size].view(-1, size)
    elements[:] = elements.any(1, keepdim=True)
    return changed


def _bytes_of(content: torch.Tensor, value: Value) -> torch.Tensor:
    """The bytes of a tensor, within those of its memory; the last dim is an element's."""
    _, _, dtype, shape, stride, offset = value
    size = getattr(torch, dtype).itemsize
    start = content.storage_offset() + offset * size
    return content.as_strided([*shape, size], [*(step * size for step in stride), 1], start)
