"""Windows: pooling, each output over the few inputs that it sees."""

from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index, contiguous, offset, split
from tritonrl.teach.composer.kernel import Kernel, function, launch, steps
from tritonrl.teach.composer.numbers import Number, atom, extent, times
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes


class Windows:
    """A program computes a block of neighbouring outputs, going over the places of a window."""

    name = "windows"

    def fits(self, program: Program, group: Group) -> bool:
        node = program.node_of(group.anchor) if group.anchor is not None else None
        return node is not None and "_pool" in node.op

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return [
            {"BLOCK": block, "warps": warps} for block, warps in ((512, 4), (1024, 4), (256, 4), (1024, 8))
        ]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        size = program.values[group.outputs(program)[0]].num_elements
        return memory_us(moved_bytes(program, group), -(-size // sizes["BLOCK"]), sizes["warps"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        assert group.anchor is not None
        written = group.outputs(program)
        size = extent(program.values[group.anchor].shape)

        def special(scope: Scope, value: int, index: Index) -> str | None:
            return _pooled(scope, program, value, index) if value == group.anchor else None

        scope = Scope(program, stored, {"at": "mask"}, special)
        scope.comment("This program's outputs.")
        scope.line("at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)")
        scope.line(f"mask = at < {size}")
        index = split("at", program.values[group.anchor].shape)
        scope.comment(f"Compute {steps(program, group)}.")
        scope.store(dict.fromkeys(written, index))
        read = scope.loaded
        block = sizes["BLOCK"]
        grid = (f"triton.cdiv({size}, {block})",)
        return Kernel(
            function(name, read, written, ["BLOCK"], scope.lines),
            launch(program, name, read, written, grid, {"BLOCK": block}, sizes["warps"]),
            f"{name}: {self.name}, {size} of them in blocks of {block}, {sizes['warps']} warps; "
            "the places of a window are gone over one by one.",
        )


def _pooled(scope: Scope, program: Program, value: int, index: Index) -> str:
    node = program.node_of(value)
    assert node is not None
    x = node.operands[0]
    image, out, attrs = program.values[x].shape, program.values[value].shape, node.attrs
    adaptive, largest = "adaptive" in node.op, "max" in node.op
    axes = len(attrs["output_size"] if adaptive else attrs["kernel_size"])
    counts = not adaptive and attrs.get("count_include_pad") is False
    reach = [
        _most_seen(image[-axes + a], out[-axes + a]) if adaptive else attrs["kernel_size"][a]
        for a in range(axes)
    ]
    start = '-float("inf")' if largest else "0.0"
    scope.line(f"window = tl.full((BLOCK,), {start}, dtype=tl.float32)")
    if counts or (adaptive and not largest):
        scope.line("seen = tl.full((BLOCK,), 0.0, dtype=tl.float32)")
    before, tests, terms = scope.indent, ["mask"], []
    strides = contiguous(image)
    for a in range(axes):
        size, place = image[-axes + a], index[-axes + a]
        at = str(place) if place else "0"
        scope.line(f"for tap_{a} in range({reach[a]}):")
        scope.indent += "    "
        if adaptive:
            scope.line(f"at_{a} = {_of(at, size)} // {out[-axes + a]} + tap_{a}")
            scope.line(f"end_{a} = ({_of(f'({at} + 1)', size)} + {out[-axes + a]} - 1) // {out[-axes + a]}")
            tests.append(f"(at_{a} < end_{a})")
        else:
            dilation = attrs.get("dilation", (1,) * axes)[a]
            tap = f"tap_{a} * {dilation}" if dilation > 1 else f"tap_{a}"
            padding = f" - {attrs['padding'][a]}" if attrs["padding"][a] else ""
            scope.line(f"at_{a} = {_of(at, attrs['stride'][a])} + {tap}{padding}")
            if attrs["padding"][a]:
                tests += [f"(at_{a} >= 0)", f"(at_{a} < {size})"]
        step = strides[-axes + a]
        terms.append(f"at_{a} * {step}" if step > 1 else f"at_{a}")
    outer = offset(index[:-axes], strides[:-axes])
    where = " + ".join([*([outer] if outer != "0" else []), *terms])
    scope.reads(x)
    inside = " & ".join(tests)
    scope.line(f"seen_now = tl.load({variable(x)}_ptr + {where}, mask={inside}, other={start})")
    scope.line("window = tl.maximum(window, seen_now)" if largest else "window += seen_now")
    if counts or (adaptive and not largest):
        scope.line(f"seen += tl.where({inside}, 1.0, 0.0)")
    scope.indent = before
    if largest:
        return scope.named(value, "window")
    return scope.named(value, "window / seen" if counts or adaptive else f"window / {atom(times(*reach))}")


def _most_seen(size: int, out: int) -> Number:
    """By an output of adaptive pooling: where windows are not all alike, two of them share an end."""
    return Number(size // out + 2 * (size % out > 0), f"{size} // {out} + 2 * ({size} % {out} > 0)")


def _of(text: str, factor: int) -> str:
    atom = text if text.isidentifier() or text.startswith("(") else f"({text})"
    return atom if factor == 1 else f"{atom} * {factor}"
