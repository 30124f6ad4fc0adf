"""Split products: few tiles and a long sum, which several programs share; a second kernel adds it up."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index
from tritonrl.teach.composer.kernel import Kernel, function, launch
from tritonrl.teach.composer.numbers import atom, share, times
from tritonrl.teach.composer.products import product
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import LAUNCH_US, NUM_PROCESSORS
from tritonrl.teach.composer.strategies.strategy import Sizes
from tritonrl.teach.composer.strategies.tiles import Tiles
from tritonrl.teach.composer.tile_body import TileBody, tile_choices, tile_sizes, words

LEAST_INNER = 1024
SHAPES = ((64, 64, 32, 4, 4, 3), (64, 64, 32, 8, 4, 3), (32, 64, 32, 4, 4, 3), (32, 32, 32, 16, 4, 2))
"""Rows, columns and inner elements of a tile, programs that share its sum, warps and stages."""


class SplitProducts:
    """A program sums up a part of the inner index for a tile."""

    name = "split products"

    def fits(self, program: Program, group: Group) -> bool:
        made = product(program, group.anchor)
        if made is None or made.inner < LEAST_INNER:
            return False
        sizes = {**tile_sizes(made, SHAPES[0][:3]), "warps": 4}
        return TileBody(program, group, sizes).num_tiles * made.batches <= NUM_PROCESSORS

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return tile_choices(product(program, group.anchor), SHAPES, ("PARTS", "warps", "stages"))

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        body = TileBody(program, group, sizes)
        alone = Tiles().cost(program, group, sizes) - LAUNCH_US
        programs = body.num_tiles * body.product.batches
        waves = -(-programs * sizes["PARTS"] // NUM_PROCESSORS)
        return 3 * LAUNCH_US + alone * waves / sizes["PARTS"]

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        body, written, parts = TileBody(program, group, sizes), group.outputs(program), sizes["PARTS"]
        made = body.product
        area = times(made.rows, made.columns)
        body.first, body.last = "part * LENGTH", "part * LENGTH + LENGTH"
        body.step = parts * sizes["BLOCK_K"]
        which = f"(batch * {parts} + part)" if made.batches > 1 else "part"
        place = f"{which} * {atom(area)} + row * {atom(made.columns)} + col"
        inside = " & ".join(body.masks[base] for base in ("row", "col") if base in body.masks)
        mask = f", mask={inside}" if inside else ""

        # The first kernel: a part of each sum.
        scope = Scope(program, stored, body.masks)
        scope.comment("This program's tile, and its part of the sum.")
        body.locate(scope, "tl.program_id(0)", f"tl.program_id(1) // {parts}")
        scope.line(f"part = tl.program_id(1) % {parts}" if made.batches > 1 else "part = tl.program_id(1)")
        body.sum_up(scope)
        scope.comment("Leave it.")
        scope.line(f"tl.store(parts_ptr + {place}, sums{mask})")
        first = name.replace("_kernel", "_parts_kernel")
        constants = {key: sizes[key] for key in ("BLOCK_M", "BLOCK_N", "BLOCK_K")}
        constants["LENGTH"] = share(made.inner, parts, sizes["BLOCK_K"])
        together = times(made.batches, parts)
        given = {**constants, "num_stages": sizes["stages"]}
        begin = [
            f"    parts = torch.empty(({together}, {made.rows}, {made.columns}), "
            "device=tensor_0.device, dtype=torch.float32)",
            launch(program, first, scope.loaded, [], (body.grid, together), given, sizes["warps"], ["parts"]),
        ]

        # The second: all parts, and what follows.
        def special(scope: Scope, value: int, index: Index) -> str | None:
            if value != group.anchor:
                return None
            scope.line("sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)")
            scope.line(f"for part in range({parts}):")
            other = f", mask={inside}, other=0.0" if inside else ""
            scope.line(f"    sums += tl.load(parts_ptr + {place}{other})")
            body.comment_on_rest(scope)
            return body.finished(scope, "sums")

        last = Scope(program, stored, body.masks, special)
        last.comment("This program's tile, from all its parts.")
        body.locate(last, "tl.program_id(0)", "tl.program_id(1)")
        last.store(dict.fromkeys(written, made.index))
        sides = {key: sizes[key] for key in ("BLOCK_M", "BLOCK_N")}
        grid = (body.grid, *([made.batches] if made.batches > 1 else []))
        texts = [
            function(first, scope.loaded, [], list(constants), scope.lines, ["parts"]),
            function(name, last.loaded, written, list(sides), last.lines, ["parts"]),
        ]
        finish = launch(program, name, last.loaded, written, grid, sides, sizes["warps"], ["parts"])
        return Kernel(
            "\n\n\n".join(texts),
            "\n".join([*begin, finish]),
            f"{self.name}, {words(body)}; too few tiles for the processors, so {parts} programs "
            "share each sum, and a second kernel adds it up.",
        )
