"""How kernels over rows compute row operators and store what they have."""

from collections.abc import Sequence

from tritonrl.program.op import literal
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index, aligned
from tritonrl.teach.composer.rows import NEUTRAL, operator, parameters
from tritonrl.teach.composer.scope import Scope

Words = dict[str, str]


class RowBody:
    """Row operators of one group. `axis` is how a kernel goes over its columns."""

    def __init__(self, program: Program, group: Group, axis: str) -> None:
        assert group.rows is not None
        self.program, self.group, self.rows, self.axis = program, group, group.rows, axis
        self.known: dict[int, Words] = {}
        """Statistics that were computed beforehand, by the value that they are for."""

    def index_of(self, value: int) -> Index:
        """Where a value of the group is: at each element, or once a row."""
        shape, found = self.program.values[value].shape, operator(self.program, value)
        if found.element if found else shape == self.rows.shape:
            return self.rows.index()
        return self.rows.row_index(keepdim=len(shape) == len(self.rows.shape))

    def words(self, scope: Scope, value: int) -> Words:
        """What the templates of a row operator speak of: attributes, operands, the number of columns."""
        node = self.program.node_of(value)
        assert node is not None
        full = self.rows.index()
        words = {name: literal(each) for name, each in node.attrs.items()}
        words |= {"n": str(self.rows.num_columns), "axis": self.axis.removeprefix("axis=")[:1]}
        for slot, operand in zip(node.row.slots, node.inputs, strict=False):
            if operand is not None and slot.name in ("x", "y", "z"):
                # Labels have no dim of classes.
                is_label = slot.indexes is not None
                shape = self.program.values[operand].shape
                index = self.rows.row_index(keepdim=False) if is_label else aligned(full, shape)
                words[slot.name] = scope.value(operand, index)
        return words

    def special(self, scope: Scope, value: int, index: Index) -> str | None:
        """The result of a row operator of the group."""
        operation = operator(self.program, value) if value in self.group.values else None
        if operation is None:
            return None
        words = self.known.get(value)
        if words is None:
            words = self.words(scope, value)
            mask = scope.masks.get("col", "")
            for statistic in operation.statistics:
                each = statistic.of.format(**words)
                held = f"tl.where({mask}, {each}, {NEUTRAL[statistic.how]})" if mask else each
                words[statistic.name] = f"{statistic.name}_{value}"
                text = f"tl.{statistic.how}({held}, {self.axis})"
                scope.line(f"{words[statistic.name]} = {statistic.finished(text, words)}")
        if operation.result:
            return scope.named(value, operation.result.format(**words))
        if value in self.known:
            words = {**words, **self.words(scope, value)}
        text = operation.element.format(**words)
        given = parameters(self.program, value, self.rows.index())
        if "weight" in given:
            text = f"{text} * {scope.value(*given['weight'])}"
        if "bias" in given:
            text = f"{text} + {scope.value(*given['bias'])}"
        return scope.named(value, text)

    def store(self, scope: Scope, written: Sequence[int]) -> None:
        """Compute these values, and write them."""
        scope.store({value: self.index_of(value) for value in written})
