"""What a strategy is: a way to write the kernel of a group, with sizes to choose."""

import random
from collections.abc import Mapping
from typing import Protocol

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel

Sizes = Mapping[str, int]


class Strategy(Protocol):
    """One way to compute a group."""

    name: str

    def fits(self, program: Program, group: Group) -> bool:
        """Whether it can."""
        ...

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        """Sizes to draw from."""
        ...

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        """Microseconds that it may take, by a rule (`strategies.cost`)."""
        ...

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        """The kernel under this name. `stored` are the values that lie in memory when it runs."""
        ...


def choose(
    fitting: list[Strategy], program: Program, group: Group, rng: random.Random | None
) -> tuple[Strategy, Sizes]:
    """One of the strategies that fit, with its sizes: any with a generator, else the likely fastest."""
    if rng:
        chosen = rng.choice(fitting)
        return chosen, rng.choice(chosen.choices(program, group))
    ways = [(each, sizes) for each in fitting for sizes in each.choices(program, group)]
    return min(ways, key=lambda way: way[0].cost(program, group, way[1]))
