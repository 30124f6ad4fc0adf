"""How kernels compute a tile of a product: where it is, the sum over the inner index, what follows."""

from collections.abc import Iterable, Mapping, Sequence

from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index, bases
from tritonrl.teach.composer.kernel import distinct, power_of_two
from tritonrl.teach.composer.numbers import atom, fills
from tritonrl.teach.composer.products import Factor, Product, product
from tritonrl.teach.composer.scope import Scope

LEAST = 16
"""Of each side of a tile: what a dot takes."""


class TileBody:
    """The tiles of one group's product, at certain sizes."""

    def __init__(
        self, program: Program, group: Group, sizes: Mapping[str, int], made: Product | None = None
    ) -> None:
        made = made or product(program, group.anchor)
        assert made is not None
        self.program, self.group, self.sizes, self.product = program, group, sizes, made
        self.down = -(-made.rows // sizes["BLOCK_M"])
        self.across = -(-made.columns // sizes["BLOCK_N"])
        self.length = self.inner_length()
        """Of the inner index that a step goes along."""
        self.first, self.last = "0", str(self.length)
        """From where to where it goes."""
        self.step = sizes["BLOCK_K"]
        """Of which it must be a multiple, for nothing to be masked."""
        self.has_channel = "channel" in bases(made.index)

    def inner_length(self) -> int:
        return self.product.inner

    @property
    def num_tiles(self) -> int:
        """Of a batch."""
        return self.down * self.across

    def tiles(self, module: str, height: str | int = "BLOCK_M", width: str | int = "BLOCK_N") -> str:
        """The same as an expression, of the kernel or with sizes of the host."""
        down = f"{module}.cdiv({self.product.rows}, {height})"
        return down if self.across == 1 else f"{down} * {module}.cdiv({self.product.columns}, {width})"

    @property
    def grid(self) -> str:
        """For a program a tile."""
        return self.tiles("triton", self.sizes["BLOCK_M"], self.sizes["BLOCK_N"])

    @property
    def masks(self) -> dict[str, str]:
        made = self.product
        sides = ("row", made.rows, self.sizes["BLOCK_M"]), ("col", made.columns, self.sizes["BLOCK_N"])
        masks = {base: f"({base} < {size})" for base, size, block in sides if not fills(block, size)}
        if "col" in masks and self.has_channel:
            masks["channel"] = masks["col"]
        return {**masks, **made.bounds}

    def locate(self, scope: Scope, tile: str, batch: str) -> None:
        """Which rows and columns this tile has."""
        group = self.sizes.get("GROUP", 1)
        if self.across > 1:
            scope.line(f"wide = tl.cdiv({self.product.columns}, BLOCK_N)")
        if group > 1 and self.across > 1:
            # Tiles that run together share rows and columns: a few rows of tiles, column by column.
            scope.line(f"first = {tile} // ({group} * wide) * {group}")
            scope.line(f"tall = tl.minimum(tl.cdiv({self.product.rows}, BLOCK_M) - first, {group})")
            scope.line(f"down = first + {tile} % ({group} * wide) % tall")
            scope.line(f"across = {tile} % ({group} * wide) // tall")
            scope.line("row = down * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
            scope.line("col = across * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]")
        elif self.across > 1:
            scope.line(f"row = {tile} // wide * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
            scope.line(f"col = {tile} % wide * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]")
        else:
            scope.line(f"row = {tile} * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
            scope.line("col = tl.arange(0, BLOCK_N)[None, :]")
        if self.product.batches > 1:
            scope.line(f"batch = {batch}")
        if self.has_channel:
            scope.line(f"channel = batch * {atom(self.product.columns)} + col")
        for line in self.product.lines:
            scope.line(line)

    def special(self, scope: Scope, value: int, index: Index) -> str | None:
        if value != self.group.anchor:
            return None
        self.sum_up(scope)
        self.comment_on_rest(scope)
        return self.finished(scope, "sums")

    def comment_on_rest(self, scope: Scope) -> None:
        """On what follows the sum, if anything does."""
        anchor = self.group.anchor
        assert anchor is not None
        rest = ["the bias"] if self.product.bias is not None else []
        nodes = (self.program.node_of(value) for value in self.group.values if value > anchor)
        rest += dict.fromkeys(node.op for node in nodes if node is not None)
        if rest:
            scope.comment(f"Then {', '.join(rest)}.")

    def finished(self, scope: Scope, sums: str) -> str:
        """The product itself, with its bias."""
        made, value = self.product, self.group.anchor
        assert value is not None
        if made.bias is None:
            return scope.named(value, sums)
        return scope.named(value, f"{sums} + {scope.value(made.bias, made.bias_index)}")

    def sum_up(self, scope: Scope) -> None:
        """The loop over the inner index, into `sums`."""
        with scope.loop():
            start = self.begin_loop(scope)
            scope.line(f"inner = {start} + tl.arange(0, BLOCK_K)[None, :]")
            scope.line(f"down_inner = {start} + tl.arange(0, BLOCK_K)[:, None]")
            if not fills(self.step, self.length):
                bounds = {base: f"({base} < {self.length})" for base in ("inner", "down_inner")}
                scope.masks = {**scope.masks, **bounds}
            self.read_factors(scope)
            dtype = self.program.values[self.product.left("inner").value].dtype
            ieee = ', input_precision="ieee"' if dtype == "float32" else ""
            scope.line(f"sums = tl.dot(left, right, sums{ieee})")

    def begin_loop(self, scope: Scope) -> str:
        """Its first lines; gives where a step starts."""
        scope.comment(f"Sum over {self.length} inner elements, {self.sizes['BLOCK_K']} at a time.")
        scope.line("sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)")
        scope.line(f"for start in range({self.first}, {self.last}, BLOCK_K):")
        scope.indent += "    "
        return "start"

    def read_factors(self, scope: Scope) -> None:
        """What a step multiplies, `left` and `right`."""
        left, right = self.product.left("inner"), self.product.right("down_inner")
        read(scope, "left", left, ("row", "inner"))
        read(scope, "right", right, ("col", "down_inner"))


def read(scope: Scope, name: str, factor: Factor, along: tuple[str, str]) -> None:
    """One of the factors: loaded, or computed where the kernel takes in what prepares it."""
    for line in factor.lines:
        scope.line(line)
    tests = [scope.masks[base] for base in along if base in scope.masks]
    tests += [factor.condition] if factor.condition else []
    inside = " & ".join(tests)
    if factor.value in scope.stored:
        scope.reads(factor.value)
        mask = f", mask={inside}, other=0.0" if inside else ""
        scope.line(f"{name} = tl.load({variable(factor.value)}_ptr + {factor.offset}{mask})")
        return
    text = scope.value(factor.value, factor.index)
    dtype = scope.program.values[factor.value].dtype
    only_read = text in map(variable, scope.stored)
    text = f"tl.where({inside}, {text}, 0.0)" if inside and not only_read else text
    scope.line(f"{name} = {text}" + ("" if dtype == "float32" else f".to(tl.{dtype})"))


def tile_sizes(made: Product, shape: tuple[int, int, int]) -> dict[str, int]:
    """The sides of a tile, no longer than the product's own."""
    own = (made.rows, made.columns, made.inner)
    names = ("BLOCK_M", "BLOCK_N", "BLOCK_K")
    sides = zip(names, shape, own, strict=True)
    return {name: max(LEAST, min(side, power_of_two(size))) for name, side, size in sides}


def tile_choices(
    made: Product | None, shapes: Iterable[tuple[int, ...]], beside: Sequence[str], **fixed: int
) -> list[Mapping[str, int]]:
    """Sizes by rows of a table: the sides of a tile, then what the strategy chooses beside them. An
    empty list where there is no product."""
    if made is None:
        return []
    return distinct(
        {**tile_sizes(made, (m, n, k)), **dict(zip(beside, rest, strict=True)), **fixed}
        for m, n, k, *rest in shapes
    )


def words(body: TileBody) -> str:
    """A product and its tiles, for a plan."""
    made, sizes = body.product, body.sizes
    rows, inner, columns = map(atom, (made.rows, made.inner, made.columns))
    batches = f" in {made.batches} batches" if made.batches > 1 else ""
    return (
        f"a product of {rows} x {inner} and {inner} x {columns}{batches}; tiles of "
        f"{sizes['BLOCK_M']} x {sizes['BLOCK_N']}, {sizes['BLOCK_K']} inner elements at a time, "
        f"{sizes['warps']} warps, {sizes['stages']} stages"
    )
