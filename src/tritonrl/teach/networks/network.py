"""`Network`: a program in the making, layer by layer, as `torch.export` would see it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tritonrl.program import Program
from tritonrl.program.op import Attrs
from tritonrl.program.program import Node, Spec, assembled, infer


@dataclass(frozen=True)
class Sizes:
    """That tensors are drawn from."""

    rows: Sequence[int]
    widths: Sequence[int]
    batches: Sequence[int]
    lengths: Sequence[int]
    channels: Sequence[int]
    sides: Sequence[int]
    patches: Sequence[int]


LARGE = Sizes(
    rows=(4, 8, 10, 16, 32, 64, 128, 256, 1000, 1024, 4096, 5000, 16384),
    widths=(64, 96, 128, 192, 256, 320, 384, 512, 640, 750, 768, 1000, 1024, 1280, 1536, 2048, 3072, 4096),
    batches=(1, 2, 4, 8, 10, 16, 24, 32, 64, 128),
    lengths=(49, 77, 128, 196, 197, 256, 336, 384, 512, 1024, 1600, 2048),
    channels=(3, 16, 24, 32, 48, 64, 96, 128, 144, 192, 256, 384, 512),
    sides=(7, 8, 14, 16, 28, 32, 56, 60, 64, 90, 112, 128, 224),
    patches=(2, 4, 8, 14, 16),
)
"""Of modules as they are used."""
SMALL = Sizes(
    rows=(2, 3, 5, 8, 12, 16, 33), widths=(4, 6, 8, 12, 16, 20, 32, 64), batches=(1, 2, 3, 4),
    lengths=(5, 7, 8, 12, 16), channels=(2, 3, 4, 6, 8, 12), sides=(5, 6, 7, 8, 10, 12), patches=(2, 3, 4),
)  # fmt: skip
"""Of modules as they are tried out."""


class Network:
    def __init__(self, rng: random.Random, dtype: str, sizes: Sizes) -> None:
        self.rng, self.sizes, self._dtype = rng, sizes, dtype
        self._specs: list[Spec] = []
        self._nodes: dict[int, Node] = {}
        self._weights: list[int] = []
        self.at = 0
        """The value that the next layer reads."""

    def tensor(self, *shape: int, dtype: str | None = None) -> int:
        """A new argument."""
        self._specs.append(Spec(shape, dtype or self._dtype))
        return len(self._specs) - 1

    def drawn(self, *dims: str) -> int:
        """A new argument, with a size of the named lists for each dim."""
        return self.tensor(*(self.rng.choice(getattr(self.sizes, name)) for name in dims))

    def weight(self, *shape: int, dtype: str | None = None) -> int:
        """A new parameter or buffer: they come after the arguments."""
        self._weights.append(self.tensor(*shape, dtype=dtype))
        return self._weights[-1]

    def affine(self, width: int) -> tuple[int, int]:
        """The weight and the bias of a norm."""
        return self.weight(width), self.weight(width)

    def apply(self, op: str, *operands: int | None, **attrs: Any) -> int:
        """One operator; the next layer reads what it gives."""
        node = Node(op, operands, Attrs(attrs))
        self._specs.append(infer(node, self._specs)[1])
        self.at = len(self._specs) - 1
        self._nodes[self.at] = node
        return self.at

    def shape(self, value: int | None = None) -> tuple[int, ...]:
        return self._specs[self.at if value is None else value].shape

    @property
    def num_operators(self) -> int:
        return sum(not node.row.is_view for node in self._nodes.values())

    def program(self) -> Program:
        """What no operator reads is returned, the last layer's first."""
        return assembled(self._specs, self._nodes, last=self._weights, returned=[self.at])


Layer = Callable[[Network], None]
