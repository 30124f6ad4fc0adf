"""Split rows: few and long ones, each shared by several programs, whose parts a second kernel joins."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.kernel import Kernel, function, launch
from tritonrl.teach.composer.row_body import RowBody
from tritonrl.teach.composer.rows import COMBINE, NEUTRAL, RowOperator, operator
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.strategy import Sizes

LEAST_COLUMNS = 4096
"""Of a row that is worth several programs."""
MOST_ROWS = 1024
"""With more, there are programs enough."""


class SplitRows:
    """A program goes over a part of a row; another kernel over the parts."""

    name = "split rows"

    def fits(self, program: Program, group: Group) -> bool:
        rows, found = group.rows, _operators(program, group)
        if rows is None or rows.groups or len(found) != 1:
            return False
        (value, operation), *_ = found.items()
        body = RowBody(program, group, "axis=0")
        return (
            rows.num_columns >= LEAST_COLUMNS
            and rows.num_rows <= MOST_ROWS
            and len(operation.statistics) == 1
            and bool(operation.result)
            and all(body.index_of(each) != rows.index() for each in group.outputs(program))
            and value in group.values
        )

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        assert group.rows is not None
        parts = [count for count in (64, 128, 32, 256, 16) if count * 1024 <= group.rows.num_columns] or [4]
        return [{"PARTS": count, "BLOCK": 1024, "warps": 4} for count in parts]

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        rows, written = group.rows, group.outputs(program)
        assert rows is not None
        ((value, operation),) = _operators(program, group).items()
        (statistic,) = operation.statistics
        parts, block = sizes["PARTS"], sizes["BLOCK"]
        chunk = -(-rows.num_columns // (parts * block)) * block
        neutral = NEUTRAL[statistic.how]
        body = RowBody(program, group, "axis=0")

        # The first kernel: a part of a row.
        scope = Scope(program, stored, {"col": "mask"}, body.special, "        ")
        lines = ["    row = tl.program_id(0)", "    part = tl.program_id(1)"]
        lines.append(f"    held = tl.full((BLOCK,), {neutral}, dtype=tl.float32)")
        lines.append(f"    for start in range(part * {chunk}, (part + 1) * {chunk}, BLOCK):")
        scope.line("col = start + tl.arange(0, BLOCK)")
        scope.line(f"mask = col < {rows.num_columns}")
        each = statistic.of.format(**body.words(scope, value))
        joined = COMBINE[statistic.how].format(a="held", b=f"tl.where(mask, {each}, {neutral})")
        scope.line(f"held = {joined}")
        lines += scope.lines
        lines.append(f"    tl.store(parts_ptr + row * {parts} + part, tl.{statistic.how}(held, axis=0))")
        first = name.replace("_kernel", "_part_kernel")
        text = function(first, scope.loaded, [], ["BLOCK"], lines, beside="parts")
        grid = f"{rows.num_rows}, {parts}"
        begin = launch(
            program, first, scope.loaded, [], grid, {"BLOCK": block}, sizes["warps"], beside="parts"
        )

        # The second: all parts of a row, and what follows.
        second = Scope(program, stored, {}, body.special)
        second.line("row = tl.program_id(0)")
        second.line("part = tl.arange(0, PARTS)")
        label = f"{statistic.name}_{value}"
        words = {
            key: text for key, text in body.words(Scope(program, stored, {}), value).items() if len(key) > 1
        }
        words |= {"n": str(rows.num_columns), statistic.name: label}
        joined = f"tl.{statistic.how}(tl.load(parts_ptr + row * PARTS + part), axis=0)"
        second.line(f"{label} = {statistic.finished(joined, words)}")
        body.known[value] = words
        body.store(second, written)
        finish = function(name, second.loaded, written, ["PARTS"], second.lines, beside="parts")
        last = launch(
            program, name, second.loaded, written, str(rows.num_rows), {"PARTS": parts}, 4, beside="parts"
        )
        made = f"    parts = torch.empty(({grid}), device=tensor_0.device, dtype=torch.float32)"
        return Kernel(
            f"{text}\n\n\n{finish}",
            f"{made}\n{begin}\n{last}",
            f"{name}: {rows.num_rows} rows of {rows.num_columns}, few and long; each is shared by {parts} "
            f"programs in blocks of {block}, {sizes['warps']} warps, and a second kernel joins the parts.",
        )


def _operators(program: Program, group: Group) -> dict[int, RowOperator]:
    found = {value: operator(program, value) for value in group.values}
    return {value: each for value, each in found.items() if each is not None}
