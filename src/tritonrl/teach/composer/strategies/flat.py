"""Flat: blocks of elements, one after the other, whatever the shape."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, function, launch, steps
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.strategy import Sizes


class Flat:
    """Every program computes a block of neighbouring elements."""

    name = "flat"

    def fits(self, program: Program, group: Group) -> bool:
        return group.rows is None and group.anchor is None

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return [
            {"BLOCK": block, "warps": warps} for block, warps in ((1024, 4), (2048, 8), (512, 4), (4096, 8))
        ]

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        written = group.outputs(program)
        size, block = program.values[written[0]].num_elements, sizes["BLOCK"]
        scope = Scope(program, stored, {"at": "mask"} if size % block else {})
        scope.comment("This program's elements.")
        scope.line("at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)")
        if size % block:
            scope.line(f"mask = at < {size}")
        scope.comment(f"Compute {steps(program, group)}.")
        scope.store(dict.fromkeys(written, group.index))
        read = scope.loaded
        grid = f"triton.cdiv({size}, {block})"
        return Kernel(
            function(name, read, written, ["BLOCK"], scope.lines),
            launch(program, name, read, written, grid, {"BLOCK": block}, sizes["warps"]),
            f"{name}: flat, {size} elements in blocks of {block}, {sizes['warps']} warps; "
            "each element is read and written once.",
        )
