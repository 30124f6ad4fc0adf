"""Groups: which values one kernel computes together.

Nodes are taken in order. One that computes or moves single elements joins the kernel that makes its latest
operand, where that kernel visits the same elements; a row operator joins one that holds the same rows; it and
a product take in what only prepares their operands; any other operator has a kernel of its own. Kernels that
then visit the same elements and read the same tensors become one.
"""

import itertools
import math
from dataclasses import dataclass, field

from tritonrl.program.program import Node, Program
from tritonrl.teach.composer.indexing import Index, aligned, split
from tritonrl.teach.composer.pointwise import is_pointwise
from tritonrl.teach.composer.rows import Rows, operator, rows_of
from tritonrl.teach.composer.scope import MOVES, VIEWS


@dataclass
class Group:
    """One kernel's values, in order. `rows` where it goes over rows, `anchor` where one operator decides."""

    shape: tuple[int, ...]
    values: list[int] = field(default_factory=list)
    rows: Rows | None = None
    anchor: int | None = None

    @property
    def index(self) -> Index:
        """Of the elements that it visits."""
        return self.rows.index() if self.rows else split("at", self.shape)

    def reads(self, program: Program) -> set[int]:
        """The values of others that it reads."""
        nodes = (program.node_of(value) for value in self.values)
        return {operand for node in nodes if node for operand in node.operands} - set(self.values)

    def outputs(self, program: Program) -> list[int]:
        """The values that others read."""
        own = set(self.values)
        return [
            value
            for value in self.values
            if value in program.outputs
            or any(program.value_of(reader) not in own for reader in program.users[value])
        ]


