"""Striding: as many programs as the GPU runs at once, each of which takes block after block."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, function, launch, steps
from tritonrl.teach.composer.numbers import extent, fills, times
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import NUM_PROCESSORS, memory_us
from tritonrl.teach.composer.strategies.planes import flat_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

SHAPES = ((8, 1024, 4), (4, 2048, 8), (2, 4096, 8), (16, 512, 4))
"""Programs on each processor, elements of a block, and warps."""


class Striding:
    """A program computes every so many blocks."""

    name = "striding"

    def fits(self, program: Program, group: Group) -> bool:
        elements = program.values[group.values[-1]].num_elements
        return group.rows is None and group.anchor is None and elements >= 2 * NUM_PROCESSORS * 8192

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return [
            {"PROGRAMS": times(count, NUM_PROCESSORS), "BLOCK": block, "warps": warps}
            for count, block, warps in SHAPES
        ]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        return 1.05 * memory_us(flat_bytes(program, group), sizes["PROGRAMS"], sizes["warps"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        written, (programs, block) = group.outputs(program), (sizes["PROGRAMS"], sizes["BLOCK"])
        size = extent(program.values[written[0]].shape)
        scope = Scope(program, stored, {} if fills(block, size) else {"at": "mask"})
        scope.comment("This program's blocks.")
        scope.line(f"for start in range(tl.program_id(0) * BLOCK, {size}, PROGRAMS * BLOCK):")
        scope.indent += "    "
        scope.line("at = start + tl.arange(0, BLOCK)")
        if scope.masks:
            scope.line(f"mask = at < {size}")
        scope.comment(f"Compute {steps(program, group)}.")
        scope.store(dict.fromkeys(written, group.index))
        constants = {"PROGRAMS": programs, "BLOCK": block}
        return Kernel(
            function(name, scope.loaded, written, list(constants), scope.lines),
            launch(program, name, scope.loaded, written, (programs,), constants, sizes["warps"]),
            f"{self.name}, {programs} programs for {size} elements, each takes block after block of "
            f"{block}, {sizes['warps']} warps; programs start once, not once a block.",
        )
