"""Planes: tiles of two dims, so that what is read transposed is read in order too."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Axis, Index, split
from tritonrl.teach.composer.kernel import Kernel, distinct, function, launch, power_of_two, steps
from tritonrl.teach.composer.numbers import extent, fills
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

SHAPES = ((64, 64, 8), (32, 32, 4), (32, 64, 4), (64, 32, 4), (128, 32, 8))
"""Rows and columns of a tile, and warps."""
OUT_OF_ORDER = 6
"""Times as long as in order."""


class Planes:
    """A program computes a tile: neighbours along the last dim, and along the one that is read in order."""

    name = "planes"

    def fits(self, program: Program, group: Group) -> bool:
        return group.rows is None and group.anchor is None and far_dim(program, group) is not None

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        far = far_dim(program, group)
        assert far is not None
        sides = group.shape[far], group.shape[-1]
        return distinct(
            {"BLOCK_M": min(m, power_of_two(sides[0])), "BLOCK_N": min(n, power_of_two(sides[1])), "warps": w}
            for m, n, w in SHAPES
        )

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        tile = sizes["BLOCK_M"] * sizes["BLOCK_N"]
        size = program.values[group.outputs(program)[0]].num_elements
        return 1.1 * memory_us(moved_bytes(program, group), -(-size // tile), sizes["warps"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        written, far = group.outputs(program), far_dim(program, group)
        assert far is not None
        height, width = group.shape[far], group.shape[-1]
        others = tuple(dim for dim in range(len(group.shape) - 1) if dim != far)
        sides = (("row", height, sizes["BLOCK_M"]), ("col", width, sizes["BLOCK_N"]))
        scope = Scope(
            program, stored, {base: f"({base} < {size})" for base, size, b in sides if not fills(b, size)}
        )
        planes = extent(group.shape, others)
        scope.comment("This program's tile.")
        scope.line(f"wide = tl.cdiv({width}, BLOCK_N)")
        tile = "tl.program_id(0)"
        if planes > 1:
            scope.line(f"tiles = tl.cdiv({height}, BLOCK_M) * wide")
            scope.line("plane = tl.program_id(0) // tiles")
            tile = "tl.program_id(0) % tiles"
        scope.line(f"row = {tile} // wide * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
        scope.line("col = tl.program_id(0) % wide * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]")
        scope.comment(f"Compute {steps(program, group)}.")
        index = list[Axis | None](split("plane", group.shape, others))
        index.insert(far, Axis("row", height, 1, height))
        index.append(Axis("col", width, 1, width))
        scope.store(dict.fromkeys(written, tuple(index)))
        constants = {key: sizes[key] for key in ("BLOCK_M", "BLOCK_N")}
        counts = [*([str(planes)] if planes > 1 else []), *(f"triton.cdiv({n}, {b})" for _, n, b in sides)]
        return Kernel(
            function(name, scope.loaded, written, list(constants), scope.lines),
            launch(program, name, scope.loaded, written, (" * ".join(counts),), constants, sizes["warps"]),
            f"{self.name}, {height} x {width} elements in tiles of {sizes['BLOCK_M']} x "
            f"{sizes['BLOCK_N']}, {sizes['warps']} warps; what is read transposed is read in order as well.",
        )


def far_dim(program: Program, group: Group) -> int | None:
    """The dim along which an operand's neighbours lie, where it is not the last one."""
    scope = Scope(program, frozenset(range(len(program.inputs))) | group.reads(program), {})
    for value in group.outputs(program):
        scope.value(value, group.index)
    for _, place in scope.places:
        dim = _counted_by(place, group.index)
        if dim is not None and dim != len(group.shape) - 1 and group.index[-1] is not None:
            return dim
    return None


def flat_bytes(program: Program, group: Group) -> int:
    """That single elements move, one after the other: more where what is read lies otherwise."""
    return moved_bytes(program, group) * (1 if far_dim(program, group) is None else OUT_OF_ORDER)


def _counted_by(place: Index, index: Index) -> int | None:
    """The dim of a group that counts along the last dim of what is read."""
    inner = place[-1] if place else None
    if inner is None:
        return None
    for dim, axis in enumerate(index):
        if axis and (axis.base, axis.step) == (inner.base, inner.step):
            return dim
    return None
