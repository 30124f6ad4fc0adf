"""Wide windows: pooling where an output sees many inputs, which a program reads beside each other."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index, counted, split
from tritonrl.teach.composer.kernel import Kernel, function, launch, steps
from tritonrl.teach.composer.numbers import extent, fills, times
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes
from tritonrl.teach.composer.strategies.windows import Window, is_pool

LEAST_PLACES = 32
"""Of a window; fewer are gone over one by one."""
SHAPES = ((1, 1024, 4), (4, 256, 4), (32, 32, 4), (8, 128, 4), (16, 64, 4))
"""Outputs of a program, places of each at a time, and warps; of equal cost the first is taken. Windows of
1,024 places took them 58, 92, 107, 139 and 151 µs."""


class WideWindows:
    """A program computes a few outputs, many places of their windows at a time."""

    name = "wide windows"

    def fits(self, program: Program, group: Group) -> bool:
        return is_pool(program, group) and Window(program, group).num_places >= LEAST_PLACES

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return [dict(zip(("OUTPUTS", "PLACES", "warps"), shape, strict=True)) for shape in SHAPES]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        size = program.values[group.outputs(program)[0]].num_elements
        window = Window(program, group)
        # What lies beyond the end of a window is passed over, but takes its time.
        gone_over = -(-window.num_places // sizes["PLACES"]) * sizes["PLACES"] / window.num_places
        return memory_us(
            moved_bytes(program, group) * gone_over, -(-size // sizes["OUTPUTS"]), sizes["warps"]
        )

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        assert group.anchor is not None
        written, window = group.outputs(program), Window(program, group)
        shape = program.values[group.anchor].shape
        size, outputs = extent(shape), sizes["OUTPUTS"]

        def special(scope: Scope, value: int, index: Index) -> str | None:
            return _pooled(scope, window, value, index, sizes) if value == group.anchor else None

        masks = {} if fills(outputs, size) else {"at": "mask"}
        scope = Scope(program, stored, masks, special)
        scope.comment("This program's outputs.")
        scope.line("at = tl.program_id(0) * OUTPUTS + tl.arange(0, OUTPUTS)[:, None]")
        if masks:
            scope.line(f"mask = at < {size}")
        scope.comment(f"Compute {steps(program, group)}.")
        scope.store(dict.fromkeys(written, split("at", shape)))
        constants = {key: sizes[key] for key in ("OUTPUTS", "PLACES")}
        grid = (f"triton.cdiv({size}, {outputs})",)
        return Kernel(
            function(name, scope.loaded, written, list(constants), scope.lines),
            launch(program, name, scope.loaded, written, grid, constants, sizes["warps"]),
            f"{name}: {self.name}, {size} of {times(*window.reach)} places; {outputs} a program, "
            f"{sizes['PLACES']} places at a time, {sizes['warps']} warps, so that neighbours are read "
            "together.",
        )


def _pooled(scope: Scope, window: Window, value: int, index: Index, sizes: Sizes) -> str:
    window.begin(scope, "(OUTPUTS, 1)")
    count = times(*window.reach)
    scope.line(f"for start in range(0, {count}, PLACES):")
    before, scope.indent = scope.indent, scope.indent + "    "
    scope.line("place = start + tl.arange(0, PLACES)[None, :]")
    for axis, tap in enumerate(counted("place", tuple(window.reach))):
        for line in window.lines(axis, index, str(tap) if tap else "0"):
            scope.line(line)
    beyond = [] if fills(sizes["PLACES"], count) else [f"(place < {count})"]
    tests = [*scope.masks.values(), *beyond, *window.tests]
    window.add(scope, index, tests, "tl.{how}({each}, axis=1, keep_dims=True)")
    scope.indent = before
    return scope.named(value, window.result())