class Partition:
    """The groups of a program, in an order in which they can run."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.groups: list[Group] = []
        for position in range(len(program.nodes)):
            self._place(program.value_of(position))
        self._merge()

    def _place(self, value: int) -> None:
        node = self.program.node_of(value)
        assert node is not None
        shape = self.program.values[value].shape
        if operator(self.program, value) is not None:
            self._place_row_operator(value)
        elif is_pointwise(node) or node.op in MOVES or node.op == "batch_norm":
            latest = self._latest(value)
            if latest is not None and self._fits(latest, value):
                latest.values.append(value)
            else:
                self._open(Group(shape), value, takes_in=True)
        else:
            self._open(Group(shape, anchor=value), value, takes_in=node.op in READ_BY_DIMS)

    def _place_row_operator(self, value: int) -> None:
        rows, latest = rows_of(self.program, value), self._latest(value)
        node = self.program.node_of(value)
        assert node is not None
        same = latest is not None and latest.rows == rows and latest is self._group_of(node.operands[0])
        if latest is not None and same and self._shape(node.operands[0]) == rows.shape:
            latest.values.append(value)
        else:
            self._open(Group(rows.shape, rows=rows), value, takes_in=True)

    def _open(self, group: Group, value: int, *, takes_in: bool = False) -> None:
        """A new kernel; with `takes_in` it does itself what only prepares its operands."""
        node = self.program.node_of(value)
        assert node is not None
        for operand in node.operands if takes_in else ():
            before = self._group_of(operand)
            if (
                before is not None
                and self._only_prepares(before, value)
                and not self._is_much(node.op, before)
                and not self._spills(node, before)
            ):
                self.groups.remove(before)
                group.values += before.values
        group.values = [*sorted(set(group.values)), value]
        self.groups.append(group)

    def _only_prepares(self, before: Group, value: int) -> bool:
        """Whether a group of single elements is read by one node and by nobody else."""
        if before.rows or before.anchor is not None:
            return False
        readers = {
            self.program.value_of(reader)
            for output in before.outputs(self.program)
            for reader in self.program.users[output]
        } - set(before.values)
        return readers == {value} and not set(before.values) & set(self.program.outputs)

    @staticmethod
    def _is_much(op: str, before: Group) -> bool:
        """To compute something again for every place it is moved to, or for every tile that reads it, is
        worth it for a few operators."""
        return (op in MOVES or op in READ_BY_DIMS) and len(before.values) > MOST_RECOMPUTED

    def _spills(self, node: Node, before: Group) -> bool:
        """Whether a product would compute a factor on the way and has no tensor cores: all products of a step
        are written out, and registers do not hold what is computed for them. What is only read otherwise goes
        through shared memory."""
        if node.op not in READ_BY_DIMS or self.program.values[node.operands[0]].dtype != "float32":
            return False
        nodes = (self.program.node_of(value) for value in before.values)
        return any(each is not None and each.op not in VIEWS for each in nodes)

    def _fits(self, group: Group, value: int) -> bool:
        """Whether the group visits the elements of this value, and has its operands there."""
        node = self.program.node_of(value)
        assert node is not None
        if node.op in MOVES and (group.rows or group.anchor is not None):
            return False
        index = self._index_in(group, value)
        if index is None:
            return False
        for operand in node.operands:
            if operand in group.values and not (node.op == "batch_norm" and operand != node.operands[0]):
                own = self._index_in(group, operand)
                if node.op not in MOVES and own != aligned(index, self._shape(operand)):
                    return False
        return True

    def _index_in(self, group: Group, value: int) -> Index | None:
        """Where a group has this value: at each of its elements, or once a row."""
        shape = self._shape(value)
        if shape == group.shape:
            return group.index
        if group.rows is None or group.rows.groups:
            return None
        for keepdim in (True, False):
            index = group.rows.row_index(keepdim)
            kept = tuple(
                1 if axis in group.rows.gone_over else size
                for axis, size in enumerate(group.shape)
                if keepdim or axis not in group.rows.gone_over
            )
            if shape == kept:
                return index
        return None

    def _merge(self) -> None:
        """Make one kernel of two, as long as there are two that may be. They then stand in the order of their
        first values, as far as what they read is there."""
        while pair := next(filter(self._may_merge, itertools.combinations(self.groups, 2)), None):
            self.groups = [*(group for group in self.groups if group not in pair), _both(*pair)]
        waiting, self.groups = sorted(self.groups, key=lambda group: group.values[0]), []
        while waiting:
            made = {value for group in self.groups for value in group.values} | set(range(self._num_inputs))
            ready = next(group for group in waiting if group.reads(self.program) <= made)
            waiting.remove(ready)
            self.groups.append(ready)

    def _may_merge(self, pair: tuple[Group, Group]) -> bool:
        """Whether two kernels visit the same elements, read a whole tensor both, and can be one."""
        both = _both(*pair)
        if any(group.anchor is not None or group.shape != both.shape for group in pair):
            return False
        if both.rows and any(group.rows not in (None, both.rows) for group in pair):
            return False
        shared = pair[0].reads(self.program) & pair[1].reads(self.program)
        shared |= both.reads(self.program) ^ (pair[0].reads(self.program) | pair[1].reads(self.program))
        whole = math.prod(both.shape)
        if not any(self.program.values[value].num_elements == whole for value in shared):
            return False
        tensors = both.reads(self.program) | set(both.outputs(self.program))
        if len(tensors) > MOST_TENSORS or not all(self._meets(both, value) for value in both.values):
            return False
        return not self._goes_around(*pair)

    def _meets(self, group: Group, value: int) -> bool:
        """Whether a value finds its operands where a merged group has them."""
        node = self.program.node_of(value)
        assert node is not None
        if operator(self.program, value) is not None:
            held = [operand for operand in node.operands if operand in group.values]
            return all(self._shape(operand) == group.shape for operand in held)
        return self._fits(group, value)

    def _goes_around(self, *pair: Group) -> bool:
        """Whether one of two kernels waits for a third that waits for the other."""
        for first, second in (pair, pair[::-1]):
            reached, waiting = set(first.values), [g for g in self.groups if g not in pair]
            while found := next((g for g in waiting if g.reads(self.program) & reached), None):
                waiting.remove(found)
                reached |= set(found.values)
            if second.reads(self.program) & (reached - set(first.values)):
                return True
        return False

    @property
    def _num_inputs(self) -> int:
        return len(self.program.inputs)

    def _latest(self, value: int) -> Group | None:
        node = self.program.node_of(value)
        assert node is not None
        found = [group for group in self.groups if any(each in group.values for each in node.operands)]
        return found[-1] if found else None

    def _group_of(self, value: int) -> Group | None:
        return next((group for group in self.groups if value in group.values), None)

    def _shape(self, value: int) -> tuple[int, ...]:
        return self.program.values[value].shape


def _both(first: Group, second: Group) -> Group:
    rows = first.rows or second.rows
    return Group(rows.shape if rows else first.shape, sorted({*first.values, *second.values}), rows)


MOST_RECOMPUTED = 3
READ_BY_DIMS = ("matmul", "bmm", "linear")
"""Products whose factors are read by dims, so that what prepares them can be computed on the way."""
MOST_TENSORS = 8
"""That one kernel reads and writes."""
