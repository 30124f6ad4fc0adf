"""Tiles: a block of rows and columns of a product, a program each."""

from collections.abc import Sequence

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, batched, function, launch
from tritonrl.teach.composer.products import Product, product
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import product_us
from tritonrl.teach.composer.strategies.strategy import Sizes
from tritonrl.teach.composer.tile_body import TileBody, tile_choices, words

SHAPES = (
    (64, 64, 32, 1, 4, 3), (128, 64, 32, 8, 8, 3), (64, 128, 32, 8, 8, 3), (128, 128, 32, 8, 8, 3),
    (32, 64, 32, 1, 4, 3), (32, 32, 32, 1, 4, 3), (16, 64, 64, 1, 4, 2), (64, 64, 64, 4, 4, 2),
    (128, 128, 16, 8, 8, 3), (128, 64, 16, 8, 4, 3), (64, 64, 16, 1, 4, 3),
)  # fmt: skip
"""Rows, columns and inner elements of a tile, rows of tiles in a group, warps and stages."""
CONFLICTS = 2.0
"""Times as long in float32 where columns of the right factor do not lie beside each other: sixteen threads
read from one bank of shared memory."""
OPERATIONS_AN_AXIS = 20
"""To find an element of an image, along each axis, among the instructions of a compiled loop."""


class Tiles:
    """A program computes a tile of the output, a part of the inner index at a time."""

    name = "tiles"

    def product(self, program: Program, group: Group) -> Product | None:
        """What falls into tiles."""
        return product(program, group.anchor)

    def why(self, body: TileBody) -> str:
        """What a plan says of it beside its sizes."""
        grouped = body.sizes["GROUP"] > 1 and body.across > 1
        return f", in groups of {body.sizes['GROUP']} rows, which share what they read" if grouped else ""

    def fits(self, program: Program, group: Group) -> bool:
        return self.product(program, group) is not None

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return tile_choices(self.product(program, group), SHAPES, ("GROUP", "warps", "stages"))

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        body = TileBody(program, group, sizes, self.product(program, group))
        made, tile = body.product, (sizes["BLOCK_M"], sizes["BLOCK_N"])
        dtype, programs = program.values[made.left("k").value].dtype, body.num_tiles * made.batches
        # What lies outside the matrix is computed as well.
        elements = programs * tile[0] * made.inner
        flops, operations = 2.0 * elements * tile[1], 0.0
        if made.taps is not None:
            flops *= CONFLICTS if dtype == "float32" else 1.0
            axes = len(made.index) - 2 if made.taps.count > 1 else 0
            operations = OPERATIONS_AN_AXIS * axes * elements * sizes["warps"] / 4
        return product_us(flops, operations, dtype, programs, tile, sizes["BLOCK_K"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        return self.tiled(name, stored, TileBody(program, group, sizes, self.product(program, group)))

    def tiled(self, name: str, stored: frozenset[int], body: TileBody, beside: Sequence[str] = ()) -> Kernel:
        """The kernel of these tiles. `beside` are tensors that it reads and that are no values."""
        program, sizes = body.program, body.sizes
        written = body.group.outputs(program)
        scope = Scope(program, stored, body.masks, body.special)
        scope.comment("This program's tile.")
        grid, tile, batch = batched(body.grid, body.product.batches)
        body.locate(scope, tile, batch)
        scope.store(dict.fromkeys(written, body.product.index))
        constants = {key: sizes[key] for key in ("BLOCK_M", "BLOCK_N", "BLOCK_K")}
        given = {**constants, "num_stages": sizes["stages"]}
        return Kernel(
            function(name, scope.loaded, written, list(constants), scope.lines, beside),
            launch(program, name, scope.loaded, written, grid, given, sizes["warps"], beside),
            f"{self.name}, {words(body)}{self.why(body)}.",
        )
