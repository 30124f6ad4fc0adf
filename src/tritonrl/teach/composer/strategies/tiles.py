"""Tiles: a block of rows and columns of a product, summed up by tensor cores."""

from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index, bases
from tritonrl.teach.composer.kernel import Kernel, function, launch, power_of_two
from tritonrl.teach.composer.products import Factor, Product, product
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.strategy import Sizes

SHAPES = (
    (64, 64, 32, 4),
    (128, 64, 32, 8),
    (64, 128, 32, 8),
    (32, 64, 32, 4),
    (32, 32, 32, 4),
    (16, 64, 64, 4),
)
"""Rows, columns and inner elements of a tile, and warps."""
LEAST = 16
"""Of each side of a tile: what a dot takes."""


class Tiles:
    """A program computes a tile of the output, a part of the inner index at a time."""

    name = "tiles"

    def fits(self, program: Program, group: Group) -> bool:
        return group.anchor is not None and product(program, group.anchor) is not None

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        assert group.anchor is not None
        made = product(program, group.anchor)
        assert made is not None
        found = []
        for rows, columns, inner, warps in SHAPES:
            sides = (rows, made.rows), (columns, made.columns), (inner, made.inner)
            m, n, k = (max(LEAST, min(side, power_of_two(size))) for side, size in sides)
            found.append({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "warps": warps})
        return [each for place, each in enumerate(found) if each not in found[:place]]

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        assert group.anchor is not None
        made = product(program, group.anchor)
        assert made is not None
        written = group.outputs(program)
        masks = {
            base: f"({base} < {size})"
            for base, size, block in (
                ("row", made.rows, sizes["BLOCK_M"]),
                ("col", made.columns, sizes["BLOCK_N"]),
            )
            if size % block
        }
        has_channel = "channel" in bases(made.index)
        if "col" in masks and has_channel:
            masks["channel"] = masks["col"]
        tiles = -(-made.columns // sizes["BLOCK_N"])

        def special(scope: Scope, value: int, index: Index) -> str | None:
            return _sum_up(scope, program, made, group, sizes) if value == group.anchor else None

        scope = Scope(program, stored, masks, special)
        scope.comment("This program's tile.")
        if tiles > 1:
            scope.line(f"row = tl.program_id(0) // {tiles} * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
            scope.line(f"col = tl.program_id(0) % {tiles} * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]")
        else:
            scope.line("row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
            scope.line("col = tl.arange(0, BLOCK_N)[None, :]")
        if made.batches > 1:
            scope.line("batch = tl.program_id(1)")
        if has_channel:
            scope.line(f"channel = batch * {made.columns} + col")
        scope.store(dict.fromkeys(written, made.index))
        read = scope.loaded
        constants = {key: sizes[key] for key in ("BLOCK_M", "BLOCK_N", "BLOCK_K")}
        grid = str(-(-made.rows // sizes["BLOCK_M"]) * tiles)
        grid += f", {made.batches}" if made.batches > 1 else ""
        return Kernel(
            function(name, read, written, list(constants), scope.lines),
            launch(program, name, read, written, grid, constants, sizes["warps"]),
            f"{name}: a product of {made.rows} x {made.inner} and {made.inner} x {made.columns}"
            f"{f' in {made.batches} batches' if made.batches > 1 else ''}; tiles of {sizes['BLOCK_M']} x "
            f"{sizes['BLOCK_N']}, {sizes['BLOCK_K']} inner elements at a time, {sizes['warps']} warps.",
        )


def _sum_up(scope: Scope, program: Program, made: Product, group: Group, sizes: Sizes) -> str:
    """The loop over the inner index; gives the name of the sum."""
    value = group.anchor
    assert value is not None
    left, right = made.left("across"), made.right("down")
    scope.reads(left.value, right.value)
    scope.comment(f"Sum over {made.inner} inner elements.")
    scope.line("sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)")
    scope.line(f"for start in range(0, {made.inner}, BLOCK_K):")
    before, scope.indent = scope.indent, scope.indent + "    "
    scope.line("across = start + tl.arange(0, BLOCK_K)[None, :]")
    scope.line("down = start + tl.arange(0, BLOCK_K)[:, None]")
    whole = made.inner % sizes["BLOCK_K"] == 0
    for name, factor, outer, inner in (("left", left, "row", "across"), ("right", right, "col", "down")):
        _load(scope, name, factor, [outer, *([] if whole else [inner])], made.inner)
    precision = ', input_precision="ieee"' if program.values[left.value].dtype == "float32" else ""
    scope.line(f"sums = tl.dot(left, right, sums{precision})")
    scope.indent = before
    if len(group.values) > 1 or made.bias is not None:
        scope.comment("What follows it.")
    if made.bias is None:
        return scope.named(value, "sums")
    return scope.named(value, f"sums + {scope.value(made.bias, made.bias_index)}")


def _load(scope: Scope, name: str, factor: Factor, bounds: list[str], inner: int) -> None:
    for line in factor.lines:
        scope.line(line)
    tests = [scope.masks[base] for base in bounds if base in scope.masks]
    tests += [f"({base} < {inner})" for base in bounds if base in ("across", "down")]
    tests += [factor.condition] if factor.condition else []
    mask = f", mask={' & '.join(tests)}, other=0.0" if tests else ""
    scope.line(f"{name} = tl.load({variable(factor.value)}_ptr + {factor.offset}{mask})")
