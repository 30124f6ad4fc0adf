"""Rows held in registers: one a program, or several short ones."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, function, launch, power_of_two, steps
from tritonrl.teach.composer.numbers import fills, next_power_of_two
from tritonrl.teach.composer.row_body import RowBody, row_launch
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import LEAST_ACROSS, apart, memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

LEAST_HELD = 2
"""Elements of a row: one alone would be no block, and Triton reduces no number."""
MOST_HELD = 16384
"""Elements that a program can hold in registers."""
USUAL_HELD = 2048
MOST_A_THREAD = 64
"""Elements, beyond which registers are short."""
MOST_ACROSS = 256
"""Rows, where they lie beside each other."""


class RowBlocks:
    """A program holds `ROWS` whole rows."""

    name = "row blocks"

    def fits(self, program: Program, group: Group) -> bool:
        return group.rows is not None and power_of_two(group.rows.num_columns) <= MOST_HELD

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        assert group.rows is not None
        block = next_power_of_two(max(LEAST_HELD, group.rows.num_columns))
        first = USUAL_HELD // block or 1
        if group.rows.is_across:  # neighbours in memory are in different rows
            first = max(LEAST_ACROSS, min(first, MOST_ACROSS))
        rows = (first, 2 * first, first // 2, first // 4, 1)
        most = min(MOST_HELD // block, power_of_two(group.rows.num_rows))
        found = dict.fromkeys(min(each, most) for each in rows if each)
        return [
            {"ROWS": each, "BLOCK": block, "warps": 4 if each * block <= USUAL_HELD else 8} for each in found
        ]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        assert group.rows is not None
        held = sizes["ROWS"] * sizes["BLOCK"] / (32 * sizes["warps"])
        spilled = max(1.0, held / MOST_A_THREAD)
        moved = moved_bytes(program, group) * apart(group.rows, sizes["ROWS"]) * spilled
        return memory_us(moved, -(-group.rows.num_rows // sizes["ROWS"]), sizes["warps"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        rows, written = group.rows, group.outputs(program)
        assert rows is not None
        masks = {}
        if not fills(sizes["BLOCK"], rows.num_columns):
            masks["col"] = "mask"
        several = sizes["ROWS"] > 1
        if not fills(sizes["ROWS"], rows.num_rows):
            masks["row"] = "in_rows"
        if rows.groups and masks:
            masks["channel"] = " & ".join(masks.values())
        body = RowBody(program, group, several=several)
        scope = Scope(program, stored, masks, body.special, body.operands)
        for line in self._head(group, several, masks):
            scope.line(line)
        scope.comment(f"Compute {steps(program, group)}.")
        body.store(scope, written)
        read = scope.loaded
        constants, grid = row_launch(rows, sizes)
        block = sizes["BLOCK"] if str(sizes["BLOCK"]).isdigit() else "the next power of two"
        held = f"{sizes['ROWS']} rows of {rows.num_columns}" if several else f"a row of {rows.num_columns}"
        return Kernel(
            function(name, read, written, list(constants), scope.lines),
            launch(program, name, read, written, grid, constants, sizes["warps"]),
            f"{self.name}, {rows.num_rows} rows; a program holds {held} in a block of "
            f"{block}, {sizes['warps']} warps, so that each element is read once.",
        )

    @staticmethod
    def _head(group: Group, several: bool, masks: dict[str, str]) -> list[str]:
        rows = group.rows
        assert rows is not None
        if several:
            lines = [
                "# This program's rows.",
                "row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]",
                "col = tl.arange(0, BLOCK)[None, :]",
            ]
        else:
            lines = ["# This program's row.", "row = tl.program_id(0)", "col = tl.arange(0, BLOCK)"]
        if "row" in masks:
            lines.append(f"in_rows = row < {rows.num_rows}")
        if "col" in masks:
            lines.append(f"mask = col < {rows.num_columns}")
        return [*lines, *rows.lines]
