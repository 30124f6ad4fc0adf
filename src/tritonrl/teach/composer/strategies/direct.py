"""Direct: a convolution without tiles, each output summed up by itself; for filters over few channels."""

from tritonrl.program.emit import variable
from tritonrl.program.program import Node, Program
from tritonrl.program.shapes import contiguous
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Axis, Index, offset, split
from tritonrl.teach.composer.kernel import Kernel, function, launch, steps
from tritonrl.teach.composer.numbers import atom, extent, quotient
from tritonrl.teach.composer.products import seen_through
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

MOST_INNER = 288
"""Products that one output sums up; more are the work of tiles."""
FEW_COLUMNS, MOST_INNER_OF_FEW = 4, 8192
"""Output channels of a group that leave three quarters of a tile empty: tiles took 6.6 ms for a convolution
of 5,760 products with 4 of them, for which two loads a product come to 2."""
FLOPS_PER_US = 4.0e6
"""Two loads for each product."""
BLOCKS = (256, 512, 1024, 128)
"""Outputs of a program; of equal cost the first is taken. Two a thread were the fastest: 32 µs for a
depthwise convolution that takes 45 µs with four."""


class Direct:
    """A program computes a block of neighbouring outputs, going over channels and taps."""

    name = "direct"

    def fits(self, program: Program, group: Group) -> bool:
        node = program.node_of(group.anchor) if group.anchor is not None else None
        if group.anchor is None or node is None or not node.op.startswith("conv"):
            return False
        columns = program.values[group.anchor].shape[1] // node.attrs["groups"]
        most = MOST_INNER_OF_FEW if columns <= FEW_COLUMNS else MOST_INNER
        return _inner(program, group) <= most

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return [{"BLOCK": block, "warps": 4} for block in BLOCKS]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        assert group.anchor is not None
        size = program.values[group.anchor].num_elements
        flops = 2 * size * _inner(program, group)
        moving = memory_us(moved_bytes(program, group), -(-size // sizes["BLOCK"]), sizes["warps"])
        return moving + flops / FLOPS_PER_US

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        anchor, written = group.anchor, group.outputs(program)
        assert anchor is not None
        size, block = extent(program.values[anchor].shape), sizes["BLOCK"]

        def special(scope: Scope, value: int, index: Index) -> str | None:
            return _summed(scope, program, value, index) if value == anchor else None

        scope = Scope(program, stored, {"at": "mask"}, special)
        scope.comment("This program's outputs.")
        scope.line("at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)")
        scope.line(f"mask = at < {size}")
        scope.comment(f"Compute {steps(program, group)}.")
        scope.store(dict.fromkeys(written, split("at", program.values[anchor].shape)))
        return Kernel(
            function(name, scope.loaded, written, ["BLOCK"], scope.lines),
            launch(
                program, name, scope.loaded, written, (f"triton.cdiv({size}, {block})",), {"BLOCK": block},
                sizes["warps"],
            ),
            f"{self.name}, {size} outputs in blocks of {block}, {sizes['warps']} warps; few "
            "channels, so that each output goes over its own window and no tile is half empty.",
        )  # fmt: skip


def _summed(scope: Scope, program: Program, value: int, index: Index) -> str:
    node = program.node_of(value)
    assert node is not None
    x, weight, *bias = node.operands
    filters, groups = program.values[weight].shape, node.attrs["groups"]
    channels, columns = (quotient(program.values[each].shape[1], groups) for each in (x, value))
    scope.reads(x, weight)
    scope.line("sums = tl.zeros((BLOCK,), dtype=tl.float32)")
    if groups > 1:
        scope.line(f"group = ({index[1]}) // {atom(columns)}" if columns > 1 else f"group = {index[1]}")
    before = scope.indent
    if channels > 1:
        scope.line(f"for channel in range({channels}):")
        scope.indent += "    "
    taps = [_loop(scope, f"tap_{axis}", size) for axis, size in enumerate(filters[2:])]
    channel = Axis("channel", channels, 1, channels) if channels > 1 else None
    group = Axis("group", groups, 1, groups) if groups > 1 else None
    seen = seen_through(program, node, (index[0], *index[2:]), (group, channel), taps, "at")
    for line in seen.lines:
        scope.line(line)
    one_place = not any((group, index[0], *index[2:]))  # all outputs see the same element
    inside = seen.condition if one_place else f"mask & {seen.condition}"
    scope.line(f"seen = tl.load({variable(x)}_ptr + {seen.offset}, mask={inside}, other=0.0)")
    where = _weight_place(node, filters, index, (group, channel), taps, columns)
    own = ", mask=mask, other=0.0" if index[1] else ""  # of one filter all outputs read the same element
    scope.line(f"factor = tl.load({variable(weight)}_ptr + {where}{own})")
    scope.line("sums += seen.to(tl.float32) * factor")
    scope.indent = before
    return scope.named(value, f"sums + {scope.value(bias[0], index[1:2])}" if bias else "sums")


def _inner(program: Program, group: Group) -> int:
    """Products that an output sums up."""
    node = program.node_of(group.anchor) if group.anchor is not None else None
    assert node is not None
    image, filters = (program.values[each].shape for each in node.operands[:2])
    return image[1] // node.attrs["groups"] * extent(filters[2:])


def _loop(scope: Scope, name: str, size: int) -> Axis | None:
    if size == 1:
        return None
    scope.line(f"for {name} in range({size}):")
    scope.indent += "    "
    return Axis(name, size, 1, size)


def _weight_place(
    node: Node, filters: tuple[int, ...], index: Index, where: Index, taps: list[Axis | None], columns: int
) -> str:
    """(out channel, channel of its group, taps), or transposed (channel, out channel of its group, taps)."""
    group, channel = where
    strides = contiguous(filters)
    if "transpose" not in node.op:
        return offset((index[1], channel, *taps), strides)
    own = f"({index[1]}) % {atom(columns)} * {strides[1]}" if group else f"({index[1]}) * {strides[1]}"
    own = "" if columns == 1 else own
    far = offset(
        (group, channel, *taps),
        (quotient(extent(filters), node.attrs["groups"]), strides[0], *strides[2:]),
    )
    return " + ".join(each for each in (far if far != "0" else "", own) if each) or "0"
