"""Rows gone over in blocks: for those that are too long to hold."""

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import bases
from tritonrl.teach.composer.kernel import Kernel, function, launch, power_of_two
from tritonrl.teach.composer.row_body import RowBody
from tritonrl.teach.composer.rows import COMBINE, NEUTRAL, SCANS, operator
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.strategy import Sizes


class LoopedRows:
    """A program goes over one row, once for each statistic, and once more to write."""

    name = "looped rows"

    def fits(self, program: Program, group: Group) -> bool:
        nodes = [program.node_of(value) for value in group.values]
        return group.rows is not None and not any(node and node.op in SCANS for node in nodes)

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        assert group.rows is not None
        most = max(32, power_of_two(group.rows.num_columns) // 2)
        blocks = [block for block in (4096, 2048, 1024, 8192) if block <= most] or [most]
        return [{"BLOCK": block, "warps": 8 if block >= 2048 else 4} for block in blocks]

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        rows, written = group.rows, group.outputs(program)
        assert rows is not None
        body = RowBody(program, group, "axis=0")
        masks = {"col": "mask"} if rows.num_columns % sizes["BLOCK"] else {}
        if rows.groups and masks:
            masks["channel"] = "mask"
        lines, loaded = ["    row = tl.program_id(0)"], []

        def scope_of(indent: str) -> Scope:
            return Scope(program, stored, dict(masks), body.special, indent, loaded=loaded)

        def loop() -> Scope:
            """A pass over the row."""
            scope = scope_of("        ")
            lines.append(f"    for start in range(0, {rows.num_columns}, BLOCK):")
            scope.line("col = start + tl.arange(0, BLOCK)")
            if masks:
                scope.line(f"mask = col < {rows.num_columns}")
            for line in rows.lines:
                scope.line(line)
            return scope

        for value in group.values:
            operation = operator(program, value)
            for statistic in operation.statistics if operation else ():
                label, neutral = f"{statistic.name}_{value}", NEUTRAL[statistic.how]
                lines.append(f"    {label} = tl.full((BLOCK,), {neutral}, dtype=tl.float32)")
                scope = loop()
                words = {**body.words(scope, value), **body.known.get(value, {})}
                each = statistic.of.format(**words)
                held = f"tl.where(mask, {each}, {neutral})" if masks else each
                scope.line(f"{label} = {COMBINE[statistic.how].format(a=label, b=held)}")
                lines += scope.lines
                words = {**body.known.get(value, {}), "n": str(rows.num_columns), statistic.name: label}
                text = statistic.finished(f"tl.{statistic.how}({label}, axis=0)", words)
                lines.append(f"    {label} = {text}")
                attrs = {
                    key: text
                    for key, text in body.words(scope_of(""), value).items()
                    if key not in ("x", "y", "z")
                }
                body.known[value] = {**attrs, **words}
        once = [value for value in written if "col" not in bases(body.index_of(value))]
        each_element = [value for value in written if value not in once]
        if each_element:
            scope = loop()
            body.store(scope, each_element)
            lines += scope.lines
        if once:
            scope = scope_of("    ")
            body.store(scope, once)
            lines += scope.lines
        constants = {"BLOCK": sizes["BLOCK"]}
        return Kernel(
            function(name, loaded, written, ["BLOCK"], lines),
            launch(program, name, loaded, written, str(rows.num_rows), constants, sizes["warps"]),
            f"{name}: {rows.num_rows} rows of {rows.num_columns}, too long to hold; a program goes over one "
            f"in blocks of {sizes['BLOCK']}, {sizes['warps']} warps.",
        )
