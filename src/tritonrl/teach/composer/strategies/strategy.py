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
        """Sizes to draw from, the likely fastest first."""
        ...

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        """The kernel under this name. `stored` are the values that lie in memory when it runs."""
        ...


def choose(
    strategies: list[Strategy], program: Program, group: Group, rng: random.Random | None
) -> tuple[Strategy, Sizes]:
    """A strategy that fits, with its sizes: any with a generator, else the likely fastest."""
    fitting = [each for each in strategies if each.fits(program, group)]
    chosen = rng.choice(fitting) if rng else fitting[0]
    choices = chosen.choices(program, group)
    return chosen, rng.choice(choices) if rng else choices[0]
