"""Packed tiles: the right factor is laid out first as tiles read it, by tap, channel and column.

Of a weight (columns, inner) the elements of a tile's row lie far apart: a GPU's shared memory gives them one
after the other, which takes twice as long as the products. And where the inner index goes tap by tap, a tile
finds out once for all channels where its rows are in the image, not for each element.
"""

from dataclasses import replace

from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, function, launch
from tritonrl.teach.composer.numbers import atom, times
from tritonrl.teach.composer.products import Product, Taps, product, summed
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import memory_us, product_us
from tritonrl.teach.composer.strategies.phases import Phases
from tritonrl.teach.composer.strategies.strategy import Sizes
from tritonrl.teach.composer.strategies.tiles import SHAPES, Tiles
from tritonrl.teach.composer.tile_body import TileBody, read, tile_choices

LEAST_CHANNELS = 8
"""Of a tap: with fewer most of a step is empty."""
BLOCK = 1024
"""Elements that a program of the first kernel lays out."""
OPERATIONS = 10
"""To find an element of the image, where its row and its tap are known."""


class PackedTiles(Tiles):
    """A first kernel lays the right factor out; then a program computes a tile, tap by tap."""

    name = "packed tiles"

    def product(self, program: Program, group: Group) -> Product | None:
        return Phases().product(program, group) or product(program, group.anchor)

    def fits(self, program: Program, group: Group) -> bool:
        made = self.product(program, group)
        if made is None or made.taps is None or made.taps.channels < LEAST_CHANNELS:
            return False
        weight = made.taps.filters.value
        is_worth_it = made.taps.count > 1 or program.values[weight].dtype == "float32"
        return is_worth_it and weight not in group.values

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        made = self.product(program, group)
        assert made is not None
        channels = replace(made, inner=_taps(made).channels)
        return tile_choices(channels, SHAPES, ("GROUP", "warps", "stages"))

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        body = _Body(program, group, sizes, self.product(program, group))
        made, taps, tile = body.product, _taps(body.product), (sizes["BLOCK_M"], sizes["BLOCK_N"])
        weight = program.values[taps.filters.value]
        steps = taps.count * -(-taps.channels // sizes["BLOCK_K"])
        programs = body.num_tiles * made.batches
        elements = programs * tile[0] * steps * sizes["BLOCK_K"]
        flops, operations = 2 * elements * tile[1], OPERATIONS * elements * sizes["warps"] / 4 * body.by_tap
        packing = memory_us(2 * weight.num_bytes, -(-weight.num_elements // BLOCK), 4)
        return packing + product_us(flops, operations, weight.dtype, programs, tile, sizes["BLOCK_K"])

    def why(self, body: TileBody) -> str:
        tap_by_tap = "tap by tap and so that a row of a tile is read at once"
        how = tap_by_tap if _taps(body.product).count > 1 else "as tiles read it"
        return f"{super().why(body)}; the right factor is laid out first, {how}"

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        body = _Body(program, group, sizes, self.product(program, group))
        filters, size = _taps(body.product).filters, body.packed_size

        # The first kernel: the right factor in another order.
        first = name.replace("_kernel", "_packing_kernel")
        scope = Scope(program, stored, {})
        scope.reads(filters.value)
        scope.comment("This program's elements.")
        scope.line("at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)")
        scope.line(f"mask = at < {size}")
        scope.comment(f"Lay them out by {'tap, channel and column' if body.by_tap else 'column'}.")
        for line in filters.lines:
            scope.line(line)
        inside = f"mask & {filters.condition}" if filters.condition else "mask"
        place = f"{variable(filters.value)}_ptr + {filters.offset}"
        scope.line(f"packed = tl.load({place}, mask={inside}, other=0.0)")
        scope.line("tl.store(packed_ptr + at, packed, mask=mask)")
        text = function(first, scope.loaded, [], ["BLOCK"], scope.lines, ["packed"])
        dtype, grid = program.values[filters.value].dtype, (f"triton.cdiv({size}, {BLOCK})",)
        begin = [
            f"    packed = torch.empty(({size},), device=tensor_0.device, dtype=torch.{dtype})",
            launch(program, first, scope.loaded, [], grid, {"BLOCK": BLOCK}, 4, ["packed"]),
        ]

        # The second: the product.
        last = self.tiled(name, stored, body, ["packed"])
        return Kernel(f"{text}\n\n\n{last.function}", "\n".join([*begin, last.launch]), last.way)


class _Body(TileBody):
    """Tiles whose right factor is laid out."""

    @property
    def by_tap(self) -> bool:
        return _taps(self.product).count > 1

    @property
    def packed_size(self) -> int:
        made, taps = self.product, _taps(self.product)
        return times(made.batches, taps.count, taps.channels, made.columns)

    def inner_length(self) -> int:
        return _taps(self.product).channels

    def begin_loop(self, scope: Scope) -> str:
        if not self.by_tap:
            return super().begin_loop(scope)
        taps, block = _taps(self.product), self.sizes["BLOCK_K"]
        scope.comment(
            f"Sum over {taps.count} taps, and of each over {taps.channels} channels, {block} at a time."
        )
        scope.line(f"steps = tl.cdiv({taps.channels}, BLOCK_K)")
        scope.line("sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)")
        scope.line(f"for step in range({atom(taps.count)} * steps):")
        scope.indent += "    "
        scope.line("tap = step // steps")
        return "step % steps * BLOCK_K"

    def read_factors(self, scope: Scope) -> None:
        made, taps = self.product, _taps(self.product)
        read(scope, "left", taps.left("inner", "tap"), ("row", "inner"))
        batch = f"batch * {atom(taps.count)}" if self.by_tap else "batch"
        outer = summed(batch if made.batches > 1 else 0, "tap" if self.by_tap else 0)
        down = "down_inner" if outer == "0" else f"({atom(outer)} * {atom(taps.channels)} + down_inner)"
        tests = " & ".join(scope.masks[base] for base in ("col", "down_inner") if base in scope.masks)
        mask = f", mask={tests}, other=0.0" if tests else ""
        scope.line(f"right = tl.load(packed_ptr + {down} * {atom(made.columns)} + col{mask})")


def _taps(made: Product) -> Taps:
    assert made.taps is not None
    return made.taps
