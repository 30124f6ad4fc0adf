"""Passes: the lines of a kernel that goes over rows, or over parts of them, in blocks."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import bases
from tritonrl.teach.composer.kernel import steps
from tritonrl.teach.composer.numbers import fills
from tritonrl.teach.composer.row_body import RowBody
from tritonrl.teach.composer.rows import COMBINE, NEUTRAL, SCANS, Statistic
from tritonrl.teach.composer.scope import Scope


class RowPasses:
    """One kernel. A pass goes over `ROWS` rows from `start` to `end`, a block of columns at a time, where
    all programs of a row have a whole number of `step` columns."""

    def __init__(
        self, program: Program, group: Group, stored: frozenset[int], sizes: Mapping[str, int], step: int
    ) -> None:
        assert group.rows is not None
        self.program, self.group, self.rows, self.stored = program, group, group.rows, stored
        several = sizes["ROWS"] > 1
        self.body = RowBody(program, group, several=several)
        self.start, self.end = "0", str(group.rows.num_columns)
        self.block = "(ROWS, BLOCK)" if several else "(BLOCK,)"
        self.lines: list[str] = []
        self.loaded: list[int] = []
        self._several = several
        self._masks = {} if fills(step, group.rows.num_columns) else {"col": "mask"}
        self.row_masks = {} if fills(sizes["ROWS"], group.rows.num_rows) else {"row": "in_rows"}
        self.once_masks = dict(self.row_masks)
        """For what is written once a row."""

    def line(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def head(self) -> None:
        """Which rows are this program's."""
        if not self._several:
            self.line("# This program's row.")
            self.line("row = tl.program_id(0)")
            return
        self.line("# This program's rows.")
        self.line("row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]")
        if self.row_masks:
            self.line(f"in_rows = row < {self.rows.num_rows}")

    def statistic(self, value: int, statistic: Statistic) -> str:
        """A pass that sums up each row; gives the name of what it came to, not finished yet."""
        label, neutral = f"{statistic.name}_{value}", NEUTRAL[statistic.how]
        self.line(f"# The {statistic.name} of a row.")
        self.line(f"{label} = tl.full({self.block}, {neutral}, dtype=tl.float32)")
        with self._pass() as scope:
            words = {**self.body.words(scope, value), **self.body.known.get(value, {})}
            each = self.body.filled(statistic.of, value, words)
            held = f"tl.where({scope.masks['col']}, {each}, {neutral})" if "col" in scope.masks else each
            scope.line(f"{label} = {COMBINE[statistic.how].format(a=label, b=held)}")
        return f"tl.{statistic.how}({label}, {self.body.axis})"

    def finish(self, value: int, statistic: Statistic, text: str) -> None:
        """What a row came to is known from here on."""
        label = f"{statistic.name}_{value}"
        words = self.body.known.setdefault(value, self.body.attributes(value))
        words[statistic.name] = label
        self.line(f"{label} = {statistic.finished(text, words)}")

    def write(self, written: Sequence[int]) -> None:
        """A pass that writes elements, and lines that write what there is once a row."""
        once = [value for value in written if "col" not in bases(self.body.index_of(value))]
        elements = [value for value in written if value not in once]
        if elements:
            self.line(f"# Compute {steps(self.program, self.group)}, element by element.")
            with self._pass() as scope:
                self.body.store(scope, elements)
        if once:
            scope = self._scope("    ", self.once_masks)
            self.body.store(scope, once)
            self.lines += scope.lines

    @contextlib.contextmanager
    def _pass(self) -> Iterator[Scope]:
        self.body.carried = {}
        at, self.lines = self.lines, []
        scope = self._scope("        ", {**self._masks, **self.row_masks})
        scope.line("col = start + tl.arange(0, BLOCK)" + ("[None, :]" if self._several else ""))
        if self._masks:
            scope.line(f"mask = col < {self.rows.num_columns}")
        for line in self.rows.lines:
            scope.line(line)
        yield scope
        shape = "(ROWS, 1)" if self._several else "()"
        for value, grown in self.body.carried.items():
            node = self.program.node_of(value)
            assert node is not None
            at.append(f"    carried_{value} = tl.full({shape}, {SCANS[node.op].neutral}, dtype=tl.float32)")
            scope.line(f"carried_{value} = {grown}")
        loop = f"    for start in range({self.start}, {self.end}, BLOCK):"
        self.lines = [*at, loop, *scope.lines]
        self.body.carried = None

    def _scope(self, indent: str, masks: dict[str, str]) -> Scope:
        held = dict(masks)
        if self.rows.groups and held:
            held["channel"] = " & ".join(masks.values())
        own = self.body.special, self.body.operands
        return Scope(self.program, self.stored, held, *own, indent, loaded=self.loaded)


def num_more_passes(program: Program, group: Group) -> int:
    """Over a row, after the first."""
    body = RowBody(program, group, several=False)
    statistics = sum(len(each.statistics) for each in body.operators.values())
    writes = any("col" in bases(body.index_of(value)) for value in group.outputs(program))
    return max(0, statistics - 1 + writes)
