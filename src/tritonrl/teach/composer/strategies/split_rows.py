"""Split rows: few and long ones, each shared by several programs.

There is a kernel for each statistic, whose programs leave what their part of a row comes to; the next one
joins the parts first. The last kernel writes.
"""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import bases
from tritonrl.teach.composer.kernel import Kernel, function, launch, power_of_two
from tritonrl.teach.composer.numbers import share
from tritonrl.teach.composer.row_body import RowBody, row_launch
from tritonrl.teach.composer.row_passes import RowPasses, num_more_passes
from tritonrl.teach.composer.rows import SCANS, Statistic
from tritonrl.teach.composer.strategies.cost import LAUNCH_US, READ_AGAIN, memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

LEAST_COLUMNS = 4096
"""Of a row that is worth several programs."""
MOST_ROWS = 1024
"""Or blocks of rows beside each other. With more, there are programs enough."""
MOST_STATISTICS = 4
ACROSS, ALONG = (32, 32), (1, 1024)
"""Rows and columns of a block."""


class SplitRows:
    """A program goes over a part of a row."""

    name = "split rows"

    def fits(self, program: Program, group: Group) -> bool:
        rows = group.rows
        if rows is None or rows.groups:
            return False
        nodes = (program.node_of(value) for value in group.values)
        found = _statistics(program, group)
        return (
            rows.num_columns >= LEAST_COLUMNS
            and rows.num_rows <= MOST_ROWS * (ACROSS[0] if rows.is_across else 1)
            and 0 < len(found) <= MOST_STATISTICS
            and not any(node and node.op in SCANS for node in nodes)
        )

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        assert group.rows is not None
        rows, block = ACROSS if group.rows.is_across else ALONG
        rows = min(rows, power_of_two(group.rows.num_rows))
        most = max(2, power_of_two(group.rows.num_columns // block))
        parts = dict.fromkeys(min(count, most) for count in (64, 128, 32, 256, 16))
        return [{"PARTS": count, "ROWS": rows, "BLOCK": block, "warps": 4} for count in parts]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        assert group.rows is not None
        programs = sizes["PARTS"] * -(-group.rows.num_rows // sizes["ROWS"])
        more = num_more_passes(program, group)
        moved = moved_bytes(program, group) * (1 + READ_AGAIN * more)
        return LAUNCH_US * (1 + more) + memory_us(moved, programs, sizes["warps"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        rows, written, parts = group.rows, group.outputs(program), sizes["PARTS"]
        assert rows is not None
        block, (given, (first,)) = sizes["BLOCK"], row_launch(rows, sizes)
        constants = {"PARTS": parts, "LENGTH": share(rows.num_columns, parts, block), **given}
        grid = (first, parts)
        texts, launches, done = [], [], []

        def begun(goes_over: bool) -> RowPasses:
            """A kernel that knows what those before it have found."""
            passes = RowPasses(program, group, stored, sizes, parts * block)
            passes.head()
            if goes_over:
                passes.line("part = tl.program_id(1)")
                passes.start, passes.end = "part * LENGTH", "part * LENGTH + LENGTH"
            for value, statistic in done:
                passes.line(f"# The parts of the {statistic.name}, joined.")
                mask = ", mask=in_rows, other=0.0" if passes.row_masks else ""
                column = "[None, :]" if sizes["ROWS"] > 1 else ""
                place = f"row * PARTS + tl.arange(0, PARTS){column}"
                held = f"tl.load({_parts(value, statistic)}_ptr + {place}{mask})"
                passes.finish(value, statistic, f"tl.{statistic.how}({held}, {passes.body.axis})")
            return passes

        def add(
            passes: RowPasses,
            called: str,
            beside: list[str],
            outputs: list[int],
            where: tuple[str | int, ...],
        ) -> None:
            used = [key for key in constants if any(key in line for line in passes.lines)]
            texts.append(function(called, passes.loaded, outputs, used, passes.lines, beside))
            given = {key: constants[key] for key in used}
            launches.append(
                launch(program, called, passes.loaded, outputs, where, given, sizes["warps"], beside)
            )

        for value, statistic in _statistics(program, group):
            passes, buffer = begun(goes_over=True), _parts(value, statistic)
            text = passes.statistic(value, statistic)
            mask = ", mask=in_rows" if passes.row_masks else ""
            passes.line("# Leave what this part comes to.")
            passes.line(f"tl.store({buffer}_ptr + row * PARTS + part, {text}{mask})")
            launches.append(
                f"    {buffer} = torch.empty(({rows.num_rows}, {parts}), device=tensor_0.device, "
                "dtype=torch.float32)"
            )
            earlier = [_parts(*each) for each in done]
            add(passes, name.replace("_kernel", f"_{buffer}_kernel"), [*earlier, buffer], [], grid)
            done.append((value, statistic))
        body = RowBody(program, group, several=False)
        per_element = any("col" in bases(body.index_of(each)) for each in written)
        passes = begun(goes_over=per_element)
        if per_element:  # what there is once a row is written by the first part alone
            passes.once_masks = {"row": " & ".join([*passes.row_masks.values(), "(part == 0)"])}
        passes.write(written)
        last = grid if per_element else grid[:1]
        add(passes, name, [_parts(*each) for each in done], written, last)
        return Kernel(
            "\n\n\n".join(texts),
            "\n".join(launches),
            f"{self.name}, {rows.num_rows} rows of {rows.num_columns}, few and long; each is shared "
            f"by {parts} programs in blocks of {sizes['BLOCK']}, {sizes['warps']} warps, and the next kernel "
            "joins the parts.",
        )


def _statistics(program: Program, group: Group) -> list[tuple[int, Statistic]]:
    operators = RowBody(program, group, several=False).operators.items()
    return [(value, each) for value, operation in operators for each in operation.statistics]


def _parts(value: int, statistic: Statistic) -> str:
    return f"{statistic.name}_{value}_parts"
