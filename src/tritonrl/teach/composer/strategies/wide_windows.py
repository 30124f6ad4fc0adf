"""Wide windows: pooling where an output sees many inputs, rows of which a program reads beside each other."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index, split
from tritonrl.teach.composer.kernel import Kernel, distinct, function, launch, power_of_two, steps
from tritonrl.teach.composer.numbers import extent, fills, times
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import READ_AGAIN, memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes
from tritonrl.teach.composer.strategies.windows import Window, is_pool

LEAST_PLACES = 16
"""Of a window; fewer are gone over one by one."""
MOST_IN_A_ROW = 1024
"""Places of a row of a window at a time."""
HELD = ((1024, 1, 4), (2048, 1, 4), (512, 1, 4), (1024, 2, 4), (4096, 1, 8))
"""Places of all its outputs that a program reads at a time, parts of a window's row, and warps; of equal cost
the first is taken."""


class WideWindows:
    """A program computes a few outputs, a row of their windows at a time."""

    name = "wide windows"

    def fits(self, program: Program, group: Group) -> bool:
        return is_pool(program, group) and Window(program, group).num_places >= LEAST_PLACES

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        row = min(power_of_two(Window(program, group).reach[-1]), MOST_IN_A_ROW)
        most = power_of_two(program.values[group.outputs(program)[0]].num_elements)
        found = []
        for held, parts, warps in HELD:
            places = max(1, row // parts)
            found.append({"OUTPUTS": min(max(1, held // places), most), "PLACES": places, "warps": warps})
        return distinct(found)

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        size, window = program.values[group.outputs(program)[0]].num_elements, Window(program, group)
        row, places = window.reach[-1], sizes["PLACES"]
        # What lies beyond the end of a row is passed over, but takes its time, as does what windows share.
        gone_over = -(-row // places) * places / row
        shared = window.num_places * size / program.values[window.read].num_elements
        moved = moved_bytes(program, group) * gone_over * max(1.0, READ_AGAIN * shared)
        return memory_us(moved, -(-size // sizes["OUTPUTS"]), sizes["warps"])

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
            f"{self.name}, {size} of {times(*window.reach)} places; {outputs} a program, "
            f"{sizes['PLACES']} places of a row at a time, {sizes['warps']} warps, so that neighbours are "
            "read together.",
        )


def _pooled(scope: Scope, window: Window, value: int, index: Index, sizes: Sizes) -> str:
    window.begin(scope, "(OUTPUTS, PLACES)", index)
    *outer, last = range(window.num_axes)
    row, before = window.reach[last], scope.indent
    place = "tl.arange(0, PLACES)[None, :]"
    if sizes["PLACES"] < row:
        scope.line(f"for start in range(0, {row}, PLACES):")
        scope.indent += "    "
        place = f"start + {place}"
    scope.line(f"place = {place}")
    scope.line(window.line(last, index, "place"))
    window.loop(scope, outer, index)
    beyond = [] if window.is_uneven(last) or fills(sizes["PLACES"], row) else [f"(place < {row})"]
    window.add(scope, index, [*scope.masks.values(), *beyond, *window.tests])
    scope.indent = before
    how = "max" if window.is_largest else "sum"
    scope.line(f"window = tl.{how}(window, axis=1, keep_dims=True)")
    return scope.named(value, window.result(index))
