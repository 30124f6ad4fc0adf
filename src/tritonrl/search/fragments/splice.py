"""Splice: a program in which some fragments are Triton and the rest stays PyTorch, as code.

    def triton_fused_operator(tensor_0, tensor_1):
        tensor_2 = F.linear(tensor_0, tensor_1)
        [tensor_5] = fragment_1(tensor_2.contiguous())
        return [tensor_5]

Each kernel's file comes along with its own names numbered, so that none meets another's. Kernels were
verified for contiguous inputs: whatever they are handed is made so, which costs nothing where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from tritonrl.program import Program
from tritonrl.program.emit import expression, variable
from tritonrl.program.fragment import Fragment, Wiring, members
from tritonrl.search.fragments.names import Numbered, SpliceError, numbered
from tritonrl.tasks.task import FUNCTION_ENTRY

__all__ = ["SpliceError", "Spliced", "spliced"]


@dataclass(frozen=True)
class Spliced:
    """A fragment and the code of its kernel, which defines what an answer to its program defines."""

    fragment: Fragment
    code: str


def spliced(program: Program, parts: Sequence[Spliced]) -> str:
    """The program's answer with these fragments, which are disjoint and can run one after the other."""
    files: dict[str, Numbered] = {}
    for part in parts:
        if part.code not in files:
            files[part.code] = numbered(part.code, FUNCTION_ENTRY, "fragment", len(files) + 1)
    lines = _body(program, parts, {code: file.entry for code, file in files.items()})
    arguments = ", ".join(variable(value) for value in range(len(program.inputs)))
    body = [f"def {FUNCTION_ENTRY}({arguments}):", *(f"    {line}" for line in lines)]
    needs_functional = any("F." in line for line in lines)
    imports = ["import torch", *(["import torch.nn.functional as F"] if needs_functional else [])]
    imports = list(dict.fromkeys([*imports, *(line for file in files.values() for line in file.imports)]))
    _refuse_clashes(imports)
    parts_of_file = ["\n".join(imports), *(file.code for file in files.values()), "\n".join(body)]
    return "\n\n\n".join(each.strip("\n") for each in parts_of_file) + "\n"


def _body(program: Program, parts: Sequence[Spliced], entries: dict[str, str]) -> list[str]:
    """Operators and calls of fragments, in an order in which they can run."""
    owner = {position: part for part in parts for position in part.fragment.positions}
    needed, lines = set(program.outputs), []
    for step in reversed(_order(program, parts)):
        if isinstance(step, Spliced):
            part = step.fragment
            needed |= set(part.inputs)
            given = ", ".join(f"{variable(value)}.contiguous()" for value in part.inputs)
            results = ", ".join(variable(value) for value in part.outputs)
            lines.append(f"[{results}] = {entries[step.code]}({given})")
        elif step not in owner and program.value_of(step) in needed:
            needed |= set(program.nodes[step].operands)
            lines.append(f"{variable(program.value_of(step))} = {expression(program, step)}")
    returned = ", ".join(variable(value) for value in program.outputs)
    return [*reversed(lines), f"return [{returned}]"]


def _order(program: Program, parts: Sequence[Spliced]) -> list[int | Spliced]:
    owner: dict[int, int | Spliced] = {p: part for part in parts for p in part.fragment.positions}
    maker = {program.value_of(p): owner.get(p, p) for p in range(len(program.nodes))}
    graph: dict[int | Spliced, set[int | Spliced]] = {}
    for position, node in enumerate(program.nodes):
        if position not in owner:
            graph[position] = {maker[value] for value in node.operands if value in maker}
    for part in parts:
        graph[part] = {maker[value] for value in part.fragment.inputs if value in maker}
    # As they stand in the program, as far as they can.
    place = {part: part.fragment.positions[-1] for part in parts}
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    order: list[int | Spliced] = []
    ready = list(sorter.get_ready())
    while ready:
        first = min(ready, key=lambda each: place[each] if isinstance(each, Spliced) else each)
        ready.remove(first)
        order.append(first)
        sorter.done(first)
        ready += sorter.get_ready()
    return order


def _refuse_clashes(imports: Sequence[str]) -> None:
    """Two files may not mean different things by the same name."""
    meant: dict[str, str] = {}
    for line in imports:
        for name, what in Numbered.bound_by(line).items():
            if meant.setdefault(name, what) != what:
                raise SpliceError(f"{name!r} is {meant[name]} for one kernel and {what} for another")


def reads_of(program: Program) -> dict[int, set[int]]:
    """For each operator those whose results it reads, through views."""
    wiring = Wiring(program)
    return {position: set(members(read)) for position, read in wiring.reads.items()}
