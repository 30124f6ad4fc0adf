"""Flat: blocks of elements, one after the other, whatever the shape."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, function, launch, steps
from tritonrl.teach.composer.numbers import extent, fills
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import memory_us
from tritonrl.teach.composer.strategies.planes import flat_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

SHAPES = ((1024, 4), (2048, 8), (512, 4), (4096, 8), (256, 4))
"""Elements of a block, and warps."""


class Flat:
    """Every program computes a block of neighbouring elements."""

    name = "flat"

    def fits(self, program: Program, group: Group) -> bool:
        return group.rows is None and group.anchor is None

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return [{"BLOCK": block, "warps": warps} for block, warps in SHAPES]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        size = program.values[group.outputs(program)[0]].num_elements
        return memory_us(flat_bytes(program, group), -(-size // sizes["BLOCK"]), sizes["warps"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        written = group.outputs(program)
        size, block = extent(program.values[written[0]].shape), sizes["BLOCK"]
        scope = Scope(program, stored, {} if fills(block, size) else {"at": "mask"})
        scope.comment("This program's elements.")
        scope.line("at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)")
        if scope.masks:
            scope.line(f"mask = at < {size}")
        scope.comment(f"Compute {steps(program, group)}.")
        scope.store(dict.fromkeys(written, group.index))
        grid = (f"triton.cdiv({size}, {block})",)
        return Kernel(
            function(name, scope.loaded, written, ["BLOCK"], scope.lines),
            launch(program, name, scope.loaded, written, grid, {"BLOCK": block}, sizes["warps"]),
            f"{self.name}, {size} elements in blocks of {block}, {sizes['warps']} warps; "
            "each element is read and written once.",
        )
