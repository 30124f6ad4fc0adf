"""How kernels over rows compute row operators and store what they have."""

from collections.abc import Mapping, Sequence

from tritonrl.program.op import literal
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index, aligned
from tritonrl.teach.composer.numbers import atom
from tritonrl.teach.composer.rows import NEUTRAL, SCANS, RowOperator, Rows, operator, parameters
from tritonrl.teach.composer.scope import Place, Scope

Words = dict[str, str]


class RowBody:
    """Row operators of one group, in a kernel that has several rows at a time, or one."""

    def __init__(self, program: Program, group: Group, *, several: bool) -> None:
        assert group.rows is not None
        self.program, self.group, self.rows = program, group, group.rows
        self.axis = "axis=1, keep_dims=True" if several else "axis=0"
        """How the kernel goes over its columns."""
        self.known: dict[int, Words] = {}
        """Statistics that were computed beforehand, by the value that they are for."""
        self.carried: dict[int, str] | None = None
        """What scans carry from block to block grows to, in a pass; None where rows are held."""

    @property
    def operators(self) -> dict[int, RowOperator]:
        """Of the group, by the value that each computes."""
        found = {value: operator(self.program, value) for value in self.group.values}
        return {value: each for value, each in found.items() if each is not None}

    def index_of(self, value: int) -> Index:
        """Where a value of the group is: at each element, or once a row."""
        shape, found = self.program.values[value].shape, operator(self.program, value)
        if found.element if found else shape == self.rows.shape:
            return self.rows.index()
        return self.rows.row_index(keepdim=len(shape) == len(self.rows.shape))

    def attributes(self, value: int) -> Words:
        """What the templates of a row operator speak of, but for the operands."""
        node = self.program.node_of(value)
        assert node is not None
        words = {name: literal(each) for name, each in node.attrs.items()}
        words |= {"n": atom(self.rows.num_columns), "over": self.axis}
        axis, _, keep = self.axis.removeprefix("axis=").partition(", ")
        return words | {"axis": axis, "keep": f", {keep}" if keep else ""}

    def words(self, scope: Scope, value: int) -> Words:
        """With the operands at an element."""
        elements = self._elements(value)
        scope.compute(elements.values())
        return self.attributes(value) | {name: scope.value(*place) for name, place in elements.items()}

    def _elements(self, value: int) -> dict[str, Place]:
        """The operands that rows are made of, by name, and where each is read for an element."""
        node = self.program.node_of(value)
        assert node is not None
        full, found = self.rows.index(), {}
        for slot, operand in zip(node.row.slots, node.inputs, strict=False):
            if operand is not None and slot.name in ("x", "y", "z"):
                # Labels have no dim of classes.
                is_label = slot.indexes is not None
                shape = self.program.values[operand].shape
                index = self.rows.row_index(keepdim=False) if is_label else aligned(full, shape)
                found[slot.name] = (operand, index)
        return found

    def operands(self, value: int) -> list[Place]:
        """Where a row operator of the group reads what it reads: nothing if its result is known."""
        operation = operator(self.program, value) if value in self.group.values else None
        if operation is None or (operation.result and value in self.known):
            return []
        given = {} if operation.result else parameters(self.program, value, self.rows.index())
        return [*self._elements(value).values(), *given.values()]

    def filled(self, template: str, value: int, words: Words) -> str:
        """A template of a row operator with its words. `below` is how far an element lies below the largest:
        of a product that is computed here a fused multiply-add would take the largest off before it is
        rounded, and what is left of 1e10, up to 512, overflows in an exponent."""
        node = self.program.node_of(value)
        assert node is not None
        if "{below}" in template:
            x, largest = words["x"], words["largest"]
            firm = f"tl.minimum({x}, {largest})" if node.operands[0] in self.group.values else x
            words = {**words, "below": f"{firm} - {largest}"}
        return template.format(**words)

    def special(self, scope: Scope, value: int, index: Index) -> str | None:
        """The result of a row operator of the group."""
        operation = operator(self.program, value) if value in self.group.values else None
        if operation is None:
            return None
        known = self.known.get(value)
        if operation.result and known is not None:
            return scope.named(value, operation.result.format(**known))
        words = {**self.words(scope, value), **(known or {})}
        if known is None:
            mask = scope.masks.get("col", "")
            for statistic in operation.statistics:
                each = self.filled(statistic.of, value, words)
                held = f"tl.where({mask}, {each}, {NEUTRAL[statistic.how]})" if mask else each
                words[statistic.name] = f"{statistic.name}_{value}"
                text = f"tl.{statistic.how}({held}, {self.axis})"
                scope.line(f"{words[statistic.name]} = {statistic.finished(text, words)}")
        if operation.result:
            return scope.named(value, operation.result.format(**words))
        text = self._carried(value, self.filled(operation.element, value, words), words)
        given = parameters(self.program, value, self.rows.index())
        if "weight" in given:
            text = f"{text} * {scope.value(*given['weight'])}"
        if "bias" in given:
            text = f"{text} + {scope.value(*given['bias'])}"
        return scope.named(value, text)

    def _carried(self, value: int, text: str, words: Words) -> str:
        """A scan with what the blocks before it came to, where rows are gone over in blocks."""
        node = self.program.node_of(value)
        scan = SCANS.get(node.op) if node else None
        if scan is None or self.carried is None:
            return text
        carried = f"carried_{value}"
        self.carried[value] = scan.joined.format(a=carried, b=scan.block.format(**words))
        return scan.joined.format(a=carried, b=text)

    def store(self, scope: Scope, written: Sequence[int]) -> None:
        """Compute these values, and write them."""
        scope.store({value: self.index_of(value) for value in written})


def row_launch(rows: Rows, sizes: Mapping[str, int]) -> tuple[dict[str, int], tuple[str | int]]:
    """The constants and the grid of a kernel whose programs have a row each, or several."""
    if sizes["ROWS"] == 1:
        return {"BLOCK": sizes["BLOCK"]}, (rows.num_rows,)
    constants = {"ROWS": sizes["ROWS"], "BLOCK": sizes["BLOCK"]}
    return constants, (f"triton.cdiv({rows.num_rows}, {sizes['ROWS']})",)
