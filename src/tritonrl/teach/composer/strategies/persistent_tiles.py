"""Persistent tiles: as many programs as there are processors, each of which computes tile after tile."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, function, launch
from tritonrl.teach.composer.products import product
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import NUM_PROCESSORS
from tritonrl.teach.composer.strategies.strategy import Sizes
from tritonrl.teach.composer.strategies.tiles import Tiles
from tritonrl.teach.composer.tile_body import TileBody, tile_choices, words

SHAPES = ((128, 128, 32, 8, 3), (128, 64, 32, 8, 3), (64, 64, 32, 4, 3))
"""Rows, columns and inner elements of a tile, warps and stages."""


class PersistentTiles:
    """A program computes every so many tiles."""

    name = "persistent tiles"

    def fits(self, program: Program, group: Group) -> bool:
        return bool(self.choices(program, group))

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        made = product(program, group.anchor)
        found = tile_choices(made, SHAPES, ("warps", "stages"), GROUP=1, PROGRAMS=NUM_PROCESSORS)
        return [each for each in found if self._count(program, group, each) >= 2 * NUM_PROCESSORS]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        return 1.05 * Tiles().cost(program, group, sizes)

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        body, written = TileBody(program, group, sizes), group.outputs(program)
        scope = Scope(program, stored, body.masks, body.special)
        scope.comment("This program's tiles.")
        own, count = "tile", body.tiles("tl")
        if body.product.batches > 1:
            scope.line(f"tiles = {count}")
            own, count = "(tile % tiles)", f"tiles * {body.product.batches}"
        scope.line(f"for tile in range(tl.program_id(0), {count}, PROGRAMS):")
        scope.indent += "    "
        body.locate(scope, own, "tile // tiles")
        scope.store(dict.fromkeys(written, body.product.index))
        constants = {key: sizes[key] for key in ("PROGRAMS", "BLOCK_M", "BLOCK_N", "BLOCK_K")}
        given = {**constants, "num_stages": sizes["stages"]}
        return Kernel(
            function(name, scope.loaded, written, list(constants), scope.lines),
            launch(program, name, scope.loaded, written, (sizes["PROGRAMS"],), given, sizes["warps"]),
            f"{self.name}, {words(body)}; {sizes['PROGRAMS']} programs stay and take tile after tile.",
        )

    @staticmethod
    def _count(program: Program, group: Group, sizes: Sizes) -> int:
        body = TileBody(program, group, sizes)
        return body.num_tiles * body.product.batches
