"""Memory that one process is lent: each piece is made and mapped once, and written anew for each question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from tritonrl.verify.memory import Arena, Place

if TYPE_CHECKING:
    from tritonrl.verify.device_memory import DeviceArena

Ask = Callable[[dict[str, Any], Sequence[int]], Any]


def make_arena(specs: Sequence[Place], device: str) -> "Arena | DeviceArena":
    """Memory for tensors with these specs, on a CPU or a GPU."""
    if device == "cpu":
        return Arena(specs)
    from tritonrl.verify.device_memory import DeviceArena

    return DeviceArena(specs, device)


@dataclass(frozen=True)
class Loan:
    """A piece of memory, and the name under which the process knows it."""

    name: str
    arena: "Arena | DeviceArena"

    def write(self, values: Sequence[torch.Tensor]) -> list[Place]:
        """Copy each value into its place; gives the places."""
        fill(self.arena.tensors(), values)
        self.arena.settle()
        return self.arena.places


class Lender:
    """The pieces that one process has. `ask` speaks to it."""

    def __init__(self, ask: Ask, device: str) -> None:
        self._ask = ask
        self._device = device
        self._loans: dict[str, Loan] = {}

    def lend(self, purpose: str, specs: Sequence[Place], device: str | None = None) -> Loan:
        """A piece for tensors with these specs; the same one for the same purpose."""
        key = f"{purpose} {specs}"
        if key not in self._loans:
            loan = Loan(f"{purpose} {len(self._loans)}", make_arena(specs, device or self._device))
            self._loans[key] = loan
            message = {"do": "map", "maps": [[loan.name, loan.arena.size_on_device]]}
            self._ask(message, [loan.arena.descriptor])
        return self._loans[key]

    def take_back(self) -> None:
        for loan in self._loans.values():
            loan.arena.close()
        self._loans = {}

    def close(self) -> None:
        """Take everything back for good. Who speaks to the process is let go, and with it, at once, the
        tensors that it holds: a circle of references would keep them until a collector comes by."""
        self.take_back()
        self._ask = _to_nobody


def _to_nobody(message: dict[str, Any], descriptors: Sequence[int]) -> Any:
    raise AssertionError("nothing is lent any more")


def fill(places: Sequence[torch.Tensor], values: Sequence[torch.Tensor]) -> None:
    """Copy each value into its place."""
    for place, value in zip(places, values, strict=False):
        place.copy_(value)
