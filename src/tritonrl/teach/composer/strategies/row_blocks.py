"""Rows held in registers: one a program, or several short ones."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, function, launch, power_of_two
from tritonrl.teach.composer.row_body import RowBody
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.strategy import Sizes

MOST_HELD = 16384
"""Elements that a program holds in registers."""


class RowBlocks:
    """A program holds `ROWS` whole rows."""

    name = "row blocks"

    def fits(self, program: Program, group: Group) -> bool:
        return group.rows is not None and power_of_two(group.rows.num_columns) <= MOST_HELD

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        assert group.rows is not None
        block = power_of_two(group.rows.num_columns)
        warps = 4 if block <= 2048 else 8
        several = [rows for rows in (4, 8, 16, 2) if rows * block <= MOST_HELD // 4]
        likely = [1, *several] if block >= 512 else [*several, 1]
        return [{"ROWS": rows, "BLOCK": block, "warps": warps} for rows in likely]

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        rows, written = group.rows, group.outputs(program)
        assert rows is not None
        masks = {}
        if sizes["BLOCK"] != rows.num_columns:
            masks["col"] = "mask"
        several = sizes["ROWS"] > 1
        if several and rows.num_rows % sizes["ROWS"]:
            masks["row"] = "in_rows"
        if rows.groups and masks:
            masks["channel"] = " & ".join(masks.values())
        body = RowBody(program, group, "axis=1, keep_dims=True" if several else "axis=0")
        scope = Scope(program, stored, masks, body.special)
        for line in self._head(group, several, masks):
            scope.line(line)
        body.store(scope, written)
        read = scope.loaded
        constants = {"ROWS": sizes["ROWS"]} if several else {}
        constants |= {"BLOCK": sizes["BLOCK"]}
        grid = f"triton.cdiv({rows.num_rows}, {sizes['ROWS']})" if several else str(rows.num_rows)
        held = f"{sizes['ROWS']} rows of {rows.num_columns}" if several else f"a row of {rows.num_columns}"
        return Kernel(
            function(name, read, written, list(constants), scope.lines),
            launch(program, name, read, written, grid, constants, sizes["warps"]),
            f"{name}: {rows.num_rows} rows; a program holds {held} in a block of {sizes['BLOCK']}, "
            f"{sizes['warps']} warps, so that each element is read once.",
        )

    @staticmethod
    def _head(group: Group, several: bool, masks: dict[str, str]) -> list[str]:
        rows = group.rows
        assert rows is not None
        if several:
            lines = [
                "row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]",
                "col = tl.arange(0, BLOCK)[None, :]",
            ]
        else:
            lines = ["row = tl.program_id(0)", "col = tl.arange(0, BLOCK)"]
        if "row" in masks:
            lines.append(f"in_rows = row < {rows.num_rows}")
        if "col" in masks:
            lines.append(f"mask = col < {rows.num_columns}")
        return [*lines, *rows.lines]
