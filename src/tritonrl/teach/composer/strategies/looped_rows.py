"""Rows gone over in blocks: for those that are too long to hold."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, distinct, function, launch, power_of_two
from tritonrl.teach.composer.row_body import row_launch
from tritonrl.teach.composer.row_passes import RowPasses, num_more_passes
from tritonrl.teach.composer.strategies.cost import READ_AGAIN, apart, memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

ACROSS = ((32, 32), (64, 32), (32, 64), (128, 16), (16, 16))
"""Rows and columns of a block, where it is rows that lie beside each other."""
ALONG = ((1, 4096), (1, 2048), (1, 1024), (1, 8192), (2, 1024))


class LoopedRows:
    """A program goes over a row, or over a few, once for each statistic and once more to write."""

    name = "looped rows"

    def fits(self, program: Program, group: Group) -> bool:
        return group.rows is not None

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        assert group.rows is not None
        most_rows = power_of_two(group.rows.num_rows)
        most = max(16, power_of_two(group.rows.num_columns) // 2)
        found = []
        for rows, block in ACROSS if group.rows.is_across else ALONG:
            sizes = {"ROWS": min(rows, most_rows), "BLOCK": min(block, most)}
            warps = 8 if sizes["ROWS"] * sizes["BLOCK"] >= 2048 else 4
            found.append({**sizes, "warps": warps})
        return distinct(found)

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        assert group.rows is not None
        programs = -(-group.rows.num_rows // sizes["ROWS"])
        passes = apart(group.rows, sizes["ROWS"]) + READ_AGAIN * num_more_passes(program, group)
        return memory_us(moved_bytes(program, group) * passes, programs, sizes["warps"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        rows, written = group.rows, group.outputs(program)
        assert rows is not None
        passes = RowPasses(program, group, stored, sizes, sizes["BLOCK"])
        passes.head()
        for value, operation in passes.body.operators.items():
            for statistic in operation.statistics:
                passes.finish(value, statistic, passes.statistic(value, statistic))
        passes.write(written)
        constants, grid = row_launch(rows, sizes)
        which = f"{sizes['ROWS']} rows beside each other" if sizes["ROWS"] > 1 else "one"
        return Kernel(
            function(name, passes.loaded, written, list(constants), passes.lines),
            launch(program, name, passes.loaded, written, grid, constants, sizes["warps"]),
            f"{self.name}, {rows.num_rows} rows of {rows.num_columns}, not held; a program goes over "
            f"{which} in blocks of {sizes['BLOCK']}, {sizes['warps']} warps.",
        )
